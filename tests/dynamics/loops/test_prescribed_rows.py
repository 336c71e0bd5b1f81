"""Rows of v that follow from prescribed ones while loops hold: they cannot be prescribed too."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from support.robots.few_decimals import turned_four_bar
from support.robots.loop_files import BENNETT
from support.robots.looped import five_bar, four_bar, four_bar_closed, standing

import symdyn
from symdyn import api
from symdyn.analysis.simulation.servo import _rows_beside as rows_with_servos
from symdyn.analysis.simulation.system import Motion
from symdyn.cli.main import main
from symdyn.description.loops import Coupling
from symdyn.dynamics.loops.underactuation import determined_rows
from symdyn.errors import RequestError
from symdyn.functions.catalogue import CATALOGUE, requests
from symdyn.robot.robot import Robot

pytestmark = pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")
REFUSED = r"prescribed 'elbow' of robot 'four_bar': while its loops hold, this motion follows from that of 'input'"
BOTH = ["input", "elbow"]
LOOPED = tuple(name for name, entry in CATALOGUE.items() if entry.looped and "prescribed" in entry.takes)


def still(*at: float) -> list[Motion]:
    def motion(x: float) -> Motion:
        return lambda t: (x, 0.0, 0.0)

    return [motion(x) for x in at]


@pytest.mark.parametrize("function", LOOPED)
def test_functions_refuse_them(function: str) -> None:
    own = api.from_description(four_bar())
    options = {"order": 1} if "order" in CATALOGUE[function].takes else {}
    ((entry, request),) = requests(own.model, [function], prescribed=BOTH, **options)  # type: ignore[arg-type]
    with pytest.raises(RequestError, match=REFUSED):
        entry.plan(own.model, request)
    ((entry, request),) = requests(own.model, [function], prescribed=BOTH[1:], **options)  # type: ignore[arg-type]
    entry.plan(own.model, request)


CLOSED = four_bar_closed(0.9)


def moved(method: str) -> Callable[[Robot], object]:
    """A motion with both joints where the loops are closed."""
    motions = dict(zip(BOTH, still(*CLOSED[:2]), strict=True))
    return lambda own: symdyn.simulate(own, t=0.1, q=CLOSED, prescribed=motions, method=method)


ENTRANCES: dict[str, Callable[[Robot], object]] = {
    "compile": lambda own: symdyn.compile(own, ["state_derivative"], target="python", prescribed=BOTH),
    "symbolic": lambda own: symdyn.symbolic(own, "constrained_hybrid_dynamics", prescribed=BOTH),
    "stepper": lambda own: symdyn.compile(own, ["gravity"], steppers=["generalised-alpha"], prescribed=BOTH),
    "solver": lambda own: symdyn.compile(own, ["gravity"], solvers=["statics"], prescribed=BOTH),
    "rest": lambda own: symdyn.equilibrium(own, q0=CLOSED, prescribed=BOTH, target="python"),
    **{method: moved(method) for method in ("dop853", "ida", "generalised-alpha")},
}


@pytest.mark.parametrize("entrance", ENTRANCES)
def test_every_entrance_refuses_them(entrance: str) -> None:
    with pytest.raises(RequestError, match=REFUSED):
        ENTRANCES[entrance](api.from_description(four_bar()))


def test_the_command_line_refuses_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["generate", "four_bar", "-f", "constrained_hybrid_dynamics", "--out", str(tmp_path / "made")]
    assert main([*asked, "--prescribed", "input,elbow"]) == 2
    assert "leave 'elbow' out of prescribed" in " ".join(capsys.readouterr().err.split())


SLOWER = tuple(pytest.param(name, marks=pytest.mark.slow) for name in ("andrews_squeezer", "bricard"))


@pytest.mark.parametrize("name", ["four_bar", "five_bar", *SLOWER])
def test_as_many_are_left_as_the_robot_can_move_in(name: str) -> None:
    """``mobility`` searches closed positions by itself; bricard's rows depend on each other wherever it is closed."""
    own = symdyn.load_example(name)
    free = {own.velocity_names.index(row) for row in own.independent_coordinates}
    assert determined_rows(own.model, tuple(sorted(free))) == ()
    others = tuple(row for row in range(own.nv) if row not in free)
    assert determined_rows(own.model, (*sorted(free), *others)) == others
    assert own.nv - len(determined_rows(own.model, tuple(range(own.nv)))) == own.mobility


def test_what_the_loops_lock_cannot_move() -> None:
    described = four_bar()
    own = api.from_description(replace(described, acting=(*described.acting, Coupling("lock", (("input", 1.0),), 0.9))))
    ((entry, request),) = requests(own.model, ["state_derivative"], prescribed=["input"])
    with pytest.raises(RequestError, match="'input' of robot 'four_bar': while its loops hold, nothing moves there"):
        entry.plan(own.model, request)


@pytest.mark.parametrize("decimals", [9, 6])
def test_overconstrained_loops_stay_accepted(decimals: int) -> None:
    own = api.from_description(turned_four_bar(decimals))
    assert determined_rows(own.model, (0,)) == ()
    assert determined_rows(symdyn.loads(BENNETT, "yaml").model, (0,)) == ()
    assert determined_rows(symdyn.loads(BENNETT, "yaml").model, (0, 1)) == (1,)


def test_loops_that_are_switched_count_one_at_a_time() -> None:
    """Two feet and the ground hold a leg's three joints beside the other's; one foot leaves all joints free."""
    own = api.from_description(standing())
    rows = [name for name in own.velocity_names if name.endswith("_joint")]
    for switched, refused in ((own.model.loop_names, False), ((), True)):
        ((entry, request),) = requests(own.model, ["state_derivative"], prescribed=rows, switched=switched)
        found = determined_rows(entry.view(own.model, request), request.prescribed)
        assert bool(found) == refused


def test_a_servo_leaves_joints_out_that_follow_from_prescribed_ones() -> None:
    """Two of the five-bar's four joints are enough to tell the others."""
    own, only = api.from_description(five_bar()), api.from_description(four_bar())
    assert rows_with_servos(own, ()) == [0, 1]
    assert [rows_with_servos(own, (row,)) for row in range(4)] == [[1], [0], [0], [0]]
    assert rows_with_servos(own, (2, 3)) == []
    with pytest.raises(RequestError, match="servo: robot 'four_bar' has no joint that may have one"):
        symdyn.simulate(
            only, q=CLOSED, t=0.1, servo=True, prescribed=dict(zip(BOTH[1:], still(CLOSED[1]), strict=True))
        )


@pytest.mark.slow
def test_a_motion_with_a_servo_beside_a_prescribed_joint() -> None:
    own = api.from_description(five_bar())
    q = own.close([0.5, 1.0, 1.5, -1.0])
    motion = symdyn.simulate(own, q=q, t=0.1, servo=True, prescribed={"b": lambda t: (q[1] + t**2, 2 * t, 2.0)})
    assert motion.q[-1][1] == pytest.approx(q[1] + 0.01, abs=1e-9)
    assert motion.q[-1] == pytest.approx(own.close(motion.q[-1], hold=["b"]), abs=1e-6)
