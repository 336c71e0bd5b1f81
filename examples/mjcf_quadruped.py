"""What holds a quadruped of an MJCF file up? Forces of feet and joints in a stand, from its own inverse dynamics.

MuJoCo's compiler reads the file; the extra ``mjcf`` installs it. With ``convention="mujoco"`` q and v are MuJoCo's qpos
and qvel, row by row.
"""

from __future__ import annotations

from needs import needs

needs(__file__, "mujoco")

import numpy as np

import symdyn

LEG = """
    <body name="{name}" pos="{x} {y} 0" childclass="leg">
      <joint name="{name}_abduct" axis="1 0 0" range="-45 45"/>
      <geom type="capsule" size="0.03" fromto="0 0 0 0 {side} 0" mass="0.5"/>
      <body name="{name}_thigh" pos="0 {side} 0">
        <joint name="{name}_hip" axis="0 1 0" range="-90 90"/>
        <geom type="capsule" size="0.02" fromto="0 0 0 0 0 -0.2" mass="0.8"/>
        <body name="{name}_shank" pos="0 0 -0.2">
          <joint name="{name}_knee" axis="0 1 0" range="-150 0"/>
          <geom type="capsule" size="0.015" fromto="0 0 0 0 0 -0.2" mass="0.2"/>
          <site name="{name}_foot" pos="0 0 -0.2"/>
        </body>
      </body>
    </body>"""
MODEL = """<mujoco model="quadruped">
  <default><default class="leg"><joint damping="0.1" armature="0.01"/></default></default>
  <worldbody>
    <body name="trunk" pos="0 0 0.35">
      <freejoint name="base"/>
      <geom type="box" size="0.25 0.1 0.06" mass="6"/>
      {legs}
    </body>
  </worldbody>
</mujoco>"""
PLACES = {"fl": (0.2, 0.08, 0.06), "fr": (0.2, -0.08, -0.06), "hl": (-0.2, 0.08, 0.06), "hr": (-0.2, -0.08, -0.06)}


def main() -> None:
    """Load the quadruped, bend its legs, and share its weight among its feet."""
    legs = "".join(LEG.format(name=name, x=x, y=y, side=side) for name, (x, y, side) in PLACES.items())
    robot = symdyn.loads(MODEL.format(legs=legs), format="mjcf", convention="mujoco")
    print(f"{robot.name}: {robot.nq} rows of qpos, {robot.nv} of qvel")
    module = symdyn.compile(robot, ["inverse_dynamics", "jacobians", "forward_kinematics"])

    qpos = robot.neutral()
    qpos[2] = 0.35
    rows = {name: row for row, name in enumerate(robot.coordinate_names)}
    for leg in PLACES:
        qpos[rows[f"{leg}_hip"]], qpos[rows[f"{leg}_knee"]] = 0.6, -1.2

    rest = np.zeros(robot.nv)
    tau = module.inverse_dynamics(qpos, rest, rest)  # at rest: what holds all up, the trunk's rows first
    feet = [robot.frame_names.index(f"{leg}_foot") for leg in PLACES]
    pushed = module.jacobians(qpos)[feet, :3]  # linear parts: the ground pushes, and does not turn
    columns = pushed.reshape(-1, robot.nv)
    forces, *_ = np.linalg.lstsq(columns[:, :6].T, tau[:6], rcond=None)
    torques = tau - columns.T @ forces
    for leg, force in zip(PLACES, forces.reshape(-1, 3), strict=True):
        print(f"{leg}: the ground pushes with {force.round(2)} N")
    assert np.allclose(torques[:6], 0.0, atol=1e-9)
    for name, torque in zip(robot.velocity_names[6:9], torques[6:9], strict=True):
        print(f"{name}: {torque:.2f} N m")


if __name__ == "__main__":
    main()
