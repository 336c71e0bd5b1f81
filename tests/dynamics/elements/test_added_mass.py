"""Added mass: closed forms, the oracle, M and energies that belong to inverse dynamics, layouts and targets."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from support.agreement import asked, modules_agree, programs_agree, truth_agrees
from support.robots.acted import BODY, RIGID
from support.soft_calls import call

from symdyn import api
from symdyn.description.yaml.read import parse_yaml
from symdyn.description.yaml.write import write_yaml
from symdyn.errors import ModelError
from symdyn.functions.catalogue import requests
from symdyn.robot.robot import Robot

pytestmark = pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")

BALL = """
name: ball
floating_base: true
links:
  ball: {mass: 0.7, inertia: {xx: 1e-3, yy: 1e-3, zz: 1e-3}}
fluid:
  density: 1000
  bodies: {ball: {volume: 3e-4, drag: [2.5, 2.5, 2.5, 0, 0, 0], added_mass: [0.15, 0.15, 0.15, 0, 0, 0]}}
"""
HULL = """
name: hull
floating_base: true
gravity: [0, 0, 0]
links:
  hull: {mass: 3, inertia: {xx: 0.1, yy: 0.2, zz: 0.3}}
fluid:
  density: 0
  bodies: {hull: {added_mass: [0.5, 2.5, 4, 0.01, 0.02, 0.03]}}
"""
RIGID_FLUID = """
fluid:
  density: 500
  bodies:
    arm: {center: [0, 0.1, 0], added_mass: [0.3, 0.5, "0.7 + gain", 0.01, 0.02, 0.03], drag: [0.5, 2, 3, 0, 0, 0]}
    hand: {volume: 3e-4, center: [0.01, 0.02, 0.1], added_mass: [0, 0.2, "gain", 1e-3, 0, 0]}
    base: {added_mass: [3, 2, 1, 0.1, 0.2, 0.3]}
    pad: {added_mass: [0.1, 0.1, 0.4, 0, 0, 0]}
"""
SOFT_FLUID = """
fluid:
  density: 500
  bodies:
    arm: {added_mass: [0.01, 0.9, "1.3*(1 + x)", 1e-4, 2e-4, "3e-4*gain"], drag: [0, 2, 3, 0, 0, 0]}
    hand: {volume: 3e-4, center: [0.01, 0.02, 0.1], added_mass: [0, 0.2, "gain", 1e-3, 0, 0]}
    base: {added_mass: [3, 2, 1, 0.1, 0.2, 0.3]}
"""
REED = """
name: reed
floating_base: true
links:
  base: {mass: 1, inertia: {xx: 0.01, yy: 0.02, zz: 0.03}}
  reed:
    soft:
      length: 0.5
      section: {shape: circle, radius: 0.03 - 0.03*x}
      material: {youngs_modulus: 1e6, poisson_ratio: 0.5, density: 1000}
      strain: {twist: 2, curvature_y: 4, curvature_z: 4, stretch: 0}
      stations: 5
      magnus: 2
joints:
  clamp: {type: fixed, parent: base, child: reed, translation: [0.1, 0, 0.2], rpy: [0.1, 0.2, 0.3]}
fluid:
  density: 1000
  bodies: {reed: {added_mass: [0, "3140*(0.03 - 0.03*x)**2", "3140*(0.03 - 0.03*x)**2", 0, 0, 0]}}
