"""Steps with rigid contacts: C against NumPy, what a step tells, what it refuses, and every kind of rows at once."""

from __future__ import annotations

import math
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symdyn
from symdyn.errors import RequestError
from symdyn.interface.contact_solving import ContactCode
from symdyn.interface.manifest import FILE_NAME, Manifest
from symdyn.robot.robot import Robot

pytestmark = [pytest.mark.needs_cc, pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")]
BOX = """
name: box
links:
  world: {}
  box: {mass: 2, inertia: {xx: 0.006, yy: 0.008, zz: 0.011}, collision: {body: {box: [0.2, 0.16, 0.1]}}}
joints: {free: {type: floating, parent: world, child: box}}
obstacles: {floor: {plane: {normal: [0, 0, 1], point: [0, 0, 0]}}}
contacts: {skin: {of: box.body, with: floor, friction: 0.5, restitution: 0.3}}
"""
HOPPER = """
name: hopper
links:
  ground: {}
  trunk: {mass: 3, inertia: {xx: 0.02, yy: 0.02, zz: 0.02}, com: [0.02, 0.01, 0]}
  thigh: {mass: 0.5, inertia: {xx: 0.002, yy: 0.002, zz: 0.0005}, com: [0, 0, -0.1]}
  shank:
    mass: 0.3
    inertia: {xx: 0.001, yy: 0.001, zz: 0.0003}
    com: [0, 0, -0.1]
    collision: {foot: {sphere: 0.03, at: [0, 0, -0.2]}}
joints:
  base: {type: floating, parent: ground, child: trunk}
  hip:
    type: revolute
    parent: trunk
    child: thigh
    axis: [0, 1, 0]
    limits: {lower: -0.5, upper: 1.5}
    losses: {friction: 0.4, damping: 0.05}
  knee:
    type: revolute
    parent: thigh
    child: shank
    axis: [0, 1, 0]
    translation: [0, 0, -0.2]
    limits: {lower: -2.5, upper: -0.1}
    losses: {friction: 0.2}
loops:
  tether: {kind: distance, distance: 1, between: [trunk, {world: [1, 0, 0.5]}], close: true}
obstacles: {floor: {plane: {normal: [0, 0, 1], point: [0, 0, 0]}}}
contacts: {foot: {of: shank.foot, with: floor, friction: 0.6}}
limits: {rigid: true}
joint_friction: dry
load: {joint_losses: true}
"""


def _run(robot: Robot, module: Any, q: np.ndarray, v: np.ndarray, tau: np.ndarray, steps: int, h: float) -> set[int]:
    """States of a motion: the step in C against that in NumPy; the states of contacts that occur.

    At most 0.2 % of steps may leave a residual, and not more than 1e-5 N s: impacts of many redundant corners.
    """
    guess, seen, missed = None, set[int](), 0
    for number in range(steps):
        result = module.contact_step(q, v, tau, h=h, guess=guess)
        missed += result.report.code is not ContactCode.SOLVED
        assert result.report.residual < 1e-5, number
        assert result.report.work < 1e-12
        if number % 20 == 0 and result.report.code is ContactCode.SOLVED:
            other = symdyn.contact_step(robot, q, v, tau, h=h, guess=guess)
            np.testing.assert_allclose(other.q_next, result.q_next, rtol=0.0, atol=1e-10)
            np.testing.assert_allclose(other.v_next, result.v_next, rtol=0.0, atol=1e-10)
            assert other.report.code is result.report.code
            assert other.report.work == pytest.approx(result.report.work, abs=1e-10)
        q, v, guess = result.q_next, result.v_next, result.impulses
        seen |= set(result.state.tolist())
    assert missed <= 0.002 * steps
    return seen


@pytest.mark.parametrize("convention", ["pinocchio", "spatial", "mujoco"])
def test_a_tumbling_box_in_c_and_in_numpy(convention: str) -> None:
    """Eight corners with restitution, from a tumbling fall to rest, in all conventions of free joints."""
    robot = symdyn.loads(BOX, format="yaml", convention=convention)
    module = symdyn.compile(robot, ["contact_problem"], steppers=["contacts"], lanes=False)
    q = robot.neutral()
    turn = np.array([0.1, 0.2, 0.3, 0.9]) / np.linalg.norm([0.1, 0.2, 0.3, 0.9])
    at = [name.split(".")[-1] for name in robot.coordinate_names]
    for name, value in zip(("z", "qx", "qy", "qz", "qw"), (0.3, *turn), strict=True):
        q[at.index(name)] = value
    v = np.zeros(6)
    rates = [name.split(".")[-1] for name in robot.velocity_names]
    for name, value in (("wx", 2.0), ("wy", -1.0), ("wz", 0.5)):
        v[rates.index(name)] = value
    seen = _run(robot, module, q, v, np.zeros(6), 800, 1e-3)
    assert seen == {0, 1, 2}


def test_all_kinds_of_rows_at_once() -> None:
    """A foot, limits, dry joints and a tether: loops stay closed, and both ways of solving agree."""
    robot = symdyn.loads(HOPPER, format="yaml")
    names = ["constraint_error", "constraint_jacobian"]
    module = symdyn.compile(robot, names, steppers=["contacts"], lanes=False)
    q = robot.neutral()
    q[2], q[7:] = 0.5, (0.7, -1.4)
    q = robot.close(q)
    assert _run(robot, module, q, np.zeros(robot.nv), np.zeros(robot.nv), 500, 1e-3) == {0, 1, 2}
    states = module.advance_contacts(q, np.zeros(8), np.zeros(8), times=np.linspace(0.0, 0.5, 26), h=1e-3)
    assert states.code == 0 and states.steps == 500 and states.refused == 0
    for q, v in zip(states.q, states.v, strict=True):
        assert np.abs(module.constraint_error(q)).max() < 1e-12
        assert np.abs(module.constraint_jacobian(q) @ v).max() < 1e-12


def test_advance_goes_step_by_step() -> None:
    """States of a series are those of single steps, which bring quaternions to length 1 once more."""
    robot = symdyn.loads(BOX, format="yaml")
    module = symdyn.compile(robot, ["contact_problem"], steppers=["contacts"], lanes=False)
    q, v, guess = robot.neutral(), np.array([0.3, 0.0, 0.0, 0.0, 0.1, 0.2]), None
    q[2] = 0.06
    states = module.advance_contacts(q, v, np.zeros(6), times=0.002 * np.arange(51), h=1e-3)
    for row in range(1, 51):
        for _ in range(2):
            half = (0.002 * row - 0.002 * (row - 1)) / 2.0
            result = module.contact_step(q, v, np.zeros(6), h=half, guess=guess)
            q, v, guess = result.q_next, result.v_next, result.impulses
        np.testing.assert_allclose(states.q[row], q, rtol=0.0, atol=1e-14)
        np.testing.assert_allclose(states.v[row], v, rtol=0.0, atol=1e-12)


def test_too_many_contacts() -> None:
    """With room for two contacts the deepest two of four corners bear the weight, and the code says so."""
    text = BOX + "contact_options: {max_contacts: 2}\n"
    robot = symdyn.loads(text, format="yaml")
    module = symdyn.compile(robot, ["contact_problem"], steppers=["contacts"], lanes=False)
    q = robot.neutral()
    q[2] = 0.049
    for result in (
        module.contact_step(q, np.zeros(6), np.zeros(6), h=1e-3),
        symdyn.contact_step(robot, q, np.zeros(6), h=1e-3),
    ):
        assert result.report.code is ContactCode.TOO_MANY
        assert np.count_nonzero(result.impulses[2::3]) == 2


def test_contacts_that_open_make_room_for_those_that_close() -> None:
    """The deepest two of four corners go up and bear nothing; the edge on the other side meets the floor."""
    robot = symdyn.loads(BOX.replace(", restitution: 0.3", "") + "contact_options: {max_contacts: 2}\n", format="yaml")
    module = symdyn.compile(robot, ["contact_problem"], steppers=["contacts"], lanes=False)
    q, v, guess = robot.neutral(), np.array([0.0, 0.0, 0.0, 0.0, -1.0, 0.0]), np.zeros(24)
    q[2:7] = [0.05, 0.0, math.sin(0.5e-5), 0.0, math.cos(0.5e-5)]
    guess[2::3] = 1e-3
    for result in (
        module.contact_step(q, v, np.zeros(6), h=1e-3, guess=guess),
        symdyn.contact_step(robot, q, v, np.zeros(6), h=1e-3, guess=guess),
    ):
        assert result.report.code is ContactCode.SOLVED
        assert np.count_nonzero(result.impulses[2::3]) == 2
        down, turn = result.v_next[[2, 4]]
        assert down + 0.1 * turn == pytest.approx(-1e-3, abs=1e-4)  # closes the gap of 1e-6 m


def test_others_take_the_place_of_contacts_that_bear_nothing() -> None:
    """A disk of 32 points stands on 16 of them, though the first 16 are all on one side."""
    turns = 2.0 * np.pi * np.arange(32) / 32
    points = [[float(0.1 * np.cos(turn)), float(0.1 * np.sin(turn)), -0.05] for turn in turns]
    robot = symdyn.loads(BOX.replace("{box: [0.2, 0.16, 0.1]}", f"{{hull: {points}}}"), format="yaml")
    module = symdyn.compile(robot, ["contact_problem"], steppers=["contacts"], lanes=False)
    q = robot.neutral()
    q[2] = 0.05
    for result in (
        module.contact_step(q, np.zeros(6), np.zeros(6), h=1e-3),
        symdyn.contact_step(robot, q, np.zeros(6), h=1e-3),
    ):
        assert result.report.code is ContactCode.SOLVED
        assert np.abs(result.v_next).max() < 1e-8
        assert np.count_nonzero(result.impulses[2::3]) <= 16
        assert result.impulses[2::3].sum() == pytest.approx(2.0 * 9.81e-3, rel=1e-8)
    q[2] = 0.5  # where the guess tells of contacts that are over
    for after in (
        module.contact_step(q, np.zeros(6), np.zeros(6), h=1e-3, guess=result.impulses),
        symdyn.contact_step(robot, q, np.zeros(6), h=1e-3, guess=result.impulses),
    ):
        assert after.report.newton == 0 and not after.impulses.any()


ARM = """
name: arm
links:
  base: {}
  arm: {mass: 0.5, com: [0.1, 0, 0], inertia: {xx: 0.001, yy: 0.001, zz: 0.001}, collision: {tip: {sphere: 0.03}}}
joints: {hinge: {type: revolute, parent: base, child: arm, axis: [0, 1, 0]}}
actuators: [hinge]
obstacles: {floor: {plane: {normal: [0, 0, 1], point: [0, 0, -0.1]}}}
contacts: {tip: {of: arm.tip, with: floor, friction: 0.5}}
"""


def test_inputs_of_actuators() -> None:
    """With ``inputs="actuators"`` a step takes u, and is that of tau = B u."""
    robot = symdyn.loads(ARM, format="yaml")
    module = symdyn.compile(robot, ["gravity"], steppers=["contacts"], inputs="actuators", lanes=False)
    other = symdyn.contact_step(robot, [0.1], [0.0], [0.7], h=1e-3)
    assert [item.name for item in module.signature("contact_factors").inputs] == ["q", "v", "u", "h"]
    result = module.contact_step([0.1], [0.0], [0.7], h=1e-3)
    np.testing.assert_allclose(result.v_next, other.v_next, rtol=1e-13)


def test_work_that_overflows_is_not_finite() -> None:
    robot = symdyn.loads(BOX, format="yaml")
    module = symdyn.compile(robot, ["contact_problem"], steppers=["contacts"], lanes=False)
    q, v = robot.neutral(), np.array([1e250, 0.0, -1e250, 0.0, 0.0, 0.0])
    q[2] = 0.05
    for result in (
        module.contact_step(q, v, np.zeros(6), h=1e-3),
        symdyn.contact_step(robot, q, v, np.zeros(6), h=1e-3),
    ):
        assert result.report.code is ContactCode.NOT_FINITE
        np.testing.assert_array_equal(result.q_next, q)


def test_newton_alone_for_firmware(tmp_path: Path) -> None:
    robot = symdyn.loads(BOX, format="yaml")
    place = Path(symdyn.generate(robot, ["gravity"], out=tmp_path / "box", steppers=["contacts"], effort="newton"))
    source, header = ((place / name).read_text() for name in ("box_step_contacts.c", "box.h"))
    assert "alternate(" not in source and "stages[]" not in source
    assert "at most 12 iterations of Newton's method" in header and "ADMM." not in header
    full = Path(symdyn.generate(robot, ["gravity"], out=tmp_path / "full", steppers=["contacts"]))
    assert "12 times 60 iterations of ADMM" in (full / "box.h").read_text()
    with pytest.raises(RequestError, match="effort is of the stepper 'contacts'"):
        symdyn.generate(robot, ["gravity"], out=tmp_path / "none", steppers=["rk4"], effort="newton")


def test_floats() -> None:
    """In float32 a box comes to rest within 1e-4 m of the floor."""
    robot = symdyn.loads(BOX, format="yaml")
    module = symdyn.compile(robot, ["contact_problem"], steppers=["contacts"], dtype="float32", lanes=False)
    q, v, guess = robot.neutral(), np.array([0.3, 0.0, 0.0, 0.0, 0.0, 0.2]), None
    q[2] = 0.1
    for _ in range(600):
        result = module.contact_step(q, v, np.zeros(6), h=1e-3, guess=guess)
        assert result.report.code is ContactCode.SOLVED
        q, v, guess = result.q_next, result.v_next, result.impulses
    assert q[2] == pytest.approx(0.05, abs=1e-4)
    assert np.abs(v).max() < 1e-4


def test_refusals(tmp_path: Path) -> None:
    robot = symdyn.loads(BOX, format="yaml")
    bare = symdyn.load_example("seven_dof_arm")
    with pytest.raises(RequestError, match="has no rigid contacts"):
        symdyn.contact_step(bare, bare.neutral(), np.zeros(bare.nv), h=1e-3)
    with pytest.raises(RequestError, match="method 'dop853' does not feel; take method='contacts'"):
        symdyn.simulate(robot, method="dop853")
    with pytest.raises(
        RequestError, match="has no rigid contacts, limits or dry joints, of which method 'contacts' is"
    ):
        symdyn.simulate(bare, method="contacts")
    with pytest.raises(RequestError, match="takes steps of a fixed length without a search for events, and no events"):
        symdyn.simulate(robot, events=lambda t, q, v: q[0])
    with pytest.raises(RequestError, match="h is the length of a step of method 'contacts'"):
        symdyn.simulate(bare, h=1e-3)
    with pytest.raises(RequestError, match="h"):
        symdyn.simulate(robot, h=-1e-3)
    with pytest.raises(symdyn.SymdynError, match="needs rigid contacts"):
        symdyn.generate(bare, ["gravity"], out=tmp_path / "bare", steppers=["contacts"])


def test_a_motion_is_saved_with_its_contacts(tmp_path: Path) -> None:
    robot = symdyn.loads(BOX, format="yaml")
    q = robot.neutral()
    q[2] = 0.1
    motion = symdyn.simulate(robot, q, t=np.linspace(0.0, 0.3, 7), h=1e-3)
    motion.save(tmp_path / "fall.npz")
    again = symdyn.Trajectory.load(tmp_path / "fall.npz", robot)
    assert motion.contacts is not None and again.contacts is not None
    for name in ("impulses", "states", "gaps", "points", "normals"):
        np.testing.assert_array_equal(getattr(again.contacts, name), getattr(motion.contacts, name))
    assert again.contacts.names == motion.contacts.names == tuple(f"skin[{number}]" for number in range(8))
    # a step bears the weight, at the corners that touch
    assert motion.contacts.impulses[-1, 2::3].sum() == pytest.approx(2.0 * 9.81e-3, rel=1e-6)
    assert motion.contacts.points[-1, motion.contacts.states[-1] > 0, 2] == pytest.approx(np.zeros(4), abs=1e-6)


MAIN = """
#include "hopper.h"

static double work[HOPPER_STEP_CONTACTS_WORK], q_at[3 * HOPPER_NQ], v_at[3 * HOPPER_NV];

int main(void)
{
  double q[HOPPER_NQ] = { 0.0, 0.0, 0.25, 0.0, 0.0, 0.0, 1.0, 0.9, -1.4 }, v[HOPPER_NV] = { 0.0, 0.0, -3.0 };
  double tau[HOPPER_NV] = { 0.0 }, lambda[HOPPER_STEP_CONTACTS_LAMBDA_SIZE] = { 0.0 };
  const double times[3] = { 0.0, 0.01, 0.02 };
  size_t counts[3];
  int state[HOPPER_STEP_CONTACTS_STATE_SIZE];
  hopper_contact_report report;
  for (int step = 0; step < 200; ++step) {
    double q_next[HOPPER_NQ], v_next[HOPPER_NV];
    tau[7] = step % 3 == 0 ? 4.0 : -4.0;
    const int code = hopper_step_contacts(q, v, tau, 1e-3, q_next, v_next, lambda, state, &report, work);
    if (code != 0 || report.code == HOPPER_CONTACT_NOT_FINITE) {
      return __LINE__;
    }
    for (int i = 0; i < HOPPER_NQ; ++i) {
      q[i] = q_next[i];
    }
    for (int i = 0; i < HOPPER_NV; ++i) {
      v[i] = v_next[i];
    }
  }
  if (hopper_step_contacts_advance(q, v, tau, times, 3, 1e-3, 100, q_at, v_at, counts, work) != 0) {
    return __LINE__;
  }
  v[0] = 0.0 / (double)(counts[1] * 0);
  const int code = hopper_step_contacts(q, v, tau, 1e-3, q_at, v_at, lambda, state, &report, work);
  return code == HOPPER_STEP_NOT_FINITE && report.code == HOPPER_CONTACT_NOT_FINITE && lambda[0] == 0.0 ? 0 : __LINE__;
}
"""


def test_sanitizers_find_nothing(tmp_path: Path) -> None:
    """A hopper with all kinds of rows falls, and NaN ends with NOT_FINITE, under both sanitizers; no warnings."""
    robot = symdyn.loads(HOPPER, format="yaml")
    place = Path(symdyn.generate(robot, ["gravity"], out=tmp_path / "hopper", steppers=["contacts"]))
    manifest = Manifest.from_json((place / FILE_NAME).read_text())
    (place / "main.c").write_text(MAIN)
    sanitized = ["-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
    strict = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror"]
    subprocess.run(["gcc", "-std=c99", "-O0", "-c", *manifest.sources], cwd=place, check=True, timeout=120)
    for flags, name in ((strict, manifest.calling_sources[0]), ([], "main.c")):
        subprocess.run(["gcc", "-std=c99", *sanitized, *flags, "-c", name], cwd=place, check=True, timeout=120)
    objects = sorted(path.name for path in place.glob("*.o"))
    subprocess.run(["gcc", *sanitized, *objects, "-o", "checked", "-lm"], cwd=place, check=True, timeout=60)
    done = subprocess.run(["./checked"], cwd=place, capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
