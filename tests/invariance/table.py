"""Every relation on every robot and function: how many results were compared, and the worst of each relation.

Usage: python tests/invariance/table.py [--robots NAME ...] [--relations NAME ...] [--part K N] [--results FILE]

Robots with few rows come first. With ``--part K N`` each robot has every Nth function, from one that moves on from
robot to robot; parts 0 to N - 1 together are the whole. With ``--results`` each case is written to a file as it ends,
and cases that are there are not computed again.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import warnings
from collections.abc import Iterable, Mapping
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from support.invariance.relations import RELATIONS, compared
from support.invariance.robots import NAMES, robot
from support.invariance.twins import RELATED, float_evaluator

from symdyn.interface.options import RequestOptions
from symdyn.robot.robot import Robot

DERIVATIVES = ("_hessian", "_partials", "_derivatives", "_jacobian", "_adjoint", "_rate_terms")
"""Ends of the names of functions that are left out for robots with LARGE rows of v: they take minutes."""
LARGE = 30


class Remembered:
    """The float recursion; results of the robot that is tried are computed once for all relations."""

    def __init__(self) -> None:
        self.name = ""
        self.made: dict[str, Any] = {}
        self.results: dict[tuple[str, str], Any] = {}

    def __call__(self, own: Robot, function: str, options: RequestOptions) -> Any:
        """As :func:`float_evaluator`."""
        if own is not robot(self.name):
            return float_evaluator(own, function, options)
        asked = f"{function} {sorted(options.items())}"
        if asked not in self.made:
            self.made[asked] = float_evaluator(own, function, options)

        def called(given: Mapping[str, list[float]]) -> Any:
            key = (asked, repr(given))
            if key not in self.results:
                self.results[key] = self.made[asked](given)
            return self.results[key]

        return called

    def of(self, name: str) -> Remembered:
        """For this robot."""
        if name != self.name:
            self.__init__()  # type: ignore[misc]
            self.name = name
        return self


REMEMBERED = Remembered()


def tried(relation: str, name: str, part: int, parts: int) -> dict[str, Any]:
    """One relation on one robot: results and the worst error of each function, and what does not hold."""
    warnings.simplefilter("ignore")
    start = time.process_time()
    chosen = RELATED[(part + NAMES.index(name)) % parts :: parts]
    functions = [own for own in chosen if not (robot(name).nv >= LARGE and own.endswith(DERIVATIVES))]
    found = compared(relation, name, functions, REMEMBERED.of(name))
    errors: dict[str, list[float]] = {}
    for own in found or []:
        errors.setdefault(own.function, []).append(own.error)
    bad = [f"{own.function} {own.output} {own.error:.1e}" for own in found or [] if not own.holds]
    return {
        "relation": relation,
        "robot": name,
        "part": [part, parts],
        "twin": found is not None,
        "results": {function: len(own) for function, own in errors.items()},
        "worst": {function: max(own) for function, own in errors.items()},
        "by rounding": sum(own.by_rounding for own in found or []),
        "bad": bad,
        "seconds": round(time.process_time() - start, 1),
    }


def main(arguments: list[str]) -> int:
    """The number of results that do not hold, at most 1."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--robots", nargs="*", default=list(NAMES))
    parser.add_argument("--relations", nargs="*", default=list(RELATIONS))
    parser.add_argument("--part", nargs=2, type=int, default=[0, 1], metavar=("K", "N"))
    parser.add_argument("--results", type=Path)
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args(arguments)
    written = options.results.read_text().splitlines() if options.results and options.results.exists() else []
    cases = [
        (relation, name, *options.part)
        for name in sorted(options.robots, key=lambda own: robot(own).nv)
        for relation in options.relations
    ]
    found = {_case(own): own for own in map(json.loads, written)}
    with ProcessPoolExecutor(options.processes) as pool:
        waiting = [pool.submit(tried, *case) for case in cases if case not in found]
        for done in as_completed(waiting):
            own = done.result()
            found[_case(own)] = own
            if options.results:
                with options.results.open("a") as file:
                    file.write(json.dumps(own) + "\n")
            for failure in own["bad"]:
                print(f"{own['relation']}: {own['robot']}: {failure}", flush=True)
    return _told(list(found.values()), options.relations)


def _case(own: dict[str, Any]) -> tuple[Any, ...]:
    return (own["relation"], own["robot"], *own["part"])


def _told(found: list[dict[str, Any]], relations: Iterable[str]) -> int:
    """The table, and functions that a relation never reaches."""
    print(f"{'relation':20}{'robots':>8}{'results':>10}{'by rounding':>13}{'worst':>10}  where")
    for relation in relations:
        own = [case for case in found if case["relation"] == relation and case["twin"]]
        errors = [(error, f"{case['robot']}, {name}") for case in own for name, error in case["worst"].items()]
        worst, where = max(errors, default=(0.0, ""))
        robots, rounded = len({case["robot"] for case in own}), sum(case["by rounding"] for case in own)
        count = sum(sum(case["results"].values()) for case in own)
        print(f"{relation:20}{robots:>8}{count:>10}{rounded:>13}{worst:>10.1e}  {where}")
        missing = [name for name in RELATED if not any(name in case["results"] for case in own)]
        if missing:
            print(f"{'':20}not reached: {', '.join(missing)}")
    bad = sum(len(case["bad"]) for case in found)
    print(f"{sum(sum(case['results'].values()) for case in found)} results, {bad} do not hold")
    return min(bad, 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
