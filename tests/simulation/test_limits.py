"""Limits along a motion: what is told, what is clipped and refused, and how joints come back from their stops."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symdyn
from symdyn.analysis.simulation.limits import LimitWatch, clipped, effort_bounds
from symdyn.analysis.simulation.smooth_inputs import PolynomialInputs, SmoothInputs
from symdyn.cli.main import main
from symdyn.errors import RequestError, SolverError
from symdyn.robot.robot import Robot

pytestmark = pytest.mark.needs_cc
ROD = """
name: rod
gravity: [0, 0, 0]
links: {base: {}, bar: {mass: 3.0, com: [0.5, 0, 0], inertia: {xx: 0.01, yy: 0.25, zz: 0.25}}}
joints:
  turn: {type: revolute, parent: base, child: bar, axis: [0, 0, 1],
    limits: {lower: -2.0, upper: 1.0, velocity: 1.5, effort: 0.4} STOPS}
actuators: [turn]
"""
EXACT: dict[str, Any] = {"method": "dop853", "rtol": 1e-10, "atol": 1e-12}


@cache
def rod(stops: str = "") -> Robot:
    return symdyn.loads(ROD.replace(" STOPS", stops and f", stops: {stops}"), "yaml")


def test_rows_first_times_and_amounts_are_told() -> None:
    """q = -t^2 / 4: beyond -2 from the root of 8 on, faster than 1.5 from 3 s on; 0.5 N m are 0.1 too much."""
    found = symdyn.simulate(rod(), t=4.0, inputs=[-0.5], **EXACT)
    (line,) = found.messages
    assert "\n" not in line and line in repr(found)
    assert "turn below -2 rad from t = 2.828 s, by up to 2;" in line
    assert "speed of turn above 1.5 rad/s from t = 3 s, by up to 0.5;" in line
    assert "effort of turn above 0.4 N m from t = 0 s, by up to 0.1 (" in line
    assert line.endswith(
        "(to enforce them: load with joint_stops=True; simulate with effort_limits='clip' or 'refuse')"
    )


def test_nothing_is_told_within_the_limits_and_at_them() -> None:
    assert symdyn.simulate(rod(), t=1.0, inputs=[0.4], **EXACT).messages == ()
    assert symdyn.simulate(rod(), [1.0], t=1.0, **EXACT).messages == ()
    free = symdyn.simulate(symdyn.load_example("pendulum"), [2.0], t=0.1, inputs=[1e3])
    assert free.messages == ()


SWING = """
name: swing
gravity: [0, 0, 0]
links: {base: {}, bar: {mass: 2.0}}
joints: {x: {type: prismatic, parent: base, child: bar, axis: [1, 0, 0], spring: {stiffness: 8.0} LIMITS}}
"""


@pytest.mark.parametrize(
    ("limits", "said"),
    [
        # q = sin 2t, a = -4 sin 2t, jerk -8 cos 2t; the motion slows down at first, and from pi / 4 on speeds up
        ("acceleration: 2, deceleration: 3", "deceleration of x above 3 m/s^2 from t = 0.424 s, by up to 1"),
        ("acceleration: 3.5, deceleration: 9", "acceleration of x above 3.5 m/s^2 from t = 0.7854 s, by up to 0.5"),
        ("jerk: 7", "jerk of x above 7 m/s^3 from t = 0 s, by up to 1"),
        ("acceleration: 5, jerk: 9", ""),
    ],
)
def test_accelerations_and_jerks_are_told(limits: str, said: str) -> None:
    robot = symdyn.loads(SWING.replace(" LIMITS", f", limits: {{{limits}}}"), "yaml")
    found = symdyn.simulate(robot, v=[2.0], t=1.5, max_step=1e-3, **EXACT)
    assert said in "".join(found.messages) and len(found.messages) == bool(said)


def test_a_jump_of_force_is_no_jerk() -> None:
    """It has no finite one; what acts beside it, 2 N/s on 2 kg, has 1 m/s^3, from the right of the start on."""
    robot = symdyn.loads(SWING.replace(" LIMITS", ", limits: {jerk: 0.9}").replace("8.0", "1e-9"), "yaml")

    def force(t: float) -> list[float]:
        assert t >= 0.0
        return [2.0 * t + (100.0 if t >= 1.0 else 0.0)]

    found = symdyn.simulate(robot, t=2.0, inputs=force, jumps=[1.0], **EXACT)
    (line,) = found.messages
    assert line.endswith("jerk of x above 0.9 m/s^3 from t = 0 s, by up to 0.1")


def test_events_that_end_the_motion_are_told_first() -> None:
    def late(t: float, q: Any, v: Any) -> float:
        return t - 3.5

    late.terminal = True  # type: ignore[attr-defined]
    found = symdyn.simulate(rod(), t=4.0, inputs=[-0.5], events=late, **EXACT)
    assert [line.split()[0] for line in found.messages] == ["event", "beyond"]
    assert "speed of turn above 1.5 rad/s from t = 3 s, by up to 0.25;" in found.messages[1]


@pytest.mark.parametrize("drive", ["forces", "actuators"])
@pytest.mark.parametrize("law", ["constant", "function"])
def test_efforts_are_clipped(drive: str, law: str) -> None:
    """0.4 N m act, and not 0.5: q = 0.2 t^2."""
    inputs = {"constant": [0.5], "function": lambda t: [0.5]}[law]
    found = symdyn.simulate(rod(), t=2.0, inputs=inputs, drive=drive, effort_limits="clip", **EXACT)
    assert found.q[-1, 0] == pytest.approx(0.8, abs=1e-9)
    assert np.array_equal(found.inputs, np.full(found.inputs.shape, 0.4))
    assert found.messages == ("beyond limits: effort of turn above 0.4 N m from t = 0 s, by up to 0.1, clipped",)


def test_efforts_are_refused() -> None:
    with pytest.raises(RequestError, match=r"effort of turn above 0.4 N m from t = 0 s, by up to 0.1; effort_limits="):
        symdyn.simulate(rod(), t=1.0, inputs=[0.5], effort_limits="refuse")
    with pytest.raises(SolverError, match=r"effort of turn above 0.4 N m from t = 0.8 s, by up to ") as caught:
        symdyn.simulate(rod(), t=1.0, inputs=lambda t: [0.5 * t], effort_limits="refuse", **EXACT)
    partial: Any = caught.value.partial  # type: ignore[attr-defined]
    assert partial.t[-1] == pytest.approx(0.8, abs=1e-8)  # forces may exceed the limit by 1e-9 of it
    assert partial.q[-1, 0] == pytest.approx(partial.t[-1] ** 3 / 12.0, abs=1e-9)
    with pytest.raises(SolverError) as caught:
        symdyn.simulate(
            rod(), t=np.linspace(0.0, 1.0, 11), inputs=([0.0, 0.75], [[0.3], [0.5]]), effort_limits="refuse", **EXACT
        )
    partial = caught.value.partial  # type: ignore[attr-defined]
    assert np.allclose(partial.t, [*np.arange(8) * 0.1, 0.75], rtol=0.0, atol=1e-12)
    with pytest.raises(RequestError, match="effort_limits is 'clip' or 'refuse', got 'cut'"):
        symdyn.simulate(rod(), t=1.0, effort_limits="cut")


def test_what_stays_keeps_its_derivatives() -> None:
    bounds = effort_bounds(rod(), "forces", {})
    constant = clipped(PolynomialInputs([[0.5]]), bounds, True)
    assert isinstance(constant, SmoothInputs) and constant.derivatives(0.0, 1).tolist() == [[0.4], [0.0]]
    changing = clipped(lambda t, q, v: np.array([t]), bounds, False)
    assert [changing(t, bounds, bounds)[0] for t in (-1.0, 0.1, 1.0)] == [-0.4, 0.1, 0.4]
    found = symdyn.simulate(rod(), t=1.0, inputs=[0.5], method="taylor", effort_limits="clip")
    assert found.q[-1, 0] == pytest.approx(0.2, abs=1e-6)
    with pytest.raises(RequestError, match="time derivatives of inputs"):
        symdyn.simulate(rod(), t=1.0, inputs=lambda t: [t], method="taylor", effort_limits="clip")


def test_limits_of_other_rows() -> None:
    """The limit of effort of an elastic joint is its motor's; a prescribed row is not read, and has none."""
    arm = symdyn.load_example("elastic_arm")
    names = dict(zip(arm.velocity_names, effort_bounds(arm, "forces", {}), strict=True))
    assert (
        np.isinf(names["elbow"]) and names["elbow.motor"] == arm.limits.effort[arm.velocity_names.index("elbow.motor")]
    )
    held: Any = {"turn": type("Own", (), {"v_row": 0})()}
    assert np.isinf(effort_bounds(rod(), "forces", held)).all()
    watch = LimitWatch(arm, lambda t, q, v: 0.0 * v, np.full(arm.nv, np.inf), "forces", "", 1e-6, 1e-9, lambda t, y: y)
    for t, q in enumerate((0.0, 2.7, 3.0, 2.8)):
        watch.look(
            float(t), np.array([q if name == "elbow" else 0.0 for name in arm.coordinate_names] + [0.0] * arm.nv)
        )
    assert (
        "elbow above 2.6 rad from t = 1 s, by up to 0.4 (to enforce them: load with joint_stops=True)" in watch.summary
    )


