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
# # A quadruped on the ground
#
# You have the URDF of a legged robot, and want to see it stand before you write a controller. This notebook drops the
# walker of `examples/ground`, holds its joints by servos, and weighs what its feet carry.

# %%
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import symdyn

folder = next(each for each in (Path("../ground"), Path("examples/ground")) if each.exists())
robot = symdyn.load(folder / "walker.urdf", floating_base=True, contacts=folder / "flat.yaml")
robot

# %% [markdown]
# `contacts=` names a small file beside the URDF: the feet may touch a floor. The first six rows of v are the trunk's
# twist, and the others are the joints.

# %%
print(robot.velocity_names)
weight = 9.81 * sum(link.inertial.mass for link in robot.links.values() if link.inertial is not None)
print(f"weight {weight:.2f} N")

# %% [markdown]
# ## Servos
#
# A spring and a damper hold each joint at the angle of the file. Nothing acts on the trunk, so its rows are zero.


# %%
def servos(t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    return np.concatenate([np.zeros(6), 250.0 * (0.0 - q[7:]) - 5.0 * v[6:]])


motion = symdyn.simulate(robot, t=np.linspace(0.0, 2.0, 121), inputs=servos, effort_limits="clip")
print(motion)

# %%
figure, (above, below) = plt.subplots(2, sharex=True, figsize=(8, 5))
above.plot(motion.t, motion.q[:, 2])
above.set_ylabel("height of the trunk [m]")
below.plot(motion.t, motion.v[:, :6])
below.set_ylabel("twist of the trunk [m/s, rad/s]")
below.set_xlabel("time [s]")

# %% [markdown]
# ## What the feet carry
#
# `motion.contacts.forces` has the mean force of every contact in the step before each time, in rows named
# `feet[0].t1`, `feet[0].t2`, `feet[0].n` and so on. Once the walker stands, the vertical forces add up to its weight,
# because contacts are exact and not springs.

# %%
contacts = motion.contacts
assert contacts is not None
carried = contacts.forces[:, 2::3].sum(axis=1)
plt.figure(figsize=(8, 3))
plt.plot(motion.t, carried, label="carried by the feet")
plt.axhline(weight, color="grey", label="weight")
plt.ylabel("force [N]")
plt.xlabel("time [s]")
plt.legend()
print(f"at the end the feet carry {carried[-1]:.4f} N of {weight:.4f} N")
assert abs(carried[-1] / weight - 1.0) < 1e-4

# %% [markdown]
# Next: `symdyn view` shows the motion (`motion.save("stand.npz")`), and `examples/ground/walker.py` lets the walker
# trot and climb stairs by the same servos.
