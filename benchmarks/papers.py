"""Ten seconds of the soft systems of Mathew et al., beside what their paper took.

    python benchmarks/papers.py [--seconds 10] [robot ...]

Motions are those of `examples/papers`. For each robot are printed: the time of the method that the script names, at the
paper's tolerances (1e-3 relative, 1e-6 absolute) and at 1e-6; by how much two methods differ at tolerances of 1e-8, as
|x - y| / |(x + y) / 2| of the states, at its largest over the first second; Newmark's method, which is
generalised-alpha with rho = 1, and that with rho = 0.8, from Python at the paper's step; and, where the C stepper of
generalised-alpha takes the robot, its time at that step, with inputs held at their first values. Times are thread CPU
time of the integration alone, after compiling; the paper's are of MATLAB on another computer.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

import symdyn
from symdyn.errors import SolverError, SymdynWarning
from symdyn.simulation.generalised_alpha import generalised_alpha
from symdyn.simulation.given import given_inputs
from symdyn.simulation.robot_system import RobotSystem

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "examples" / "papers"))

SYSTEMS = {
    "cable_manipulator": 2e-3,
    "serial_robot": 1e-3,
    "parallel_robot": 1e-2,
    "fin_ray_finger": 1e-2,
    "cylinder_contact": 2e-3,
    "underwater_vehicle": 1e-2,
}
"""Scripts, and the steps of the paper's Newmark method [s]."""
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
    held = {name: lambda t, motion=motion: motion(t)[0] for name, motion in settings.get("prescribed", {}).items()}
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
    """What the C stepper takes."""
    settings = scenario.settings
    if "prescribed" in settings:
        return "takes no prescribed joints"
    robot, drive = scenario.robot, settings.get("drive", "forces")
    module = symdyn.compile(robot, ["implicit_residual"], steppers=["generalised-alpha"], inputs=drive, lanes=False)
    q = robot.close(robot.neutral()) if robot.constraints else np.asarray(settings.get("q", robot.neutral()))
    inputs = settings.get("inputs")
    width = len(robot.model.actuator_inputs) if drive == "actuators" else robot.nv
    given = np.zeros(width) if inputs is None else np.asarray(inputs(0.0, q, q) if callable(inputs) else inputs, float)
    held = [given, settings["p"](0.0)] if "p" in settings else [given]
    times = np.arange(0.0, seconds + 0.5 * step, step)
    begin = time.thread_time()
    found = module.advance_generalised_alpha(q, np.zeros(robot.nv), *held, times=times, h=step)
    spent = time.thread_time() - begin
    return f"{spent:.3f} s, {1e6 * spent / max(1, found.steps):.0f} us per step, {found.code.name}"


def tell(name: str, seconds: float) -> None:
    """Print the figures of one system."""
    scenario = __import__(name).scenario()
    print(f"{name} ({scenario.robot.nv} coordinates), {seconds:g} s; the paper: {scenario.paper}", flush=True)
    for label, settings in (("the paper's tolerances", PAPER), ("1e-6", {"rtol": 1e-6, "atol": 1e-9})):
        spent, motion = timed(scenario, seconds=seconds, **settings)
        print(f"  {motion.method}, {label}: {spent:.3f} s, {motion.counters['steps']} steps", flush=True)
    tight: dict[str, Any] = {"rtol": 1e-8, "atol": 1e-10, "seconds": min(1.0, seconds)}
    other = OTHERS[scenario.method]
    first, second = (scenario.simulate(method=method, **tight) for method in (other, OTHERS[other]))
    print(f"  {other} and {OTHERS[other]} at 1e-8 differ by {difference(first, second):.1e}", flush=True)
    for rho in (1.0, 0.8):
        said = alpha(scenario, SYSTEMS[name], seconds, rho)
        print(f"  generalised-alpha, rho = {rho:g}, at {1e3 * SYSTEMS[name]:g} ms: {said}", flush=True)
    print(f"  C stepper at {1e3 * SYSTEMS[name]:g} ms: {stepped(scenario, SYSTEMS[name], seconds)}", flush=True)


if __name__ == "__main__":
    warnings.simplefilter("ignore", SymdynWarning)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("systems", nargs="*", default=list(SYSTEMS))
    asked = parser.parse_args()
    for system in asked.systems:
        if system not in SYSTEMS:
            parser.error(f"{system} is none of {', '.join(SYSTEMS)}")
        try:
            tell(system, asked.seconds)
        except SolverError as failure:
            print(f"  {failure}")
