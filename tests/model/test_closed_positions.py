"""Positions with closed loops against closed forms, velocities that keep them, and mobility."""

from __future__ import annotations

import gc
import math
import weakref

import numpy as np
import pytest
from support.robots.loop_files import BENNETT, FOUR_BAR, FOUR_BAR_LINKS, LEGS, SLIDER, platform
from support.robots.soft_looped import bent_rod

from symdyn.api import from_description
from symdyn.description.yaml.read import parse_yaml
from symdyn.errors import ModelError, RequestError
from symdyn.generation.pipeline import float_recursion
from symdyn.robot.loading import robot_of
from symdyn.robot.loop_closure import close as closing
from symdyn.robot.loop_closure.close import Closing
from symdyn.robot.robot import Robot

Array = np.ndarray


def robot(text: str, **options: object) -> Robot:
    return robot_of(parse_yaml(text.encode(), "r.yaml"), **options)  # type: ignore[arg-type]


def four_bar_gap(turn: float, bend: float, swing: float) -> Array:
    """From the end of the rocker to that of the coupler; turns about y take x to -z."""
    at = [0.3 * math.cos(turn) + 0.8 * math.cos(turn + bend), -0.3 * math.sin(turn) - 0.8 * math.sin(turn + bend)]
    return np.array(at) - [0.7 + 0.6 * math.cos(swing), -0.6 * math.sin(swing)]


@pytest.mark.parametrize("turn", [0.2, 1.0, 2.0, 3.0, -2.0])
def test_four_bar_closes_with_its_crank_held(turn: float) -> None:
    loaded = robot(FOUR_BAR)
    names = dict(zip(loaded.coordinate_names, range(3), strict=True))
    start = np.zeros(3)
    start[names["turn"]] = turn
    q = loaded.close(start, hold=["turn"])
    assert q[names["turn"]] == turn
    assert np.abs(four_bar_gap(*(q[names[name]] for name in ("turn", "bend", "swing")))).max() < 1e-14


def test_neutral_position_without_slopes_is_left() -> None:
    # Straight links: no motion changes the gap to first order.
    loaded = robot(FOUR_BAR)
    first, second = (loaded.close(loaded.neutral()) for _ in range(2))
    assert np.array_equal(first, second)
    assert loaded.mobility == 1 and set(loaded.independent_coordinates) < {"turn", "bend", "swing"}


def test_closed_positions_stay() -> None:
    loaded = robot(FOUR_BAR)
    q = loaded.close([0.4, 1.0, 1.0])
    assert np.abs(loaded.close(q) - q).max() < 1e-15


def test_steps_are_the_shortest() -> None:
    loaded = robot(FOUR_BAR)
    q = loaded.close([0.4, 1.0, 1.0])
    slopes = np.reshape(float_recursion(loaded, "constraint_jacobian")({"q": q.tolist()})["A"], (2, 3))
    way = np.linalg.svd(slopes)[2][2]
    off = q + 1e-4 * np.linalg.svd(slopes)[2][0]
    assert abs(way @ (loaded.close(off) - off)) < 1e-7


def test_slider_crank_with_a_rod_of_run_time_length() -> None:
    loaded = robot(SLIDER)
    row = loaded.coordinate_names.index("turn")
    start = np.zeros(3)
    start[row] = 1.1
    for length in (None, 0.55):
        q = loaded.close(start, hold=["turn"], p=None if length is None else [length])
        rod = length or 0.5
        slide = 0.2 * math.cos(1.1) + math.sqrt(rod**2 - (0.2 * math.sin(1.1)) ** 2) - 0.7
        assert q[loaded.coordinate_names.index("slide")] == pytest.approx(slide, abs=1e-14)


def test_overconstrained_linkage_moves() -> None:
    loaded = robot(BENNETT)
    (hinge,) = loaded.constraints
    assert len(hinge.rows) == 5 and hinge.dropped == () and loaded.mobility == 1
    ratio = math.sin((math.pi / 2 + math.pi / 6) / 2) / math.sin((math.pi / 2 - math.pi / 6) / 2)
    for turn in (0.5, 2.0):
        q = loaded.close([turn, 1.0, 1.0], hold=["j1"])
        assert math.tan(q[0] / 2) * math.tan(q[1] / 2) == pytest.approx(ratio, abs=1e-9)
        assert math.cos(q[0] + q[2]) == pytest.approx(1.0, abs=1e-12)


