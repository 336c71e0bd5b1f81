"""Arms that give, from rest to rest: what of a motion is left at its end, by feed-forward and by predictive control.

Usage: python benchmarks/rest_to_rest.py [elastic_arm | canadarm ...] [--no-rival]

A plan of implicit Euler steps is found by symdyn's solver, and by IPOPT from the same start. Its inputs then drive an
arm that is integrated by another method with short steps (sdirk2), as they are (feed-forward), or found anew at each
sample from the measured state (predictive control). So do torques of a rigid arm for a smooth motion. The arm is that
of the model, or its springs are a twentieth softer. What counts is how far the tip is from its goal at most: in the
quarter of the plan's time after its end, and in the last quarters before twice and three times that time.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from peers import ipopt_plan
from scipy.optimize import fsolve

import symdyn

Array = NDArray[np.float64]
Inputs = Callable[[float, Array, Array], Array]


@dataclass(frozen=True)
class Case:
    """A shipped arm, how it is driven, its goal and its plan."""

    actuators: tuple[str, ...]
    spring: str  # a line of its file, with the number that is made a tenth smaller
    stiffness: float
    tip: str
    goal: Array  # of the actuators' joints
    most: Array
    steps: int
    step: float
    path: tuple[float, float]  # weights of positions and velocities before the end
    substeps: int  # of the simulated arm, per step of a plan
    rigid: str = ""

    def robot(self, name: str, softer: float = 1.0) -> symdyn.Robot:
        """The arm, read from its file with actuators and another stiffness."""
        text = resources.files("symdyn.robot.shipped").joinpath(f"{name}.yaml").read_text(encoding="utf-8")
        assert self.spring in text
        text = text.replace(self.spring, self.spring.replace(self.number, repr(softer * self.stiffness)))
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / f"{name}.yaml"
            file.write_text(f"{text}\nactuators: [{', '.join(self.actuators)}]\n", encoding="utf-8")
            return symdyn.load(file)

    @property
    def number(self) -> str:
        """The stiffness as the file writes it."""
        return self.spring.split("value: ")[1].split(",")[0]


CASES = {
    "elastic_arm": Case(
        ("shoulder", "elbow"),
        "elbow_stiffness: {value: 6000.0,",
        6000.0,
        "tip",
        np.array([-0.8, 1.2]),
        np.array([120.0, 60.0]),
        steps=60,
        step=0.01,
        path=(10.0, 0.01),
        substeps=20,
    ),
    "canadarm": Case(
        ("joint_1", "joint_2", "joint_3"),
        "stiffness: {value: 1e5,",
        1e5,
        "link_3.tip",
        np.array([0.4, -0.3, 0.5]),
        np.full(3, 200.0),
        steps=100,
        step=0.1,
        path=(10.0, 1.0),
        substeps=50,
        rigid="canadarm_rigid",
    ),
}


def still(robot: symdyn.Robot, joints: Array, case: Case) -> tuple[Array, Array]:
    """Where all of the arm rests with its driven joints at given angles, and the inputs that hold it."""
    module = symdyn.compile(robot, ["implicit_residual"], inputs="actuators", lanes=False)
    driven = [robot.velocity_names.index(name) for name in case.actuators]
    free = [row for row in range(robot.nv) if row not in driven]
    rest = np.zeros(robot.nv)

    def left(z: Array) -> Array:
        q = np.zeros(robot.nv)
        q[driven], q[free] = joints, z[: len(free)]
        return np.asarray(module.implicit_residual(q, rest, rest, z[len(free) :]))

    found = fsolve(left, np.zeros(robot.nv), xtol=1e-10)
    q = np.zeros(robot.nv)
    q[driven], q[free] = joints, found[: len(free)]
    return q, found[len(free) :]


def problem(case: Case, goal: Array, hold: Array) -> symdyn.OptimalControlProblem:
    """The motion to the goal with small inputs."""
    return symdyn.OptimalControlProblem(
        costs=[
            symdyn.StateCost(
                q=goal.tolist(),
                v=0.0,
                weights=dict(zip("qv", case.path, strict=True)),
                end={"q": 1000.0, "v": 100.0},
                name="rest",
            ),
            symdyn.InputCost(reference=hold.tolist(), weight=1e-5),
        ],
        limits=symdyn.Limits(effort={"lower": (-case.most).tolist(), "upper": case.most.tolist()}),
        horizon=symdyn.Horizon(case.steps, case.step, method="implicit_euler"),
        inputs="actuators",
    )


def driven(robot: symdyn.Robot, case: Case, start: Array, goal: Array, inputs: Inputs) -> list[float]:
    """How far the tip is from its goal at most, soon after the motion and later [mm]."""
    asked = {"inputs": "actuators", "frames": [case.tip], "lanes": False}
    module = symdyn.compile(robot, ["forward_kinematics"], rollout="sdirk2", **asked)
    place, q, v = module.forward_kinematics(goal)[0, :3, 3], start, np.zeros(robot.nv)
    off = []
    for sample in range(3 * case.steps):
        u = np.tile(inputs(sample * case.step, q, v), (case.substeps, 1))
        motion = module.rollout(q, v, u, h=case.step / case.substeps)
        assert motion.code == 0, motion.code
        q, v = motion.q[-1], motion.v[-1]
        off.append(np.linalg.norm(module.forward_kinematics(motion.q[1:])[:, 0, :3, 3] - place, axis=1).max())
    quarter = case.steps // 4
    return [1e3 * max(off[end - quarter : end]) for end in (5 * quarter, 8 * quarter, 12 * quarter)]


def report(name: str, rival: bool) -> None:
    """Print plans and motions of an arm."""
    case = CASES[name]
    robot = case.robot(name)
    start, first = still(robot, np.zeros(len(case.goal)), case)
    goal, hold = still(robot, case.goal, case)
    robot = robot.with_control(problem(case, goal, hold))
    module = symdyn.compile(robot, ["forward_kinematics"], solvers=["mpc"], lanes=False)
    rest, mpc, spent = np.zeros(robot.nv), module.mpc, []
    for _ in range(3):
        mpc.start(start, rest, first)
        begun = time.thread_time()
        _, found = mpc.solve(start, rest, iterations=100)
        spent.append(time.thread_time() - begun)
    plan = mpc.plan()[1].copy()
    line = f"{found.code.name}, cost {found.cost:.9g}, {found.iterations} iterations, {1e3 * min(spent):.1f} ms"
    print(f"{name}, {robot.nv} velocities, {case.steps} steps of {case.step} s\n  symdyn: {line}", flush=True)
    if rival:
        own = ipopt_plan.plan(robot, start, first, np.zeros(0), (-case.most, case.most), case.steps, case.step)
        apart = np.abs(own.inputs - plan).max() / case.most.max()
        line = f"{own.status}, cost {own.cost:.9g}, {own.iterations} iterations, {1e3 * own.seconds:.0f} ms"
        print(f"  IPOPT: {line}; inputs differ by {apart:.1e} of the largest", flush=True)

    def planned(t: float, q: Array, v: Array) -> Array:
        at = round(t / case.step)
        return plan[at] if at < case.steps else hold

    for softer in (1.0, 0.95):
        plant = case.robot(name, softer)
        begun = still(plant, np.zeros(len(case.goal)), case)[0]
        wanted = still(plant, case.goal, case)[0]
        rows: list[tuple[str, Inputs]] = [("feed-forward", planned)]
        if case.rigid:
            rows.insert(0, ("rigid arm's torques", rigid(case)))
        controller = mpc.controller(u=first)
        shares: list[float] = []

        def timed(t: float, q: Array, v: Array, controller: Any = controller, shares: list[float] = shares) -> Array:
            before = time.thread_time()
            u = controller(t, q, v)
            shares.append(time.thread_time() - before)
            return np.asarray(u)

        for label, inputs in (*rows, ("predictive", timed)):
            soon, late, last = driven(plant, case, begun, wanted, inputs)
            line = f"tip at most {soon:8.3f} mm from its goal soon, {late:8.3f} mm later, {last:8.3f} mm last"
            print(f"  stiffness {softer:.2f}: {label:20} {line}", flush=True)
        codes = sorted({own.code.name for own in controller.reports})
        print(f"    a sample takes {1e6 * np.median(shares[1:]):.0f} us (median), codes {codes}", flush=True)


def rigid(case: Case) -> Inputs:
    """Torques of the rigid arm for a polynomial of fifth degree from rest to rest."""
    module = symdyn.compile(symdyn.load_example(case.rigid), ["inverse_dynamics"])
    end = case.steps * case.step

    def inputs(t: float, q: Array, v: Array) -> Array:
        s = min(t / end, 1.0)
        share = 10 * s**3 - 15 * s**4 + 6 * s**5, 30 * s**2 - 60 * s**3 + 30 * s**4, 60 * s - 180 * s**2 + 120 * s**3
        motion = [own * case.goal / end**order for order, own in enumerate(share)]
        return np.asarray(module.inverse_dynamics(*motion))

    return inputs


def main() -> None:
    """Print what is asked."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("arms", nargs="*", metavar="ARM", help=f"of {', '.join(CASES)}; all by default")
    parser.add_argument("--no-rival", action="store_true", help="leave IPOPT out")
    said = parser.parse_args()
    for name in said.arms or CASES:
        report(name, not said.no_rival)


if __name__ == "__main__":
    main()
