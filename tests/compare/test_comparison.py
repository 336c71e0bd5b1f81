"""What a comparison does with failures, who takes part, and what is written about it."""

from __future__ import annotations

import csv
import importlib.util
import io
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import symdyn
from symdyn.analysis.compare.budget import Failure
from symdyn.analysis.compare.comparison import Comparison, Point, compare
from symdyn.analysis.compare.contestants import CONTESTANTS, find_contestants
from symdyn.analysis.compare.figure_table import COLUMNS, comparison_of, csv_text
from symdyn.analysis.compare.measurement import Figures
from symdyn.analysis.compare.plot import check_plot, comparison_figure
from symdyn.analysis.compare.task import DYNAMICS, Kind, Subject, Task
from symdyn.errors import RequestError


def zeros(task: Task) -> Figures:
    """Figures whose time is (r + 1)^2 and whose results are wrong."""
    size = sum(output.size for output in task.signature.outputs)
    time = 10.0 * (task.order + 1) ** 2
    return Figures(7, 100, 0.5, 0.25, time, np.zeros((len(task.states), size)))


def too_slow_from_one(name: str, task: Task, seconds: float) -> Figures | Failure:
    if name == "casadi-plain" and task.order >= 1:
        return Failure(f"over {seconds:g} s")
    return zeros(task)


@pytest.fixture(scope="module")
def found() -> Comparison:
    """A comparison in which one rival fails at order 1."""
    robot = symdyn.load_example("double_pendulum")
    return compare(robot, "inverse_dynamics", range(4), ["tape-ad", "casadi-plain"], 5, run=too_slow_from_one)


def test_higher_orders_are_skipped_and_say_why(found: Comparison) -> None:
    assert [point.missing for point in found.points if point.contestant == "casadi-plain"] == [
        "",
        "over 5 s",
        "skipped: over 5 s at r = 1",
        "skipped: over 5 s at r = 1",
    ]
    assert all(point.missing == "" for point in found.points if point.contestant != "casadi-plain")
    assert [entry.name for entry in found.contestants] == ["symdyn", "casadi-plain", "tape-ad"]


def test_results_that_are_all_zero_are_wrong_by_their_whole_size(found: Comparison) -> None:
    error = found.point("symdyn", 2).error_in_u
    assert error == pytest.approx(2.0**53)


def test_growth_is_the_exponent_of_the_time(found: Comparison) -> None:
    assert found.growth("symdyn") == pytest.approx(2.0)
    assert found.growth("casadi-plain") is None


def test_csv_has_a_line_per_point(found: Comparison) -> None:
    rows = list(csv.DictReader(io.StringIO(csv_text(found))))
    assert tuple(rows[0]) == COLUMNS
    assert [(row["order"], row["contestant"]) for row in rows[:4]] == [
        ("0", "symdyn"),
        ("0", "casadi-plain"),
        ("0", "tape-ad"),
        ("1", "symdyn"),
    ]
    assert rows[3]["ns_per_call"] == "40.0" and rows[3]["generation_s"] == "0.5" and rows[3]["relative_error"] == "1.0"
    (slow,) = (row for row in rows if (row["contestant"], row["order"]) == ("casadi-plain", "1"))
    assert (slow["missing"], slow["ns_per_call"], slow["operations"]) == ("over 5 s", "", "")
    assert len(rows) == 12


def test_a_table_is_read_as_it_was_written(found: Comparison) -> None:
    back = comparison_of(csv_text(found))
    assert csv_text(back) == csv_text(found)
    assert (back.robot, back.function, back.has_orders) == (found.robot, found.function, found.has_orders)
    assert (back.orders, back.contestants) == (found.orders, found.contestants)
    assert [point.missing for point in back.points] == [point.missing for point in found.points]


def test_a_line_that_ends_early_ends_in_a_cross(found: Comparison) -> None:
    """One curve per contestant in each panel; the second stands apart from the first, and ends at order 0."""
    axes = comparison_figure(found).axes[0]
    lines = {line.get_label(): line for line in axes.lines}
    titles = [entry.title for entry in found.contestants]
    assert set(titles) <= set(lines) and "not ready in time at the next order" in lines
    own, other = (lines[title].get_xdata() for title in titles[:2])
    assert len(own) == 4 and len(other) == 1 and own[0] != other[0]
    crosses = [line for line in axes.lines if line.get_marker() == "x" and len(line.get_xdata())]
    assert [list(line.get_xdata()) for line in crosses] == [list(other)]


