"""Dynamics and their partial derivatives: symdyn's C against CasADi, CppADCodeGen, Pinocchio and MuJoCo, in one run.

usage: python benchmarks/dynamics.py [robot ...] [--function NAME ...] [--layout NAME ...] [--peer NAME ...]
"""

from __future__ import annotations

import argparse
import tempfile
import warnings
from pathlib import Path

from peers.comparison import LAYOUTS, PEERS, Comparison, compare
from peers.functions import FUNCTIONS
from peers.measure import HEADER, ROUNDS, Subject
from peers.robots import ROBOTS, pinocchio_model, random_states, symdyn_robot
from peers.targets import SINGLE_CALLS
from peers.timed_codes import Contender

SHOWN = ("ur5", "panda7", "solo12", "talos_reduced")


def main() -> int:
    """Measure and print; fails where any subject's results are not Pinocchio's."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("robots", nargs="*", metavar="robot", help=f"among {', '.join(ROBOTS)}; default the first four")
    parser.add_argument("--function", nargs="+", choices=list(FUNCTIONS), default=list(FUNCTIONS), metavar="NAME")
    parser.add_argument("--layout", nargs="+", choices=LAYOUTS, default=list(LAYOUTS), metavar="NAME")
    parser.add_argument("--peer", nargs="*", choices=PEERS, default=list(PEERS), metavar="NAME")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    asked = parser.parse_args()
    names = asked.robots or list(SHOWN)
    unknown = [name for name in names if name not in ROBOTS]
    if unknown:
        parser.error(f"unknown robot {unknown[0]}; choose among {', '.join(ROBOTS)}")
    columns = [*(f"symdyn {layout}" for layout in asked.layout), *asked.peer]
    print(f"{HEADER}; ns of thread CPU time per call, one core, median of batches")
    print("ratios: the fastest symdyn column to the fastest peer, and to Pinocchio C++")
    for name in names:
        robot, model = symdyn_robot(ROBOTS[name]), pinocchio_model(ROBOTS[name])
        states = random_states(robot, model)
        print(f"\n{name}, nv = {robot.nv}")
        print(f"{'function':28}" + "".join(f"{column:>20}" for column in columns) + f"{'/best':>8}{'/Pin':>7}")
        found = []
        for function in asked.function:
            with tempfile.TemporaryDirectory() as made:
                folder = Path(made)
                compared = compare(
                    robot, model, states, FUNCTIONS[function], folder, asked.layout, asked.peer, asked.rounds
                )
            found.append(compared)
            print(_times(compared, columns), flush=True)
            for verdict in _verdicts(name, compared):
                print(f"{'':28}{verdict}", flush=True)
        _print_code(found)
    return 0


def _times(compared: Comparison, columns: list[str]) -> str:
    times = {name: subject.nanoseconds for name, subject in compared.subjects.items()}
    ours = [time for name, time in times.items() if name.startswith("symdyn")]
    peers = [time for name, time in times.items() if not name.startswith("symdyn")]
    best = f"{min(ours) / min(peers):8.2f}" if ours and peers else f"{'-':>8}"
    pinocchio = f"{min(ours) / times['Pinocchio C++']:7.2f}" if ours and "Pinocchio C++" in times else f"{'-':>7}"
    cells = "".join(f"{times[column]:20.1f}" if column in times else f"{'-':>20}" for column in columns)
    return f"{compared.function.name:28}{cells}{best}{pinocchio}"


def _verdicts(robot: str, compared: Comparison) -> list[str]:
    """What was aimed at: peers' time in terms of the fastest of symdyn's layouts."""
    times = {name: subject.nanoseconds for name, subject in compared.subjects.items()}
    fastest = min((time for name, time in times.items() if name.startswith("symdyn")), default=0.0)
    targets = SINGLE_CALLS.get((robot, compared.function.name), {})
    return [
        target.verdict(times[peer] / fastest, f"{peer} takes x ")
        for peer, target in targets.items()
        if peer in times and fastest
    ]


def _print_code(found: list[Comparison]) -> None:
    """What the generated code is made of; seconds of processor time."""
    print(f"\n{'function':28}{'subject':20}{'ops':>8}{'text B':>9}{'generate s':>12}{'compile s':>11}")
    for compared in found:
        for subject in compared.subjects.values():
            if subject.text_bytes is not None:
                print(f"{compared.function.name:28}{_code(subject)}")
    for compared in found:
        for name, reason in compared.left_out.items():
            print(f"left out: {name}, {compared.function.name}: {reason}")


def _code(subject: Subject | Contender) -> str:
    operations = "" if subject.operations is None else str(subject.operations)
    return (
        f"{subject.name:20}{operations:>8}{subject.text_bytes:9}{subject.generation_s:12.2f}{subject.compile_s:11.2f}"
    )


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    raise SystemExit(main())
