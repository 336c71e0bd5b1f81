"""The oracle against Lagrange's equations, formed by SymPy from positions alone, for one robot per joint kind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pytest
import sympy as sp
from mpmath import mp

from symdyn.description.robot import Inertial, Joint, JointKind, Link, Placement, RobotDescription
from symdyn.verify.oracle.truth import inverse_dynamics

GRAVITY = (0.5, -1.25, -9.5)
MASS, CENTER, MOMENTS = 1.75, (0.125, -0.25, 0.375), (0.5, 0.0625, -0.03125, 0.625, 0.015625, 0.75)
SECOND_MASS, SECOND_CENTER = 0.75, (0.25, 0.5, -0.125)
SHIFT, SECOND_SHIFT = (0.5, 0.25, -0.75), (-0.25, 0.75, 0.125)
STATE = ([0.3, -0.7, 0.9], [1.1, -0.6, 0.4], [0.2, 0.8, -1.3])


def exact(values: Sequence[float]) -> sp.Matrix:
    return sp.Matrix([sp.Rational(value) for value in values])


def about(axis: sp.Matrix, angle: sp.Expr) -> sp.Matrix:
    turn = sp.Matrix([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    return sp.eye(3) + sp.sin(angle) * turn + (1 - sp.cos(angle)) * turn * turn


@dataclass(frozen=True)
class Rigid:
    """A body by its pose over the coordinates, mass, centre of mass and central inertia."""

    rotation: sp.Matrix
    origin: sp.Matrix
    mass: float
    center: Sequence[float]
    moments: Sequence[float]


def lagrange_forces(bodies: Sequence[Rigid], symbols: Sequence[sp.Symbol], state: Sequence[Sequence[float]]) -> list:
    """d/dt dL/dx' - dL/dx at one state (x, x', x''), to fifty digits."""
    rates = sp.symbols(f"r:{len(symbols)}")
    accelerations = sp.symbols(f"s:{len(symbols)}")

    def derivative(expression: sp.Matrix | sp.Expr) -> sp.Matrix | sp.Expr:
        total = sum((sp.diff(expression, x) * r for x, r in zip(symbols, rates, strict=True)), 0 * expression)
        return total + sum(
            (sp.diff(expression, r) * s for r, s in zip(rates, accelerations, strict=True)), 0 * expression
        )

    lagrangian: sp.Expr = sp.Integer(0)
    for body in bodies:
        center = body.origin + body.rotation * exact(body.center)
        turning = derivative(body.rotation) * body.rotation.T
        omega = body.rotation.T * sp.Matrix([turning[2, 1], turning[0, 2], turning[1, 0]])
        xx, xy, xz, yy, yz, zz = exact(body.moments)
        inertia = sp.Matrix([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        speed = derivative(center)
        mass = sp.Rational(body.mass)
        lagrangian += mass * speed.dot(speed) / 2 + omega.dot(inertia * omega) / 2 + mass * exact(GRAVITY).dot(center)
    values = dict(
        zip((*symbols, *rates, *accelerations), (sp.Float(x, 60) for part in state for x in part), strict=True)
    )
    forces = []
    for x, r in zip(symbols, rates, strict=True):
        force = derivative(sp.diff(lagrangian, r)) - sp.diff(lagrangian, x)
        forces.append(mp.mpf(str(force.xreplace(values).evalf(50))))
    return forces


def robot(*joints: Joint) -> RobotDescription:
    links = [Link("base")]
    for joint, mass, center in zip(joints, (MASS, SECOND_MASS), (CENTER, SECOND_CENTER), strict=False):
        links.append(Link(joint.child, Inertial(mass, MOMENTS, Placement(center))))
    return RobotDescription("small", tuple(links), joints)


def agree(found: Sequence, expected: Sequence, tolerance: float = 1e-40) -> None:
    scale = max(abs(value) for value in expected)
    assert len(found) == len(expected)
    assert max(abs(a - b) for a, b in zip(found, expected, strict=True)) < tolerance * scale


AXIS = (0.0, 0.6, 0.8)  # not exactly of unit length in doubles: both sides normalise it
SECOND_AXIS = (1.0, 0.0, 0.0)


def unit_axis(axis: Sequence[float]) -> sp.Matrix:
    vector = exact(axis)
    return vector / sp.sqrt(vector.dot(vector))


@pytest.mark.parametrize("second", [JointKind.REVOLUTE, JointKind.PRISMATIC, JointKind.HELICAL])
def test_two_link_chain(second: JointKind) -> None:
    pitch = 0.25
    tree = robot(
        Joint("one", JointKind.CONTINUOUS, "base", "first", Placement(SHIFT), AXIS),
        Joint("two", second, "first", "second", Placement(SECOND_SHIFT), SECOND_AXIS, pitch=pitch),
    )
    x, y = symbols = sp.symbols("x y")
    first = about(unit_axis(AXIS), x)
    along = exact(SECOND_AXIS)
    slide = {JointKind.REVOLUTE: 0, JointKind.PRISMATIC: y, JointKind.HELICAL: sp.Rational(pitch) * y}[second]
    turned = first if second is JointKind.PRISMATIC else first * about(along, y)
    bodies = [
        Rigid(first, exact(SHIFT), MASS, CENTER, MOMENTS),
        Rigid(
            turned, exact(SHIFT) + first * (exact(SECOND_SHIFT) + slide * along), SECOND_MASS, SECOND_CENTER, MOMENTS
        ),
    ]
    state = [part[:2] for part in STATE]
    agree(inverse_dynamics(tree, *state, gravity=GRAVITY), lagrange_forces(bodies, symbols, state))


def test_universal_joint_turns_about_its_axis_first() -> None:
    tree = robot(Joint("one", JointKind.UNIVERSAL, "base", "first", Placement(SHIFT), AXIS, SECOND_AXIS))
    x, y = symbols = sp.symbols("x y")
    turned = about(unit_axis(AXIS), x) * about(exact(SECOND_AXIS), y)
    state = [part[:2] for part in STATE]
    bodies = [Rigid(turned, exact(SHIFT), MASS, CENTER, MOMENTS)]
    agree(inverse_dynamics(tree, *state, gravity=GRAVITY), lagrange_forces(bodies, symbols, state))


def numeric(matrix: Sequence[Sequence], values: Sequence) -> list:
    return [mp.fdot(row, values) for row in matrix]


@pytest.mark.parametrize("axis", [(0.0, 0.0, 1.0), AXIS, (0.0, 0.0, -1.0)], ids=["z", "tilted", "minus z"])
def test_planar_body_in_its_own_axes(axis: tuple[float, float, float]) -> None:
    tree = robot(Joint("one", JointKind.PLANAR, "base", "first", Placement(SHIFT), axis))
    x, y, theta = symbols = sp.symbols("x y theta")
    normal = unit_axis(axis)
    if axis[2] < 0:
        plane = sp.diag(1, -1, -1)  # half a turn about x
    else:
        between = sp.Matrix([0, 0, 1]).cross(normal)
        lean = sp.Matrix([[0, 0, between[1]], [0, 0, -between[0]], [-between[1], between[0], 0]])
        plane = sp.eye(3) + lean + lean * lean / (1 + normal[2])
    bodies = [Rigid(about(normal, theta), exact(SHIFT) + plane * sp.Matrix([x, y, 0]), MASS, CENTER, MOMENTS)]
    q, v, a = STATE
    with mp.workdps(50):
        sine, cosine = mp.sin(mp.mpf(q[2])), mp.cos(mp.mpf(q[2]))
        to_plane = [[cosine, -sine], [sine, cosine]]
        velocity = numeric(to_plane, v[:2])
        along = numeric(to_plane, [a[0] - mp.mpf(v[2]) * v[1], a[1] + mp.mpf(v[2]) * v[0]])
        exact_state = [q, [*velocity, v[2]], [*along, a[2]]]
        forces = lagrange_forces(bodies, symbols, exact_state)
        expected = [*numeric(list(zip(*to_plane, strict=True)), forces[:2]), forces[2]]
    agree(inverse_dynamics(tree, q, v, a, gravity=GRAVITY), expected)


def euler_state(euler: Sequence, rates: Sequence, accelerations: Sequence) -> tuple[list, list, list, list]:
    """Quaternion, body angular velocity, its rate, and the matrix E of omega = E x' for x = (roll, pitch, yaw)."""
    roll, pitch, _ = (mp.mpf(value) for value in euler)
    half = [mp.mpf(value) / 2 for value in euler]
    (sr, cr), (sp_, cp), (sy, cy) = ((mp.sin(value), mp.cos(value)) for value in half)
    quaternion = [
        sr * cp * cy - cr * sp_ * sy,
        cr * sp_ * cy + sr * cp * sy,
        cr * cp * sy - sr * sp_ * cy,
        cr * cp * cy + sr * sp_ * sy,
    ]

    def matrix(roll: object, pitch: object) -> list:
        return [
            [mp.mpf(1), mp.mpf(0), -mp.sin(pitch)],
            [mp.mpf(0), mp.cos(roll), mp.sin(roll) * mp.cos(pitch)],
            [mp.mpf(0), -mp.sin(roll), mp.cos(roll) * mp.cos(pitch)],
        ]

    u, w = mp.mpf(rates[0]), mp.mpf(rates[1])
    changing = [
        [mp.mpf(0), mp.mpf(0), -mp.cos(pitch) * w],
        [mp.mpf(0), -mp.sin(roll) * u, mp.cos(roll) * mp.cos(pitch) * u - mp.sin(roll) * mp.sin(pitch) * w],
        [mp.mpf(0), -mp.cos(roll) * u, -mp.sin(roll) * mp.cos(pitch) * u - mp.cos(roll) * mp.sin(pitch) * w],
    ]
    at = matrix(roll, pitch)
    omega = numeric(at, rates)
    omega_rate = [p + r for p, r in zip(numeric(at, accelerations), numeric(changing, rates), strict=True)]
    return quaternion, omega, omega_rate, at


