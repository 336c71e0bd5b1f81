"""Xacro is run where a user asks for it, in a process of its own, and nowhere else."""

from __future__ import annotations

from pathlib import Path

import pytest

import symdyn
from symdyn.errors import DescriptionError, RequestError

ARM = """<robot name="arm" xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:arg name="mass" default="2"/>
  <xacro:property name="half" value="${$(arg mass) / 2}"/>
  <link name="base"/>
  <link name="rod">
    <inertial><mass value="${half}"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>
  </link>
  <joint name="swing" type="continuous"><parent link="base"/><child link="rod"/></joint>
</robot>"""


@pytest.fixture
def arm(tmp_path: Path) -> Path:
    path = tmp_path / "arm.urdf.xacro"
    path.write_text(ARM)
    return path


@pytest.mark.parametrize(("given", "mass"), [({}, 1.0), ({"mass": "6"}, 3.0), ({"mass": 6}, 3.0)])
def test_expressions_are_computed_with_arguments(arm: Path, given: dict[str, str], mass: float) -> None:
    robot = symdyn.load(arm, xacro_args=given)
    inertial = robot.description.links[1].inertial
    assert inertial is not None
    assert inertial.mass == mass


def test_without_a_word_it_is_refused_and_the_option_named(arm: Path) -> None:
    with pytest.raises(
        DescriptionError, match=r"expand it first: .*xacro_args=\{\}.*--xacro none, or --xacro NAME:=VALUE"
    ):
        symdyn.load(arm)


FAULTS = [
    ("${1/0}", "xacro refuses it: .*division by zero"),
    ("${open('/etc/passwd').read()}", "xacro refuses it: .*open"),
    ("$(arg nothing)", "xacro refuses it: .*nothing"),
]


@pytest.mark.parametrize(("text", "words"), FAULTS)
def test_what_xacro_says_against_a_file_is_one_line(arm: Path, text: str, words: str) -> None:
    arm.write_text(ARM.replace("${half}", text))
    with pytest.raises(DescriptionError, match=rf"^arm.urdf.xacro: {words}") as raised:
        symdyn.load(arm, xacro_args={})
    assert str(raised.value).isprintable()


def test_wrong_arguments_are_refused(arm: Path) -> None:
    with pytest.raises(RequestError, match="xacro_args are values by name"):
        symdyn.load(arm, xacro_args=["mass"])  # type: ignore[arg-type]
    with pytest.raises(RequestError, match="xacro_args is for files"):
        symdyn.loads(ARM, "urdf", xacro_args={})


def test_without_the_package_the_extra_is_named(arm: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("symdyn.description.urdf.xacro.find_spec", lambda name: None)
    with pytest.raises(DescriptionError, match=r'pip install "\.\[xacro\]"'):
        symdyn.load(arm, xacro_args={})


LIBRARY = """<robot xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:macro name="rod"><link name="rod">
    <visual><geometry><mesh filename="package://parts/rod.stl"/></geometry></visual>
    <visual><geometry><mesh filename="file://$(find parts)/rod.stl"/></geometry></visual>
    <inertial><mass value="4"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
  </xacro:macro>
</robot>"""
USER = """<robot name="arm" xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:include filename="$(find parts)/rod.xacro"/><link name="base"/><xacro:rod/>
  <joint name="swing" type="continuous"><parent link="base"/><child link="rod"/></joint>
</robot>"""


@pytest.mark.parametrize("named", ["folder", "package"])
def test_packages_are_found_without_ros_and_their_meshes_too(tmp_path: Path, named: str) -> None:
    from symdyn.robot.meshes import MeshFolders

    parts = tmp_path / "src" / "parts"
    parts.mkdir(parents=True)
    (parts / "rod.xacro").write_text(LIBRARY)
    (parts / "rod.stl").write_text("solid")
    (tmp_path / "arm.urdf.xacro").write_text(USER)
    path = parts.parent if named == "folder" else parts
    robot = symdyn.load(tmp_path / "arm.urdf.xacro", xacro_args={}, package_paths=[path])
    inertial = robot.description.links[1].inertial
    assert inertial is not None
    assert inertial.mass == 4.0
    assert robot.mesh_folders == (path,)
    folders = MeshFolders(robot.mesh_folders)
    for visual in robot.description.links[1].visuals:
        assert folders.find(visual.address) == parts / "rod.stl"
    assert robot.with_rotor("swing", armature=1.0).mesh_folders == (path,)
    assert str(tmp_path) not in robot.to_yaml()


def test_a_package_that_is_nowhere_names_the_option(tmp_path: Path) -> None:
    (tmp_path / "arm.urdf.xacro").write_text(USER)
    for package in ("parts", "..", "a/parts"):
        (tmp_path / "arm.urdf.xacro").write_text(USER.replace("parts", package))
        with pytest.raises(DescriptionError, match=rf"no package '{package}'; name a folder .* --package-path DIR"):
            symdyn.load(tmp_path / "arm.urdf.xacro", xacro_args={}, package_paths=[tmp_path])
    with pytest.raises(RequestError, match="package_paths is a list of folders"):
        symdyn.load(tmp_path / "arm.urdf.xacro", package_paths=str(tmp_path))  # type: ignore[arg-type]
    for name in ("package_paths", "folders"):
        with pytest.raises(RequestError, match=rf"{name} holds 'nowhere'; expected a folder that exists"):
            symdyn.load(tmp_path / "arm.urdf.xacro", **{name: ["nowhere"]})
