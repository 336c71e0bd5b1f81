"""Optimal control of a seven-joint arm: plans, samples in closed loop and random problems, of the generated solver.

Usage: python benchmarks/optimal_control.py [--goals FILE] [--steps 50] [--samples 10000] [--random 2000]
[--rival PYTHON] [--aligator PROGRAM] [--acados]

The Panda's hand is to reach a pose in 50 steps of 20 ms. The solver runs in a C program that times each plan by the
thread's CPU clock, the best of five. ``--rival`` is a Python with crocoddyl, whose solvers get the same problem: FDDP
without limits of torques and BoxFDDP with them, started at rest. ``--aligator`` is a program of its ProxDDP on the same
problem (docs/benchmarks.md says how it is built). ``--acados`` runs the samples by its real-time
iterations too (docs/benchmarks.md says how acados comes from a wheel). Ratios hold within one run.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
from pathlib import Path

import numpy as np
from peers.robots import ROBOTS, data_file, symdyn_robot

import symdyn
from symdyn.toolchain.find_compiler import find_compiler

HAND, PROGRAMS = "panda_hand", Path(__file__).parent / "peers"
START = [0.0, -0.5, 0.0, -2.0, 0.0, 1.5, 0.7]
GOAL = [1.2, 0.4, -0.4, -1.2, 0.5, 2.2, 0.2]
EFFORT = [25.0, 50.0, 20.0, 26.0, 4.0, 4.0, 2.0]


def problem(bounded: bool, samples: bool = False, steps: int = 50) -> symdyn.OptimalControlProblem:
    """The reaching task; of samples with more weight on velocities and less at the end."""
    end, slow = (100.0, 0.1) if samples else (1000.0, 0.01)
    return symdyn.OptimalControlProblem(
        costs=[
            symdyn.FramePose(HAND, weight=10.0, end=end),
            symdyn.StateCost(q="start", v=0.0, weight=1.0, weights={"q": 0.01, "v": slow}, end={"q": 0.01, "v": 1.0}),
            symdyn.InputCost(reference="gravity", weight=1e-4),
        ],
        limits=symdyn.Limits(effort=EFFORT) if bounded else None,
        horizon=symdyn.Horizon(steps, 0.02),
        solver=symdyn.SolverSettings(tolerance=1e-9, lanes=True),
        start={"q": START},
    )


def program(
    folder: Path, bounded: bool, dtype: str, flags: list[str], steps: int, samples: bool = False, rival: str = ""
) -> Path:
    """The C program of a problem; ``rival`` says whose functions acados calls in place of our solver."""
    robot = symdyn_robot(ROBOTS["panda7"]).with_control(problem(bounded, samples, steps))
    made = folder / f"{'bounded' if bounded else 'free'}_{dtype}_{samples}{rival}"
    out = symdyn.generate(
        robot,
        ["forward_kinematics", "gravity"],
        solvers=["mpc"],
        frames=[HAND],
        name="panda",
        dtype=dtype,
        out=made,
    )
    sources = [str(file) for file in Path(out).glob("*.c")]
    scalar = "double" if dtype == "float64" else "float"
    defined = [f"-Dreal={scalar}", f"-DBOUNDED={int(bounded)}", "-DREPEATS=5", "-DHORIZON_STEP=0.02", "-DSYMDYN_LANES"]
    linked = []
    if rival:
        from peers import acados_rti

        more, linked = acados_rti.program(robot, EFFORT, (steps, 0.02), made, rival == "external")
        defined += more
    command = [
        *find_compiler().command,
        "-std=gnu99",
        *flags,
        *defined,
        "-ffp-contract=off",
        f"-I{out}",
        f"-I{PROGRAMS}",
    ]
    subprocess.run(
        [*command, *sources, str(PROGRAMS / "optimal_control.c"), *linked, "-lm", "-o", str(made / "main")], check=True
    )
    return made / "main"


def show(what: str, found: np.ndarray) -> None:
    """Print what the program tells of plans: the task's, then those of goals."""
    code, iterations, factors, cost, _, spent, _ = found[0]
    print(
        f"{what}  reach: code {code:.0f}, {iterations:.0f} iterations, {factors:.0f} factors, cost {cost:.10g}, "
        f"{spent:.0f} us, {spent / iterations:.0f} us an iteration; goals: {np.sum(found[1:, 0] == 0):.0f} of "
        f"{len(found) - 1} solved, median {np.median(found[1:, 1]):.0f} iterations, {np.max(found[1:, 1]):.0f} "
        f"at most, median {np.median(found[1:, 5]):.0f} us",
        flush=True,
    )


