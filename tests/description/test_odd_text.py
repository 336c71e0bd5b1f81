"""Text that is no text: halves of surrogate pairs, blank lines before a file begins, control characters in messages."""

from __future__ import annotations

import copy
import os
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import symdyn
from symdyn.description.read import read_robot
from symdyn.errors import DescriptionError, RequestError, SymdynError, SymdynWarning

URDF = """<robot name="r"><link name="a"/>
<link name="b"><inertial><mass value="1"/>
<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
<joint name="j" type="{type}"><parent link="a"/><child link="b"/>{more}</joint></robot>
"""
YAML = "name: {name}\nlinks: {{a: , {link}: {{mass: 1, inertia: {{xx: 1, yy: 1, zz: 1}}{more}}}}}\n"
YAML += "joints: {{j: {{type: continuous, parent: a, child: {link}, axis: [0, 0, 1]}}}}\n"
HALF = '"\\ud83d"'


def urdf(kind: str = "continuous", more: str = "") -> str:
    return URDF.format(type=kind, more=more)


@pytest.mark.parametrize(
    ("name", "link", "more", "line"),
    [
        (HALF, "b", "", 1),
        ("r", '"x\\udc00"', "", 2),
        ("r", "b", f", {HALF}: 1", 2),
        ("r", "b", f", com: [{HALF}, 0, 0]", 2),
        ("r", "b", ', "\\ude00\\ud83d": 1', 2),
    ],
)
def test_half_a_surrogate_pair_is_refused(name: str, link: str, more: str, line: int, tmp_path: Path) -> None:
    path = tmp_path / "r.yaml"
    path.write_text(YAML.format(name=name, link=link, more=more))
    with pytest.raises(DescriptionError, match=rf"^r\.yaml:{line}: .* holds half of a surrogate pair") as caught:
        read_robot(path)
    str(caught.value).encode()


def test_a_surrogate_pair_is_a_character_as_in_json(tmp_path: Path) -> None:
    path = tmp_path / "r.yaml"
    path.write_text(YAML.format(name='"\\ud83e\\udd16"', link='"x\\uD83E\\uDD16"', more=""))
    assert (read_robot(path).name, read_robot(path).links[1].name) == ("\U0001f916", "x\U0001f916")
    path.write_text(YAML.format(name="r", link="b", more=', "\\ud83d\\ude00": 1'))
    with pytest.raises(DescriptionError, match="link 'b': \U0001f600: unknown key"):
        read_robot(path)


BLANKS = "\n" * 70 + " \t\r\n" * 9


@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
@pytest.mark.parametrize("declaration", ["", '<?xml version="1.0"?>\n', "<!-- by hand -->\n"])
def test_blank_lines_before_a_urdf(mark: str, encoding: str, declaration: str, tmp_path: Path) -> None:
    for name in ("r.urdf", "r.txt"):
        path = tmp_path / name
        path.write_bytes(f"{mark if encoding == 'utf-8' else ''}{BLANKS}{declaration}{urdf()}".encode(encoding))
        robot = read_robot(path)
        assert [link.name for link in robot.links] == ["a", "b"]
        assert robot.links[0].line == 80 + bool(declaration)


def test_blank_lines_before_yaml(tmp_path: Path) -> None:
    path = tmp_path / "r.yaml"
    path.write_text("\n" * 100 + YAML.format(name="r", link="b", more=""))
    assert read_robot(path).links[1].line == 102
    for blank in ("", "\n" * 200, "\ufeff\n  "):
        path.write_text(blank)
        with pytest.raises(DescriptionError, match=r"^r\.yaml: the file is empty$"):
            read_robot(path)


def test_a_declaration_does_not_hide_a_document_type(tmp_path: Path) -> None:
    path = tmp_path / "r.urdf"
    path.write_text(f'\n\n<?xml version="1.0"?>\n<!DOCTYPE robot>{urdf()}')
    with pytest.raises(DescriptionError, match=r"^r\.urdf:4: a DOCTYPE declaration is refused"):
        read_robot(path)
    path.write_text(f'{urdf()}<?xml version="1.0"?>')
    with pytest.raises(DescriptionError, match=r"not well-formed XML"):
        read_robot(path)


