"""MJCF files against MuJoCo: those of other packages' wheels, which are read there, and some of our own."""

from __future__ import annotations

import math
import warnings
from pathlib import Path
from typing import Any

import pytest
from support.fuzz import campaign, mjcf_mutants
from support.mjcf_texts import LOOPS, MALFORMED, MIXED, UNSUPPORTED, looped
from support.mjcf_twins import WHEELS, Compared, Twin, corpus

import symdyn
from symdyn.cli.main import main
from symdyn.description.yaml.write import write_yaml
from symdyn.errors import DescriptionError, SymdynError, SymdynWarning

pytestmark = pytest.mark.peers

STATES = 2


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """MuJoCo writes a log where it runs."""
    monkeypatch.chdir(tmp_path)


def check(found: Compared, where: str = "") -> None:
    assert found.mass < 1e-12, where
    assert found.force < 1e-10, where
    assert found.frames < 1e-12, where
    assert found.loops < 1e-9, where


def test_every_file_of_the_wheels_is_refused_in_one_line_or_equal() -> None:
    accepted = driven = 0
    for file in corpus():
        try:
            twin = Twin(file)
        except SymdynError as failure:
            assert failure.exit_code == 2, file
            assert str(failure).isprintable(), file
            continue
        accepted += 1
        for seed in range(STATES):
            check(twin.compare(seed), str(file))
        driven += twin.drivable
        assert not twin.drivable or twin.driven(1) < 1e-8, file  # M's condition magnifies rounding of forces
    assert accepted >= 54
    assert driven >= 30


def test_the_wheels_are_there() -> None:
    files = [str(path) for path in corpus()]
    assert all(any(f"/{wheel}/" in path for path in files) for wheel in WHEELS)
    assert len(files) > 70


def read(text: str, **options: Any) -> symdyn.Robot:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SymdynWarning)
        return symdyn.loads(text, "mjcf", **options)


def test_a_model_with_all_that_is_read(tmp_path: Path) -> None:
    (tmp_path / "mixed.xml").write_text(MIXED)
    twin = Twin(tmp_path / "mixed.xml")
    for seed in range(5):
        check(twin.compare(seed))
    robot = twin.robot
    joints = {joint.name: joint for joint in robot.description.joints}
    assert robot.description.gravity == (0.1, 0.2, -9.0)
    limits = joints["lift"].limits
    assert limits is not None
    assert limits.upper == pytest.approx(math.pi / 2)
    assert joints["follow"].mimic is not None
    assert "stand" in robot.frame_names
    assert "trunk.site" in robot.frame_names
    assert "eye" in robot.frame_names


@pytest.mark.parametrize("text", [MIXED, looped("weld_world")])
def test_in_mujocos_convention_all_rows_are_those_of_qpos(text: str, tmp_path: Path) -> None:
    (tmp_path / "model.xml").write_text(text)
    twin = Twin(tmp_path / "model.xml", convention="mujoco")
    q, v = twin.robot.random_state(3)
    kept = [row for row, value in enumerate(twin.qpos(q)) if value in q]
    assert twin.qpos(q)[kept].tolist() == q.tolist()  # but for the rows of followers
    T, bias = twin.slopes(q, v)
    assert (T[T.any(axis=1)].sum(axis=1) != 0).all()
    assert not bias.any()
    for seed in range(3):
        check(twin.compare(seed))


DAMPED = """<mujoco><worldbody><body name="trunk" pos="0 0.2 1">
  <joint name="float" type="free" damping="0.7"/><geom size="0.1 0.2 0.3" type="box" pos="0.1 0.2 0"/>
  <body name="arm" pos="0.3 0 0"><joint name="lift" axis="0 1 0" damping="0.2"/><geom size="0.1" pos="0.2 0 0"/></body>
</body></worldbody></mujoco>"""


@pytest.mark.parametrize("convention", ["pinocchio", "mujoco", "spatial"])
def test_damping_of_free_joints_is_the_same_in_all_conventions(convention: str, tmp_path: Path) -> None:
    """A free joint of a file has body axes in the spatial convention too."""
    (tmp_path / "damped.xml").write_text(DAMPED)
    twin = Twin(tmp_path / "damped.xml", convention=convention)
    assert [joint.losses.damping for joint in twin.robot.description.joints] == [0.7, 0.2]
    for seed in range(3):
        check(twin.compare(seed))


