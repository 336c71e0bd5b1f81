"""Gaps and rows of rigid contacts against MuJoCo's distances of geoms and its Jacobians of points."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from support.robots.touching import PAIRS

import symdyn
from symdyn import api

mujoco = pytest.importorskip("mujoco")
pytestmark = pytest.mark.peers


def turned(roll: float, pitch: float, yaw: float) -> str:
    """The x and y axes of a frame by fixed-axis angles, for MJCF."""
    (cr, sr), (cp, sp), (cy, sy) = ((np.cos(angle), np.sin(angle)) for angle in (roll, pitch, yaw))
    x = (cy * cp, sy * cp, -sp)
    y = (cy * sp * sr - sy * cr, sy * sp * sr + cy * cr, cp * sr)
    return " ".join(f"{number:.17g}" for number in (*x, *y))


SAME = f"""
<mujoco>
  <option ccd_tolerance="1e-13" ccd_iterations="500"/>
  <worldbody>
    <geom name="floor" type="plane" size="0 0 1" pos="0 0 -0.4" zaxis="0.1 0 1"/>
    <geom name="step" type="box" size="0.5 0.5 0.05" pos="1 0 -0.35" xyaxes="{turned(0.1, 0.2, 0.3)}"/>
    <geom name="ball" type="sphere" size="0.5" pos="1 1 0"/>
    <geom name="pole" type="cylinder" size="0.2" fromto="2 -8 -40 2 8 40"/>
    <geom name="bar" type="capsule" size="0.3" fromto="0 0 -1 1 0 -1"/>
    <body name="body">
      <freejoint/>
      <inertial pos="0.01 0.02 0" mass="1" diaginertia="0.1 0.12 0.13"/>
      <geom name="base" type="box" size="0.1 0.05 0.05" pos="0 0 0.01" xyaxes="{turned(0.1, 0.0, 0.2)}"/>
      <geom name="knob" type="sphere" size="0.03"/>
      <body name="leg" pos="0.1 0 -0.05">
        <joint type="hinge" axis="0 0.6 0.8"/>
        <inertial pos="0 0 -0.1" mass="0.2" diaginertia="0.01 0.012 0.01"/>
        <geom name="foot" type="sphere" size="0.022" pos="0 0.01 -0.213"/>
        <geom name="shin" type="capsule" size="0.02" fromto="0 0 0 0.01 0 -0.2"/>
      </body>
    </body>
  </worldbody>
</mujoco>
"""
SLOTS = {
    "feet[0]": ("floor", "foot"),
    "feet[1]": ("step", "foot"),
    "feet[3]": ("ball", "foot"),
    "feet[5]": ("pole", "foot"),
    "feet[6]": ("bar", "foot"),
    "shins[4]": ("ball", "shin"),
    "shins[5]": ("pole", "shin"),
    "shins[6]": ("bar", "shin"),
    "self[0]": ("knob", "foot"),
    "self[1]": ("knob", "shin"),
    "edge": ("base", "foot"),
}
"""Slots that are the only one of their pair, outside of their surface, with the geoms' names."""


def test_gaps_points_and_rows() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        robot = symdyn.loads(PAIRS, "yaml")
    model = mujoco.MjModel.from_xml_string(SAME)
    data, names = mujoco.MjData(model), robot.model.contact_layout.slot_names
    gaps, slopes = (api.float_recursion(robot, name) for name in ("contact_gaps", "contact_jacobian"))
    rng, compared, worst = np.random.default_rng(5), 0, 0.0
    for _ in range(20):
        q, _ = robot.random_state(rng)
        q[:3] = rng.uniform((-1.0, -1.0, -0.1), (2.5, 1.5, 1.0))
        data.qpos[:] = (*q[:3], q[6], *q[3:6], q[7])
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        given = {"q": q.tolist(), "p": robot.runtime_defaults.tolist()}
        result: dict[str, Any] = {key: np.array(value) for key, value in gaps(given).items()}
        J = np.array(slopes(given)["J"]).reshape(-1, robot.nv)
        points, normals = result["point"].reshape(-1, 3), result["normal"].reshape(-1, 3)
        for slot, pair in SLOTS.items():
            place, ends = names.index(slot), np.zeros(6)
            ids = [mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_GEOM, name) for name in pair]
            distance = mujoco.mj_geomDistance(model, data, *ids, 10.0, ends)
            if distance <= 0.0:
                continue
            compared += 1
            worst = max(worst, abs(result["gap"][place] - distance))
            on_surface, on_shape = ends[:3], ends[3:]
            assert np.allclose(points[place], on_shape, atol=1e-6)
            assert np.allclose(normals[place] * distance, on_shape - on_surface, atol=1e-6)
            assert np.allclose(
                J[3 * place : 3 * place + 3], rows(model, data, ids, points[place], normals[place], q), atol=1e-12
            )
    assert compared > 150
    assert worst < 1e-9  # those of MuJoCo's iterations for convex pairs; closed forms agree to 1e-15


def rows(model: Any, data: Any, ids: list[int], point: np.ndarray, n: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Rows t1, t2, n of the velocity of a point of the second geom against the first, by mj_jac."""
    parts = []
    for geom in ids:
        jacobian = np.zeros((3, model.nv))
        mujoco.mj_jac(model, data, jacobian, None, point, model.geom_bodyid[geom])
        parts.append(jacobian)
    world = parts[1] - parts[0]
    turn = np.zeros(9)
    mujoco.mju_quat2Mat(turn, np.array([q[6], *q[3:6]]))
    world[:, :3] = world[:, :3] @ turn.reshape(3, 3)  # MuJoCo's linear velocity of a free body is in world axes
    sign = -1.0 if n[2] < -0.5 else 1.0
    a = -1.0 / (sign + n[2])
    t1 = np.array([1.0 + sign * n[0] ** 2 * a, sign * n[0] * n[1] * a, -sign * n[0]])
    result: np.ndarray = np.array([t1, np.cross(n, t1), n]) @ world
    return result