def test_progress_ends_where_it_said(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[tuple[str, int, int]] = []
    compare(
        symdyn.load_example("double_pendulum"),
        "forward_dynamics",
        None,
        ["casadi-plain-cse"],
        progress=lambda *news: told.append(news),
        run=lambda name, task, seconds: zeros(task),
    )
    done = [step for _, step, _ in told]
    assert done == sorted(done) and done[-1] == told[-1][2]
    assert "casadi-plain-cse, order 0" in [what for what, _, _ in told]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("coriolis_matrix",), "'coriolis_matrix' has no rivals; compare takes inverse_dynamics"),
        (("mass_matrix", [1]), "'mass_matrix' has no orders; leave --orders out"),
        (("mass_matrix", None, ["casadi-plain"]), "'casadi-plain' does not compute 'mass_matrix': .*casadi-matrix"),
        (("inverse_kinematics",), "is not in the catalogue"),
        (("inverse_dynamics_partials", [1]), "has no orders"),
        (("inverse_dynamics_time_derivatives",), "needs orders, such as --orders 0:5"),
        (("inverse_dynamics", []), "whole numbers from 0 to 30"),
        (("inverse_dynamics", [31]), "from 0 to 30, got 31"),
        (("inverse_dynamics", [1], ["magic"]), "rival 'magic' is unknown"),
        (("inverse_dynamics_partials", None, ["tape-ad"]), "'tape-ad' does not compute 'inverse_dynamics_partials'"),
        (("inverse_dynamics", [1], [], 0.0), "the budget in seconds: expected a positive number, got 0.0"),
        (("inverse_dynamics", [1], [], float("nan")), "the budget in seconds: expected a positive number"),
    ],
)
def test_what_cannot_be_compared_is_refused(arguments: tuple[object, ...], message: str) -> None:
    with pytest.raises(RequestError, match=message):
        compare(symdyn.load_example("double_pendulum"), *arguments)  # type: ignore[arg-type]


def test_run_time_parameters_are_refused() -> None:
    robot = symdyn.load_example("double_pendulum", runtime=["upper.mass"])
    with pytest.raises(RequestError, match=r"run-time parameters \(upper.mass\)"):
        compare(robot, "inverse_dynamics")


def absent(missing: str) -> Callable[..., object]:
    """``find_spec`` of a machine without a package."""
    there = importlib.util.find_spec
    return lambda name, *rest: None if name == missing else there(name, *rest)


def test_a_rival_without_its_package_is_left_out_or_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", absent("jax"))
    contestants, left_out = find_contestants(Subject(DYNAMICS[0], Kind.TIME), None)
    assert "jax-jet" not in [entry.name for entry in contestants]
    words = 'not installed; pip install ".[jax]" in a checkout of symdyn'
    assert [line for line in left_out if "jax" in line] == [f"jax-jet: {words}", f"jax-nested-jet: {words}"]
    with pytest.raises(RequestError, match=r"'jax-jet' is not installed; pip install .\.\[jax\]. in a checkout"):
        find_contestants(Subject(DYNAMICS[0], Kind.TIME), ["jax-jet"])


def test_a_plot_needs_matplotlib_and_a_known_ending(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", absent("matplotlib"))
    with pytest.raises(RequestError, match=r'pip install "\.\[plot\]" in a checkout'):
        check_plot(Path("out.png"))
    with pytest.raises(RequestError, match=r"ends in one of .pdf, .png, .svg"):
        check_plot(Path("out.gif"))


def test_every_contestant_says_what_it_is() -> None:
    for name, entry in CONTESTANTS.items():
        assert entry.name == name and entry.sentence and entry.kinds, name


def test_points_without_figures_have_no_error(found: Comparison) -> None:
    for point in found.points:
        assert isinstance(point, Point)
        assert (point.figures is None) == (point.error_in_u is None) == bool(point.missing)
