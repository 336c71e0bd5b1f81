"""Soft rods: what the functions of a rod of 24 coordinates cost, beside what was aimed at and beside CasADi.

usage: python benchmarks/soft_rods.py [section ...] [--function NAME ...]

calls       time per call, operations, seconds to generate and to compile; CasADi's C of a plainly written recursion
            (peers/gvs_recursion.py) in the same run. All subjects of a function take turns within five rounds: thread
            CPU time from inside C, on one core, the same flags
size        machine code without tables, of 5 and of 20 stations
growth      over stations, coordinates and rods
generation  from the shipped robots to compiled functions, in a process of its own with an empty cache
"""

from __future__ import annotations

import argparse
import json
import math
import os
import platform
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from peers.measure import HEADER, OWN_FLAGS, compile_objects
from peers.missing import PeerMissingError
from peers.soft_chain import cone, soft_chain, straight_rod
from peers.targets import (
    ROD_GENERATION_S,
    ROD_GROWTH,
    ROD_KILOBYTES,
    ROD_MICROSECONDS,
    ROD_OPERATIONS,
    ROD_RIVALS,
    ROD_TRACING_S,
    Target,
)
from peers.timed_codes import Contender, prepare, time_in_turn

import symdyn
from symdyn.analysis.compare.measurement import Code, generated_code
from symdyn.errors import InternalError, SymdynWarning
from symdyn.functions.catalogue import requests
from symdyn.generation import pipeline
from symdyn.interface.manifest import FILE_NAME, Manifest
from symdyn.interface.options import RequestOptions

Array = NDArray[np.float64]
Case = tuple[str, int]
CASES = tuple(ROD_MICROSECONDS)
LAYOUTS = ("split", "rolled")
ROUNDS = 5
STATES = 8
STATIONS = (5, 20)
RIVAL_ORDER = 3
"""Derivatives beyond which CasADi's line has hundreds of thousands of instructions."""
LONG = 4
"""Rods from which on the first one, which nothing moves, does not show."""


def main() -> int:
    """Measure and print; fails where results differ, not where a bound is missed."""
    sections: dict[str, Callable[[Sequence[Case]], None]] = {
        "calls": calls,
        "size": size,
        "growth": growth,
        "generation": generation,
    }
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("sections", nargs="*", metavar="section", help=f"among {', '.join(sections)}; default all")
    known = sorted({function for function, _ in CASES})
    parser.add_argument("--function", nargs="+", choices=known, default=known, help="of calls and size")
    asked = parser.parse_args()
    unknown = [name for name in asked.sections if name not in sections]
    if unknown:
        parser.error(f"unknown section {unknown[0]}; choose among {', '.join(sections)}")
    warnings.simplefilter("ignore", SymdynWarning)
    print(f"{platform.machine()}, {_vectors()}; {HEADER}; load {os.getloadavg()[0]:.1f}")
    for name in asked.sections or sections:
        print(f"\n== {name}", flush=True)
        sections[name]([case for case in CASES if case[0] in asked.function])
    return 0


def calls(cases: Sequence[Case]) -> None:
    """A table of the functions: order 4, which was aimed at, order 6 beside it, and CasADi."""
    print("us per call of the faster layout; s: of the processor, to generate and to compile")
    for function, order in cases:
        ours = [_prepared(cone(magnus=4), function, order, layout) for layout in LAYOUTS]
        finer = [_prepared(cone(magnus=6), function, order, layout) for layout in LAYOUTS]
        rival, why = _rival(function, order)
        time_in_turn([*ours, *rival], ROUNDS)
        time_in_turn(finer, ROUNDS)
        best, best_finer = (min(own, key=lambda each: each.nanoseconds) for own in (ours, finer))
        key = (function, order)
        print(f"{function}, r = {order}" if order else function)
        print(f"    {_cell(ROD_MICROSECONDS.get(key), best.nanoseconds / 1e3, 'us')}; {_described(best)}")
        print(f"    {_cell(ROD_OPERATIONS.get(key), best.operations, 'operations')}")
        print(f"    order 6: {best_finer.nanoseconds / 1e3:.3g} us; {_described(best_finer)}")
        for each in rival:
            times = each.nanoseconds / best.nanoseconds
            print(f"    CasADi {_cell(ROD_RIVALS.get(key), times, 'times as long')}; {_described(each)}", flush=True)
        if not rival:
            print(f"    CasADi: {why}", flush=True)


def size(cases: Sequence[Case]) -> None:
    """Machine code without tables."""
    for function, order in cases:
        found = [_code_and_tables(cone(stations), function, order) for stations in STATIONS]
        cells = [
            f"{stations} stations: {_cell(ROD_KILOBYTES.get((function, order)), code / 1e3, 'kB')}, tables {rest} B"
            for stations, (code, rest) in zip(STATIONS, found, strict=True)
        ]
        print(f"{function}, r = {order}: {'; '.join(cells)}", flush=True)


