"""Every function that Pinocchio has too, compiled, at fifty random states of real robots."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from support.parts import OF_EVERY_ROBOT
from support.pinocchio.functions import TRUTHS, draw_states, expected, prescribed_names, prescribed_rows
from support.pinocchio.twins import Array, Peer, load_peer, module_outputs, relative_of_arrays

import symdyn
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
"""What comes from solving with M takes its condition number on top: 1e3 for arms and hands, 1e5 for legged robots."""
SOLVED_PARTIALS = 1e-9
"""Derivatives of what is solved for: M^-1 acts on the rounding of a, in dtau_dq, and once more on the result."""
TOLERANCES = {
    "forward_dynamics": SOLVED,
    "hybrid_dynamics": SOLVED,
    "mass_matrix_inverse": SOLVED,
    "forward_dynamics_partials": SOLVED_PARTIALS,
    "hybrid_dynamics_partials": SOLVED_PARTIALS,
}


@pytest.mark.parametrize(("name", "layout"), CASES)
def test_every_function_of_a_robot(name: str, layout: str) -> None:
    """All in one test, because one module holds them all and its compilation is most of the work."""
    peer = load_peer(name)
    module = symdyn.compile(peer.robot, list(TRUTHS), layout=layout, prescribed=prescribed_names(peer))
    at = draw_states(peer, STATES, seed=31)
    errors = {}
    for function in TRUTHS:
        arguments = module.signature(function).outputs
        pairs = zip(module_outputs(module, function, at), expected(peer, function, at), strict=True)
        for argument, (output, truth) in zip(arguments, pairs, strict=True):
            error = relative_of_arrays(output, truth)
            if not error < TOLERANCES.get(function, EXPLICIT):
                errors[function, argument.name] = error
    assert errors == {}
    equations_of_motion_hold(peer, module, at)


def equations_of_motion_hold(peer: Peer, module: Any, at: Mapping[str, Array]) -> None:
    """What forward and hybrid dynamics find causes no other forces than it was given."""
    q, v, tau = at["q"], at["v"], at["tau"]
    a = module.forward_dynamics(q, v, tau)
    moving = np.einsum("kij,kj->ki", module.mass_matrix(q), a) + module.bias(q, v)
    assert relative_of_arrays(moving, tau) < 1e-10
    a = module.hybrid_dynamics(q, v, at["u"])
    a[:, prescribed_rows(peer)] = at["u"][:, prescribed_rows(peer)]
    assert relative_of_arrays(module.inverse_dynamics(q, v, a), tau) < 1e-10


def test_every_function_without_time_derivatives_has_a_peer() -> None:
    alone = {"elastic_forces", "damping_forces"}  # there are no springs in this peer
    alone |= {name for name in OF_EVERY_ROBOT if name.startswith(("state_", "implicit_", "statics_"))}  # sums of these
    alone |= {name for name in OF_EVERY_ROBOT if name.endswith(("_adjoint", "_weighted_hessian"))}  # second_order
    assert {name for name in OF_EVERY_ROBOT if "order" not in CATALOGUE[name].takes} - alone == set(TRUTHS)
