"""What modules say of frameworks before one is loaded."""

from __future__ import annotations

import pytest

import symdyn
from symdyn.errors import RequestError


@pytest.mark.parametrize(("target", "message"), [("python", "compile the robot with target='c'")])
def test_modules_of_python_are_refused(target: str, message: str) -> None:
    robot = symdyn.load_example("pendulum")
    module = symdyn.compile(robot, ["gravity"], target=target)
    for offer in (module.jax, module.torch):
        with pytest.raises(RequestError, match=f"this is a module of target '{target}'; .*{message}"):
            offer("gravity")
        with pytest.raises(RequestError, match="has no function 'inertia'; it has gravity"):
            offer("inertia")
