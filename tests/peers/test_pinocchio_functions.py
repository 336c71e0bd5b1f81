"""Every function that Pinocchio has too, compiled, at fifty random states of real robots."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest
from pinocchio_functions import TRUTHS, draw_states, expected, prescribed_names
from pinocchio_peers import Array, load_peer, relative_of_arrays

from symdyn.functions.catalogue import CATALOGUE

pytestmark = pytest.mark.peers

STATES = 50
CASES = [
    ("ur5", "auto"),
    ("xarm7", "auto"),
    ("panda_mimic", "auto"),
    ("panda_locked", "auto"),
    ("allegro", "auto"),
    ("baxter", "auto"),
    ("solo12", "auto"),
    ("talos_reduced", "auto"),
    ("panda_mimic", "rolled"),
    ("ur5", "split"),
]

EXPLICIT = 1e-12
"""Sums of products: only the rounding of both libraries, some hundred units of 2^-53, whichever order they add in."""
SOLVED = 1e-10
"""What comes from solving with M takes its condition number on top, up to 1e5 for fingers on arms."""
SOLVED_PARTIALS = 1e-9
"""Derivatives of what is solved for: M^-1 acts on the rounding of a, in dtau_dq, and once more on the result."""
TOLERANCES = {
    "forward_dynamics": SOLVED,
    "hybrid_dynamics": SOLVED,
    "mass_matrix_inverse": SOLVED,
    "forward_dynamics_partials": SOLVED_PARTIALS,
    "hybrid_dynamics_partials": SOLVED_PARTIALS,
}


@functools.cache
def states(name: str) -> dict[str, Array]:
    return draw_states(load_peer(name), STATES, seed=31)


def outputs(module: Any, function: str, at: Mapping[str, Array]) -> tuple[Array, ...]:
    found = getattr(module, function)(*(at[argument.name] for argument in module.signature(function).inputs))
    return found if isinstance(found, tuple) else (found,)


@pytest.fixture(scope="module", params=CASES, ids="-".join)
def case(request: pytest.FixtureRequest) -> tuple[str, str]:
    """A robot and a layout, for all functions in turn."""
    name, layout = request.param
    return name, layout


@pytest.mark.parametrize("function", TRUTHS)
def test_function(compiled: Callable[..., Any], case: tuple[str, str], function: str) -> None:
    name, _ = case
    at = states(name)
    found = outputs(compiled(*case), function, at)
    for output, truth in zip(found, expected(load_peer(name), function, at), strict=True):
        assert relative_of_arrays(output, truth) < TOLERANCES.get(function, EXPLICIT)


def test_solved_motion_satisfies_the_equations_of_motion(compiled: Callable[..., Any], case: tuple[str, str]) -> None:
    module, at = compiled(*case), states(case[0])
    q, v, tau = at["q"], at["v"], at["tau"]
    a = module.forward_dynamics(q, v, tau)
    moving = np.einsum("kij,kj->ki", module.mass_matrix(q), a) + module.bias(q, v)
    assert relative_of_arrays(moving, tau) < 1e-10
    w = module.hybrid_dynamics(q, v, at["u"])
    prescribed = np.isin(module.signature("hybrid_dynamics").inputs[2].rows[0], prescribed_names(load_peer(case[0])))
    assert relative_of_arrays(module.inverse_dynamics(q, v, np.where(prescribed, at["u"], w)), tau) < 1e-10


def test_every_function_without_time_derivatives_has_a_peer() -> None:
    assert {name for name, entry in CATALOGUE.items() if not entry.has_order} == set(TRUTHS)