def growth(cases: Sequence[Case]) -> None:
    """Inverse dynamics over stations and coordinates, forward dynamics over rods."""
    stations = (5, 10, 20, 40)
    made = [_prepared(cone(number), "inverse_dynamics", 0, "rolled") for number in stations]
    for each in made:
        time_in_turn([each], ROUNDS)
    for number, each in zip(stations, made, strict=True):
        print(f"{number} stations: {each.nanoseconds:.0f} ns, {each.operations} operations")
    steps = [number + 1 for number in stations]
    exponent = _slope(steps, [each.nanoseconds for each in made])
    print(f"inverse dynamics grows like stations^{_cell(ROD_GROWTH['stations'], exponent)}")

    few, many = (_prepared(straight_rod(functions, 12), "inverse_dynamics", 0, "rolled") for functions in (4, 10))
    per = (many.operations - few.operations) / (6 * 6 * 13 * 3)
    print(f"operations per coordinate, station and rate: {_cell(ROD_GROWTH['per coordinate'], per)}")

    rods = (1, 2, 4, 8, 16, 32, 64)
    chains = [_prepared(soft_chain(number), "forward_dynamics", 0, "rolled") for number in rods]
    for number, each in zip(rods, chains, strict=True):
        time_in_turn([each], ROUNDS)
        print(f"{number} rods: {each.nanoseconds / 1e3:.3g} us; {_described(each)}", flush=True)
    times = [each.nanoseconds for each in chains]
    first = rods.index(LONG)
    exponents = [_slope(rods[start:], times[start:]) for start in (0, first)]
    print(f"forward dynamics grows like rods^{_cell(ROD_GROWTH['rods'], exponents[0])}; ", end="")
    print(f"from {LONG} on like rods^{exponents[1]:.2f}")


def generation(cases: Sequence[Case]) -> None:
    """Processor seconds of fresh processes, Python's and the compilers'."""
    for (name, functions), target in ROD_GENERATION_S.items():
        own, compilers = _in_new_process(BUILD, [name, list(functions)])
        print(f"{name}, {', '.join(functions)}: {_cell(target, own + compilers, 's')}, of which Python {own:.1f} s")
    own, _ = _in_new_process(TRACE, [])
    print(f"136 points, inverse dynamics written: {_cell(ROD_TRACING_S, own, 's')}")


SPENT = """
usage = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
print(json.dumps([each.ru_utime + each.ru_stime for each in usage]))
"""
BUILD = f"""
import json, resource, sys, symdyn
name, functions = json.loads(sys.argv[1])
symdyn.compile(symdyn.load_example(name), functions)
{SPENT}"""
TRACE = f"""
import json, resource, sys
sys.path.insert(0, {str(Path(__file__).resolve().parent)!r})
from peers.soft_chain import soft_chain
from symdyn import pipeline
pipeline.sources(soft_chain(17, 7), ["inverse_dynamics"])
{SPENT}"""


def _in_new_process(program: str, wanted: Sequence[object]) -> tuple[float, float]:
    with tempfile.TemporaryDirectory() as made:
        environment = os.environ | {"SYMDYN_CACHE_DIR": made, "PYTHONWARNINGS": "ignore"}
        command = [sys.executable, "-c", program, json.dumps(wanted)]
        done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    own, compilers = json.loads(done.stdout)
    return own, compilers


def _options(order: int) -> RequestOptions:
    return {"order": order} if order else {}


def _states(robot: symdyn.Robot, function: str, order: int) -> Array:
    ((entry, request),) = requests(robot.model, [function], **_options(order))
    inputs = entry.signature(robot.model, request).inputs
    return np.random.default_rng(0).uniform(-0.3, 0.3, (STATES, sum(own.size for own in inputs)))


def _prepared(robot: symdyn.Robot, function: str, order: int, layout: str) -> Contender:
    def make() -> Code:
        return generated_code(pipeline.sources(robot, [function], layout=layout, **_options(order)), function)

    return prepare(layout, make, _states(robot, function, order))


def _rival(function: str, order: int) -> tuple[list[Contender], str]:
    """CasADi's C, or why there is none."""
    try:
        from peers.gvs_code import RIVALS, gvs_code
    except ImportError:
        return [], "missing; install the extra 'compare'"
    if function not in RIVALS:
        return [], "not written"
    if order > RIVAL_ORDER:
        return [], f"not measured beyond r = {RIVAL_ORDER}"
    try:
        states = _states(cone(), function, order)
        return [prepare("CasADi", partial(gvs_code, function, order), states)], ""
    except (PeerMissingError, InternalError) as failure:
        return [], f"missing; {str(failure)[:100]}"


def _code_and_tables(robot: symdyn.Robot, function: str, order: int) -> tuple[int, int]:
    with tempfile.TemporaryDirectory() as made:
        out = Path(made) / "out"
        symdyn.generate(robot, [function], out=out, layout="rolled", **_options(order))
        manifest = Manifest.from_json((out / FILE_NAME).read_text())
        objects, _ = compile_objects("gcc", [out / source for source in manifest.sources], OWN_FLAGS)
        listed = subprocess.run(["size", "-A", *map(str, objects)], check=True, capture_output=True, text=True).stdout
    sections = [line.split()[:2] for line in listed.splitlines() if line.startswith((".text", ".rodata"))]
    code = sum(int(count) for name, count in sections if name.startswith(".text"))
    return code, sum(int(count) for _, count in sections) - code


def _described(contender: Contender) -> str:
    return (
        f"{contender.name}, {contender.operations} operations, {contender.timed.text_bytes} bytes, "
        f"{contender.generation_s:.1f} + {contender.compile_s:.1f} s"
    )


def _cell(target: Target | None, value: float, unit: str = "") -> str:
    shown = f"{value:.3g}" if value < 1000 else f"{value:.0f}"
    found = shown if target is None else target.verdict(value)
    return f"{found} {unit}".rstrip()


def _slope(x: Sequence[float], y: Sequence[float]) -> float:
    return float(np.polyfit([math.log(value) for value in x], [math.log(value) for value in y], 1)[0])


def _vectors() -> str:
    text = Path("/proc/cpuinfo").read_text(encoding="utf-8") if Path("/proc/cpuinfo").exists() else ""
    return next((name for name in ("avx512f", "avx2", "asimd") if name in text), "no vectors known")


if __name__ == "__main__":
    raise SystemExit(main())
