"""MJCF files: what flags turn off, names that are made, and what is known of a file from before."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

import symdyn
from symdyn.errors import SymdynWarning

pytestmark = pytest.mark.peers


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """MuJoCo writes a log where it runs."""
    monkeypatch.chdir(tmp_path)


def read(inside: str, before: str = "") -> symdyn.Robot:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SymdynWarning)
        return symdyn.loads(f"<mujoco>{before}<worldbody>{inside}</worldbody></mujoco>", "mjcf")


GEOM = '<geom size="0.1"/>'


@pytest.mark.parametrize(("flag", "friction"), [("frictionloss", 0.0), ("constraint", 0.0), ("contact", 0.5)])
def test_friction_is_off_where_a_flag_says_so(flag: str, friction: float) -> None:
    body = f'<body name="a"><joint name="j" frictionloss="0.5"/>{GEOM}</body>'
    robot = read(body, f'<option><flag {flag}="disable"/></option>')
    losses = {joint.name: joint.losses for joint in robot.description.joints}
    assert losses["j"].friction == friction
    told = [warning for warning in robot.warnings if f"turns off {flag}" in warning]
    assert bool(told) == (flag != "contact")


@pytest.mark.parametrize("flag", ["invdiscrete", "sleep"])
def test_flags_that_are_not_read_are_told(flag: str) -> None:
    robot = read(f'<body name="a"><joint name="j"/>{GEOM}</body>', f'<option><flag {flag}="enable"/></option>')
    assert any(f"<flag> turns on {flag}, which is not read" in warning for warning in robot.warnings)


def test_keyframes_are_counted() -> None:
    body = f'<body name="a"><joint name="j"/>{GEOM}</body>'
    robot = read(body, '<keyframe><key qpos="1"/><key qpos="2"/></keyframe>')
    assert "2 keyframes: not modelled; the equations do not depend on them" in robot.warnings


def test_a_range_of_a_ball_is_told() -> None:
    robot = read(f'<body name="a"><joint name="j" type="ball" range="0 40" limited="true"/>{GEOM}</body>')
    assert "line 1: joint 'j': range of a ball joint is not read" in robot.warnings


NAMES = [
    (f'<body name="a"><joint name="b"/>{GEOM}<body name="b">{GEOM}</body></body>', {"b", "b.2"}, {"world", "a", "b"}),
    (
        f'<body name="a"><joint name="j"/>{GEOM}</body><body>{GEOM}</body><body name="body2">{GEOM}</body>',
        {"a", "body2"},
        {"body2", "body2.2"},
    ),
    (
        f'<body name="a"><joint name="j1"/><joint name="j2" axis="1 0 0"/>{GEOM}<site name="a.j1"/></body>',
        {"j1", "j2"},
        {"a", "a.j1", "a.j1.2"},
    ),
    (
        f'<body name="a"><joint name="j" pos="1 0 0"/>{GEOM}'
        f'<body name="c"><joint name="a.origin"/>{GEOM}</body></body>',
        {"j", "a.origin", "a.origin.2"},
        {"a", "c", "a.j"},
    ),
]


@pytest.mark.parametrize(("inside", "joints", "frames"), NAMES)
def test_made_names_are_unlike_those_of_the_file(inside: str, joints: set[str], frames: set[str]) -> None:
    robot = read(inside)
    names = {joint.name for joint in robot.description.joints}
    assert joints - {"a"} <= names
    assert frames <= set(robot.frame_names)


def test_a_moved_mesh_folder_and_moved_lines_are_read_anew(tmp_path: Path) -> None:
    body = '<body name="a"><joint name="j"/><geom type="mesh" mesh="m"/></body>'
    corners = ("0 0 0", "1 0 0", "0 1 0", "0 0 1")
    faces = ((1, 3, 2), (1, 2, 4), (2, 3, 4), (3, 1, 4))
    text = "".join(f"v {own}\n" for own in corners) + "".join("f {} {} {}\n".format(*own) for own in faces)
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "m.obj").write_text(text)

    def loaded(folder: str, start: str) -> symdyn.Robot:
        own = f'<compiler meshdir="{folder}"/><asset><mesh file="m.obj"/></asset>{start}<worldbody>{body}</worldbody>'
        (tmp_path / "model.xml").write_text(f"<mujoco>{own}</mujoco>")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SymdynWarning)
            return symdyn.load(tmp_path / "model.xml")

    found = [loaded("one", ""), loaded("two", ""), loaded("two", "\n\n")]
    seen = [robot.description.links[1].visuals[0].address for robot in found]
    assert ["one" in own for own in seen] == [True, False, False]
    assert [robot.description.links[1].line for robot in found] == [1, 1, 3]
