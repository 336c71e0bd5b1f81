"""``symdyn convert``: what it writes, what it says is not in there, and what it refuses."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import symdyn
from symdyn.errors import SymdynWarning

Command = Callable[..., Any]
ROBOT = """\
<robot name="crane">
  <link name="base"><visual><geometry><box size="1 1 1"/></geometry></visual></link>
  <link name="boom"><inertial><origin xyz="0.1 0.2 0.3" rpy="0.3 0.1 0.7"/><mass value="1.1"/>
    <inertia ixx="0.1" ixy="0.01" ixz="0" iyy="0.2" iyz="0" izz="0.15"/></inertial></link>
  <link name="jaw"><inertial><mass value="0.1"/>
    <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial></link>
  <joint name="slew" type="revolute"><parent link="base"/><child link="boom"/><origin rpy="0.1 0.2 0.4"/>
    <axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="3" velocity="2"/><dynamics damping="0.7"/></joint>
  <joint name="grip" type="prismatic"><parent link="boom"/><child link="jaw"/><axis xyz="1 0 0"/>
    <limit lower="-1" upper="1" effort="3" velocity="2"/></joint>
  GAZEBO
</robot>
"""


@pytest.fixture
def urdf(tmp_path: Path) -> Path:
    path = tmp_path / "crane.urdf"
    path.write_text(ROBOT.replace("GAZEBO", "<gazebo/>"), encoding="utf-8")
    return path


def loaded(path: Path, **options: Any) -> symdyn.Robot:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SymdynWarning)
        return symdyn.load(path, **options)


def test_what_is_written_is_read_back_as_the_same(symdyn_command: Command, urdf: Path) -> None:
    outcome = symdyn_command("convert", urdf, "--to", "yaml", "--out", "crane.yaml")
    assert (outcome.code, outcome.out) == (0, "crane.yaml\n")
    assert outcome.err.splitlines()[-1] == ("not in the YAML: what 1 warning tells (symdyn info lists them)")
    read, own = loaded(Path("crane.yaml")), loaded(urdf)
    assert read.to_yaml() == own.to_yaml()
    assert read.to_yaml(looks=True) == own.to_yaml(looks=True) == Path("crane.yaml").read_text(encoding="utf-8")
    q, v = own.random_state(1)
    given = {"q": q.tolist(), "v": v.tolist(), "a": v.tolist()}
    torques = [symdyn.api.float_recursion(robot, "inverse_dynamics")(given) for robot in (read, own)]
    assert torques[0] == torques[1]


SHAPES = """
  <visual><origin xyz="0 1 2" rpy="0.1 0.2 0.3"/><geometry>
    <mesh filename="package://a b/c.dae" scale="1 2 3"/></geometry></visual>
  <visual><geometry><cylinder radius="0.1" length="0.7"/></geometry></visual>
  <visual><geometry><capsule radius="0.1" length="0.7"/></geometry></visual><visual/>
  <collision name="hull"><origin xyz="1 0 0" rpy="0.3 0 0"/><geometry><mesh filename="c.stl"/></geometry></collision>
  <collision><origin xyz="0 1 0" rpy="0.3 0.2 0"/><geometry><box size="1 2 3"/></geometry></collision>
  <collision><origin rpy="0.3 0.2 0"/><geometry><cylinder radius="0.1" length="0.7"/></geometry></collision>
