"""Rows of constraints on velocities: what they leave of motions, and which are left out or refused."""

from __future__ import annotations

import numpy as np
import pytest
from support.looped_checks import verified
from support.robots.rolling import SLEIGH, robot
from support.soft_calls import call

from symdyn.errors import ModelError

FORWARD = "constrained_forward_dynamics"
CLOSE = {"rel": 1e-12, "abs": 1e-12}


def test_velocities_are_projected_and_positions_left() -> None:
    own, rng = (
        robot(SLEIGH.replace("coordinates: [yaw]", "coordinates: [yaw], equals: [0.5]")),
        np.random.default_rng(1),
    )
    q, v = own.random_state(rng)
    closed, moved = own.project(q, v)
    A = call(own, "constraint_jacobian", q=q)[0]
    M = call(own, "mass_matrix", q=q)[0]
    assert np.array_equal(closed, q) and A @ moved == pytest.approx([0.5], abs=1e-14)
    across = np.linalg.svd(A)[2][1:]
    assert across @ M @ (moved - v) == pytest.approx(np.zeros(2), abs=1e-13)
    assert own.mobility == 2 and len(own.independent_coordinates) == 2


def test_rows_that_follow_from_others() -> None:
    gear = SLEIGH + "  gear: {kind: coupling, terms: {x: 1, y: -2}}\n"
    first = gear.replace("  blade:", "  slide: {kind: pfaffian, rows: [{x: -0.5, y: 1}]}\n  blade:")
    own = robot(first)
    assert [own.dropped for own in own.constraints] == [("",), (), ()]
    assert "loop 'slide': row 0 follows from others in all positions; left out" in own.warnings[0]
    with pytest.raises(ModelError, match=r"loop 'slide' can never be met: row 0 misses by 0\.\d+ m/s in all positions"):
        robot(first.replace("y: 1}]}", "y: 1}], equals: [0.3]}"))


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ("{x: -sin", "{z: -sin", r"line 8: loop 'blade': row 0: 'z' is no row of v of a joint with coordinates of its"),
        (
            "[yaw]}",
            "{yaw: yam}}",
            r"loop 'blade': coordinate 'yaw' stands for 'yam', which is no row of q .*mean 'yaw'",
        ),
        ("cos(yaw)", "1/sin(yaw)", r"loop 'blade': row 0 cannot be told at the neutral position.*division by zero"),
        ("cos(yaw)", "sqrt(yaw - 1)", r"loop 'blade': row 0 cannot be told at the neutral position"),
    ],
)
def test_what_the_model_refuses(before: str, after: str, words: str) -> None:
    assert before in SLEIGH
    with pytest.raises(ModelError, match=words):
        robot(SLEIGH.replace(before, after))


def test_locked_joints_leave_their_columns() -> None:
    q, v, tau = [0.1, 0.2], [0.5 * np.cos(0.4), 0.5 * np.sin(0.4)], [1.0, 2.0]
    own = robot(SLEIGH, locked_joints=(("yaw", 0.4),))
    a, _ = call(own, FORWARD, q=q, v=v, tau=tau)
    push = np.cos(0.4) + 2 * np.sin(0.4)
    assert a == pytest.approx([push / 2 * np.cos(0.4), push / 2 * np.sin(0.4)], **CLOSE)
    verified(own, ("constraint_jacobian", "constraint_bias"), 1)
    still = robot(SLEIGH, locked_joints=(("x", 0.0), ("y", 1.0)))
    assert still.model.loop_row_names == () and still.mobility == 1
    with pytest.raises(ModelError, match="loop 'blade': row 0 holds joints that are all locked to a velocity that is"):
        robot(SLEIGH.replace("[yaw]}", "[yaw], equals: [1]}"), locked_joints=(("x", 0.0), ("y", 1.0)))
