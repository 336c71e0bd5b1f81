"""Tips of maps that turn with the matter: SymPy's Lagrangian, rods that are the same body, oracle, Programs and C."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
import sympy as sp
from support.agreement import programs_agree, truth_agrees
from support.soft_calls import call
from support.states import random_inputs, relative_error

import symdyn
from symdyn import api
from symdyn.description.mapped import Mapped
from symdyn.description.robot import Frame, Inertial, Joint, JointKind, Link, Placement, RobotDescription
from symdyn.description.yaml.read import parse_yaml
from symdyn.description.yaml.write import write_yaml
from symdyn.errors import DescriptionError
from symdyn.functions.catalogue import requests
from symdyn.robot.robot import Robot

pytestmark = pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")
LEAF = Mapped(
    map=(
        "s1 + 0.3*w*s1**2 - s2*sin(3*u*s1)",
        "s2*cos(2*u*s1) + 2*u*s1**2 - s3*w*s1",
        "s3 + s1**2*w*3 + s2*s1*w",
    ),
    coordinates=(("w", "m"), ("u", "1")),
    domain=((0.0, 0.3), (-0.02, 0.02), (-0.01, 0.01)),
    density=1100.0,
    quadrature=(3, 2, 2),
    energy="20*(w**2 + 2*u**2) + 300*w**4",
    damping=(0.1, 0.05),
    tip=(0.3, 0.01, 0.0),
    tip_turns=True,
)
BEAM = """
name: planar
gravity: [0, -9.81, 0]
links:
  base:
  arm:
    deformable:
      coordinates: {w: 1, u: 1}
      domain: [[0, 0.5], [-0.01, 0.01], [-0.01, 0.01]]
      map: [s1 - 0.5*w**2*s1, s2 + w*s1**2 + u*s1**3, s3]
      density: 1000
      quadrature: [5, 2, 1]
      tip: [0.5, 0, 0]
      tip_turns: true
  hand: {mass: 0.2, com: [0.1, 0.05, 0], inertia: {xx: 1e-3, yy: 1e-3, zz: 2e-3}}
joints:
  turn: {type: revolute, parent: base, child: arm, axis: [0, 0, 1]}
  held: {type: fixed, parent: arm, child: hand, translation: [0.5, 0.02, 0]}