"""
KINDS = {
    "rigid": (RIGID + RIGID_FLUID, False, "pinocchio"),
    "swimming": (RIGID + RIGID_FLUID, True, "spatial"),
    "soft": (BODY + SOFT_FLUID, False, "pinocchio"),
    "floating": (BODY + SOFT_FLUID, True, "spatial"),
    "reed": (REED, True, "pinocchio"),
}
QUICK = {
    "rigid": ("inverse_dynamics", "mass_matrix", "kinetic_energy", "coriolis_matrix", "forward_dynamics"),
    "soft": ("inverse_dynamics", "mass_matrix", "forward_dynamics"),
}
FELT = (
    *("inverse_dynamics", "mass_matrix", "kinetic_energy", "coriolis_matrix", "forward_dynamics", "bias", "gravity"),
    *("joint_wrenches", "mass_matrix_inverse", "hybrid_dynamics", "inverse_dynamics_partials"),
    *("forward_dynamics_partials", "inverse_dynamics_time_derivatives", "forward_dynamics_time_derivatives"),
    *("hybrid_dynamics_time_derivatives", "inverse_dynamics_rate_terms", "inverse_dynamics_regressor"),
)
"""Functions that hold added mass, or must not."""
CASES = [
    pytest.param(which, function, marks=() if function in QUICK.get(which, ()) else pytest.mark.slow)
    for which in ("rigid", "swimming", "soft", "floating")
    for function in (FELT if which in QUICK else FELT[:5])
    if (which, function) != ("rigid", "forward_dynamics_partials")
]


@cache
def robot(which: str) -> Robot:
    text, floating, convention = KINDS[which]
    return api.from_description(parse_yaml(text.encode(), "r.yaml"), floating_base=floating, convention=convention)


def test_a_ball_that_sinks() -> None:
    ball = api.from_description(parse_yaml(BALL.encode(), "ball.yaml"))
    q, still = np.array([0.3, 0.2, 0.1, 0.0, 0.0, 0.0, 1.0]), np.zeros(6)
    (start,) = call(ball, "forward_dynamics", q=q, v=still, tau=still)
    assert start == pytest.approx([0.0, 0.0, -9.81 * (0.7 - 0.3) / (0.7 + 0.15), 0.0, 0.0, 0.0], rel=1e-13)
    speed = np.sqrt((0.7 - 0.3) * 9.81 / 2.5)
    (end,) = call(ball, "forward_dynamics", q=q, v=np.array([0.0, 0.0, -speed, 0.0, 0.0, 0.0]), tau=still)
    assert end == pytest.approx(still, abs=1e-7)
    half = np.array([0.0, 0.0, -0.5 * speed, 0.0, 0.0, 0.0])
    (slowed,) = call(ball, "forward_dynamics", q=q, v=half, tau=still)
    assert slowed[2] == pytest.approx(0.75 * start[2], rel=1e-6)  # drag grows with the square of the speed


def test_a_hull_that_yaws() -> None:
    """A body that moves askew and does not turn is turned by (m_x - m_y) v_x v_y, as Munk found."""
    hull = api.from_description(parse_yaml(HULL.encode(), "hull.yaml"))
    v = np.array([1.5, -0.4, 0.0, 0.0, 0.0, 0.0])
    (tau,) = call(hull, "inverse_dynamics", q=hull.neutral(), v=v, a=np.zeros(6))
    assert tau == pytest.approx([0.0, 0.0, 0.0, 0.0, 0.0, (2.5 - 0.5) * 1.5 * -0.4], abs=1e-14)
    (M,) = call(hull, "mass_matrix", q=hull.neutral())
    assert np.diag(M) == pytest.approx([3.5, 5.5, 7.0, 0.11, 0.22, 0.33], rel=1e-14)
    assert np.max(np.abs(M - np.diag(np.diag(M)))) < 1e-15
    assert call(hull, "centroidal_momentum", q=hull.neutral(), v=v)[0][:3] == pytest.approx([4.5, -1.2, 0.0])


@pytest.mark.parametrize(("which", "function"), CASES)
def test_the_oracle_agrees(which: str, function: str) -> None:
    own = robot(which)
    options = asked(own, function)
    assert truth_agrees(own, function, **options)


@pytest.mark.parametrize("which", ["reed", "rigid", pytest.param("floating", marks=pytest.mark.slow)])
def test_mass_and_forces_belong_together(which: str) -> None:
    """M is symmetric and has the columns of inverse dynamics, T = v M v / 2, and forward dynamics leads back."""
    own, rng = robot(which), np.random.default_rng(6)
    (q, _), (v, a), p = own.random_state(rng), 0.3 * rng.standard_normal((2, own.nv)), own.runtime_defaults
    (M,) = call(own, "mass_matrix", q=q, p=p)
    (tau,) = call(own, "inverse_dynamics", q=q, v=v, a=a, p=p)
    (bias,) = call(own, "inverse_dynamics", q=q, v=v, a=0 * a, p=p)
    assert np.array_equal(M, M.T) and np.min(np.linalg.eigvalsh(M)) > 0.0
    assert M @ a == pytest.approx(tau - bias, rel=1e-11, abs=1e-12)
    assert call(own, "kinetic_energy", q=q, v=v, p=p)[0] == pytest.approx(0.5 * v @ M @ v, rel=1e-13)
    (back,) = call(own, "forward_dynamics", q=q, v=v, tau=tau, p=p)
    assert M @ back == pytest.approx(M @ a, rel=1e-10, abs=1e-11)


def test_a_free_hull_keeps_its_energy() -> None:
    """The rate of T along a motion without forces is zero, by its slopes."""
    hull = api.from_description(parse_yaml(HULL.encode(), "hull.yaml"))
    q, v, h = hull.neutral(), np.array([1.5, -0.4, 0.3, 0.2, -0.7, 0.5]), 1e-5
    (a,) = call(hull, "forward_dynamics", q=q, v=v, tau=np.zeros(6))
    ends = [call(hull, "kinetic_energy", q=hull.integrate(q, s * v), v=v + s * a)[0] for s in (h, -h)]
    assert np.max(np.abs(a)) > 0.1 and float(ends[0] - ends[1]) / (2 * h) == pytest.approx(0.0, abs=1e-8)


def test_files_keep_it_and_lemma_1_is_refused() -> None:
    for text in (RIGID + RIGID_FLUID, BODY + SOFT_FLUID):
        written = write_yaml(parse_yaml(text.encode(), "r.yaml"))
        assert write_yaml(parse_yaml(written.encode(), "again.yaml")) == written and "added_mass: [" in written
    own = robot("rigid")
    ((entry, request),) = requests(own.model, ["coriolis_matrix"], factorization="lemma1")
    with pytest.raises(ModelError, match="robot 'rigid' moves fluid with it, whose added mass is no rigid body's"):
        entry.plan(own.model, request)
    with pytest.raises(ModelError, match="has added mass of a fluid, which the spatial formulation does not cover"):
        api.float_recursion(own, "inverse_dynamics_time_derivatives", formulation="spatial", order=1)


@pytest.mark.parametrize(
    ("which", "function"),
    [
        ("rigid", "forward_dynamics"),
        *(
            pytest.param(which, function, marks=pytest.mark.slow)
            for which, function in (
                ("swimming", "forward_dynamics_time_derivatives"),
                ("soft", "mass_matrix"),
                ("soft", "forward_dynamics"),
                ("reed", "mass_matrix"),
            )
        ),
    ],
)
def test_programs_agree_with_the_recursion(which: str, function: str) -> None:
    own = robot(which)
    options = asked(own, function)
    programs_agree(own, function, (("rolled", "split") if which == "rigid" else ("rolled",)), tolerance=1e-9, **options)


@pytest.mark.slow
@pytest.mark.needs_cc
@pytest.mark.parametrize(
    ("which", "layout", "targets"),
    [("rigid", "unrolled", ("c",)), ("rigid", "rolled", ("c", "python")), ("soft", "rolled", ("c",))],
)
def test_compiled_and_python_targets_agree(which: str, layout: str, targets: tuple[str, ...]) -> None:
    functions = ["inverse_dynamics", "mass_matrix", "forward_dynamics"]
    modules_agree(robot(which), functions, layout, tolerance=1e-9, targets=targets)
