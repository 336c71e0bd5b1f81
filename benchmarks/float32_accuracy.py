"""What single precision costs: errors of float32 code against float64 code, normwise, over random states.

usage: python benchmarks/float32_accuracy.py [--states N] [--order R] [robot ...]

Robots are shipped examples, or <example>:<bodies per branch> for the tree. Inputs are rounded to float32 first, and
float64 code gets the rounded ones, so that arithmetic alone is measured. Errors are ||y32 - y64|| / ||y64|| per state;
of time derivatives, per state and order. float64 code errs by 1e-15, condition of M aside, and counts as exact.
"""

from __future__ import annotations

import argparse
import warnings

import numpy as np
from numpy.typing import NDArray

import symdyn

Array = NDArray[np.float64]
DYNAMICS = ("inverse_dynamics", "forward_dynamics")


def main() -> int:
    """Measure and print a table in Markdown."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("robots", nargs="*", default=["seven_dof_arm", "aerial_manipulator", "aerial_tree:10"])
    parser.add_argument("--states", type=int, default=1000)
    parser.add_argument("--order", type=int, default=5, help="highest order of time derivatives")
    asked = parser.parse_args()
    print("| robot (bodies; median condition of M) | function | median | 99th percentile | worst |")
    print("|---|---|---|---|---|")
    for name in asked.robots:
        robot = load(name)
        inputs = random_inputs(robot, asked.states, asked.order)
        M, errors = measure(robot, inputs, asked.order)
        condition = float(np.median(np.linalg.cond(M)))
        shown = f"{name.partition(':')[0]} ({len(robot.body_names)}; {condition:.0e})"
        for function, error in errors.items():
            median, high = np.percentile(error, (50, 99))
            print(f"| {shown} | {function} | {median:.0e} | {high:.0e} | {error.max():.0e} |", flush=True)
            shown = ""
    return 0


def load(name: str) -> symdyn.Robot:
    """A shipped example, with its size behind a colon."""
    example, _, size = name.partition(":")
    return symdyn.load_example(example, **({"bodies_per_branch": int(size)} if size else {}))


def random_inputs(robot: symdyn.Robot, states: int, order: int) -> dict[str, Array]:
    """Coordinates q (states, nq) of random states, and two stacks of rows in [-1, 1]: v and its derivatives; forces."""
    rng = np.random.default_rng(7)
    q = np.array([robot.random_state(rng)[0] for _ in range(states)])
    rows = rng.uniform(-1.0, 1.0, (2, states, order + 2, robot.nv))
    return {name: value.astype(np.float32).astype(float) for name, value in (("q", q), ("V", rows[0]), ("T", rows[1]))}


def measure(robot: symdyn.Robot, inputs: dict[str, Array], order: int) -> tuple[Array, dict[str, Array]]:
    """M of all states, and the error of each function (each order of time derivatives) at each state."""
    single, double = _results(robot, inputs, order, "float32"), _results(robot, inputs, order, "float64")
    errors = {}
    for name, exact in double.items():
        assert single[name].dtype == np.float32, name
        count = len(exact)
        difference = np.linalg.norm((single[name] - exact).reshape(count, -1), axis=1)
        errors[name] = difference / np.linalg.norm(exact.reshape(count, -1), axis=1)
    return double["mass_matrix"], errors


def _results(robot: symdyn.Robot, inputs: dict[str, Array], order: int, dtype: str) -> dict[str, Array]:
    q, V, T = (inputs[name].astype(dtype) for name in "qVT")
    plain = symdyn.compile(robot, [*DYNAMICS, "mass_matrix"], dtype=dtype)
    found = {
        "inverse_dynamics": plain.inverse_dynamics(q, V[:, 0], V[:, 1]),
        "forward_dynamics": plain.forward_dynamics(q, V[:, 0], T[:, 0]),
        "mass_matrix": plain.mass_matrix(q),
    }
    rates = symdyn.compile(robot, [f"{name}_time_derivatives" for name in DYNAMICS], order=order, dtype=dtype)
    inverse = rates.inverse_dynamics_time_derivatives(q, V)
    forward = rates.forward_dynamics_time_derivatives(q, V[:, 0], T[:, : order + 1])
    for what, rows in zip(DYNAMICS, (inverse, forward), strict=True):
        found |= {f"{what}, derivative {k}": rows[:, k] for k in range(1, order + 1)}
    return found


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    raise SystemExit(main())