@pytest.mark.parametrize("method", ["dop853", "radau"])
def test_a_joint_comes_back_from_its_stop(method: str) -> None:
    """Without a damper energy stays, and the joint is beyond the limit by what its kinetic energy presses."""
    robot = rod("{stiffness: 400, width: 0.05}")
    found = symdyn.simulate(robot, [0.0], [2.0], np.linspace(0.0, 2.0, 401), method=method, rtol=1e-9, atol=1e-11)
    assert np.ptp(found.energy) < 1e-6 * found.energy[0]
    # m v^2 / 2 = K (3 w^2 / 22 + y w / 2 + y^2 / 2), y beyond the width
    most = np.roots([200.0, 10.0, 400.0 * 0.05**2 * 3.0 / 22.0 - 2.0]).max() + 0.05 + 1.0
    assert found.q[:, 0].max() == pytest.approx(most, abs=2e-4)  # between times of output
    assert found.v[-1, 0] == pytest.approx(-2.0, abs=1e-5)
    assert "turn above 1 rad from t = 0.5 s, by up to 0.1" in found.messages[0]
    assert "joint_stops" not in found.messages[0]


def test_a_damped_stop_takes_energy_and_falls_behind_nothing() -> None:
    robot = rod("{stiffness: 400, damping: 20, width: 0.05}")
    found = symdyn.simulate(robot, [0.9], [2.0], np.linspace(0.0, 2.0, 201), **EXACT)
    assert np.all(np.diff(found.energy) < 1e-9)
    assert -1.5 < found.v[-1, 0] < -0.2
    assert symdyn.simulate(robot, [0.9], [-1.0], 1.0, **EXACT).v[-1, 0] == -1.0