"""
CASES: dict[str, dict[str, Any]] = {
    "inverse_dynamics": {},
    "mass_matrix": {},
    "jacobians": {},
    "jacobians_time_derivative": {},
    "coriolis_matrix": {},
    "joint_wrenches": {},
    "inverse_dynamics_regressor": {},
    "centroidal_momentum_matrix": {},
    "inverse_dynamics_partials": {},
    "forward_dynamics_partials": {},
    "inverse_dynamics_time_derivatives": {"order": 3},
    "forward_dynamics_time_derivatives": {"order": 1},
    "forward_kinematics_time_derivatives": {"order": 1},
    "hybrid_dynamics": {"prescribed": ("arm.u",)},
}
LIGHT = ("inverse_dynamics", "jacobians")


@cache
def leafy(floating: bool = False) -> Robot:
    """On a joint, with a hand on a joint at its tip and a frame beside that."""
    hand = Inertial(0.1, (1e-4, 0.0, 0.0, 2e-4, 0.0, 1e-4), Placement((0.0, 0.02, 0.01)))
    links = (Link("base", Inertial(1.0, (0.1, 0, 0, 0.1, 0, 0.1))), Link("arm", deformable=LEAF), Link("hand", hand))
    joints = (
        Joint("turn", JointKind.REVOLUTE, "base", "arm", Placement((0.0, 0.0, 0.1)), (0.0, 0.6, 0.8)),
        Joint("wrist", JointKind.REVOLUTE, "arm", "hand", Placement((0.3, 0.02, 0.01)), (0.0, 0.0, 1.0)),
    )
    frames = (Frame("tool", "arm", Placement((0.31, 0.0, 0.02))),)
    return api.from_description(RobotDescription("leaf", links, joints, frames=frames), floating_base=floating)


@pytest.mark.parametrize(
    "function", [name if name in LIGHT else pytest.param(name, marks=pytest.mark.slow) for name in CASES]
)
def test_the_oracle_agrees(function: str) -> None:
    own, options = leafy(), CASES[function]
    assert truth_agrees(own, function, **options)


def lagrangian() -> Callable[..., list[float]]:
    """Generalised forces of the planar beam with its hand, of (q, v, a)."""
    t, x, y = sp.symbols("t x y")
    q = [sp.Function(name)(t) for name in ("theta", "w", "u")]
    theta, w, u = q

    def place(along: Any, across: Any) -> Any:
        own = sp.Matrix([along - w**2 * along / 2, across + w * along**2 + u * along**3])
        return sp.Matrix([[sp.cos(theta), -sp.sin(theta)], [sp.sin(theta), sp.cos(theta)]]) * own

    length, half, density, depth = sp.Rational(1, 2), sp.Rational(1, 100), 1000, sp.Rational(1, 50)
    point = place(x, y)
    rate = point.diff(t)
    own = sp.expand(sp.simplify(density * depth * rate.dot(rate) / 2))
    kinetic = sp.integrate(sp.integrate(own, (y, -half, half)), (x, 0, length))
    weight = sp.integrate(sp.integrate(sp.expand(density * depth * point[1]), (y, -half, half)), (x, 0, length))
    slope = sp.atan((2 * w * length + 3 * u * length**2) / (1 - w**2 / 2))  # of the tangent, against the link
    angle = theta + slope
    arm = sp.Matrix([sp.Rational(1, 10), sp.Rational(2, 100) + sp.Rational(5, 100)])
    center = place(length, 0) + sp.Matrix([[sp.cos(angle), -sp.sin(angle)], [sp.sin(angle), sp.cos(angle)]]) * arm
    moved = center.diff(t)
    mass, spread = sp.Rational(1, 5), sp.Rational(2, 1000)
    kinetic += mass * moved.dot(moved) / 2 + spread * angle.diff(t) ** 2 / 2
    potential = sp.Rational(981, 100) * (weight + mass * center[1])
    v = [own.diff(t) for own in q]
    tau = [sp.diff(kinetic, rate).diff(t) - sp.diff(kinetic - potential, own) for own, rate in zip(q, v, strict=True)]
    symbols = sp.symbols("q:3"), sp.symbols("v:3"), sp.symbols("a:3")
    known = [
        *zip([own.diff(t, 2) for own in q], symbols[2], strict=True),
        *zip(v, symbols[1], strict=True),
        *zip(q, symbols[0], strict=True),
    ]
    flat = [name for own in symbols for name in own]
    found: Callable[..., list[float]] = sp.lambdify(flat, [own.subs(known) for own in tau], "math")
    return found


@pytest.mark.slow
def test_a_planar_beam_with_a_hand_agrees_with_lagranges_equations() -> None:
    own = api.from_description(parse_yaml(BEAM.encode(), "planar.yaml"))
    exact = lagrangian()
    rng = np.random.default_rng(2)
    for _ in range(3):
        q, v, a = (rng.uniform(-1, 1, 3) * scale for scale in ([1.0, 0.4, 0.4], [2.0, 1.0, 1.0], [3.0, 4.0, 4.0]))
        (tau,) = call(own, "inverse_dynamics", q=q, v=v, a=a)
        expected = np.array(exact(*q, *v, *a))
        assert tau == pytest.approx(expected, abs=1e-10 * abs(expected).max())
        (M,) = call(own, "mass_matrix", q=q)
        unit = [np.array(exact(*q, *v, *(a + row))) - expected for row in np.eye(3)]
        assert np.reshape(M, (3, 3)) == pytest.approx(np.transpose(unit), abs=1e-10 * abs(M).max())


TWISTED = """
name: same
gravity: [0.5, -1, -9.25]
links:
  base:
  arm: {ARM}
  hand: {mass: 0.2, com: [0.1, 0.05, 0.02], inertia: {xx: 1e-3, yy: 2e-3, zz: 2e-3}}
joints:
  turn: {type: revolute, parent: base, child: arm, axis: [0, 0.6, 0.8]}
  wrist: {type: revolute, parent: arm, child: hand, axis: [0, 0, 1], translation: [PLACE]}
frames:
  tool: {link: arm, translation: [PLACE], rpy: [0.1, 0.2, 0.3]}
