"""Motions that are shown: read from files of arrays, and resampled to frames."""

from __future__ import annotations

import zipfile
from pathlib import Path

import numpy as np

from symdyn.errors import RequestError
from symdyn.robot import Robot
from symdyn.view.scene import Array

MOST_FRAMES = 20_000


def read_motion(robot: Robot, path: Path) -> tuple[Array, Array]:
    """Times (n,) and positions (n, nq) of a trajectory file: the arrays ``t`` and ``q`` of an .npz without objects.

    Raises
    ------
    RequestError
        No such file, not an .npz, an array that is missing, has another shape, or is not finite; times that do not
        rise; a quaternion that is not unit.
    """
    try:
        with path.open("rb") as stream, np.load(stream, allow_pickle=False) as held:
            found = {name: np.asarray(held[name], dtype=np.float64) for name in ("t", "q") if name in held}
    except OSError as failure:
        raise RequestError(f"--trajectory {path}: cannot be read: {failure.strerror or 'not an .npz file'}") from None
    except (ValueError, TypeError, AttributeError, EOFError, zipfile.BadZipFile):
        raise RequestError(f"--trajectory {path}: expected an .npz file with the arrays t and q of numbers") from None
    missing = [name for name in ("t", "q") if name not in found]
    if missing:
        raise RequestError(f"--trajectory {path}: the array '{missing[0]}' is missing; expected t (n,) and q (n, nq)")
    t, q = found["t"], found["q"]
    if t.ndim != 1 or not len(t) or q.shape != (len(t), robot.nq):
        raise RequestError(
            f"--trajectory {path}: robot '{robot.name}' needs t (n,) and q (n, {robot.nq}), got {t.shape} and {q.shape}"
        )
    if not np.isfinite(t).all() or (np.diff(t) <= 0.0).any():
        raise RequestError(f"--trajectory {path}: expected finite times t that rise")
    robot.difference(q, q)  # refuses what is no position
    return t, q


def resampled(robot: Robot, t: Array, q: Array, rate: float) -> tuple[Array, Array]:
    """Times and positions at ``rate`` [1/s], between given ones at constant velocity; the last one is kept.

    Raises
    ------
    RequestError
        A rate that is not positive, or more than ``MOST_FRAMES`` frames.
    """
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
    low = np.clip(np.searchsorted(t, times, side="right") - 1, 0, len(t) - 2)
    share = np.clip((times - t[low]) / (t[low + 1] - t[low]), 0.0, 1.0)
    return times - t[0], robot.integrate(q[low], share[:, None] * robot.difference(q[low], q[low + 1]))
