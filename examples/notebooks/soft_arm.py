# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3
#     name: python3
# ---

# %% [markdown]
# # A soft arm with tendons
#
# You build a soft arm and want to know where it rests, how it swings, and what its tendons do. This notebook describes
# a rod of silicone in YAML, and asks.

# %%
import matplotlib.pyplot as plt
import numpy as np

import symdyn

robot = symdyn.loads(
    """
name: silicone
gravity: [0, 0, -9.81]
links:
  base:
  arm:
    soft:
      length: 0.3
      axis: [0, 0, -1]
      section: {shape: circle, radius: 0.015}
      material: {youngs_modulus: 2e5, poisson_ratio: 0.45, density: 1100, viscosity: 300}
      strain: {curvature_y: 2, curvature_z: 2, stretch: 0}
joints:
  flange: {type: fixed, parent: base, child: arm}
tendons:
  left: {link: arm, y: 0.012}
  right: {link: arm, y: -0.012}
actuators: [left, right]
""",
    "yaml",
)
robot

# %% [markdown]
# ## Rests
#
# `equilibrium` finds the rest for given tensions. A tendon at y > 0 bends the rod towards +y.

# %%
module = symdyn.compile(robot, ["station_poses", "tendon_lengths"])
plt.figure(figsize=(5, 5))
for tension in (0.0, 0.5, 1.0, 2.0, 4.0):
    rest = symdyn.equilibrium(robot, {"left": tension})
    points = module.station_poses(rest.q)[:, :3, 3]
    plt.plot(points[:, 1], points[:, 2], ".-", label=f"{tension} N")
    print(f"{tension} N: tendons are {module.tendon_lengths(rest.q).round(4)} m long")
plt.axis("equal")
plt.xlabel("y [m]")
plt.ylabel("z [m]")
plt.legend()

# %% [markdown]
# ## Small motions
#
# Natural modes about the rest, with gravity and the material's losses.

# %%
for mode in symdyn.modes(robot, symdyn.equilibrium(robot).q).modes:
    print(f"{mode.frequency:7.2f} rad/s, damping ratio {mode.damping:.4f}")

# %% [markdown]
# ## A motion
#
# The tendon is pulled with 2 N and let go after a second. `jumps=` tells when, so that no step crosses it. `simulate`
# chooses its method by how stiff the robot is.

# %%
pull = {"left": lambda t: 2.0 if t < 1.0 else 0.0}
motion = symdyn.simulate(robot, t=np.linspace(0.0, 3.0, 181), inputs=pull, drive="actuators", jumps=[1.0])
tips = np.array([module.station_poses(q)[-1, :3, 3] for q in motion.q])
plt.figure(figsize=(8, 3))
plt.plot(motion.t, tips)
plt.legend("xyz")
plt.xlabel("time [s]")
plt.ylabel("tip [m]")
print(motion)
assert tips[59, 1] > 0.02  # it bends towards +y while the tendon pulls
