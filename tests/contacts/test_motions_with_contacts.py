"""Motions with rigid contacts: what drives them, where they start, what is said of them, and their tables."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

import symdyn
from symdyn.errors import RequestError, SolverError

pytestmark = [pytest.mark.needs_cc, pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")]
G, H = 9.81, 1e-3
BOTH = """
name: both
links:
  world: {}
  soft: {mass: 2, inertia: {xx: 0.006, yy: 0.006, zz: 0.006}}
  hard: {mass: 3, inertia: {xx: 0.006, yy: 0.006, zz: 0.006}, collision: {ball: {sphere: 0.1}}}
joints:
  left: {type: prismatic, parent: world, child: soft, axis: [0, 0, 1]}
  right: {type: prismatic, parent: world, child: hard, axis: [0, 0, 1]}
obstacles: {floor: {plane: {normal: [0, 0, 1], point: [0, 0, 0]}}}
contacts:
  pad: {of: soft, radius: 0.1, with: {plane: {}}, stiffness: 2000, damping: 3, exponent: 1}
  ball: {of: hard.ball, with: floor, friction: 0.5}
"""
CART = """
name: cart
links:
  world: {}
  cart: {mass: 5, inertia: {xx: 0.1, yy: 0.1, zz: 0.1}, collision: {bed: {box: [4, 1, 0.2]}}}
  slide: {}
  block: {mass: 1.5, inertia: {xx: 0.01, yy: 0.01, zz: 0.01}, collision: {foot: {sphere: 0.05}}}
joints:
  drive: {type: prismatic, parent: world, child: cart, axis: [1, 0, 0], limits: {effort: 20}}
  along: {type: prismatic, parent: world, child: slide, axis: [1, 0, 0]}
  up: {type: prismatic, parent: slide, child: block, axis: [0, 0, 1], translation: [0, 0, 0.15]}
contacts: {bed: {of: block.foot, with: [{link: cart, shape: bed}], friction: 0.4}}
actuators: [drive]
"""
PLATE = """
name: plate
links:
  world: {}
  ball: {mass: 1, inertia: {xx: 0.01, yy: 0.01, zz: 0.01}, collision: {skin: {sphere: 0.004}}}