@pytest.mark.parametrize(
    ("limit", "bounds", "warned"),
    [
        ('<limit effort="3" velocity="2"/>', (3.0, 2.0), False),
        ('<limit effort="3" velocity="2" lower="-1"/>', (3.0, 2.0), True),
        ('<limit effort="3" velocity="2" upper="1"/>', (3.0, 2.0), True),
        ('<limit effort="3"/>', (3.0, float("inf")), False),
    ],
)
def test_limits_of_a_continuous_joint(limit: str, bounds: tuple[float, float], warned: bool, tmp_path: Path) -> None:
    path = tmp_path / "r.urdf"
    path.write_text(urdf(more=limit))
    robot = read_robot(path)
    limits = robot.joints[0].limits
    assert limits is not None and (limits.effort, limits.velocity) == bounds
    assert (limits.lower, limits.upper) == (-float("inf"), float("inf"))
    expected = ("line 4: joint 'j': lower and upper limits of a continuous joint are not used",) if warned else ()
    assert robot.warnings == expected


@pytest.mark.parametrize("side", ["lower", "upper"])
def test_one_bound_leaves_the_other_at_zero(side: str, tmp_path: Path) -> None:
    path = tmp_path / "r.urdf"
    path.write_text(urdf("prismatic", f'<limit effort="3" velocity="2" {side}="{-1 if side == "lower" else 1}"/>'))
    robot = read_robot(path)
    limits = robot.joints[0].limits
    assert limits is not None and (limits.lower, limits.upper) == ((-1.0, 0.0) if side == "lower" else (0.0, 1.0))
    assert robot.warnings == ()


def test_messages_are_one_line() -> None:
    odd = "a\nb\x1b[31m\u2028\r\t\ud800"
    for kind in (DescriptionError, RequestError, SymdynError, SymdynWarning):
        failure = kind(f"joint '{odd}'")
        assert str(failure) == r"joint 'a\nb\x1b[31m\u2028\r\t\ud800'"
        assert str(copy.copy(failure)) == str(failure)
    robot = symdyn.load_example("pendulum")
    calls = [
        lambda: symdyn.load("no\nsuch.urdf"),
        lambda: symdyn.load_example("no\nsuch"),
        lambda: symdyn.load_example("pendulum", locked_joints={odd: 0.0}),
        lambda: symdyn.load_example("pendulum", runtime=[odd]),
        lambda: symdyn.load_example("pendulum", convention=odd),
        lambda: symdyn.load_example("pendulum", gravity=np.zeros((2, 3))),
        lambda: symdyn.generate(robot, [odd]),
        lambda: symdyn.generate(robot, ["inverse_dynamics"], target=odd),
        lambda: robot.integrate([["a\nb"]], [0.0]),
    ]
    for call in calls:
        with pytest.raises(SymdynError) as caught:
            call()
        assert str(caught.value).isprintable()
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        warnings.warn(odd, SymdynWarning, stacklevel=1)
    assert str(seen[0].message).isprintable()


PRINTS = "import symdyn.cli.main as m, sys; sys.exit(m.main(sys.argv[1:]))"


def test_names_reach_a_terminal_of_ascii(tmp_path: Path) -> None:
    path = tmp_path / "r.yaml"
    path.write_text(YAML.format(name='"\U0001f916"', link='"gr\u00fcn"', more=""), encoding="utf-8")
    environment = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    environment.pop("PYTHONIOENCODING", None)
    done = subprocess.run(
        [sys.executable, "-c", PRINTS, "info", "--no-counts", str(path)], env=environment, capture_output=True
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert rb"\U0001f916" in done.stdout and rb"gr\xfcn" in done.stdout
    path.write_text(YAML.format(name="r", link="b", more=', "\U0001f600": 1'), encoding="utf-8")
    done = subprocess.run([sys.executable, "-c", PRINTS, "info", str(path)], env=environment, capture_output=True)
    assert done.returncode == 2 and done.stderr.count(b"\n") == 1 and rb"\U0001f600: unknown key" in done.stderr
