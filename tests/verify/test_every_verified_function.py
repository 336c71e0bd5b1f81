"""Each function of the catalogue against its truth on a random tree: one wrong entry fails."""

from __future__ import annotations

import warnings
from functools import cache
from typing import Any

import numpy as np
import pytest
from support.parts import OF_RIGID_ROBOTS
from support.robots.sprung import OF_ELASTIC_JOINTS, sprung
from support.robots.table import TREES, with_losses
from support.states import random_inputs

from symdyn import api
from symdyn.description.robot import Losses
from symdyn.errors import SymdynWarning
from symdyn.functions.catalogue import CATALOGUE, requests
from symdyn.interface.signature import Signature
from symdyn.robot.robot import Robot
from symdyn.verify.base.compare import error_in_u, limit_in_u, output_blocks
from symdyn.verify.oracle.exact import Exact
from symdyn.verify.oracle.held import setting_of
from symdyn.verify.oracle.truths import find_truth

NAMES = ("verified tree", "verified chain", "verified fork", "verified thrown")
"""Of robots without a massless link, and with mimic joints, rotors and springs among them."""

SLOW = (
    "state_jacobian",
    "implicit_jacobian",
    "inverse_dynamics_weighted_hessian",
    "forward_dynamics_weighted_hessian",
    "hybrid_dynamics_weighted_hessian",
)
"""Truths of these take seconds a state."""
CASES = [pytest.param(name, marks=pytest.mark.slow) if name in SLOW else name for name in OF_RIGID_ROBOTS]


@cache
def example(index: int, elastic: bool = False) -> Robot:
    tree = TREES[NAMES[index]]
    description = with_losses(tree.described(), Losses(0.3, 0.2, 0.05))
    description = sprung(description) if elastic else description
    springs = [f"{joint.name}.spring" for joint in description.joints if joint.loads]
    own = [f"{spring}.{part}" for spring in springs for part in ("stiffness", "rest")]
    moving = next(link.name for link in description.links[1:] if link.inertial is not None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SymdynWarning)
        return api.from_description(
            description,
            joint_losses=True,
            gravity=(1.0, -2.0, -9.0),
            runtime=(f"{moving}.mass", f"{moving}.com.y", "gravity.z", *own),
            **tree.options,
        )


def compared(robot: Robot, name: str, seed: int) -> tuple[Signature, list[float], Exact]:
    """Signature, rows by the float recursion and truth at a random state."""
    entry = CATALOGUE[name]
    asked: dict[str, Any] = (
        {"external_wrenches": ("body", "world")[seed % 2]} if "external_wrenches" in entry.takes else {}
    )
    if "prescribed" in entry.takes:
        asked["prescribed"] = robot.velocity_names[seed % 2 :: 2]
    if "factorization" in entry.takes:
        asked["factorization"] = ("christoffel", "lemma1")[seed % 2]
    ((entry, request),) = requests(robot.model, [name], **asked)
    signature = entry.signature(robot.model, request)
    inputs = random_inputs(robot, signature, np.random.default_rng(seed))
    found = api.float_recursion(robot, name, **asked)(inputs)
    setting = setting_of(robot.description, signature, robot.load_options())
    rows = [row for output in signature.outputs for row in found[output.name]]
    return signature, rows, find_truth(name)(setting, inputs)


@pytest.mark.parametrize("name", CASES)
def test_one_wrong_entry_is_noticed(name: str) -> None:
    signature, rows, exact = compared(example(1, name == OF_ELASTIC_JOINTS), name, 1)
    blocks = output_blocks(signature.outputs)
    for block in (blocks[0], blocks[-1]):  # in the first output and in the last
        place = max(block, key=lambda row: abs(rows[row]))
        wrong = list(rows)
        wrong[place] += 1e-9 * max(float(exact.scales[row]) for row in block) or 1e-300
        assert error_in_u(wrong, exact.values, blocks, scales=exact.scales) > 100 * limit_in_u(4)