def test_platform_finds_its_pose_from_the_lengths_of_its_legs() -> None:
    loaded = robot(platform())
    x, y, z, w = 0.06, -0.08, 0.1, math.sqrt(0.98)
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    turn = np.eye(3) + 2 * w * cross + 2 * cross @ cross
    at = np.array([0.05, -0.03, 0.04])
    lengths = [float(np.linalg.norm(at + turn @ np.array(on) - of)) for on, of in LEGS]
    q = loaded.close(loaded.neutral(), p=lengths)
    assert q == pytest.approx([*at, x, y, z, w], abs=1e-12)
    assert loaded.mobility == 0 and loaded.independent_coordinates == ()
    with pytest.raises(RequestError, match="run-time parameter 'd0' of robot 'platform' has no value; give p"):
        loaded.close(loaded.neutral())
    lengths[2] = 5.0
    with pytest.raises(RequestError, match=r"do not close from here: .* error of \d.* m in row 'leg\d\.distance'"):
        loaded.close(loaded.neutral(), hold=loaded.velocity_names[3:], p=lengths)


ROUND = """
name: ball
links: {base: , body: {mass: 1, inertia: {xx: 1, yy: 2, zz: 2.5}}}
joints: {turn: {type: spherical, parent: base, child: body}}
loops:
"""


@pytest.mark.parametrize("kind", ["revolute", "fixed", "cylindrical", "planar"])
def test_axes_do_not_close_the_wrong_way_round(kind: str) -> None:
    loaded = robot(f"{ROUND}  a: {{between: [body, world], kind: {kind}}}\n")
    start = np.array([1.0, 0.0, 0.01, 0.0])
    q = loaded.close(start / np.linalg.norm(start))  # half a turn about x, but for a little
    x, y, _, _ = q
    assert 1 - 2 * (x * x + y * y) == pytest.approx(1.0, abs=1e-9)
    assert np.linalg.norm(q) == pytest.approx(1.0, abs=1e-15)


def test_places_turned_half_round_are_open() -> None:
    text = ROUND.replace("\nloops:", "\nframes: {eye: {link: base, rpy: [pi, 0, 0]}}\nloops:")
    with pytest.raises(ModelError, match=r"^r\.yaml: line 7: loop 'a' is open by 3\.14 rad at the neutral position"):
        robot(f"{text}  a: {{between: [body, eye], kind: revolute}}\n")


def test_projection_is_at_right_angles_in_the_metric_of_the_mass_matrix() -> None:
    loaded = robot(FOUR_BAR)
    v = np.array([1.0, -2.0, 0.7])
    q, kept = loaded.project([0.4, 1.0, 1.0], v)
    slopes = np.reshape(float_recursion(loaded, "constraint_jacobian")({"q": q.tolist()})["A"], (2, 3))
    mass = np.reshape(float_recursion(loaded, "mass_matrix")({"q": q.tolist()})["M"], (3, 3))
    pushed = np.linalg.solve(mass, slopes.T)
    assert kept == pytest.approx(v - pushed @ np.linalg.solve(slopes @ pushed, slopes @ v), abs=1e-13)
    assert np.abs(slopes @ kept).max() < 1e-14


def test_locked_joints() -> None:
    loaded = robot(FOUR_BAR, locked_joints={"turn": 0.8})
    assert loaded.mobility == 0 and loaded.nv == 2
    q = dict(zip(loaded.coordinate_names, loaded.close(loaded.neutral()), strict=True))
    assert np.abs(four_bar_gap(0.8, q["bend"], q["swing"])).max() < 1e-14
    with pytest.raises(ModelError, match=r"^r\.yaml: line 15: loop 'pin' is between two places on one body"):
        robot(FOUR_BAR, locked_joints={"turn": 0.8, "bend": 0.1, "swing": 0.2}, floating_base=True)
    # what is open at the neutral position is looked at without locks
    slider = robot(SLIDER, locked_joints={"turn": 1.1})
    row = slider.coordinate_names.index("slide")
    assert slider.close(slider.neutral())[row] == pytest.approx(
        0.2 * math.cos(1.1) + math.sqrt(0.25 - (0.2 * math.sin(1.1)) ** 2) - 0.7, abs=1e-14
    )


def test_locked_joints_of_couplings() -> None:
    text = FOUR_BAR_LINKS + "loops:\n  g: {kind: coupling, terms: {turn: 1, bend: -2, swing: 0.5}, offset: 0.1}\n"
    loaded = robot(text, locked_joints={"turn": 0.3, "swing": 0.2})
    assert loaded.constraints[0].rows == ("g",) and loaded.mobility == 0
    assert loaded.close([0.0]) == pytest.approx([0.15], abs=1e-15)
    met = {"turn": 0.3, "bend": 0.15, "swing": 0.2}
    assert robot(text, locked_joints=met, floating_base=True).constraints == ()
    with pytest.raises(
        ModelError, match=r"line 15: loop 'g' couples joints that are all locked, and misses .* by 0\.1"
    ):
        robot(text, locked_joints=met | {"turn": 0.4}, floating_base=True)


