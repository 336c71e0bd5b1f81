"""Geoms of MJCF as shapes of rigid contacts, on the ground and by a file beside it, against MuJoCo's distances."""

from __future__ import annotations

import warnings
from pathlib import Path

import mujoco
import numpy as np
import pytest

import symdyn
from symdyn import api
from symdyn.errors import DescriptionError

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
        for name, own in (("chest", gap[:8]), ("shin", gap[8:10]), ("foot", gap[10:])):
            ids = [mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_GEOM, geom) for geom in ("floor", name)]
            distance = mujoco.mj_geomDistance(model, data, *ids, 10.0, None)
            assert own.min() == pytest.approx(distance, abs=1e-9)


def test_other_geoms_are_refused_by_name(tmp_path: Path) -> None:
    text = WALKER.format(more='<geom type="ellipsoid" size="0.1 0.2 0.3"/>')
    with pytest.raises(DescriptionError, match="link 'leg': ellipsoids take no part in contacts; give shapes by name"):
        symdyn.loads(text, "mjcf", contacts="ground")
    side = tmp_path / "side.yaml"
    side.write_text(
        "obstacles: {floor: {plane: {}}}\ncollision: {leg: {toe: {sphere: 0.1}}}\n"
        "contacts: {c: {of: leg, with: floor, friction: 0.5}}\n"
    )
    robot = symdyn.loads(text, "mjcf", contacts=side)
    assert robot.model.contact_layout.slot_names == ("c",)