@pytest.mark.slow
def test_an_arm_that_falls_stays_near_its_limits() -> None:
    """Two seconds of free fall: joints went through by up to 9.6 rad, and stops hold them within a tenth of that."""
    start: Any = [0.0, 0.3, 0.0, -1.0, 0.0, 1.0, 0.0]
    loose, held = (symdyn.load_example("seven_dof_arm", joint_stops=stops) for stops in (False, True))
    beyond = []
    for robot in (loose, held):
        found = symdyn.simulate(robot, start, t=2.0)
        over = np.maximum(robot.limits.lower - found.q, found.q - robot.limits.upper)
        beyond.append(over.max())
        assert re.match(r"beyond limits: joint_\d (above|below) .* rad from t = 0\.\d+ s, by up to ", found.messages[0])
    assert beyond[0] > 3.0 and beyond[1] < 0.15


def test_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "rod.yaml"
    file.write_text(ROD.replace(" STOPS", ""))
    asked = ["simulate", str(file), "--time", "4", "--input", "turn=0.5"]
    said = []
    for more, code in (([], 0), (["--joint-stops", "--effort-limits", "clip"], 0), (["--effort-limits", "refuse"], 2)):
        assert main([*asked, *more]) == code
        told = capsys.readouterr()
        said.append(" ".join((told.out + told.err).split()))
    assert "turn above 1 rad from t = 2 s, by up to 3;" in said[0]
    assert "by up to 0.1, clipped" in said[1] and "joint_stops" not in said[1]
    assert "effort of turn above 0.4 N m from t = 0 s, by up to 0.1; effort_limits='refuse' allows none" in said[2]


def test_a_remedy_is_not_told_where_limits_are_rigid() -> None:
    rigid = symdyn.loads(ROD.replace(" STOPS", "").replace("actuators", "limits: {rigid: true}\nactuators"), "yaml")
    watch = LimitWatch(rigid, lambda t, q, v: np.zeros(1), np.array([0.4]), "forces", "clip", 0, 0, lambda t, y: 0 * y)
    watch.look(0.0, np.array([1.1, 0.0]))
    assert "turn above 1 rad" in watch.summary and "to enforce" not in watch.summary
