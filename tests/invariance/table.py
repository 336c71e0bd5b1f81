"""Every relation on every robot and function: how many results were compared, and the worst of each relation.

Usage: python tests/invariance/table.py [--robots NAME ...] [--processes 2]; about two hours on two cores.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from support.invariance.relations import RELATIONS, compared
from support.invariance.robots import NAMES

from symdyn.functions.catalogue import CATALOGUE

HEAVY = ("_hessian", "_derivatives_partials")
LARGE = 30
"""Rows of v from which second derivatives and partials of time derivatives are left out: they take minutes."""


def tried(relation: str, name: str) -> tuple[str, str, int, float, list[str]]:
    """One relation on one robot: results, the worst error against what is allowed, and what does not hold."""
    from support.invariance.robots import robot

    warnings.simplefilter("ignore")
    large = robot(name).nv >= LARGE
    functions = [own for own in CATALOGUE if not (large and own.endswith(HEAVY))]
    found = compared(relation, name, functions) or []
    bad = [f"{own.function} {own.output} {own.error:.1e} > {own.allowed:.1e}" for own in found if not own.holds]
    return relation, name, len(found), max((own.error for own in found), default=0.0), bad


def main(arguments: list[str]) -> int:
    """The number of results that do not hold, at most 1."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--robots", nargs="*", default=list(NAMES))
    parser.add_argument("--relations", nargs="*", default=list(RELATIONS))
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args(arguments)
    counts = dict.fromkeys(options.relations, 0)
    worst: dict[str, tuple[float, str]] = dict.fromkeys(options.relations, (0.0, ""))
    bad = 0
    with ProcessPoolExecutor(options.processes) as pool:
        waiting = [pool.submit(tried, *case) for case in _cases(options.relations, options.robots)]
        for done in as_completed(waiting):
            relation, name, count, error, failures = done.result()
            counts[relation] += count
            worst[relation] = max(worst[relation], (error, name))
            bad += len(failures)
            for failure in failures:
                print(f"{relation}: {name}: {failure}", flush=True)
    print(f"{'relation':20}{'results':>10}{'worst':>10}  robot")
    for relation, count in counts.items():
        print(f"{relation:20}{count:>10}{worst[relation][0]:>10.1e}  {worst[relation][1]}")
    print(f"{sum(counts.values())} results, {bad} do not hold")
    return min(bad, 1)


def _cases(relations: Iterable[str], names: Iterable[str]) -> list[tuple[str, str]]:
    return [(relation, name) for name in names for relation in relations]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
