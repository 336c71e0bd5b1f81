"""Rows of loops that follow from others: dropped by name where they can be met, and refused where not."""

from __future__ import annotations

import math

import pytest
from support.robots.loop_files import BENNETT, FOUR_BAR, platform

from symdyn.description.yaml.read import parse_yaml
from symdyn.errors import ModelError
from symdyn.robot.loading import robot_of
from symdyn.robot.robot import Robot


def robot(text: str) -> Robot:
    return robot_of(parse_yaml(text.encode(), "r.yaml"))


def test_rows_that_follow_are_warned_of_by_name() -> None:
    loaded = robot(FOUR_BAR)
    assert loaded.warnings == (
        "line 15: loop 'pin': rows z, tilt_x, tilt_y follow from others in all positions; left out, with multipliers "
        "of zero, as is usual for planar mechanisms",
    )
    assert loaded.model.loop_row_names == ("pin.x", "pin.y")


def test_rows_that_follow_on_closed_positions_alone_stay() -> None:
    assert robot(BENNETT).warnings == () and len(robot(BENNETT).model.loop_row_names) == 5


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ("[0.8, 0, 0]}", "[0.8, 0.1, 0]}", r"row z misses by 0\.1 m"),
        ("[0.8, 0, 0]}", "[0.8, -1e-5, 0]}", r"row z misses by 1e-05 m"),
        ("kind: revolute", "kind: fixed", ""),
        ("bend: {type", "bend: {rpy: [0, 0, 0], type", ""),
    ],
)
def test_pins_out_of_the_plane_are_refused(before: str, after: str, words: str) -> None:
    text = FOUR_BAR.replace(before, after)
    assert text != FOUR_BAR
    if not words:
        assert robot(text).constraints
        return
    with pytest.raises(
        ModelError, match=rf"^r\.yaml: line 15: loop 'pin' can never be closed: {words} in all positions"
    ):
        robot(text)


def test_places_tilted_out_of_the_plane_are_refused() -> None:
    text = FOUR_BAR.replace("kind: revolute, axis: [0, 1, 0]", "kind: planar, axes: [[0, 1, 0], [0, 0.8, 0.6]]")
    slide = text.replace("type: revolute", "type: prismatic")
    with pytest.raises(ModelError, match=r"loop 'pin' can never be closed: row tilt_[xy] misses by 0\.6 rad"):
        robot(slide)


def test_loops_said_twice() -> None:
    pin = "{between: [end, top], kind: spherical, close: true}"
    twice = FOUR_BAR + f"  again: {pin}\n"
    assert [own.dropped for own in robot(twice).constraints] == [("z", "tilt_x", "tilt_y"), ("x", "y", "z")]
    assert "loop 'again': rows x, y, z follow" in robot(twice).warnings[1]
    gears = (
        FOUR_BAR + "  a: {kind: coupling, terms: {turn: 1, bend: 2}}\n  b: {kind: coupling, terms: {turn: 2, bend: 4}"
    )
    assert robot(gears + "}\n").constraints[2].dropped == ("",)
    assert "loop 'b': row of the coupling follows from others" in robot(gears + "}\n").warnings[1]
    with pytest.raises(ModelError, match=r"line 17: loop 'b' can never be closed: row of the coupling misses by 1 rad"):
        robot(gears + ", offset: 1}\n")


def test_half_turns_everywhere_are_told() -> None:
    text = """
name: slide
links: {base: , body: {mass: 1}}
joints: {turn: {type: prismatic, parent: base, child: body, axis: [1, 0, 0]}}
frames: {eye: {link: base, rpy: [0, 0, pi]}}
loops: {a: {between: [body, eye], kind: prismatic, axis: [1, 0, 0], close: true}}
"""
    with pytest.raises(ModelError, match=r"loop 'a': the slopes of loops cannot be told at random positions"):
        robot(text)
    fine, turned = "{between: [body, base], kind: point_on_line, axis: [1, 0, 0], close: true}", text.splitlines()[-1]
    for names in ("cab", "cba", "acb"):  # whichever stands first, it is named
        loops = ", ".join(turned[8:-1] if name == "a" else f"{name}: {fine}" for name in names)
        with pytest.raises(ModelError, match=r"loop 'a': the slopes of loops cannot be told at random positions"):
            robot(text.replace(turned, f"loops: {{{loops}}}"))


def test_distances_without_values_are_left() -> None:
    assert [own.dropped for own in robot(platform()).constraints] == [()] * 6


def test_limits_do_not_tell_what_holds_everywhere() -> None:
    """A URDF joint without bounds has the limits 0 and 0: its neutral position alone tells nothing of others."""
    text = FOUR_BAR.replace("axis: [0, 1, 0]", "axis: [0, 1, 0], limits: {lower: 0, upper: 0}", 3)
    rows = [robot(own).constraints[0].rows for own in (FOUR_BAR, text)]
    assert rows[0] == rows[1] == ("pin.x", "pin.y")


def test_places_that_limits_keep_half_a_turn_apart() -> None:
    text = """
name: folded
links: {base: , arm: {mass: 1, inertia: {xx: 1, yy: 2, zz: 2.5}}, hand: {mass: 1, inertia: {xx: 1, yy: 2, zz: 2.5}}}
joints:
  first: {type: revolute, parent: base, child: arm, axis: [1, 0, 0], limits: {lower: 0, upper: 0}}
  second: {type: revolute, parent: arm, child: hand, axis: [0, 1, 0], limits: {lower: 0, upper: 0}}
frames: {turned: {link: base, rpy: [pi, 0, 0]}}
loops: {tie: {between: [hand, turned], kind: fixed, close: true}}
"""
    folded = robot(text)
    q = folded.close(folded.neutral() + 0.1)
    assert sorted(abs(q)) == pytest.approx([0.0, math.pi], abs=1e-9)