"""
SAME: dict[str, tuple[str, str, str, float]] = {
    "twist": (
        "soft: {length: 0.4, section: {shape: rectangle, width: 0.04, height: 0.02}, strain: {twist: 0, stretch: 0}, "
        "material: {youngs_modulus: 1e5, poisson_ratio: 0.5, density: 900}, stations: 4}",
        "deformable: {coordinates: {turn: rad, e: 1}, density: 900, quadrature: [4, 2, 2], tip: [0.4, 0, 0], "
        "tip_turns: true, domain: [[0, 0.4], [-0.02, 0.02], [-0.01, 0.01]], map: [s1*(1 + e), "
        "s2*cos(turn*s1/0.4) - s3*sin(turn*s1/0.4), s2*sin(turn*s1/0.4) + s3*cos(turn*s1/0.4)]}",
        "0.4, 0.01, 0",
        1e-12,
    ),
    "arc": (  # so thin that volume on the inner side equals that on the outer one
        "soft: {length: 0.4, section: {shape: rectangle, width: 2e-6, height: 2e-6}, "
        "strain: {curvature_z: 0, stretch: 0}, reference: {curvature_z: 2}, stations: 4, "
        "material: {youngs_modulus: 1e5, poisson_ratio: 0.5, density: 1e11}}",
        "deformable: {coordinates: {bend: rad, e: 1}, density: 1e11, quadrature: [4, 2, 1], tip: [0.4, 0, 0], "
        "tip_turns: true, domain: [[0, 0.4], [-1e-6, 1e-6], [-1e-6, 1e-6]], map: ["
        "(1 + e)*sin((2 + bend/0.4)*s1)/(2 + bend/0.4) - s2*sin((2 + bend/0.4)*s1), "
        "(1 + e)*(1 - cos((2 + bend/0.4)*s1))/(2 + bend/0.4) + s2*cos((2 + bend/0.4)*s1), s3]}",
        "0.35, 0.16, 0.01",
        1e-9,
    ),
}


@pytest.mark.parametrize("case", ["twist", pytest.param("arc", marks=pytest.mark.slow)])
def test_rods_that_are_the_same_body(case: str) -> None:
    """But for their springs all of it is the same: masses, motions, transmitted wrenches, frames on the tip."""
    *bodies, place, close = SAME[case]
    rod, own = (
        api.from_description(parse_yaml(TWISTED.replace("ARM", arm).replace("PLACE", place).encode(), "same.yaml"))
        for arm in bodies
    )
    q, v, a = np.array([0.3, 0.7, 0.2, -0.4]), np.array([1.0, -2.0, 0.5, 0.8]), np.array([2.0, 1.0, -3.0, 2.0])

    def agree(function: str, **given: Any) -> None:
        first, second = (call(robot, function, **given)[0] for robot in (rod, own))
        if function == "inverse_dynamics":
            first = first - call(rod, "elastic_forces", q=q)[0]
        assert second == pytest.approx(first, abs=close * max(1.0, abs(first).max())), function

    agree("mass_matrix", q=q)
    agree("inverse_dynamics", q=q, v=v, a=a)
    agree("coriolis_matrix", q=q, v=v)
    agree("forward_kinematics", q=q)
    agree("jacobians", q=q)
    agree("jacobians_time_derivative", q=q, v=v)


def test_forward_dynamics_gives_back_the_motion_on_a_free_base() -> None:
    own, rng = leafy(True), np.random.default_rng(3)
    q, v, a = own.random_state(rng)[0], *rng.uniform(-1.0, 1.0, (2, own.nv))
    (tau,) = call(own, "inverse_dynamics", q=q, v=v, a=a)
    (back,) = call(own, "forward_dynamics", q=q, v=v, tau=tau)
    assert back == pytest.approx(a, abs=1e-9)


def test_files_keep_it_and_a_tip_that_does_not_turn_is_another_body() -> None:
    text = write_yaml(leafy().description)
    again = parse_yaml(text.encode(), "leaf.yaml")
    assert text.count("tip_turns: true") == 1
    assert write_yaml(again) == text
    shifted = api.from_description(parse_yaml(text.replace("tip_turns: true", "").encode(), "leaf.yaml"))
    q = [0.1, 0.02, 0.1, 0.3]
    turned, straight = (call(robot, "mass_matrix", q=q)[0] for robot in (leafy(), shifted))
    assert abs(turned - straight).max() > 1e-4 * abs(turned).max()


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("tip_turns: true", "tip_turns: 3", "tip_turns: expected"),
        ("s2 + w*s1**2 + u*s1**3", "(s1 - 0.5)*(s1 - 0.6)*s2 + w*s1**2", "vanish or are parallel at the tip"),
    ],
)
def test_refusals(old: str, new: str, words: str) -> None:
    text = BEAM.replace(old, new).replace("{w: 1, u: 1}", "{w: 1}" if "u*" in old else "{w: 1, u: 1}")
    with pytest.raises(DescriptionError, match=rf"^planar.yaml:\d+: .*{words}"):
        parse_yaml(text.encode(), "planar.yaml")


@pytest.mark.parametrize("layout", ["rolled", pytest.param("split", marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    "function",
    ["mass_matrix", *(pytest.param(own, marks=pytest.mark.slow) for own in ("forward_dynamics", "inverse_dynamics"))],
)
def test_programs_agree_with_the_recursion(function: str, layout: str) -> None:
    own = leafy()
    programs_agree(own, function, (layout,))


@pytest.mark.slow
@pytest.mark.needs_cc
def test_compiled_code_agrees() -> None:
    own, functions = leafy(), ["inverse_dynamics", "forward_dynamics"]
    module = symdyn.compile(own, functions, layout="rolled")
    for entry, request in requests(own.model, functions):
        signature = entry.signature(own.model, request)
        given = random_inputs(own, signature, np.random.default_rng(5))
        (expected,) = api.float_recursion(own, entry.name)(given).values()
        found = getattr(module, entry.name)(*(np.reshape(given[item.name], item.shape) for item in signature.inputs))
        assert relative_error(np.ravel(found).tolist(), expected) <= 1e-10, entry.name