def main() -> None:
    """Print plans, samples, random problems, and the rival's."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--goals", help="a file with positions of the arm at goals, a row each; 20 at random otherwise")
    parser.add_argument("--steps", type=int, default=50, help="of a plan; fewer for runs under sanitizers")
    parser.add_argument("--samples", type=int, default=10000)
    parser.add_argument("--random", type=int, default=2000)
    parser.add_argument("--rival", help="a Python with crocoddyl and example-robot-data")
    parser.add_argument("--aligator", help="a program made of peers/aligator_reach.cpp")
    parser.add_argument("--acados", action="store_true", help="run the samples by acados too")
    parser.add_argument("--sanitize", action="store_true", help="run the program under the sanitizers of the compiler")
    said = parser.parse_args()
    rng = np.random.default_rng(0)
    goals = np.loadtxt(said.goals) if said.goals else START + rng.uniform(-1.2, 1.2, (20, 7))
    flags = ["-O3", "-march=native"]
    if said.sanitize:
        flags = ["-O1", "-g", "-march=native", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "goals.txt").write_text("\n".join(" ".join(map(repr, map(float, row))) for row in [GOAL, *goals]))
        for bounded in (False, True):
            for dtype in ("float64", "float32"):
                main_ = program(folder, bounded, dtype, flags, said.steps)
                asked = [str(main_), "reach", str(folder / "goals.txt"), str(1 + len(goals))]
                text = subprocess.run(asked, check=True, capture_output=True, text=True).stdout
                show(f"{'bounded' if bounded else 'free   '} {dtype}", np.array(text.split(), float).reshape(-1, 7))
                if bounded:
                    if said.random:
                        subprocess.run([str(main_), "random", str(said.random)], check=True)
                    if said.samples:
                        own = program(folder, bounded, dtype, flags, said.steps, samples=True)
                        subprocess.run([str(own), "samples", str(said.samples)], check=True)
        if said.acados and said.samples:
            for rival in ("external", "casadi"):
                own = program(folder, True, "float64", flags, said.steps, samples=True, rival=rival)
                print(f"acados SQP_RTI, HPIPM, functions: {rival}", flush=True)
                subprocess.run([str(own), "samples", str(said.samples)], check=True)
        if said.rival:
            asked = {"urdf": str(data_file(ROBOTS["panda7"].source)), "goals": [GOAL, *goals.tolist()]}
            asked |= {"start": START, "effort": EFFORT, "frame": HAND}
            subprocess.run(
                [said.rival, str(PROGRAMS / "crocoddyl_reach.py")], input=json.dumps(asked), text=True, check=True
            )
        if said.aligator:
            by_aligator(said.aligator, folder, goals)


def by_aligator(made: str, folder: Path, goals: np.ndarray) -> None:
    """Plans of aligator's ProxDDP, which stops at a residual of 1e-5 instead of our 1e-9."""
    urdf = str(data_file(ROBOTS["panda7"].source))
    for bounded in (0, 1):
        rows = [bounded, *START, *EFFORT, *GOAL, *goals.ravel().tolist()]
        (folder / "aligator.txt").write_text(" ".join(map(repr, rows)))
        asked = [made, urdf, HAND, str(folder / "aligator.txt")]
        text = subprocess.run(asked, check=True, capture_output=True, text=True).stdout
        table = np.array(text.split(), float).reshape(-1, 4)
        done, iterations, cost, time = table[0]
        print(
            f"aligator {'bounded' if bounded else 'free   '} {iterations:3.0f} iterations, cost {cost:.10g}, "
            f"{time:8.0f} us, done {done:.0f}; goals: {int(table[1:, 0].sum())} of {len(goals)}, "
            f"{np.median(table[1:, 1]):.0f} iterations, {np.median(table[1:, 3]):.0f} us (medians)",
            flush=True,
        )


if __name__ == "__main__":
    main()
