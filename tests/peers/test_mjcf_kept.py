"""Odd MJCF that MuJoCo reads: armatures of free joints, meshes without files, tiny masses, tags behind the end."""

from __future__ import annotations

import warnings
from pathlib import Path

import mujoco
import numpy as np
import pytest

import symdyn
from symdyn import api
from symdyn.errors import SymdynWarning

pytestmark = pytest.mark.peers

TREE = """<mujoco><default><joint armature="0.4"/></default><worldbody>
<body name="base" pos="1 2 3"><joint name="root" type="free"/>
 <inertial pos="0.1 0.2 0.3" mass="2" fullinertia="0.3 0.4 0.5 0.02 -0.03 0.01"/>
 <body name="arm" pos="0.3 0 0.1" euler="10 20 30"><joint name="swing" axis="0 1 1"/>
 <inertial pos="0 0.4 0" mass="1" diaginertia="0.02 0.01 0.03"/><body name="tag" pos="0.1 0 0">
 <inertial pos="0 0 0" mass="1e-15" diaginertia="1e-15 1e-15 1e-15"/></body></body></body>
</worldbody></mujoco>"""
MESHES = TREE.replace("<default>", '<asset><mesh name="m" file="m.stl"/></asset><default>', 1).replace(
    '<joint name="swing"', '<geom type="mesh" mesh="m"/><joint name="swing"'
)


@pytest.mark.parametrize("text", [TREE, TREE + "\n</body>", MESHES], ids=["armature", "end_tag", "mesh"])
def test_forces_and_accelerations_are_mujocos(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # MuJoCo writes a log where it runs
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SymdynWarning)
        robot = symdyn.loads(text, "mjcf", convention="mujoco")
    kept = {"joint 'root': armature 0.4 of a free joint", "link 'tag': mass is 1e-15 kg; it is kept"}
    kept |= {"'</body>' stands behind the end"} if text.endswith("</body>") else set()
    kept |= {"mesh 'm': no file 'm.stl'; no mass depends on it"} if text is MESHES else set()
    for words in kept:
        assert any(words in told for told in robot.warnings), words
    model = mujoco.MjModel.from_xml_string(TREE)
    data = mujoco.MjData(model)
    rng = np.random.default_rng(11)
    q, v, a = rng.normal(size=model.nq), rng.normal(size=model.nv), rng.normal(size=model.nv)
    q[3:7] /= np.linalg.norm(q[3:7])
    data.qpos[:], data.qvel[:], data.qacc[:] = q, v, a
    mujoco.mj_inverse(model, data)
    tau = np.array(api.float_recursion(robot, "inverse_dynamics")({"q": q, "v": v, "a": a})["tau"])
    # rounding of two recursions over three bodies; mjMINVAL (1e-15) enters MuJoCo's reciprocals
    np.testing.assert_allclose(tau, data.qfrc_inverse, rtol=0, atol=1e-12 * np.abs(tau).max())
    mujoco.mj_forward(model, data)
    found = np.array(api.float_recursion(robot, "forward_dynamics")({"q": q, "v": v, "tau": 0.0 * v})["a"])
    np.testing.assert_allclose(found, data.qacc, rtol=0, atol=1e-12 * np.abs(found).max())


def test_colours_of_geoms_and_of_materials_are_kept_by_convert(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = """<mujoco><default><geom contype="0" conaffinity="0"/></default>
    <asset><material name="red" rgba="1 0 0 0.5"/></asset><worldbody><body><joint/>
    <geom size="0.1" material="red"/><geom size="0.2" rgba="0 1 0.25 1"/><geom size="0.3"/>
    <geom type="capsule" size="0.1 0.3" material="red" rgba="0 0 1 1"/></body></worldbody></mujoco>"""
    robot = symdyn.loads(text, "mjcf")
    (link,) = (own for own in robot.description.links if own.visuals)
    found = [own.colour for own in link.visuals]
    data = mujoco.MjModel.from_xml_string(text)
    assert found[0] == pytest.approx(data.mat_rgba[0]) and found[1] == pytest.approx(data.geom_rgba[1])
    assert found[2] is None and found[3:] == [(0.0, 0.0, 1.0, 1.0)] * 3
    again = symdyn.loads(robot.to_yaml(looks=True), "yaml")
    assert [own.visuals for own in again.description.links] == [own.visuals for own in robot.description.links]
