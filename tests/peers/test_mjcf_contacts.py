"""Geoms of MJCF as shapes of rigid contacts: pairs, friction and gaps against MuJoCo's own contacts and distances."""

from __future__ import annotations

import warnings
from pathlib import Path

import mujoco
import numpy as np
import pytest

import symdyn
from symdyn import api
from symdyn.description.contact_pairs import slot_points
from symdyn.description.rigid_contact import Part, rigid_contacts, shape_of
from symdyn.errors import DescriptionError
from symdyn.robot.robot import Robot

pytestmark = [pytest.mark.peers, pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")]
WALKER = """
<mujoco>
  <worldbody>
    <geom name="floor" type="plane" size="0 0 1"/>
    <body name="trunk">
      <freejoint/>
      <geom name="chest" type="box" size="0.1 0.2 0.05" pos="0 0.1 0" euler="20 0 30"/>
      <geom name="seen" type="sphere" size="1" contype="0" conaffinity="0" mass="0"/>
      <body name="leg" pos="0 0.1 -0.1">
        <joint type="hinge" axis="0 1 0"/>
        <geom name="shin" type="capsule" size="0.03" fromto="0 0 0 0.05 0 -0.3"/>
        <geom name="foot" type="sphere" size="0.05" pos="0.05 0 -0.3"/>
        {more}
      </body>
    </body>
  </worldbody>
</mujoco>
"""


def test_gaps_to_the_ground_are_distances_of_geoms() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        robot = symdyn.loads(WALKER.format(more=""), "mjcf", contacts="ground")
    assert len(robot.model.contacts.slots) == 8 + 2 + 1
    model = mujoco.MjModel.from_xml_string(WALKER.format(more=""))
    data, gaps = mujoco.MjData(model), api.float_recursion(robot, "contact_gaps")
    for seed in range(6):
        q, _ = robot.random_state(np.random.default_rng(seed))
        q[2] = 2.0
        in_mujoco = robot.options.convention == "mujoco"
        data.qpos[:] = q if in_mujoco else (*q[:3], q[6], *q[3:6], q[7])
        mujoco.mj_kinematics(model, data)
        gap = np.array(gaps({"q": q.tolist()})["gap"])
        for name, distances in (("chest", gap[:8]), ("shin", gap[8:10]), ("foot", gap[10:])):
            ids = [mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_GEOM, geom) for geom in ("floor", name)]
            distance = mujoco.mj_geomDistance(model, data, *ids, 10.0, None)
            assert distances.min() == pytest.approx(distance, abs=1e-9)


def test_other_geoms_are_refused_by_name(tmp_path: Path) -> None:
    text = WALKER.format(more='<geom type="ellipsoid" size="0.1 0.2 0.3"/>')
    with pytest.raises(DescriptionError, match="link 'leg': ellipsoids take no part in contacts; in a file of"):
        symdyn.loads(text, "mjcf", contacts="ground")
    side = tmp_path / "side.yaml"
    side.write_text(
        "obstacles: {floor: {plane: {}}}\ncollision: {leg: {toe: {sphere: 0.1}}}\n"
        "contacts: {c: {of: leg, with: floor, friction: 0.5}}\n"
    )
    robot = symdyn.loads(text, "mjcf", contacts=side)
    assert robot.model.contact_layout.slot_names == ("c",)


