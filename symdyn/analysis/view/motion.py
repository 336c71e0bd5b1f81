"""Motions that are shown: read from files of arrays, and resampled to frames."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from symdyn.analysis.simulation.array_files import read_arrays, real_array
from symdyn.analysis.simulation.trajectory import Trajectory
from symdyn.analysis.view.scene import Array
from symdyn.errors import RequestError
from symdyn.robot.robot import Robot

MOST_FRAMES = 20_000
PATH_TIME = 4.0
"""Seconds in which a path of rests is shown, all its points equally long."""


@dataclass(frozen=True, eq=False)
class Motion:
    """Positions q (n, nq) at times t (n,) [s]; with the simulation that they are from, where there was one."""

    t: Array
    q: Array
    simulated: Trajectory | None = None


def read_motion(robot: Robot, path: Path) -> Motion:
    """The motion in a file: of a saved trajectory, of statics, or an ``.npz`` with the arrays ``t`` and ``q``.

    A rest is one position. A path of rests is a motion from its first to its last point.

    Raises
    ------
    RequestError
        No such file, not an .npz, an array that is missing, has another shape, or is not finite; times that do not
        rise; a quaternion that is not unit; a simulation of another robot.
    """
    found = read_arrays(path)
    if "robot_hash" in found:
        simulated = Trajectory.load(path, robot)
        robot.difference(simulated.q, simulated.q)  # refuses what is no position
        return Motion(simulated.t, simulated.q, simulated)
    missing = [name for name in ("t", "q") if name not in found]
    if missing == ["t"] and ("load_factors" in found or "stable" in found):
        return rests_in(robot, path, np.atleast_2d(real_array(path, "q", found["q"])))
    if missing:
        raise RequestError(
            f"'{path}': the array '{missing[0]}' is missing; expected t (n,) and q (n, nq), or a file of symdyn statics"
        )
    t, q = (real_array(path, name, found[name]) for name in ("t", "q"))
    if t.ndim != 1 or not len(t) or q.shape != (len(t), robot.nq):
        raise RequestError(
            f"'{path}': robot '{robot.name}' needs t (n,) and q (n, {robot.nq}), got {t.shape} and {q.shape}"
        )
    if not np.isfinite(t).all() or (np.diff(t) <= 0.0).any():
        raise RequestError(f"'{path}': expected finite times t that rise")
    robot.difference(q, q)
    return Motion(t, q)


def rests_in(robot: Robot, path: Path, q: Array) -> Motion:
    """Rests (n, nq) one after another, as long as ``PATH_TIME``; a single one stands still."""
    if q.ndim != 2 or not len(q) or q.shape[1] != robot.nq:
        raise RequestError(f"'{path}': robot '{robot.name}' needs q (n, {robot.nq}) of rests, got {q.shape}")
    robot.difference(q, q)
    return Motion(np.linspace(0.0, PATH_TIME, len(q)) if len(q) > 1 else np.zeros(1), q)


def resampled(robot: Robot, motion: Motion, rate: float) -> tuple[Array, Array]:
    """Times from 0 and positions at ``rate`` [1/s]; the last one is kept.

    Between given positions a simulation moves along cubics (:meth:`symdyn.Trajectory.at`), all else at constant
    velocity.

    Raises
    ------
    RequestError
        A rate that is not positive, or more than ``MOST_FRAMES`` frames.
    """
    t, q = motion.t, motion.q
    if not (np.isfinite(rate) and rate > 0.0):
        raise RequestError(f"frames per second: expected a positive number, got {rate:g}")
    if len(t) == 1:
        return np.zeros(1), q
    steps = (t[-1] - t[0]) * rate
    if steps >= MOST_FRAMES:
        raise RequestError(f"{t[-1] - t[0]:g} s at {rate:g} frames per second are more than {MOST_FRAMES} frames")
    times = t[0] + np.arange(int(steps + 1e-9) + 1) / rate
    if times[-1] < t[-1] - 1e-9:
        times = np.append(times, t[-1])
    times = np.minimum(times, t[-1])
    if motion.simulated is not None:
        return times - t[0], motion.simulated.at(times)[0]
    low = np.clip(np.searchsorted(t, times, side="right") - 1, 0, len(t) - 2)
    share = np.clip((times - t[low]) / (t[low + 1] - t[low]), 0.0, 1.0)
    return times - t[0], robot.integrate(q[low], share[:, None] * robot.difference(q[low], q[low + 1]))