def euler_rotation(symbols: Sequence[sp.Symbol]) -> sp.Matrix:
    roll, pitch, yaw = symbols
    x, y, z = sp.eye(3).columnspace()
    return about(z, yaw) * about(y, pitch) * about(x, roll)


def test_spherical_pendulum_through_euler_angles() -> None:
    tree = robot(Joint("one", JointKind.SPHERICAL, "base", "first", Placement(SHIFT)))
    symbols = sp.symbols("roll pitch yaw")
    bodies = [Rigid(euler_rotation(symbols), exact(SHIFT), MASS, CENTER, MOMENTS)]
    forces = lagrange_forces(bodies, symbols, STATE)
    with mp.workdps(50):
        quaternion, omega, omega_rate, at = euler_state(*STATE)
        found = inverse_dynamics(tree, quaternion, omega, omega_rate, gravity=GRAVITY)
        # power: tau . omega = f . x', so that f = E^T tau
        agree(numeric(list(zip(*at, strict=True)), found), forces)


def test_free_body_through_euler_angles() -> None:
    position, velocity, acceleration = ([0.4, -0.2, 0.7], [0.3, 0.9, -0.5], [-0.8, 0.1, 0.6])
    tree = RobotDescription("free", (Link("base", Inertial(MASS, MOMENTS, Placement(CENTER))),), (), floating_base=True)
    symbols = sp.symbols("x y z roll pitch yaw")
    turned = euler_rotation(symbols[3:])
    bodies = [Rigid(turned, sp.Matrix(symbols[:3]), MASS, CENTER, MOMENTS)]
    state = [p + e for p, e in zip((position, velocity, acceleration), STATE, strict=True)]
    forces = lagrange_forces(bodies, symbols, state)
    with mp.workdps(50):
        quaternion, omega, omega_rate, at = euler_state(*STATE)
        values = [
            [mp.mpf(str(x)) for x in turned.row(row).subs(dict(zip(symbols, _floats(state[0]), strict=True))).evalf(50)]
            for row in range(3)
        ]
        to_body = list(zip(*values, strict=True))
        linear = numeric(to_body, velocity)
        carried = [
            omega[1] * linear[2] - omega[2] * linear[1],
            omega[2] * linear[0] - omega[0] * linear[2],
            omega[0] * linear[1] - omega[1] * linear[0],
        ]
        linear_rate = [p - r for p, r in zip(numeric(to_body, acceleration), carried, strict=True)]
        found = inverse_dynamics(
            tree, [*position, *quaternion], [*linear, *omega], [*linear_rate, *omega_rate], gravity=GRAVITY
        )
        agree(numeric(values, found[:3]), forces[:3])
        agree(numeric(list(zip(*at, strict=True)), found[3:]), forces[3:])


def _floats(values: Sequence[float]) -> list[sp.Float]:
    return [sp.Float(value, 60) for value in values]


def test_a_wrong_sign_would_be_seen() -> None:
    tree = robot(Joint("one", JointKind.REVOLUTE, "base", "first", Placement(SHIFT), AXIS))
    with pytest.raises(AssertionError):
        agree(inverse_dynamics(tree, [0.3], [0.0], [0.0]), [-x for x in inverse_dynamics(tree, [0.3], [0.0], [0.0])])