ALL_RULES = """
<mujoco>
  <option>{flag}</option>
  <worldbody>
    <geom name="floor" type="plane" size="0 0 1" zaxis="0.1 0 1" friction="0.9"/>
    <geom name="step" type="box" size="0.5 0.4 0.05" pos="1 0 0.05" euler="0 0 20" contype="0" conaffinity="2"/>
    <body name="post" pos="2 0 0" euler="0 30 0"><geom name="post" type="capsule" size="0.1 0.5" friction="0.2"/></body>
    <body name="trunk" pos="0 0 1">
      <freejoint/>
      <geom name="chest" size="0.1" friction="0.6"/>
      <body name="hip"><joint name="h1"/>
        <geom name="hip" type="capsule" size="0.05 0.1" priority="1" friction="0.1" contype="3"/>
        <body name="pad" pos="0 0 -0.1"><geom name="pad" size="0.04" condim="1"/>
          <body name="shin" pos="0 0 -0.2"><joint name="h2"/>
            <geom name="shin" type="capsule" size="0.03 0.1"/>
            <geom name="light" size="0.05" contype="0" conaffinity="0"/>
            <body name="foot" pos="0 0 -0.2"><joint name="h3"/><geom name="foot" size="0.06" contype="2"/></body>
          </body>
        </body>
      </body>
    </body>
    <body name="ball" pos="0.5 0 2"><freejoint/><geom name="ball" size="0.2" condim="1" priority="1"/></body>
    <body name="hand" mocap="true" pos="0 1 1"><geom name="hand" type="box" size="0.1 0.1 0.1"/></body>
  </worldbody>
  <contact>
    <exclude body1="foot" body2="trunk"/>
    <pair geom1="foot" geom2="chest" condim="1"/>
    <pair geom1="light" geom2="ball" friction="0.35 0.35 0.1 0.1 0.1"/>
    <pair geom1="hip" geom2="chest" friction="0.45 0.45 0.1 0.1 0.1"/>
  </contact>
</mujoco>
"""
DM_CONTROL = ("walker", "hopper", "cheetah", "humanoid", "ball_in_cup", "manipulator")


FLAGS = {"parents_too": '<flag filterparent="disable"/>', "overridden": '<flag override="enable"/>'}


def of_suite(name: str) -> Path:
    import dm_control

    return Path(dm_control.__file__).parent / "suite" / f"{name}.xml"


def loaded(text: str) -> Robot:
    folders = [of_suite("walker").parent]
    return symdyn.loads(text, "mjcf", contacts="file", convention="mujoco", folders=folders, locked_joints={})


def pairs_with_slots(robot: Robot) -> dict[frozenset[str], tuple[float, list[int], bool]]:
    """Per pair of geoms its friction, its slots, and whether these leave out edges of a box."""
    result: dict[frozenset[str], tuple[float, list[int], bool]] = {}
    start = 0
    for contact in rigid_contacts(robot.description):
        for first in contact.of:
            for second in contact.against:
                moving, surface = shape_of(robot.description, first), shape_of(robot.description, second)
                assert moving is not None and surface is not None
                count = len(slot_points(moving, surface))
                misses = surface.kind == "box" and moving.kind != "sphere"
                assert isinstance(contact.friction, float)
                result[frozenset((named(first), named(second)))] = (
                    contact.friction,
                    list(range(start, start + count)),
                    misses,
                )
                start += count
    assert start == len(robot.model.contacts.slots)
    return result


def named(part: Part) -> str:
    return part.shape


@pytest.mark.parametrize("name", ["all_rules", "parents_too", "overridden", *DM_CONTROL])
def test_pairs_of_a_file_are_those_of_mujoco(name: str) -> None:
    """With margins of 100 m all pairs that MuJoCo's filters let through are contacts, with their true distances."""
    flag = FLAGS.get(name, "")
    text = of_suite(name).read_text() if name in DM_CONTROL else ALL_RULES.format(flag=flag)
    text = text.replace("<option>", '<option o_friction="0.7 0.7 0.1 0.1 0.1">')  # read where a flag says so
    robot = loaded(text)
    model = (
        mujoco.MjModel.from_xml_path(str(of_suite(name)))
        if name in DM_CONTROL
        else mujoco.MjModel.from_xml_string(text)
    )
    model.geom_margin[:] = 100.0
    model.pair_margin[:] = model.opt.o_margin = 100.0
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_MIDPHASE  # boxes around geoms are of the margins before
    data, gaps = mujoco.MjData(model), api.float_recursion(robot, "contact_gaps")
    known, compared = pairs_with_slots(robot), 0
    for seed in range(3):
        q, _ = robot.random_state(np.random.default_rng(seed))
        if robot.nq > model.nq:  # what is moved from outside stands at 0 where the file draws it
            data.mocap_pos[0], data.mocap_quat[0] = model.body("hand").pos + q[-7:-4], q[-4:]
        data.qpos[:] = q[: model.nq]
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_collision(model, data)
        gap = np.array(gaps({"q": q.tolist()})["gap"])
        distances: dict[frozenset[str], list[float]] = {}
        for contact in data.contact:
            pair = frozenset(model.geom(geom).name for geom in (contact.geom1, contact.geom2))
            distances.setdefault(pair, []).append(contact.dist)
            assert known[pair][0] == (0.0 if contact.dim == 1 else contact.friction[0])
        assert set(distances) == set(known)
        for pair, (_, slots, misses) in known.items():
            least, smallest = min(distances[pair]), gap[slots].min()
            if misses:
                assert smallest > least - 1e-9
            elif least > 0.0:
                assert smallest == pytest.approx(least, abs=1e-9)
                compared += 1
    assert compared > 5


