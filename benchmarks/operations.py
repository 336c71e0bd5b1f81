"""Operations of inverse and forward dynamics with their time derivatives, 7 bodies, beside what was aimed at.

usage: python benchmarks/operations.py [--orders N ...] [--layouts NAME ...] [--steps [ROBOT ...]]

``--steps`` counts and times ``step_partials`` of a semi-implicit step beside the partial derivatives of the
acceleration that it takes, of robots shipped or in the extra ``peers``: all shipped ones by default, or those named.
Times are the least of seven rounds in turn, each the median of its batches.

Counts are exact and need no quiet machine. They are those of docs/conventions.md: sums, products, quotients, roots and
negations 1, fused multiply-adds 2, a sine-cosine pair 2.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

import numpy as np
from peers.robots import ROBOTS, symdyn_robot
from peers.targets import OPERATIONS, STEP_RATIO, at_most

import symdyn
from symdyn.analysis.compare.measurement import generated_code
from symdyn.api import cost
from symdyn.generation import pipeline
from symdyn.toolchain import timing

ROBOT = "aerial_manipulator"
LAYOUTS, METHOD = ("unrolled", "split"), "semi_implicit_euler"
STATES, ROUNDS, BATCHES = 32, 7, 9
STEP_S = 1e-3


def of_step(robot: symdyn.Robot) -> tuple[str, int, int]:
    """The function whose partial derivatives a step takes, its operations, and those of ``step_partials``."""
    rates = "constrained_forward_dynamics_partials" if robot.model.loops else "forward_dynamics_partials"
    counts = cost(robot, [rates], layout="auto"), cost(robot, ["step_partials"], layout="auto", step=METHOD)
    return rates, counts[0][rates]["total"], counts[1]["step_partials"]["total"]


def times(robot: symdyn.Robot, rates: str) -> tuple[float, float]:
    """Nanoseconds of a call of the derivatives of accelerations, and of ``step_partials``, in turn."""
    rng = np.random.default_rng(0)
    states = np.array([np.concatenate(robot.random_state(rng)) for _ in range(STATES)])
    timers = []
    for function, option in ((rates, {}), ("step_partials", {"step": METHOD})):
        (program,) = pipeline.programs(robot, [function], **option)
        code = generated_code(pipeline.sources(robot, [function], **option), function)
        rest = sum(item.size for item in program.signature.inputs) - states.shape[1]
        others = np.full((STATES, rest), STEP_S) if option else np.zeros((STATES, rest))
        inputs = np.hstack([states, others])
        timers.append(timing.load_timed(code.sources, code.harness, inputs, code.output_size, code.work_size))
    rounds = timing.in_turn(timers, ROUNDS, BATCHES)
    return min(rounds[0]), min(rounds[1])


def steps(names: Sequence[str]) -> None:
    """Print a line per robot."""
    for name in names:
        robot = symdyn_robot(ROBOTS[name]) if name in ROBOTS else symdyn.load_example(name)
        rates, before, after = of_step(robot)
        first, second = times(robot, rates)
        verdict = at_most(STEP_RATIO).verdict(after / before)
        print(
            f"{name:22}{rates:40}{before:10}{after:10}{after / before:8.3f}   {verdict}; "
            f"{first:.0f} and {second:.0f} ns, {second / first:.3f}",
            flush=True,
        )


def main() -> int:
    """Count and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--orders", nargs="+", type=int, default=range(6), metavar="N")
    parser.add_argument("--layouts", nargs="+", default=LAYOUTS, metavar="NAME")
    parser.add_argument("--steps", nargs="*", metavar="ROBOT", help="count steps; of all shipped robots by default")
    asked = parser.parse_args()
    if asked.steps is not None:
        steps(asked.steps or symdyn.examples())
        return 0
    robot = symdyn.load_example(ROBOT)
    print(f"operations of {ROBOT}; the verdict is on the fewest")
    print(f"{'function':20}{'r':>2}" + "".join(f"{layout:>10}" for layout in asked.layouts))
    for dynamics, bounds in OPERATIONS.items():
        name = f"{dynamics}_time_derivatives"
        for order in asked.orders:
            counts = [cost(robot, [name], order=order, layout=layout)[name]["total"] for layout in asked.layouts]
            verdict = at_most(bounds[order]).verdict(min(counts)) if order < len(bounds) else ""
            print(f"{dynamics:20}{order:2}" + "".join(f"{count:10}" for count in counts) + f"   {verdict}", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
