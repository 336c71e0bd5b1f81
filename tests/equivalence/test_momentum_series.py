"""Two oracles that share no method, and the recursion, on random trees: tau and its derivatives along a trajectory.

One oracle differentiates forces of order 0 by interpolation (``symdyn.verify``); the other one takes momenta of links
as Taylor series about the world's origin (``tests/support/oracles/taylor_momenta.py``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from mpmath import mp
from support.oracles.taylor_momenta import frame_twists, generalised_forces
from support.robots.kinds import MOVING
from support.robots.small import loaded
from support.robots.table import TREES, with_losses

from symdyn import api
from symdyn.description.robot import JointKind
from symdyn.functions.catalogue import requests
from symdyn.interface.options import RequestOptions
from symdyn.model.joints import FREE, FREE_SPATIAL, JOINTS, SPHERICAL
from symdyn.model.joints.scalar_first import FREE_MUJOCO, SPHERICAL_MUJOCO
from symdyn.robot.robot import Robot
from symdyn.verify.base.compare import error_in_u, output_blocks
from symdyn.verify.oracle.setting import make_setting
from symdyn.verify.oracle.truths import find_truth

ORDER, DIGITS = 3, 50
FORCES, FRAMES = "inverse_dynamics_time_derivatives", "forward_kinematics_time_derivatives"
LIMIT = 200.0

NAMES = ("every kind", "free base", "spatial base", "followers and springs")


@cache
def robot(name: str) -> Robot:
    return loaded(with_losses(TREES[name].described()), **TREES[name].options)


def exact_unit(loaded_robot: Robot, q: Sequence[float]) -> list[Any]:
    """Coordinates with quaternions of unit length to fifty digits."""
    found = [mp.mpf(value) for value in q]
    for joint in loaded_robot.model.independent_joints:
        if joint.kind in (SPHERICAL, FREE, FREE_SPATIAL):
            first = joint.q_index + len(joint.coordinates.q) - 4
            norm = mp.norm(found[first : first + 4])
            found[first : first + 4] = [value / norm for value in found[first : first + 4]]
    return found


class Drawn:
    """A function's signature, inputs with fifty digits, and both oracles' setting."""

    def __init__(self, name: str, function: str, seed: int = 3) -> None:
        own = robot(name)
        self.robot, self.function = own, function
        self.options: RequestOptions = {"order": ORDER}
        if function == FORCES:
            self.options["external_wrenches"] = "body" if name == "free base" else "world"
        ((entry, request),) = requests(own.model, [function], **self.options)
        self.signature = entry.signature(own.model, request)
        rng = np.random.default_rng(seed)
        with mp.workdps(DIGITS):
            q = exact_unit(own, own.random_state(rng)[0])
        self.V = rng.standard_normal((ORDER + 1 + (function == FORCES), own.nv)).tolist()
        self.inputs: dict[str, Any] = {"q": q, "V": [x for row in self.V for x in row]}
        if function == FORCES:
            self.inputs["f_ext"] = rng.standard_normal((ORDER + 1) * 6 * len(own.body_names)).tolist()

    def truth(self) -> Any:
        setting = make_setting(self.robot.description, self.signature, self.robot.load_options())
        return find_truth(self.function)(setting, self.inputs)

    def recursion(self) -> list[float]:
        plain = {name: [float(x) for x in values] for name, values in self.inputs.items()}
        found = api.float_recursion(self.robot, self.function, **self.options)(plain)
        return [row for output in self.signature.outputs for row in found[output.name]]


def far(found: Sequence[Any], expected: Sequence[Any], width: int) -> Any:
    """Largest difference, order by order relative to the largest entry."""
    assert len(found) == len(expected)
    worst = mp.mpf(0)
    for start in range(0, len(found), width):
        pairs = list(zip(found[start : start + width], expected[start : start + width], strict=True))
        worst = max(worst, max(abs(x - y) for x, y in pairs) / max(abs(y) for _, y in pairs))
    return worst


def test_the_trees_have_what_they_are_for() -> None:
    kinds = {body.joint.kind.moving for name in NAMES for body in robot(name).model.bodies}
    assert kinds == set(JOINTS) - {FREE_MUJOCO, SPHERICAL_MUJOCO}  # tests/model/test_mujoco_convention.py has these
    joints = robot("followers and springs").description.joints
    assert all(any(getattr(joint, own) for joint in joints) for own in ("mimic", "elastic", "actuator", "loads"))
    assert {joint.kind for joint in robot("every kind").description.joints} >= set(MOVING) - {JointKind.CONTINUOUS}


@pytest.mark.parametrize("name", NAMES)
def test_forces(name: str) -> None:
    case = Drawn(name, FORCES)
    with mp.workdps(DIGITS):
        own = case.robot
        axes = str(case.options["external_wrenches"])
        expected = [
            x for row in generalised_forces(own, case.inputs["q"], case.V, case.inputs["f_ext"], axes) for x in row
        ]
        exact = case.truth()
        assert far(exact.values, expected, own.nv) < mp.mpf("1e-22")
        assert error_in_u(case.recursion(), expected, output_blocks(case.signature.outputs)) <= LIMIT


@pytest.mark.parametrize("name", ["every kind", "spatial base"])
def test_frames(name: str) -> None:
    case = Drawn(name, FRAMES)
    links, frames = len(case.robot.description.links), len(case.robot.frame_names)
    with mp.workdps(DIGITS):
        expected = frame_twists(case.robot, case.inputs["q"], case.V)

        def of_links(rows: Sequence[Any]) -> list[Any]:
            """Without poses and extra frames."""
            moved = rows[16 * frames :]
            return [x for k in range(ORDER + 1) for x in moved[6 * frames * k : 6 * (frames * k + links)]]

        assert far(of_links(case.truth().values), expected, 6 * links) < mp.mpf("1e-22")
        assert far([mp.mpf(x) for x in of_links(case.recursion())], expected, 6 * links) < 1e-13


@pytest.mark.parametrize(("name", "every"), [("free base", 0), ("followers and springs", 3)])
def test_solved_orders(name: str, every: int) -> None:
    """Forces of the one oracle into the other one's equations of motion: the accelerations come back."""
    case, order = Drawn(name, FORCES), 1
    own, count = case.robot, 6 * len(case.robot.body_names) * (order + 1)
    q, V, f_ext = case.inputs["q"], case.V[: order + 2], case.inputs["f_ext"][:count]
    held = set(range(0, own.nv, every)) if every else set()
    with mp.workdps(DIGITS):
        T = generalised_forces(own, q, V, f_ext, str(case.options["external_wrenches"]))
        rows = [(k, i) for k in range(order + 1) for i in range(own.nv)]
        given = [V[k + 1][i] if i in held else T[k][i] for k, i in rows]
        sought = [T[k][i] if i in held else V[k + 1][i] for k, i in rows]
        setting = make_setting(own.description, case.signature, own.load_options())
        setting = replace(setting, order=order, prescribed=tuple(sorted(held)))
        inputs = {"q": q, "v": V[0], "T": given, "U": given, "f_ext": f_ext}
        name = "hybrid_dynamics_time_derivatives" if held else "forward_dynamics_time_derivatives"
        exact = find_truth(name)(setting, inputs)
        assert far(exact.values, sought, own.nv) < mp.mpf("1e-25")
        assert len(exact.scales) == len(sought)
        assert all(size > abs(value) for size, value in zip(exact.scales, exact.values, strict=True))


def test_a_wrong_sign_would_be_seen() -> None:
    """The trajectory matters to the last order: one coefficient of opposite sign moves the result."""
    case = Drawn("spatial base", FORCES)
    with mp.workdps(DIGITS):
        right = generalised_forces(case.robot, case.inputs["q"], case.V)
        case.V[-1][-1] *= -1
        assert far(generalised_forces(case.robot, case.inputs["q"], case.V)[-1], right[-1], case.robot.nv) > 1e-6
