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
# # Identify an arm from noisy measurements
#
# You have logged positions and torques of a real arm, and want its masses and friction. Most of the work is filtering,
# and one wrong filter spoils all error bars. This notebook makes such a log by simulation, so that the truth is known.

# %%
import matplotlib.pyplot as plt
import numpy as np

import symdyn

robot = symdyn.load_example("double_pendulum")
motion = symdyn.excitation(robot, duration=6.0, harmonics=3)
print(f"condition of the equations: {motion.condition:.1f}")

# %% [markdown]
# ## A log
#
# `excitation` made a motion that shows the parameters well, within the limits of the file. The arm has viscous friction
# of 0.2 N m s/rad that the file does not know. The encoder is sampled at 500 Hz with noise of 1e-4 rad, and the
# torque has noise of 0.05 N m.

# %%
rate = 500.0
t = np.arange(0.0, 6.0, 1.0 / rate)
q_true, v_true, a_true = motion.at(t)
module = symdyn.compile(robot, ["inverse_dynamics"])
rng = np.random.default_rng(0)
tau = module.inverse_dynamics(q_true, v_true, a_true) + 0.2 * v_true + rng.normal(0.0, 0.05, v_true.shape)
q_measured = q_true + rng.normal(0.0, 1e-4, q_true.shape)

# %% [markdown]
# ## Velocities and accelerations
#
# Differences of a noisy encoder are useless: 1e-4 rad at 500 Hz is 25 rad/s^2 of noise. Filter the positions forwards
# and backwards, which has no delay, and differentiate the result. The motion has three harmonics of 1/6 Hz, so 10 Hz is
# far above them.

# %%
from scipy.signal import butter, sosfiltfilt

low = butter(4, 10.0, fs=rate, output="sos")
q = sosfiltfilt(low, q_measured, axis=0)
v = np.gradient(q, 1.0 / rate, axis=0)
a = np.gradient(v, 1.0 / rate, axis=0)
middle = slice(250, -250)  # filters and differences are worse at the ends
print("acceleration off by", np.abs(a - a_true)[middle].max(), "of", np.abs(a_true).max(), "rad/s^2")

# %% [markdown]
# ## Torques
#
# Never filter torques alone. `lowpass=` filters torques and all columns of the equations alike, so no parameter
# changes.

# %%
right = symdyn.identify(robot, q[middle], v[middle], a[middle], tau[middle], lowpass=10.0, rate=rate)
print(right)

# %% [markdown]
# ## Compare with the truth
#
# The friction is 0.2. Its error must be a few of the stated deviations at most.

# %%
names = [item.name for item in right.base]
for joint in ("shoulder", "elbow"):
    place = names.index(f"{joint}.viscous")
    value, deviation = right.values[place], right.deviations[place]
    print(f"{joint}: {value:.4f} +- {deviation:.4f}")
    assert abs(value - 0.2) < 5.0 * deviation

plt.figure(figsize=(8, 3))
plt.plot(t[middle], tau[middle, 0], ".", markersize=1, label="measured")
plt.plot(t[middle], right.predict(q, v, a)[middle, 0], label="identified")
plt.xlabel("time [s]")
plt.ylabel("torque of the first joint [N m]")
plt.legend()
