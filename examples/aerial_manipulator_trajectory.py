"""Which forces fly a robot along a path, and do they bring the path back? Both with their derivatives to fifth order.

The aerial manipulator and the path of Ali et al. (2026), table 3; the plots are their figure 3. Needs the extra `plot`.
"""

from __future__ import annotations

from needs import needs

needs(__file__, "matplotlib")

import argparse
import time
from math import comb, pi
from pathlib import Path

import matplotlib
import numpy as np

import symdyn

matplotlib.use("Agg")
import matplotlib.pyplot as plt

DURATION, STEP, ORDER = 30.0, 0.01, 5
CIRCLE, YAW, HALF_COSINE = 2 * pi / 20, 2 * pi / 30, pi / DURATION  # rad/s
YAW_AMPLITUDE = np.radians(25.0)
JOINTS = np.radians([10.0, -5.0, 15.0, -10.0, 7.0, -12.0])
SWINGS = np.radians([60.0, 50.0, 40.0, 55.0, 45.0, 35.0])
GROUPS = {"base, rotation": "xyz", "base, translation": "xyz", "arm 1": "123", "arm 2": "123"}  # three rows each


def cosine(rate: float, t: np.ndarray, order: int) -> np.ndarray:
    """The derivative of cos(rate t) of an order."""
    return rate**order * np.cos(rate * t + order * pi / 2)


def base(t: np.ndarray, order: int) -> tuple[np.ndarray, np.ndarray]:
    """Derivatives of an order of the base's position, (n, 3), and of its turn about z, (n, 3)."""
    position = np.stack([cosine(CIRCLE, t, order), -cosine(CIRCLE, t, order + 1) / CIRCLE, 0 * t], axis=-1)
    return position, np.stack([0 * t, 0 * t, -YAW_AMPLITUDE * cosine(YAW, t, order + 1) / YAW], axis=-1)


def twist(t: np.ndarray, order: int) -> np.ndarray:
    """The derivative of an order of the base's right-invariant twist (omega; p' - omega x p), (n, 6)."""
    swept = sum(comb(order, k) * np.cross(base(t, k + 1)[1], base(t, order - k)[0]) for k in range(order + 1))
    return np.concatenate([base(t, order + 1)[1], base(t, order + 1)[0] - swept], axis=-1)


def joints(t: np.ndarray, order: int) -> np.ndarray:
    """Derivatives of an order of the joints' half-cosine paths, (n, 6)."""
    return (JOINTS + SWINGS / 2 if order == 0 else 0) - SWINGS / 2 * cosine(HALF_COSINE, t, order)[:, None]


def draw(path: Path, t: np.ndarray, solid: np.ndarray, symbol: str, dashed: np.ndarray | None = None) -> None:
    """One column per order, one row per part of the robot; in rad, m, N m, N and s."""
    figure, axes = plt.subplots(len(GROUPS), ORDER + 1, figsize=(15, 8), sharex=True, layout="constrained")
    for first, row, (group, names) in zip(range(0, 12, 3), axes, GROUPS.items(), strict=True):
        rows = slice(first, first + 3)
        for order, own in enumerate(row):
            lines = own.plot(t, solid[:, order, rows], lw=1.2)
            if dashed is not None:
                own.plot(t, dashed[:, order, rows], "k", lw=0.8, dashes=(4, 4))
            own.ticklabel_format(axis="y", scilimits=(-2, 3))
            own.tick_params(labelsize=7)
        row[0].set_ylabel(group)
        row[-1].legend(lines, names, fontsize=8, loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)
    for order, own in enumerate(axes[0]):
        own.set_title(f"${symbol}^{{({order})}}$")
    for own in axes[-1]:
        own.set_xlabel("t [s]")
    if dashed is not None:
        figure.suptitle("solid: the path; dashed: what its forces bring about")
    figure.savefig(path, dpi=110)
    print(f"wrote {path}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("aerial_manipulator"), help="where the plots go, no suffix")
    out = parser.parse_args().out
    robot = symdyn.load_example("aerial_manipulator", convention="spatial")
    t = np.arange(round(DURATION / STEP)) * STEP
    half = base(t, 0)[1] / 2  # the path turns about z alone
    attitude = np.concatenate([np.sin(half), np.cos(half[:, 2:])], axis=-1)
    q = np.concatenate([base(t, 0)[0], attitude, joints(t, 0)], axis=-1)
    V = np.stack([np.concatenate([twist(t, k), joints(t, k + 1)], axis=-1) for k in range(ORDER + 2)], axis=1)

    module = symdyn.compile(
        robot, ["inverse_dynamics_time_derivatives", "forward_dynamics_time_derivatives"], order=ORDER
    )
    start = time.perf_counter()
    T = module.inverse_dynamics_time_derivatives(q, V)
    middle = time.perf_counter()
    A = module.forward_dynamics_time_derivatives(q, V[:, 0], T)
    end = time.perf_counter()
    for name, seconds in (("inverse", middle - start), ("forward", end - middle)):
        print(f"{name} dynamics to order {ORDER}: {1e6 * seconds / len(t):.2f} us per call, mean of {len(t)}")
    for order in range(ORDER + 1):
        error, size = np.abs(A[:, order] - V[:, order + 1]).max(), np.abs(V[:, order + 1]).max()
        print(f"order {order}: largest error {error:.1e} of {size:.1e}")
        assert error < 1e-9
    draw(Path(f"{out}_motion.png"), t, V[:, 1:], "a", A)
    draw(Path(f"{out}_forces.png"), t, T, r"\tau")


if __name__ == "__main__":
    main()