def test_what_the_files_pairs_ask_and_contacts_do_not_have(tmp_path: Path) -> None:
    text = WALKER.format(more='<geom name="toe" size="0.02" condim="4"/>')
    with pytest.raises(DescriptionError, match=r"'world.floor' and 'leg.toe': condim 4, .* strict=False") as failure:
        symdyn.loads(text, "mjcf", contacts="file")
    assert "\n" not in str(failure.value)
    lenient = symdyn.loads(text, "mjcf", contacts="file", strict=False)
    assert [warning for warning in lenient.warnings if "left out: 'world.floor' and 'leg.toe': condim 4" in warning]
    for word, said in (("adhesion", "adhesion"), ("surfacevel", "surfacevel, the motion of a surface")):
        sliding = WALKER.format(more="").replace('name="floor"', f'name="floor" {word}="1"')
        with pytest.raises(DescriptionError, match=f"'world.floor' and 'trunk.chest': {said}"):
            symdyn.loads(sliding, "mjcf", contacts="file")
    crate = '<body name="other"><freejoint/><geom name="crate" type="box" size="1 1 1"/></body>'
    rod = WALKER.format(more='<geom name="toe" type="cylinder" size="0.02 0.1" pos="0 0 -1"/>')
    rod = rod.replace("</worldbody>", f"{crate}</worldbody>")
    with pytest.raises(DescriptionError, match=r"'trunk.chest' and 'other.crate': a box and a box have no kernel"):
        symdyn.loads(rod, "mjcf", contacts="file")
    egg = WALKER.format(more='<geom name="toe" type="ellipsoid" size="0.1 0.2 0.3"/>')
    with pytest.raises(DescriptionError, match=r"'leg.toe': ellipsoids .* file_pairs: true, and collision: \{leg: "):
        symdyn.loads(egg, "mjcf", contacts="file")
    side = tmp_path / "side.yaml"
    side.write_text("file_pairs: true\ncollision: {leg: {tip: {sphere: 0.3}, heel: {sphere: 0.1, at: [0, 0, -1]}}}\n")
    robot = symdyn.loads(egg, "mjcf", contacts=side)
    named_parts = {named(part) for contact in rigid_contacts(robot.description) for part in contact.of}
    assert named_parts == {"chest", "tip", "heel"} and len(robot.model.contacts.slots) == 8 + 2
    none = WALKER.format(more="").replace('type="plane"', 'type="plane" contype="0" conaffinity="0"')
    with pytest.raises(DescriptionError, match="no two shapes of the file may touch; use contacts='ground'"):
        symdyn.loads(none, "mjcf", contacts="file")


def test_one_warning_tells_what_of_a_files_pairs_is_left_out() -> None:
    robot = symdyn.loads(WALKER.format(more=""), "mjcf", contacts="file")
    (note,) = (warning for warning in robot.warnings if "contacts='file'" in warning)
    assert note == (
        "contacts='file': 3 pairs of shapes may touch at 11 points; solref, solimp, margin and gap are left out, "
        "because these contacts are rigid"
    )
    assert not [warning for warning in robot.warnings if "pass through each other" in warning]
    again = symdyn.loads(robot.to_yaml(), "yaml")
    assert again.model.contact_layout.slot_names == robot.model.contact_layout.slot_names


def test_files_without_pairs_are_refused_with_a_remedy() -> None:
    text = '<robot name="r"><link name="a"/></robot>'
    with pytest.raises(DescriptionError, match="contacts='file': no two shapes of the file may touch; use contacts="):
        symdyn.loads(text, "urdf", contacts="file")