joints: {free: {type: floating, parent: world, child: ball}}
obstacles: {plate: {box: {size: [1, 1, 0.002]}}}
contacts: {skin: {of: ball.skin, with: plate}}
"""


def test_soft_and_rigid_contacts_at_once() -> None:
    """A pad with stiffness rests m g / k deep, a rigid ball at its surface, whatever the other does."""
    robot = symdyn.loads(BOTH, format="yaml")
    motion = symdyn.simulate(robot, [0.2, 0.2], t=3.0)
    assert motion.method == "contacts" and motion.messages == () and motion.contacts is not None
    assert motion.q[-1] == pytest.approx([0.1 - 2.0 * G / 2000.0, 0.1], abs=1e-9)
    assert motion.contacts.impulses[-1] == pytest.approx([0.0, 0.0, 3.0 * G * H], rel=1e-8)
    odd = symdyn.simulate(robot, [0.1 - 2.0 * G / 2000.0, 0.1], t=np.linspace(0.0, 0.1, 7)).contacts  # steps of 0.98 ms
    assert odd is not None and odd.steps == pytest.approx([0.0, *[0.1 / 6 / 17] * 6], rel=1e-12)
    assert odd.forces[-1] == pytest.approx([0.0, 0.0, 3.0 * G], rel=1e-8) and not odd.forces[0].any()
    with pytest.raises(RequestError, match="which method 'radau' does not feel; take method='contacts'"):
        symdyn.simulate(robot, [0.2, 0.2], t=1.0, method="radau")


@pytest.mark.parametrize("rate", [3.0, 6.0])
def test_a_prescribed_cart_takes_a_block_along(rate: float) -> None:
    """Up to mu g the block is as fast as the cart, beyond it gains mu g; the cart is where its motion prescribes."""
    robot = symdyn.loads(CART, format="yaml")
    prescribed = {"drive": lambda t: (0.5 * rate * t * t, rate * t, rate)}
    motion = symdyn.simulate(robot, t=0.5, prescribed=prescribed)
    assert motion.method == "contacts" and motion.contacts is not None
    np.testing.assert_allclose(motion.q[:, 2], 0.5 * rate * motion.t**2, rtol=0.0, atol=1e-15)
    sticks, grip = rate <= 0.4 * G, min(rate, 0.4 * G)
    # velocities are means of steps, so that the first one is half as fast
    assert motion.v[-1][0] == pytest.approx(0.5 * rate * H + grip * (0.5 - H), abs=1e-9)
    assert set(motion.contacts.states[2:, 0]) == {1 if sticks else 2}
    assert np.linalg.norm(motion.contacts.impulses[-1, :2]) == pytest.approx(1.5 * grip * H, rel=1e-8)


def test_actuators_and_laws_drive_it() -> None:
    """An actuator, a table, a law and a constant are the same where they agree; friction takes the block along."""
    robot = symdyn.loads(CART, format="yaml")
    by_motor = symdyn.simulate(robot, t=0.2, inputs=[12.0], drive="actuators")
    assert by_motor.method == "contacts" and by_motor.input_names == ("drive",)
    for inputs in ({"drive": 12.0}, lambda t: [0.0, 0.0, 12.0], ([0.0], [[0.0, 0.0, 12.0]])):
        motion = symdyn.simulate(robot, t=0.2, inputs=inputs)
        np.testing.assert_array_equal(motion.v, by_motor.v)
    assert by_motor.v[-1] == pytest.approx([12.0 / 6.5 * 0.2, 0.0, 12.0 / 6.5 * 0.2], rel=1e-8, abs=1e-9)


def test_efforts_beyond_their_limits() -> None:
    robot = symdyn.loads(CART, format="yaml")
    clipped = symdyn.simulate(robot, t=0.1, inputs={"drive": 30.0}, effort_limits="clip")
    assert clipped.v[-1][2] == pytest.approx(20.0 / 6.5 * 0.1, rel=1e-8)
    assert "effort of drive above 20 N" in clipped.messages[0] and "clipped" in clipped.messages[0]
    with pytest.raises(RequestError, match="effort of drive above 20 N"):
        symdyn.simulate(robot, t=0.1, inputs={"drive": 30.0}, effort_limits="refuse")
    with pytest.raises(SolverError, match="effort of drive above 20 N") as refused:
        symdyn.simulate(robot, t=0.1, inputs={"drive": lambda t: 400.0 * t}, effort_limits="refuse")
    assert refused.value.partial.t[-1] == pytest.approx(0.051)


def test_tables_have_what_contacts_did(tmp_path: Path) -> None:
    """A file of comma-separated values reads back to the same bits; a table of pandas has the same columns."""
    robot = symdyn.loads(BOTH, format="yaml")
    motion = symdyn.simulate(robot, [0.2, 0.15], t=0.3)
    assert motion.contacts is not None
    motion.save_table(tmp_path / "motion.csv")
    with (tmp_path / "motion.csv").open(encoding="utf-8", newline="") as stream:
        head, *rows = csv.reader(stream)
    columns = dict(zip(head, np.array(rows, float).T, strict=True))
    for name, expected in (
        ("t", motion.t),
        ("q right", motion.q[:, 1]),
        ("impulse ball.n", motion.contacts.impulses[:, 2]),
        ("force ball.n", motion.contacts.forces[:, 2]),
        ("state ball", motion.contacts.states[:, 0]),
        ("gap ball", motion.contacts.gaps[:, 0]),
        ("point ball.z", motion.contacts.points[:, 0, 2]),
        ("normal ball.z", np.ones(len(motion.t))),
    ):
        np.testing.assert_array_equal(columns[name], expected)
    pytest.importorskip("pandas")
    assert ["t", *motion.to_pandas().columns] == head
    pytest.importorskip("xarray")
    assert float(motion.to_xarray()["impulses"].sel(contact_row="ball.n")[-1]) == motion.contacts.impulses[-1, 2]
    with pytest.raises(RequestError, match="cannot be written"):
        motion.save_table(tmp_path / "none" / "motion.csv")


def test_a_start_within_the_floor() -> None:
    """Without a position a free body begins where it touches; with one the depth is reported, and left slowly."""
    text = PLATE.replace(
        "plate: {box: {size: [1, 1, 0.002]}}", "plate: {plane: {normal: [0.6, 0, 0.8], point: [0, 0, 0.1]}}"
    )
    robot = symdyn.loads(text, format="yaml")
    motion = symdyn.simulate(robot, t=0.01)
    assert motion.contacts is not None and motion.messages == ()
    assert abs(motion.contacts.gaps[0, 0]) < 1e-12 and motion.q[0, :2] == pytest.approx([0.0, 0.0])
    deep = symdyn.simulate(robot, robot.neutral(), t=0.1)
    assert deep.messages == (
        "at the start the contact 'skin' is 0.084 m deep; contacts are pushed out at 0.2 m/s at most; start higher or "
        "farther from what is touched",
    )
    assert deep.contacts is not None
    assert np.diff(deep.contacts.gaps[:, 0]) == pytest.approx(np.full(100, 0.2 * H), abs=1e-12)


def test_thin_parts_are_reported() -> None:
    """A ball of 4 mm and half of a plate of 2 mm are 5 mm: 6 m/s at 1 ms may leap over them, 4 m/s not."""
    robot = symdyn.loads(PLATE, format="yaml")
    q = robot.neutral()
    q[2] = 0.2
    for speed, said in ((4.0, False), (6.0, True)):
        motion = symdyn.simulate(robot, q, [0, 0, -speed, 0, 0, 0], t=0.01)
        assert bool(motion.messages) == said
    assert (
        "the gap of 'skin' changes by up to 0.0061 m in a step, and its parts are 0.005 m thick" in motion.messages[0]
    )
    assert "take steps below 0.00082 s" in motion.messages[0]
