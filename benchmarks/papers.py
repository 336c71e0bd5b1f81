"""Ten seconds of the systems of the papers, those of Mathew et al. beside what their paper took.

    python benchmarks/papers.py [--seconds 10] [--csv docs/figures/gallery_times.csv] [robot ...]

Motions are those of `examples/papers`. For each robot of Mathew et al. are printed: the time of the method that the
script names, at the paper's tolerances (1e-3 relative, 1e-6 absolute) and at 1e-6; by how much two methods differ at
tolerances of 1e-8, as |x - y| / |(x + y) / 2| of the states, at its largest over the first second; Newmark's method,
which is generalised-alpha with rho = 1, and that with rho = 0.8, from Python at the paper's step; and, where the C
stepper of generalised-alpha takes the robot, its time at that step, calls from Python included. Of the others, whose
papers tell no times, only the time of the script's own method and tolerances is printed. Times are
thread CPU time of the integration alone, after compiling; the paper's are of MATLAB on another computer. With --csv
the figures are kept as rows, which `docs/figures/gallery.py` writes into the page.
"""

from __future__ import annotations

import argparse
import csv
import ctypes
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

import symdyn
from symdyn.analysis.simulation.generalised_alpha import generalised_alpha
from symdyn.analysis.simulation.given import given_inputs
from symdyn.analysis.simulation.robot_system import RobotSystem
from symdyn.errors import SolverError, SymdynWarning
from symdyn.toolchain.steppers import StepCode, Stepper

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "examples" / "papers"))

SYSTEMS = {
    "cable_manipulator": 2e-3,
    "serial_robot": 1e-3,
    "parallel_robot": 1e-2,
    "fin_ray_finger": 1e-2,
    "cylinder_contact": 2e-3,
    "underwater_vehicle": 1e-2,
    "variable_radius_arm": None,
    "gaussian_tentacle": None,
    "five_bar": None,
    "aerial_manipulator": None,
    "canadarm": None,
}
"""Scripts, and the steps of the paper's Newmark method [s]; None where a paper tells no times."""
FIELDS = ("system", "coordinates", "seconds", "method", "loose_s", "own_s", "differ", "step_s", "stepper", "paper")
"""Columns of --csv; a figure that was not found stays empty."""
PAPER = {"rtol": 1e-3, "atol": 1e-6}
OTHERS = {"cvode": "radau", "radau": "bdf", "bdf": "radau", "generalised-alpha": "radau"}
"""A second method beside each."""


def timed(scenario: Any, **settings: Any) -> tuple[float, Any]:
    """Seconds of the integration, and the motion, after one run that compiles."""
    scenario.simulate(**{**settings, "seconds": 0.01})
    begin = time.thread_time()
    motion = scenario.simulate(**settings)
    spent = time.thread_time() - begin
    return min(spent, motion.timings["integrate"]), motion


def difference(first: Any, second: Any) -> float:
    """The largest difference of two motions' states, relative to their mean (Mathew et al., eq. (37))."""
    x, y = (np.hstack([motion.q, motion.v]) for motion in (first, second))
    sizes = np.linalg.norm(0.5 * (x + y), axis=1)
    return float(np.max(np.linalg.norm(x - y, axis=1) / np.maximum(sizes, 1e-12)))


def alpha(scenario: Any, step: float, seconds: float, rho: float) -> str:
    """What generalised-alpha takes from Python, at a fixed step."""
    settings, robot = scenario.settings, scenario.robot
    drive = settings.get("drive", "forces")
    inputs, _ = given_inputs(robot, settings.get("inputs"), drive, "zero", 0.0, seconds)
    held = settings.get("prescribed", {})
    driven = drive == "actuators"
    parts = (inputs, None) if driven else (None, inputs)
    system = RobotSystem(robot, *parts, held, settings.get("p"))
    q = settings.get("q", robot.close(robot.neutral()) if robot.constraints else robot.neutral())
    begin = time.thread_time()
    try:
        counters = generalised_alpha(system, [0.0, seconds], q, np.zeros(robot.nv), step=step, rho=rho).counters
    except SolverError as failure:
        return str(failure)
    spent = time.thread_time() - begin
    return f"{spent:.3f} s, {counters.residuals} residuals, {counters.tangents} tangents"