def test_floating_base() -> None:
    loaded = robot(FOUR_BAR, floating_base=True)
    assert loaded.mobility == 7 and loaded.constraints[0].dropped == ("z", "tilt_x", "tilt_y")
    start = loaded.neutral()
    start[7:] = 0.4, 1.0, 1.0
    q = loaded.close(start, hold=["root"])
    assert np.array_equal(q[:7], start[:7])
    anchored = FOUR_BAR + "  foot: {between: [base, world], kind: spherical}\n"
    held = robot(anchored, floating_base=True)
    assert held.mobility == 4
    with pytest.raises(ModelError, match=r"line 16: loop 'foot' is between two places on one body, .* is the ground"):
        robot(anchored)


def test_robots_without_loops() -> None:
    loaded = robot(FOUR_BAR_LINKS)
    assert loaded.constraints == () and loaded.mobility == 3
    assert loaded.independent_coordinates == loaded.velocity_names
    q, v = loaded.project([0.1, 0.2, 0.3], [1.0, 2.0, 3.0])
    assert q.tolist() == [0.1, 0.2, 0.3] and v == pytest.approx([1.0, 2.0, 3.0], abs=1e-14)


def test_what_is_refused() -> None:
    loaded = robot(FOUR_BAR)
    for bad, words in (
        (lambda: loaded.close([0.0, 0.0]), r"q0 of robot 'fourbar': expected shape \(\.\.\., 3\), got \(2,\)"),
        (lambda: loaded.close(np.zeros((2, 3))), r"q0 of robot 'fourbar': expected shape \(3,\), got \(2, 3\)"),
        (lambda: loaded.close(np.zeros(3), hold="turn"), r"hold is a list of names such as \['turn'\], got 'turn'"),
        (lambda: loaded.close(np.zeros(3), hold=["turnn"]), "coordinate 'turnn' .* does not exist; did you mean"),
        (lambda: loaded.close(np.zeros(3), p=[1.0]), r"p of robot 'fourbar': expected shape \(\.\.\., 0\)"),
        (lambda: loaded.project(np.zeros(3), np.zeros((2, 3))), r"v of robot 'fourbar': expected shape \(3,\)"),
        (
            lambda: loaded.close(np.zeros(3), hold=["turn", "swing"]),
            r"do not close from here: the best position found has an error of 0\.2 m in row 'pin\.x'; start "
            r"nearer to a closed position, or hold fewer coordinates than 'swing', 'turn'$",
        ),
    ):
        with pytest.raises(RequestError, match=words):
            bad()


def test_where_slopes_have_no_value_what_remains_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded = robot(FOUR_BAR)
    monkeypatch.setattr(Closing, "slopes", lambda self, q: np.full((2, 3), np.nan))
    with pytest.raises(
        RequestError, match=r"do not close from here: the best position found has an error of \d.* m in"
    ):
        loaded.close([0.4, 1.0, 1.0])


@pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")
def test_errors_without_a_value_are_larger_than_all_others() -> None:
    """A rod that turns by a thousand radians per step overflows."""
    rod = from_description(bent_rod())
    with pytest.raises(RequestError, match=r"has an error of inf m in row 'pin\.x'; start nearer"):
        rod.close(rod.neutral() + 1000.0)


def test_open_loops_are_refused_unless_they_may_be() -> None:
    text = FOUR_BAR.replace(", close: true", "")
    with pytest.raises(ModelError, match=r"^r\.yaml: line 15: loop 'pin' is open by 0\.2 m at the neutral position"):
        robot(text)
    moved = text.replace("[0.6, 0, 0]", "[0.4, 0, 0]")
    assert robot(moved).close(np.zeros(3)).tolist() == [0.0, 0.0, 0.0]
    unknown = text.replace("links:", "parameters: {k: {runtime: true}}\nlinks:", 1)
    (pin,) = robot(unknown.replace("end, top", "end, {link: rocker, point: [k, 0, 0]}")).constraints
    assert pin.name == "pin"


def test_what_is_remembered_of_a_robot_goes_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    searches = []
    search = Closing.search
    monkeypatch.setattr(Closing, "search", lambda self, q, *more: searches.append(q) or search(self, q, *more))
    loaded = robot(FOUR_BAR)
    found = loaded.close([0.4, 1.0, 1.0])
    found[0] = np.nan  # is the caller's own
    assert np.isfinite(loaded.close([0.4, 1.0, 1.0])).all() and len(searches) == 1
    loaded.close([0.4, 1.0, 1.0], hold=["turn"])
    assert len(searches) == 2
    monkeypatch.setattr(closing, "_REMEMBERED", 2)
    loaded.close([0.5, 1.0, 1.0])  # the oldest is forgotten
    loaded.close([0.4, 1.0, 1.0])
    assert len(searches) == 4
    gone = weakref.ref(loaded)
    del loaded
    gc.collect()
    assert gone() is None
