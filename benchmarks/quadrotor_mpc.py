"""Model predictive control of a quadrotor's base: closed-loop cost and time of a sample, beside TinyMPC.

Usage: python benchmarks/quadrotor_mpc.py --rival PYTHON [--samples 200]

A free body of 1 kg has a thrust along its z axis and three moments within limits. It returns to hover from states near
and far. symdyn's solver takes the whole motion, and TinyMPC 0.0.8 (a Python of its own) the motion linearised at hover,
in the same coordinates and with the same weights; the end has Riccati's diagonal in ours and its whole matrix in
TinyMPC. Our first plan begins with the inputs of the linear regulator at the start, cut at their limits: where the body
is turned over they say on which way to turn. The plant is the body with steps of 1 ms. Times are thread CPU times of
the calls from Python.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_discrete_are

import symdyn

Array = NDArray[np.float64]
Control = Callable[[Array, Array], tuple[Array, float, float]]
RIVAL = Path(__file__).parent / "peers" / "tinympc_flight.py"
STEPS, STEP = 25, 0.02
BODY = """
format: 1
name: quadrotor
floating_base: true
links: {base: {mass: 1.0, inertia: {xx: 0.008, yy: 0.008, zz: 0.014}}}
"""
Q = np.array([10.0] * 3 + [1.0] * 3 + [1.0] * 3 + [0.1] * 3)
R = np.array([1.0, 1.0, 0.01, 1.0, 1.0, 1.0])
HOVER = np.array([0.0, 0.0, 9.81, 0.0, 0.0, 0.0])
SIDE = 1e-3  # [N]; rotors do not push sideways, and TinyMPC has no such inputs
MOST = np.array([SIDE, SIDE, 20.0, 0.6, 0.6, 0.1])
LEAST = np.array([-SIDE, -SIDE, 0.0, -0.6, -0.6, -0.1])
STATES = {  # position [m], turn about an axis [rad], velocity [m/s], turn rate [rad/s]
    "0.3 m aside": ([0.3, 0.0, 0.2], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]),
    "1 m aside, 0.5 rad": ([1.0, -0.5, 0.5], [0.5, 0.0, 0.3], [0.0, 1.0, 0.0], [0.0, 0.0, 0.0]),
    "2 m aside, 1.2 rad, 4 m/s": ([2.0, 0.0, 1.0], [0.0, 1.2, 0.0], [0.0, -4.0, 0.0], [0.0, 0.0, 0.0]),
    "tilted by 2 rad": ([0.0, 0.0, 1.0], [2.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]),
    "turned over by 2.5 rad": ([0.0, 0.0, 1.0], [2.5, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]),
}


def flown(
    robot: symdyn.Robot, plant: Any, start: Any, controller: Callable[[Array, Array], Control], samples: int
) -> tuple[float, list[float], list[float], str]:
    """Closed-loop cost, times of samples [us], their iterations, and where the body ends."""
    place, turn, linear, angular = start
    q = robot.integrate(robot.neutral(), np.concatenate([np.zeros(3), turn]))
    q[:3] = place
    v, cost, spent, counts = np.concatenate([linear, angular]), 0.0, [], []
    control = controller(q, v)
    for _ in range(samples):
        u, own, count = control(q, v)
        spent.append(own)
        counts.append(count)
        cost += float(plant.stage_cost(q, v, u))
        for _ in range(20):
            q, v = plant.step(q, v, u, STEP / 20)
        if not np.isfinite(q).all() or np.abs(q[:3]).max() > 1e3:
            return np.inf, spent, counts, "lost"
    return cost, spent, counts, f"{np.linalg.norm(q[:3]):.3f} m from the goal"


def ours(module: Any, q: Array, v: Array, first: Array) -> Control:
    """The generated solver: a plan that begins with constant inputs, then an iteration per sample."""
    mpc = module.mpc.another()
    mpc.start(q, v, first)
    mpc.solve(q, v, iterations=100)

    def control(q: Array, v: Array) -> tuple[Array, float, float]:
        begun = time.thread_time()
        mpc.prepare()
        u, _, report = mpc.feedback(q, v)
        return u, 1e6 * (time.thread_time() - begun), report.qp_iterations

    return control


def theirs(rival: Any, robot: symdyn.Robot) -> Control:
    """TinyMPC, in another process."""

    def control(q: Array, v: Array) -> tuple[Array, float, float]:
        x = np.concatenate([robot.difference(robot.neutral(), q), v])
        rival.stdin.write(json.dumps(x.tolist()) + "\n")
        rival.stdin.flush()
        told = json.loads(rival.stdout.readline())
        return HOVER + np.append([0.0, 0.0], told["u"]), told["us"], told["iterations"]

    return control


def main() -> None:
    """Print closed-loop costs and times."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rival", required=True, help="a Python with tinympc")
    parser.add_argument("--samples", type=int, default=200)
    parser.add_argument("--rho", type=float, nargs="+", default=[1e-3, 1e-2, 0.1])
    said = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        file = Path(name) / "quadrotor.yaml"
        file.write_text(BODY, encoding="utf-8")
        robot = symdyn.load(file)
    matrices = symdyn.compile(robot, ["step_matrices"])
    A, B = matrices.step_matrices(robot.neutral(), np.zeros(6), HOVER, STEP)
    end = solve_discrete_are(A, B, STEP * np.diag(Q), STEP * np.diag(R))
    gains = np.linalg.solve(STEP * np.diag(R) + B.T @ end @ B, B.T @ end @ A)
    last = np.diag(end).tolist()
    problem = symdyn.OptimalControlProblem(
        costs=[
            symdyn.StateCost(
                q=robot.neutral().tolist(),
                v=0.0,
                weights={"q": Q[:6].tolist(), "v": Q[6:].tolist()},
                end={"q": last[:6], "v": last[6:]},
            ),
            symdyn.InputCost(reference=HOVER.tolist(), weights=R.tolist()),
        ],
        limits=symdyn.Limits(effort={"lower": LEAST.tolist(), "upper": MOST.tolist()}),
        horizon=symdyn.Horizon(STEPS, STEP),
    )
    module = symdyn.compile(robot.with_control(problem), ["step", "stage_cost"], solvers=["mpc"])

    def own(q: Array, v: Array) -> Control:
        x = np.concatenate([robot.difference(robot.neutral(), q), v])
        return ours(module, q, v, np.clip(HOVER - gains @ x, LEAST, MOST))

    asked = {"A": A.tolist(), "B": B[:, 2:].tolist(), "Q": np.diag(STEP * Q).tolist()}
    asked |= {"R": np.diag(STEP * R[2:]).tolist(), "steps": STEPS}
    asked |= {"bounds": [(LEAST - HOVER)[2:].tolist(), (MOST - HOVER)[2:].tolist()]}
    for label, start in STATES.items():
        print(label)
        show("symdyn", *flown(robot, module, start, own, said.samples))
        for rho in said.rho:
            for iterations in (10, 100, 1000):
                with subprocess.Popen(
                    [said.rival, str(RIVAL)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
                ) as rival:
                    assert rival.stdin is not None and rival.stdout is not None
                    rival.stdin.write(json.dumps(asked | {"rho": rho, "iterations": iterations}) + "\n")
                    rival.stdin.flush()
                    rival.stdout.readline()
                    control = theirs(rival, robot)
                    found = flown(robot, module, start, lambda q, v, control=control: control, said.samples)
                    rival.stdin.close()
                show(f"TinyMPC, rho {rho:g}, at most {iterations} iterations", *found)


def show(what: str, cost: float, spent: list[float], counts: list[float], end: str) -> None:
    """A line of a controller."""
    print(
        f"  {what:42} cost {cost:9.5g}; sample {np.mean(spent):6.1f} us in the mean, {np.min(spent):6.1f} at best, "
        f"{np.max(spent):6.1f} at most; {np.mean(counts):.1f} iterations; {end}",
        flush=True,
    )


if __name__ == "__main__":
    main()