def test_warnings_are_one_line_that_counts(tmp_path: Path) -> None:
    (tmp_path / "mixed.xml").write_text(MIXED)
    with pytest.warns(SymdynWarning) as told:
        symdyn.load(tmp_path / "mixed.xml")
    assert len(told) == 1
    text = str(told[0].message)
    assert text.startswith("mixed.xml: read but not modelled: ")
    assert "1 sensor" in text
    assert "actuator" not in text  # a motor is an input, and does nothing without it


@pytest.mark.parametrize("name", LOOPS)
def test_loops_hold_the_rows_that_equalities_hold(name: str, tmp_path: Path) -> None:
    (tmp_path / "looped.xml").write_text(looped(name))
    twin = Twin(tmp_path / "looped.xml")
    assert twin.robot.model.loops
    for seed in range(3):
        found = twin.compare(seed)
        check(found)


def test_the_text_of_yaml_is_the_same_robot() -> None:
    for text in (MIXED, looped("both"), looped("weld_with_pose")):
        robot = read(text)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SymdynWarning)
            again = symdyn.loads(write_yaml(robot.resolved()), "yaml")
        assert again.model == robot.model


@pytest.mark.parametrize("name", [*MALFORMED, *UNSUPPORTED])
def test_what_is_no_robot_is_one_line(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text, words = (MALFORMED | UNSUPPORTED)[name]
    (tmp_path / "model.xml").write_text(text)
    assert main(["info", "model.xml"]) == 2
    told = capsys.readouterr().err
    assert told.startswith("error: model.xml")
    assert told.count("\n") == 1
    assert words in told


def test_mutants_are_read_or_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    try:
        assert campaign.run("mjcf_mutants", mjcf_mutants.case, 200, 11, 0, tmp_path) == 0, capsys.readouterr().out
    finally:
        mjcf_mutants.SERVER.end()


def test_there_are_enough_of_them() -> None:
    assert len(MALFORMED) + len(UNSUPPORTED) >= 30


LEFT_OUT = sorted(UNSUPPORTED.keys() - {"flex"})
"""Bodies of a flex have no joint once it does not deform."""


@pytest.mark.parametrize("name", LEFT_OUT)
def test_forces_are_left_out_where_the_caller_says_so(name: str) -> None:
    text, _ = UNSUPPORTED[name]
    robot = read(text, strict=False)
    assert any("it is left out" in warning for warning in robot.warnings)
    with pytest.raises(DescriptionError, match="strict"):
        read(UNSUPPORTED["gravcomp"][0].replace('gravcomp="-1"', ""), strict=True)


def test_the_program_ends_by_itself_where_mujoco_is_absent(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> str:
        from importlib.metadata import PackageNotFoundError

        raise PackageNotFoundError(name)

    monkeypatch.setattr("symdyn.description.mjcf.read.version", absent)
    with pytest.raises(DescriptionError, match=r'pip install "\.\[mjcf\]"'):
        read(MIXED)
    monkeypatch.setattr("symdyn.description.mjcf.read.version", lambda name: "3.1.6")
    with pytest.raises(DescriptionError, match=r"read by MuJoCo 3\.2\.3 or later, found 3\.1\.6"):
        read(MIXED)


@pytest.mark.parametrize("fault", ["os.abort()", "time.sleep(100)", "sys.exit(1)"])
def test_a_fault_of_the_compiler_is_told(fault: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "program.py"
    program.write_text(f"import os, sys, time\n{fault}\n")
    monkeypatch.setattr("symdyn.description.mjcf.read.PROGRAM", program)
    monkeypatch.setattr("symdyn.toolchain.run_program.TIMEOUT_S", 1.0)
    with pytest.raises(DescriptionError, match=r"MuJoCo's compiler (was ended|did not end|ended)"):
        read(MIXED.replace("mixed", fault))


def test_verbs_take_mjcf(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mixed.xml").write_text(MIXED)
    assert main(["convert", "mixed.xml", "--to", "yaml", "--out", "mixed.yaml"]) == 0
    capsys.readouterr()
    assert main(["info", "mixed.yaml"]) == 0
    out = capsys.readouterr().out
    assert main(["info", "mixed.xml"]) == 0
    assert out.splitlines()[2:6] == capsys.readouterr().out.splitlines()[2:6]
