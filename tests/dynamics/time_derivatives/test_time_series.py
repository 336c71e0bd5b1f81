"""The recursion run on truncated series: time derivatives of tau along trajectories that are known in closed form."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import casadi
import numpy as np
import pytest
from mpmath import mp
from support.coordinate_series import trajectory_series
from support.robots.small import loaded
from support.robots.table import TREES

from symdyn.algebra.scalars.casadi_sx import CasadiAlgebra
from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.algebra.scalars.mpmath_real import MpmathAlgebra
from symdyn.algebra.scalars.taylor import Series
from symdyn.algebra.scalars.taylor_algebra import TaylorAlgebra
from symdyn.dynamics.inverse_dynamics.rnea import inverse_dynamics_plan
from symdyn.model.joints import FREE, JOINTS, PLANAR, ROTOR, SPHERICAL, JointModel
from symdyn.model.joints.scalar_first import FREE_MUJOCO, SPHERICAL_MUJOCO
from symdyn.plan.run import run_plan
from symdyn.robot.robot import Robot

ORDER, DIGITS, STEP = 4, 50, "1e-3"
NODES = range(-5, 6)
Values = Sequence[Any]


def polynomial(row: Sequence[float], t: Any) -> Any:
    return mp.polyval([mp.mpf(c) for c in reversed(row)], t)


def slope(row: Sequence[float], t: Any) -> Any:
    return polynomial([k * c for k, c in enumerate(row)][1:], t)


def cross(a: Values, b: Values) -> list[Any]:
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def product(a: Values, b: Values) -> list[Any]:
    vector = [a[3] * y + b[3] * x + c for x, y, c in zip(a[:3], b[:3], cross(a[:3], b[:3]), strict=True)]
    return [*vector, a[3] * b[3] - sum(x * y for x, y in zip(a[:3], b[:3], strict=True))]


def rotated(q: Values, x: Values) -> list[Any]:
    return product(product(q, [*x, 0]), [-q[0], -q[1], -q[2], q[3]])[:3]


def conjugate(q: Values) -> list[Any]:
    return [-q[0], -q[1], -q[2], q[3]]


@dataclass(frozen=True)
class Path:
    """A joint's motion by polynomials in t; a rotation is two turns about fixed axes, one after the other."""

    kind: JointModel
    rows: list[list[float]]
    axes: list[list[float]]
    turns: list[list[float]]

    def turning(self, t: Any) -> tuple[list[Any], list[Any]]:
        """Quaternion and angular velocity in body axes."""
        quaternion, omega = [mp.mpf(0), mp.mpf(0), mp.mpf(0), mp.mpf(1)], [mp.mpf(0)] * 3
        for axis, turn in zip(self.axes, self.turns, strict=True):
            length = mp.norm(axis)
            unit = [mp.mpf(x) / length for x in axis]
            half = polynomial(turn, t) / 2
            step = [*(x * mp.sin(half) for x in unit), mp.cos(half)]
            carried = rotated(conjugate(step), omega)
            omega = [x + slope(turn, t) * y for x, y in zip(carried, unit, strict=True)]
            quaternion = product(quaternion, step)
        return quaternion, omega

    def at(self, t: Any) -> tuple[list[Any], list[Any]]:
        """Rows of q and of v."""
        place, speed = [polynomial(row, t) for row in self.rows], [slope(row, t) for row in self.rows]
        if self.kind == PLANAR:
            sine, cosine = mp.sin(place[2]), mp.cos(place[2])
            return place, [cosine * speed[0] + sine * speed[1], cosine * speed[1] - sine * speed[0], speed[2]]
        if not self.kind.quaternion:
            return place, speed
        quaternion, omega = self.turning(t)
        if self.kind == SPHERICAL:
            return quaternion, omega
        if self.kind == FREE:
            return [*place, *quaternion], [*rotated(conjugate(quaternion), speed), *omega]
        omega = rotated(quaternion, omega)
        carried = cross(omega, place)
        return [*place, *quaternion], [*omega, *(x - y for x, y in zip(speed, carried, strict=True))]


def path(kind: JointModel, rng: random.Random) -> Path:
    def rows(count: int) -> list[list[float]]:
        return [[rng.uniform(-1.0, 1.0) for _ in range(6)] for _ in range(count)]

    size = len(kind.coordinates.q)
    return Path(kind, rows(size % 4), [[rng.gauss(0.0, 1.0) for _ in range(3)] for _ in range(2)], rows(2))


