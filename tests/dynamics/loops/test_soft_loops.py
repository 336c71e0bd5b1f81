"""Soft links in robots with loops: a dense solution, closed forms, the oracle, and what undoes each other."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass, replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from support.looped_checks import verified
from support.robots.flexible import beam
from support.robots.looped import with_loops
from support.robots.mapped_bodies import mixed
from support.robots.sections import breathing, carried, hose
from support.robots.soft_looped import LENGTH, RADIUS, YOUNG, bent_rod, parallel_rods
from support.robots.soft_trees import soft_tree
from support.soft_calls import call

from symdyn import api
from symdyn.description.external_loads import Site
from symdyn.description.flexible import Direction
from symdyn.description.loops import Loop, LoopKind
from symdyn.description.robot import Inertial, Joint, JointKind, Link, RobotDescription
from symdyn.description.soft import Strain
from symdyn.dynamics.tree.rod_steps import RodVariant
from symdyn.functions.catalogue import requests
from symdyn.robot.robot import Robot

pytestmark = pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")
FORWARD, HYBRID = "constrained_forward_dynamics", "constrained_hybrid_dynamics"
INVERSE = "constrained_inverse_dynamics"


def _in_section() -> RobotDescription:
    return bent_rod(0.17, {Strain.TWIST: 1, Strain.CURVATURE_Y: 2, Strain.CURVATURE_Z: 1, Strain.STRETCH: 1})


def _tree() -> RobotDescription:
    described = soft_tree()
    return replace(described, acting=with_loops(described, 1, (LoopKind.SPHERICAL, LoopKind.DISTANCE)))


def _many() -> RobotDescription:
    """A rod and a beam with more rows than one kernel eliminates, both held to the world."""
    boom = beam(0.6, 0.7, 60.0, ((Direction.BEND_Y, 7), (Direction.BEND_Z, 7)))
    counts = {Strain.TWIST: 4, Strain.CURVATURE_Y: 4, Strain.CURVATURE_Z: 4, Strain.STRETCH: 1}
    made = bent_rod(strains=counts, stations=6)
    ends = (Site("boom", point=(0.6, 0.0, 0.0)), Site(point=(0.5, 0.4, 0.1)))
    pin = Loop("end", ends, LoopKind.POINT_ON_PLANE, close=True)
    return replace(
        made,
        links=(*made.links, Link("boom", Inertial(0.1, (1e-3, 0.0, 0.0, 1e-3, 0.0, 1e-3)), flexible=boom)),
        joints=(*made.joints, Joint("turn", JointKind.REVOLUTE, "ground", "boom", axis=(0.0, 0.0, 1.0))),
        acting=(*made.acting, pin),
    )


def _mixed() -> RobotDescription:
    described = mixed()
    return replace(described, acting=with_loops(described, 5, (LoopKind.SPHERICAL, LoopKind.DISTANCE)))


def _bulging() -> RobotDescription:
    described = carried(breathing(), hose())
    return replace(described, acting=with_loops(described, 5, (LoopKind.SPHERICAL, LoopKind.DISTANCE)))


MADE: dict[str, Callable[[], RobotDescription]] = {
    "parallel": parallel_rods,
    "bent": bent_rod,
    "section": _in_section,
    "tree": _tree,
    "many": _many,
    "mixed": _mixed,
    "bulging": _bulging,
}
NAMES = ["parallel", "section", *(pytest.param(name, marks=pytest.mark.slow) for name in ("tree", "bulging", "many"))]


@cache
def robot(name: str) -> Robot:
    return api.from_description(MADE[name](), joint_losses=True, gravity=(0.3, -1.0, -9.0))


def closed(own: Robot, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """A closed position, and velocities that keep it so."""
    rng = np.random.default_rng(seed)
    q, _ = own.random_state(rng)
    q = own.close(q if own.nq > own.nv else 0.3 * q)
    return q, own.project(q, 0.3 * rng.standard_normal(own.nv))[1]


def missed(found: np.ndarray, *terms: np.ndarray) -> float:
    """A residual, relative to the largest of its terms."""
    return float(abs(found).max() / max(abs(term).max() for term in terms))


@pytest.mark.parametrize("name", NAMES)
def test_a_dense_system_is_solved(name: str) -> None:
    """The mass matrix, inverse dynamics and slopes, each a function of its own, put together with NumPy."""
    own, T = robot(name), 0.3
    nv, rng = own.nv, np.random.default_rng(3)
    q, _ = own.random_state(rng)
    v, u = rng.standard_normal((2, nv))
    M = call(own, "mass_matrix", q=q)[0].reshape(nv, nv)
    A = call(own, "constraint_jacobian", q=q)[0].reshape(-1, nv)
    b = call(own, "inverse_dynamics", q=q, v=v, a=np.zeros(nv))[0]
    bias = call(own, "constraint_bias", q=q, v=v)[0]
    error = call(own, "constraint_error", q=q)[0]
    a, multipliers = call(own, FORWARD, q=q, v=v, tau=u, stabilisation=T)
    assert missed(M @ a + b - u - A.T @ multipliers, M @ a, A.T @ multipliers) < 1e-12
    assert missed(A @ a + bias + 2 / T * A @ v + error / T**2, abs(A) @ abs(a)) < 1e-12
    held = [0, nv - 1] if name in ("parallel", "section") else [nv // 2]
    w, multipliers = call(own, HYBRID, q=q, v=v, u=u, prescribed=[own.velocity_names[row] for row in held])
    a, tau = w.copy(), u.copy()
    a[held], tau[held] = u[held], w[held]
    assert missed(M @ a + b - tau - A.T @ multipliers, M @ a, A.T @ multipliers) < 1e-12
    assert missed(A @ a + bias, abs(A) @ abs(a)) < 1e-12
    delassus, inertia = (found.reshape(len(A), -1) for found in call(own, "operational_inertia", q=q))
    wanted = A @ np.linalg.solve(M, A.T)
    assert missed(delassus - wanted, wanted) < 1e-11
    assert missed(inertia @ delassus - np.eye(len(A)), abs(inertia) @ abs(delassus)) < 1e-11
    tau, multipliers = call(own, INVERSE, q=q, v=v, a=a, actuated=own.velocity_names)
    assert missed(tau + A.T @ multipliers - M @ a - b, M @ a) < 1e-12


@pytest.mark.parametrize("name", NAMES)
def test_slopes_are_those_of_the_error(name: str) -> None:
    own, rng, step = robot(name), np.random.default_rng(2), 1e-3
    q, v = own.random_state(rng)[0], rng.standard_normal(own.nv)
    weights = {1: 45.0, 2: -9.0, 3: 1.0}

    def along(function: str, **more: Any) -> np.ndarray:
        found = [
            w * sign * call(own, function, q=own.integrate(q, sign * k * step * v), **more)[0]
            for k, w in weights.items()
            for sign in (1.0, -1.0)
        ]
        return np.sum(found, axis=0) / (60.0 * step)

    rates = call(own, "constraint_jacobian", q=q)[0].reshape(-1, own.nv) @ v
    assert along("constraint_error") == pytest.approx(rates, abs=1e-9 * abs(rates).max())
    bias = call(own, "constraint_bias", q=q, v=v)[0]
    turned = along("constraint_jacobian").reshape(-1, own.nv) @ v
    assert turned == pytest.approx(bias, abs=1e-8 * abs(bias).max())


def test_a_rod_is_bent_to_a_plane() -> None:
    """Bent evenly by an angle t, a rod has its tip at L (sin t, 1 - cos t) / t, and the energy E I t^2 / (2 L)."""
    own = bent_rod(strains={Strain.CURVATURE_Z: 1})
    plane = replace(own.acting[0], kind=LoopKind.POINT_ON_PLANE, axes=((0.0, 1.0, 0.0),) * 2)
    made = api.from_description(replace(own, acting=(plane,)), gravity=(0.0, 0.0, 0.0))
    (t,) = made.close(np.array([1.0]))
    assert LENGTH * (1.0 - math.cos(t)) / t == pytest.approx(0.08, abs=1e-12)
    a, multipliers = call(made, FORWARD, q=[t], v=[0.0], tau=[0.0])
    pulled = YOUNG * math.pi * RADIUS**4 / 4 * t / LENGTH
    rise = LENGTH * (t * math.sin(t) - 1.0 + math.cos(t)) / t**2
    assert abs(a[0]) < 1e-6
    assert abs(multipliers[0]) == pytest.approx(pulled / rise, rel=1e-10)


@pytest.mark.parametrize("name", ["bent", pytest.param("parallel", marks=pytest.mark.slow)])
def test_rods_close(name: str) -> None:
    own = robot(name)
    q, v = closed(own, 4)
    A = call(own, "constraint_jacobian", q=q)[0].reshape(-1, own.nv)
    assert abs(call(own, "constraint_error", q=q)[0]).max() < 1e-10
    assert abs(A @ v).max() < 1e-12 * abs(v).max() * abs(A).max()
    assert own.mobility == own.nv - len(A)


@pytest.mark.parametrize(
    ("name", "order"),
    [
        ("bent", 2),
        pytest.param("parallel", 2, marks=pytest.mark.slow),
        pytest.param("section", 3, marks=pytest.mark.slow),
        pytest.param("tree", 3, marks=pytest.mark.slow),
        pytest.param("many", 1, marks=pytest.mark.slow),
        pytest.param("mixed", 2, marks=pytest.mark.slow),
        pytest.param("bulging", 2, marks=pytest.mark.slow),
    ],
)
def test_inverse_dynamics_undo_forward_dynamics(name: str, order: int) -> None:
    """Forces and multipliers of all orders come back; and order 1 is what partials and velocities tell."""
    own, rng = robot(name), np.random.default_rng(5)
    nv, (q, v) = own.nv, closed(own, 1)
    A = call(own, "constraint_jacobian", q=q)[0].reshape(-1, nv)
    left, passive = A.copy(), []
    for _ in A:  # rows of v that the loops can drive
        passive.append(int(np.argmax(np.linalg.norm(left, axis=0))))
        along = left[:, passive[-1]] / np.linalg.norm(left[:, passive[-1]])
        left = left - np.outer(along, along @ left)
    T = rng.standard_normal((order + 1, nv))
    T[:, passive] = 0.0
    actuated = [own.velocity_names[row] for row in range(nv) if row not in passive]
    parameters = {"p": np.ones(count)} if (count := len(own.model.slots.names)) else {}
    given = {"q": q, "v": v, **parameters}
    rates, multipliers = call(own, f"{FORWARD}_time_derivatives", T=T, order=order, **given)
    rates, multipliers = rates.reshape(order + 1, nv), multipliers.reshape(order + 1, -1)
    V = np.vstack([v, rates])
    inverse = f"{INVERSE}_time_derivatives"
    tau, found = call(own, inverse, q=q, V=V, order=order, actuated=actuated, **parameters)
    required = call(own, "inverse_dynamics_time_derivatives", q=q, V=V, order=order, **parameters)[0]
    for k, needed in enumerate(required.reshape(order + 1, nv)):
        assert missed(tau.reshape(order + 1, nv)[k] - T[k], needed) < 1e-11
        assert missed(found.reshape(order + 1, -1)[k] - multipliers[k], multipliers[k]) < 1e-11
    slopes = call(own, f"{FORWARD}_partials", tau=T[0], **given)
    half = len(slopes) // 2
    for start, first in ((0, rates), (half, multipliers)):
        by_q, by_v, by_tau = (slopes[start + place].reshape(-1, nv) for place in range(3))
        assert missed(by_q @ v + by_v @ rates[0] + by_tau @ T[1] - first[1], first[1]) < 1e-10


@pytest.mark.slow
def test_the_oracle_agrees_on_a_section() -> None:
    functions = ("constraint_error", "constraint_jacobian", "constraint_bias", FORWARD, "operational_inertia")
    verified(robot("section"), functions, 1)


@pytest.mark.slow
def test_the_oracle_agrees_on_the_rest() -> None:
    own = robot("bent")
    held = own.velocity_names[:1]
    verified(own, (HYBRID,), 1, prescribed=held, stabilisation=0.4)
    verified(own, (INVERSE,), 1, actuated=own.velocity_names[1:])
    verified(own, (f"{FORWARD}_partials",), 1)
    verified(own, (f"{FORWARD}_time_derivatives",), 1, order=1)
    verified(own, (f"{HYBRID}_time_derivatives",), 1, order=1, prescribed=held, stabilisation=0.4)


def within(variant: Any) -> Iterator[RodVariant]:
    """Those of rods in what other steps wrap around them."""
    if isinstance(variant, RodVariant):
        yield variant
    elif isinstance(variant, tuple):
        yield from (found for own in variant for found in within(own))
    elif is_dataclass(variant):
        yield from (found for own in fields(variant) for found in within(getattr(variant, own.name)))


def terms(function: str, order: int, **options: Any) -> set[int]:
    """How many terms of their series the steps of the bent rod sum."""
    own = robot("bent").model
    ((entry, request),) = requests(own, [function], order=order, **options)
    sweeps = entry.plan(own, request).sweeps
    return {found.terms for sweep in sweeps for visit in sweep.visits for found in within(visit.variant)}


def test_series_of_rods_are_as_long_as_without_loops() -> None:
    """Each derivative takes a power of the angle from the terms that are left out."""
    for order in (1, 4):
        plain = terms("inverse_dynamics_time_derivatives", order)
        assert plain and terms(f"{INVERSE}_time_derivatives", order, actuated=robot("bent").velocity_names) == plain
    assert max(plain) > max(terms("inverse_dynamics_time_derivatives", 1))
