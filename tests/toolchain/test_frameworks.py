"""What modules say of frameworks before one is loaded."""

from __future__ import annotations

import pytest

import symdyn
from symdyn.errors import RequestError


def test_modules_of_python_are_refused() -> None:
    module = symdyn.compile(symdyn.load_example("pendulum"), ["gravity"], target="python")
    for offer in (module.jax, module.torch):
        with pytest.raises(RequestError, match="this module has target 'python'; compile the robot with target='c'"):
            offer("gravity")
        with pytest.raises(RequestError, match="has no function 'inertia'; it has gravity"):
            offer("inertia")