class Motion:
    """Every joint's path, and external wrenches that are polynomials."""

    def __init__(self, robot: Robot, seed: int) -> None:
        rng = random.Random(seed)
        self.paths = [path(joint.kind, rng) for joint in robot.model.independent_joints]
        self.wrenches = [[rng.gauss(0.0, 3.0) for _ in range(3)] for _ in range(6 * len(robot.body_names))]

    def state(self, t: Any) -> tuple[list[Any], list[Any]]:
        pairs = [own.at(t) for own in self.paths]
        return [x for q, _ in pairs for x in q], [x for _, v in pairs for x in v]

    def acceleration(self, t: Any) -> list[Any]:
        step = mp.mpf("1e-14")
        ahead, behind = self.state(t + step)[1], self.state(t - step)[1]
        return [(x - y) / (2 * step) for x, y in zip(ahead, behind, strict=True)]


def derivatives(samples: Sequence[Values], highest: int) -> list[list[Any]]:
    """Values and derivatives at 0 of what has these samples at NODES * STEP, by the interpolating polynomial."""
    places = [node * mp.mpf(STEP) for node in NODES]
    inverse = mp.matrix([[place**k for k in range(len(places))] for place in places]) ** -1
    columns = list(zip(*samples, strict=True))
    return [[mp.factorial(k) * mp.fdot(inverse[k, :].T, column) for column in columns] for k in range(highest + 1)]


def truth(robot: Robot, motion: Motion, external: str, p: Values) -> tuple[list[Any], list[list[Any]], list[list[Any]]]:
    """q at 0; v, v', .. v^(ORDER+1); tau, tau', .. tau^(ORDER)."""
    plan, algebra = inverse_dynamics_plan(robot.model, external), MpmathAlgebra(DIGITS)
    velocities, forces = [], []
    for node in NODES:
        t = node * mp.mpf(STEP)
        q, v = motion.state(t)
        inputs = {"q": q, "v": v, "a": motion.acceleration(t), "p": p}
        inputs["f_ext"] = [polynomial(row, t) for row in motion.wrenches]
        needed = {name: inputs[name] for name in (field.name for field in plan.fields) if name in inputs}
        velocities.append(v)
        forces.append(run_plan(plan, algebra, needed)["tau"])
    return motion.state(mp.mpf(0))[0], derivatives(velocities, ORDER + 1), derivatives(forces, ORDER)


def on_series(
    robot: Robot, algebra: TaylorAlgebra, q: Values, speeds: Sequence[Values], external: str, **more: Any
) -> Any:
    """tau and its derivatives, (order + 1, nv), by the recursion run on series."""
    series = dict(zip("qva", trajectory_series(robot.model, algebra, q, speeds), strict=True))
    found = run_plan(inverse_dynamics_plan(robot.model, external), algebra, {**series, **more})["tau"]
    return list(zip(*(algebra.derivatives(row) for row in found), strict=True))


ROBOTS = {
    "every kind": TREES["all kinds"],
    "every kind, spatial": TREES["all kinds, spatial"],
    "losses": TREES["all kinds with losses"],
    "mimic": TREES["mimic joints"],
    "drives": TREES["drives"],
}


def robot_of(name: str) -> Robot:
    return loaded(ROBOTS[name].described(), **ROBOTS[name].options)


@pytest.mark.parametrize("external", ["", "body", "world"])
@pytest.mark.parametrize("name", ROBOTS)
def test_derivatives_along_a_trajectory(name: str, external: str) -> None:
    robot = robot_of(name)
    motion = Motion(robot, 5)
    with mp.workdps(DIGITS):
        q, speeds, forces = truth(robot, motion, external, [])
        more = {"f_ext": [Series([*row, *[0.0] * (ORDER - 2)]) for row in motion.wrenches]} if external else {}
        algebra = TaylorAlgebra(FloatAlgebra(), ORDER)
        rows = [[float(x) for x in row] for row in speeds]
        found = np.array(on_series(robot, algebra, [float(x) for x in q], rows, external, **more))
        true = np.array([[float(x) for x in row] for row in forces])
    for own, expected in zip(found, true, strict=True):
        assert np.linalg.norm(own - expected) <= 1e-12 * max(1.0, float(np.linalg.norm(expected)))


def test_the_robots_have_what_their_names_say() -> None:
    joints = {name: [body.joint for body in robot_of(name).model.bodies] for name in ROBOTS}
    assert any(joint.leaders for joint in joints["mimic"])
    assert any(joint.kind == ROTOR for joint in joints["drives"])
    assert any(joint.losses.velocity_scale > 0.0 < joint.losses.friction for joint in joints["losses"] if joint.losses)
    every = {joint.kind.moving for name in ROBOTS for joint in joints[name]}
    assert every == set(JOINTS) - {FREE_MUJOCO, SPHERICAL_MUJOCO}  # tests/model/test_mujoco_convention.py has these