def stepped(scenario: Any, step: float, seconds: float) -> str:
    """What the C stepper takes, with inputs and prescribed joints as they are at the end of each step."""
    settings, robot = scenario.settings, scenario.robot
    drive, driven = settings.get("drive", "forces"), settings.get("prescribed", {})
    asked: dict[str, Any] = {"inputs": drive, "prescribed": list(driven)} if driven else {"inputs": drive}
    names = ["implicit_residual"]
    module = symdyn.compile(robot, names, steppers=["generalised-alpha"], lanes=False, **asked)
    stepper = Stepper(ctypes.CDLL(str(module.path)), module.manifest.steppers[0], module.manifest)
    law, _ = given_inputs(robot, settings.get("inputs"), drive, "zero", 0.0, seconds)
    q = robot.close(robot.neutral()) if robot.constraints else np.array(settings.get("q", robot.neutral()), float)
    v = np.zeros(robot.nv)

    def held(t: float) -> list[np.ndarray]:
        motions = np.array([motion(t) for motion in driven.values()]).T
        laws = [law(t, q, v), *([settings["p"](t)] if "p" in settings else []), *([motions] if driven else [])]
        return [np.ascontiguousarray(own, dtype=np.float64).ravel() for own in laws]

    places, given, work = [own.ctypes.data for own in (q, v)], held(0.0), stepper.work()
    inputs = [*places, *(own.ctypes.data for own in given)]
    code, spent, count = stepper.start(*inputs, work.ctypes.data), 0, round(seconds / step)
    for number in range(1, count + 1):
        for own, now in zip(given, held(number * step), strict=True):
            own[:] = now
        begin = time.thread_time_ns()
        code = stepper.step(*inputs, step, *places, work.ctypes.data)
        spent += time.thread_time_ns() - begin
        if code:
            break
    return f"{1e-9 * spent:.3f} s, {1e-3 * spent / number:.0f} us per step, {StepCode(code).name}"


def tell(name: str, seconds: float, row: dict[str, Any]) -> None:
    """Print the figures of one system, and put them into a row as they come."""
    scenario, step = __import__(name).scenario(), SYSTEMS[name]
    row |= {"coordinates": scenario.robot.nv, "seconds": seconds, "method": scenario.method, "paper": scenario.paper}
    print(f"{name} ({scenario.robot.nv} coordinates), {seconds:g} s; the paper: {scenario.paper}", flush=True)
    if step is None:
        spent, motion = timed(scenario, seconds=seconds)
        row |= {"method": motion.method, "own_s": f"{spent:.3f}"}
        print(f"  {motion.method}: {spent:.3f} s, {motion.counters['steps']} steps", flush=True)
        return
    tolerances = ((PAPER, "loose_s", "the paper's tolerances"), ({"rtol": 1e-6, "atol": 1e-9}, "own_s", "1e-6"))
    for settings, field, label in tolerances:
        spent, motion = timed(scenario, seconds=seconds, **settings)
        row |= {"method": motion.method, field: f"{spent:.3f}"}
        print(f"  {motion.method}, {label}: {spent:.3f} s, {motion.counters['steps']} steps", flush=True)
    tight: dict[str, Any] = {"rtol": 1e-8, "atol": 1e-10, "seconds": min(1.0, seconds)}
    other = OTHERS[motion.method]
    first, second = (scenario.simulate(method=method, **tight) for method in (other, OTHERS[other]))
    row["differ"] = f"{difference(first, second):.1e}"
    print(f"  {other} and {OTHERS[other]} at 1e-8 differ by {row['differ']}", flush=True)
    for rho in (1.0, 0.8):
        said = alpha(scenario, step, seconds, rho)
        print(f"  generalised-alpha, rho = {rho:g}, at {1e3 * step:g} ms: {said}", flush=True)
    row |= {"step_s": step, "stepper": stepped(scenario, step, seconds)}
    print(f"  C stepper at {1e3 * step:g} ms: {row['stepper']}", flush=True)


def keep(path: Path, row: dict[str, Any]) -> None:
    """Put a row into a file in place of that of the same system."""
    kept: dict[str, dict[str, Any]] = {}
    if path.exists():
        with path.open(newline="", encoding="utf-8") as file:
            kept = {own["system"]: own for own in csv.DictReader(file)}
    kept[row["system"]] = row
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.DictWriter(file, FIELDS, lineterminator="\n")
        table.writeheader()
        table.writerows(kept[name] for name in SYSTEMS if name in kept)


if __name__ == "__main__":
    warnings.simplefilter("ignore", SymdynWarning)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--csv", type=Path, help="a file for the figures")
    parser.add_argument("systems", nargs="*", default=list(SYSTEMS))
    asked = parser.parse_args()
    for system in asked.systems:
        if system not in SYSTEMS:
            parser.error(f"{system} is none of {', '.join(SYSTEMS)}")
        figures: dict[str, Any] = {"system": system}
        try:
            tell(system, asked.seconds, figures)
        except SolverError as failure:
            print(f"  {failure}")
        if asked.csv:
            keep(asked.csv, figures)
