"""Gradients and Hessians of weighted forces and accelerations beside differences of Pinocchio's derivatives."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import pytest
from support.pinocchio.functions import (
    draw_states,
    forward_dynamics_partials,
    inverse_dynamics_partials,
)
from support.pinocchio.twins import Array, Peer, load_peer, relative_of_arrays

import symdyn

pytestmark = pytest.mark.peers

STEP = 1e-3
FUNCTIONS = ("inverse_dynamics_adjoint", "inverse_dynamics_weighted_hessian", "forward_dynamics_weighted_hessian")
WEIGHTS = {1: 3 / 4, 2: -3 / 20, 3: 1 / 60}
"""Central differences of sixth order: an error of some 1e-16 in units of h^6 f^(7), and of 1e-13 by rounding."""
DIFFERENCED = 1e-8
"""The same where M^-1 acts on them twice."""
GRADIENT = 1e-12

State = dict[str, Array]


def along(function: Callable[[State], Array], robot: symdyn.Robot, at: State, by: str) -> Array:
    """The derivative of a vector of nv along the moves of q or rows of an input, (nv, nv): a column per direction."""
    columns = []
    for unit in np.eye(robot.nv):
        total = np.zeros(robot.nv)
        for steps, weight in WEIGHTS.items():
            for sign in (1, -1):
                change = sign * steps * STEP * unit
                moved = robot.integrate(at["q"], change) if by == "q" else at[by] + change
                total += sign * weight * function({**at, by: moved})
        columns.append(total / STEP)
    return np.array(columns).T


def _weighed(
    peer: Peer, partials: Callable[[Peer, State], tuple[Array, ...]], of: int, weights: Array, at: State
) -> Array:
    return np.asarray(weights @ partials(peer, at)[of])


@pytest.mark.parametrize("name", ["ur5", "xarm7", "solo12"])
def test_weighted_derivatives(name: str) -> None:
    peer: Peer = load_peer(name)
    module = symdyn.compile(peer.robot, FUNCTIONS)
    states = draw_states(peer, 2, seed=8)
    rng = np.random.default_rng(9)
    for k in range(2):
        at = {key: rows[k] for key, rows in states.items()}
        weights = rng.standard_normal(peer.robot.nv)
        slopes = inverse_dynamics_partials(peer, at)
        found = module.inverse_dynamics_adjoint(at["q"], at["v"], at["a"], weights)
        for gradient, slope in zip(found, slopes, strict=True):
            assert relative_of_arrays(gradient[None], (weights @ slope)[None]) < GRADIENT
        for function, partials, third in (
            ("inverse_dynamics", inverse_dynamics_partials, "a"),
            ("forward_dynamics", forward_dynamics_partials, "tau"),
        ):
            blocks = getattr(module, f"{function}_weighted_hessian")(at["q"], at["v"], at[third], weights)
            for block, (of, by) in zip(blocks, ((0, "q"), (0, "v"), (1, "v"), (0, third)), strict=True):
                weighed = partial(_weighed, peer, partials, of, weights)
                expected = along(weighed, peer.robot, at, by)
                assert relative_of_arrays(block[None], expected[None]) < DIFFERENCED, (function, of, by)