@pytest.mark.parametrize("name", ["every kind", "every kind, spatial", "losses"])
def test_the_value_is_that_of_the_float_recursion(name: str) -> None:
    robot = robot_of(name)
    rng = np.random.default_rng(2)
    q, _ = robot.random_state(rng)
    speeds = [[float(x) for x in row] for row in rng.standard_normal((ORDER + 2, robot.nv))]
    at = [float(x) for x in q]
    plain = run_plan(inverse_dynamics_plan(robot.model), FloatAlgebra(), {"q": at, "v": speeds[0], "a": speeds[1]})
    found = on_series(robot, TaylorAlgebra(FloatAlgebra(), ORDER), at, speeds, "")
    assert found[0] == pytest.approx(plain["tau"], rel=1e-13, abs=1e-13)


def test_runtime_parameters_are_constant_in_time() -> None:
    count = len(ROBOTS["every kind"].kinds)
    description = replace(ROBOTS["every kind"], parents=range(count), floating=False).described()
    link = next(link.name for link in reversed(description.links) if link.inertial is not None)
    names = [f"{link}.mass", f"{link}.com.y", f"{description.joints[-1].name}.translation.x"]
    robot, baked = loaded(description, runtime=names), loaded(description)
    rng = np.random.default_rng(2)
    at = [float(x) for x in robot.random_state(rng)[0]]
    speeds = [[float(x) for x in row] for row in rng.standard_normal((ORDER + 2, robot.nv))]
    algebra = TaylorAlgebra(FloatAlgebra(), ORDER)
    found = on_series(robot, algebra, at, speeds, "", p=[float(x) for x in robot.runtime_defaults])
    assert np.array(found) == pytest.approx(np.array(on_series(baked, algebra, at, speeds, "")), rel=1e-10, abs=1e-10)


def symbolic(robot: Robot, order: int) -> tuple[casadi.Function, int]:
    """Derivatives of tau as a function of q and the rows of speeds, and how many instructions it has."""
    inner = CasadiAlgebra()
    q, speeds = inner.symbols("q", robot.nq), [inner.symbols(f"v{k}", robot.nv) for k in range(order + 2)]
    rows = on_series(robot, TaylorAlgebra(inner, order), q, speeds, "")
    return counted(inner, [q, *speeds], [entry for row in rows for entry in row])


def counted(inner: CasadiAlgebra, inputs: Sequence[Values], outputs: Values) -> tuple[casadi.Function, int]:
    expression = casadi.cse(casadi.vertcat(*(casadi.SX(x) for x in outputs)))
    function = casadi.Function("series", [casadi.vertcat(*column) for column in inputs], [expression])
    free = (casadi.OP_INPUT, casadi.OP_OUTPUT, casadi.OP_CONST)
    return function, sum(function.instruction_id(index) not in free for index in range(function.n_instructions()))


@pytest.mark.parametrize("name", ["every kind", "every kind, spatial", "mimic"])
def test_symbols_give_the_floats(name: str) -> None:
    robot, order = robot_of(name), 2
    function, _ = symbolic(robot, order)
    rng = np.random.default_rng(3)
    at = [float(x) for x in robot.random_state(rng)[0]]
    speeds = [[float(x) for x in row] for row in rng.standard_normal((order + 2, robot.nv))]
    found = np.array(function(at, *speeds)).reshape(order + 1, robot.nv)
    expected = np.array(on_series(robot, TaylorAlgebra(FloatAlgebra(), order), at, speeds, ""))
    assert found == pytest.approx(expected, rel=1e-11, abs=1e-11)


def test_order_zero_costs_what_the_recursion_costs() -> None:
    robot, inner = robot_of("every kind"), CasadiAlgebra()
    inputs = [inner.symbols(name, size) for name, size in (("q", robot.nq), ("v", robot.nv), ("a", robot.nv))]
    plan = inverse_dynamics_plan(robot.model)
    _, plain = counted(inner, inputs, run_plan(plan, inner, dict(zip("qva", inputs, strict=True)))["tau"])
    _, series = symbolic(robot, 0)
    assert series == plain


def test_the_cost_grows_like_the_square_of_the_order() -> None:
    robot = robot_of("mimic")
    counts = [symbolic(robot, order)[1] for order in (0, 1, 2, 4)]
    for order, count in zip((1, 2, 4), counts[1:], strict=True):
        assert count <= counts[0] * (order + 1) ** 2