"""


def test_shapes_are_kept(symdyn_command: Command, urdf: Path) -> None:
    urdf.write_text(ROBOT.replace("GAZEBO", "").replace('<link name="jaw">', f'<link name="jaw">{SHAPES}'))
    outcome = symdyn_command("convert", urdf, "--out", "crane.yaml")
    assert outcome.err.splitlines()[-1] == "not in the YAML: how 1 link looks"  # that of <visual/>
    read, own = (loaded(path).description for path in (Path("crane.yaml"), urdf))
    for one, other in zip(read.links, own.links, strict=True):
        assert one.visuals == tuple(visual for visual in other.visuals if not visual.fault)
        assert {*one.collision, *one.geometry} == {*other.geometry}
    assert len(read.links[2].visuals) == 5 and len(read.links[2].collision) == 2 and len(read.links[2].geometry) == 1
    Path("touching.yaml").write_text("ground: true\ncollision: {jaw: {tip: {sphere: 1}}}\n")
    robot = loaded(Path("crane.yaml"), contacts="touching.yaml")
    assert len(robot.model.contacts.slots) == 8 + 6 + 1  # the box, the cylinder, and a ball for the mesh


def test_options_of_loading_are_written(symdyn_command: Command, urdf: Path) -> None:
    asked = ("--floating-base", "--lock", "grip=0.3", "--joint-losses", "--gravity", 0, 0, -1, "--runtime", "boom.mass")
    outcome = symdyn_command("convert", urdf, *asked)
    told = {"floating_base": True, "locked_joints": {"grip": 0.3}, "joint_losses": True, "runtime": ["boom.mass"]}
    assert outcome.code == 0 and outcome.out == loaded(urdf, **told, gravity=(0, 0, -1)).to_yaml(looks=True)
    assert "locked_joints:\n    grip: 0.3\n" in outcome.out and "floating_base: true" in outcome.out


def test_nothing_is_said_where_all_is_written(symdyn_command: Command) -> None:
    outcome = symdyn_command("convert", "seven_dof_arm")
    assert (outcome.code, outcome.err) == (0, "") and outcome.out.startswith("# Robot in symdyn's YAML.")


def test_what_is_odd_or_mended_is_in_the_yaml(symdyn_command: Command, tmp_path: Path) -> None:
    path = tmp_path / "odd.urdf"
    text = ROBOT.replace("GAZEBO", "").replace('<visual><geometry><box size="1 1 1"/></geometry></visual>', "")
    path.write_text(text.replace("<dynamics damping", '<mimic joint="none"/><dynamics damping'), encoding="utf-8")
    outcome = symdyn_command("convert", path, "--repair", "--joint-losses")
    assert loaded(path, repair=True, joint_losses=True).description.warnings
    assert outcome.code == 0 and "not in the YAML" not in outcome.err


def test_files_are_not_overwritten(symdyn_command: Command, urdf: Path) -> None:
    there = Path("there.yaml")
    there.write_text("mine", encoding="utf-8")
    outcome = symdyn_command("convert", urdf, "--out", there)
    assert outcome.code == 2 and there.read_text(encoding="utf-8") == "mine"
    assert outcome.err == ("error: --out there.yaml: the file exists; give another name, or --force to overwrite it\n")
    assert symdyn_command("convert", urdf, "--out", there, "--force").code == 0
    assert loaded(there).name == "crane"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--to", "sdf"), "error: Invalid value for '--to'"),
        (("--out", "no/where.yaml"), "error: --out no/where.yaml: expected the name of a file in a folder that exists"),
    ],
)
def test_refusals_are_one_line(symdyn_command: Command, urdf: Path, words: tuple[str, ...], message: str) -> None:
    outcome = symdyn_command("convert", urdf, *words)
    assert (outcome.code, outcome.out) == (2, "") and outcome.err.count("\n") == 1
    assert outcome.err.startswith(message)


def test_urdf_is_written_by_the_ending_of_its_name(symdyn_command: Command, urdf: Path) -> None:
    """There and back the same robot; contacts are in a file beside it, and what URDF lacks is listed or refused."""
    pad = '<collision name="pad"><origin xyz="0 0 -0.1"/><geometry><sphere radius="0.1"/></geometry></collision>'
    urdf.write_text(ROBOT.replace("GAZEBO", "").replace('<link name="jaw">', f'<link name="jaw">{pad}'))
    outcome = symdyn_command("convert", urdf, "--floating-base", "--contacts", "ground", "--out", "back.urdf")
    assert outcome.code == 0 and outcome.out.split() == ["back.urdf", "back.contacts.yaml"]
    assert "not in the URDF: its base floats" in outcome.err
    again = symdyn_command("convert", "back.urdf", "--floating-base", "--contacts", "back.contacts.yaml")
    first = symdyn_command("convert", urdf, "--floating-base", "--contacts", "ground")
    assert again.code == first.code == 0
    touching = [outcome.out[outcome.out.index("obstacles:") :] for outcome in (first, again)]
    assert touching[0] == touching[1] and "with: [ground]" in touching[0]
    refused = symdyn_command("convert", "four_bar", "--to", "urdf")
    assert refused.code == 2 and "loops 'pin'" in refused.err.splitlines()[-1]
