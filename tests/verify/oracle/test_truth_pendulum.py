"""Every truth against the equations of a pendulum with a mass that is a run-time parameter, worked out by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from mpmath import mp
from support.parts import OF_EVERY_ROBOT
from support.robots.small import Y, described, joint, massive

from symdyn.description.robot import Frame, JointKind, Link, Placement
from symdyn.functions.catalogue import CATALOGUE
from symdyn.verify.oracle.setting import Setting
from symdyn.verify.oracle.tree import public_tree
from symdyn.verify.oracle.truths import TRUTHS

M, L, J, G = 2.5, 0.75, 0.125, 9.5
"""Mass, distance of the centre of mass below the joint, central moment about the axis, gravity; exact doubles."""
Q, V, A, TAU = 0.6875, -1.25, 2.375, 3.5
JERK, TAU_RATE = 0.875, -5.25
FORCES = [TAU, TAU_RATE]
INPUTS = {"q": [Q], "v": [V], "a": [A], "tau": [TAU], "u": [TAU], "T": FORCES, "U": FORCES, "p": [M]}
INPUTS |= {"y": [Q, V], "c": [2.0, 3.0, 5.0], "lambda": []}
SERIES = {
    "inverse_dynamics_time_derivatives": [V, A, JERK],
    "inverse_dynamics_time_derivatives_partials": [V, A, JERK],
    "forward_kinematics_time_derivatives": [V, A],
    "forward_dynamics_time_derivatives": [],
    "hybrid_dynamics_time_derivatives": [],
    "forward_dynamics_time_derivatives_partials": [],
    "hybrid_dynamics_time_derivatives_partials": [],
}
"""Velocity and its derivatives that each function of order 1 takes."""
WEIGHT = 1.75
WEIGHTED = (
    "inverse_dynamics_adjoint",
    "forward_dynamics_adjoint",
    "hybrid_dynamics_adjoint",
    "inverse_dynamics_weighted_hessian",
    "forward_dynamics_weighted_hessian",
    "hybrid_dynamics_weighted_hessian",
)
"""Functions whose ``lambda`` are weights; the pendulum has no loops with multipliers."""


@pytest.fixture
def setting() -> Setting:
    arm = massive("arm", 1.0, (0.0, 0.0, -L), (0.5, 0.03125, 0.0625, J, -0.03125, 0.25))
    swing = joint("swing", JointKind.REVOLUTE, "base", "arm", axis=Y)
    tip = Frame("tip", "arm", Placement((0.0, 0.0, -L)))
    robot = described([Link("base"), arm], [swing], [tip], gravity=(0.0, 0.0, -G))
    return Setting(robot, public_tree(robot), {}, ("arm.mass",))


def expected() -> dict[str, list]:
    m, l, j, g, v, a = (mp.mpf(value) for value in (M, L, J, G, V, A))  # noqa: E741
    s, c = mp.sin(Q), mp.cos(Q)
    inertia, weight = j + m * l**2, m * g * l * s
    acceleration = (TAU - weight) / inertia
    by_mass = (l**2 * acceleration + g * l * s) / -inertia
    turned = [c, 0, s, 0, 0, 1, 0, 0, -s, 0, c, 0, 0, 0, 0, 1]
    down = [c, 0, s, -l * s, 0, 1, 0, 0, -s, 0, c, -l * c, 0, 0, 0, 1]
    identity = [float(row == column) for row in range(4) for column in range(4)]
    torque, stiffness = inertia * a + weight, m * g * l * c
    solved_slopes = [
        -stiffness / inertia,
        weight * v / inertia,
        0,
        -stiffness / inertia,
        1 / inertia,
        0,
        0,
        1 / inertia,
    ]
    return {
        "inverse_dynamics": [torque],
        "forward_dynamics": [acceleration],
        "hybrid_dynamics": [acceleration],
        "mass_matrix": [inertia],
        "mass_matrix_inverse": [1 / inertia],
        "coriolis_matrix": [0],
        "gravity": [weight],
        "bias": [weight],
        "kinetic_energy": [inertia * v**2 / 2],
        "potential_energy": [-m * g * l * c],
        "center_of_mass": [-l * s, 0, -l * c],
        "center_of_mass_velocity": [-l * c * v, 0, l * s * v],
        "centroidal_momentum": [-m * l * c * v, 0, m * l * s * v],
        "centroidal_momentum_matrix": [-m * l * c, 0, m * l * s],
        "forward_kinematics": [*identity, *turned, *down],
        "jacobians": [0] * 6 + [0, 0, 0, 0, 1, 0] + [-l * c, 0, l * s, 0, 1, 0],
        "frame_velocity_partials": [
            *([0] * 12 + [l * s * v, 0, l * c * v, 0, 0, 0]),
            *([0] * 6 + [0, 0, 0, 0, 1, 0] + [-l * c, 0, l * s, 0, 1, 0]),
        ],
        "jacobians_time_derivative": [0] * 12 + [l * s * v, 0, l * c * v, 0, 0, 0],
        "inverse_dynamics_time_derivatives": [torque, inertia * JERK + m * g * l * c * v],
        "forward_dynamics_time_derivatives": [acceleration, (TAU_RATE - m * g * l * c * v) / inertia],
        "hybrid_dynamics_time_derivatives": [acceleration, (TAU_RATE - m * g * l * c * v) / inertia],
        "forward_kinematics_time_derivatives": [
            *(*identity, *turned, *down),
            *([0] * 6 + [0, 0, 0, 0, v, 0] + [-l * c * v, 0, l * s * v, 0, v, 0]),
            *([0] * 6 + [0, 0, 0, 0, a, 0] + [l * s * v**2 - l * c * a, 0, l * c * v**2 + l * s * a, 0, a, 0]),
        ],
        "inverse_dynamics_rate_terms": [inertia, 0, m * g * l * c * v],
        "elastic_forces": [0],
        "damping_forces": [0],
        "joint_wrenches": [m * (-l * a - g * s), 0, m * (l * v**2 + g * c)],
        "inverse_dynamics_regressor": [0, -g * c, 0, -g * s, 0, 0, a, 0, 0, 0],
        "state_derivative": [v, acceleration],
        "state_jacobian": [0, 1, -stiffness / inertia, 0, 0, 1 / inertia],
        "implicit_residual": [torque - TAU],
        "implicit_jacobian": [2 * stiffness + 5 * inertia],
        "statics_residual": [weight - TAU],
        "statics_jacobian": [stiffness],
        "inverse_dynamics_adjoint": [WEIGHT * stiffness, 0, WEIGHT * inertia],
        "forward_dynamics_adjoint": [-WEIGHT * stiffness / inertia, 0, WEIGHT / inertia],
        "hybrid_dynamics_adjoint": [-WEIGHT * stiffness / inertia, 0, WEIGHT / inertia],
        "inverse_dynamics_weighted_hessian": [-WEIGHT * weight, 0, 0, 0],
        "forward_dynamics_weighted_hessian": [WEIGHT * weight / inertia, 0, 0, 0],
        "hybrid_dynamics_weighted_hessian": [WEIGHT * weight / inertia, 0, 0, 0],
        "inverse_dynamics_time_derivatives_partials": [
            *(stiffness, -weight * v),
            *(0, inertia, 0),
            *(stiffness, 0, inertia),
        ],
        "forward_dynamics_time_derivatives_partials": solved_slopes,
        "hybrid_dynamics_time_derivatives_partials": solved_slopes,
        "inverse_dynamics_partials": [m * g * l * c, 0, inertia, l**2 * a + g * l * s],
        "forward_dynamics_partials": [-m * g * l * c / inertia, 0, 1 / inertia, by_mass],
        "hybrid_dynamics_partials": [-m * g * l * c / inertia, 0, 1 / inertia, by_mass],
    }


def close(found: Sequence, values: Sequence, most: float = 1e-28) -> bool:
    return len(found) == len(values) and all(abs(x - y) < most for x, y in zip(found, values, strict=True))


HALF = 1e-24
"""Error of truths of second derivatives: these are differences, which keep half of the 50 digits."""


TILT = {"centroidal_momentum", "centroidal_momentum_matrix", "joint_wrenches"}
"""Products of inertia of the arm tilt its momentum, and the wrench that turns it."""


@pytest.mark.parametrize("function", sorted(set(OF_EVERY_ROBOT) - TILT))
def test_the_pendulum(setting: Setting, function: str) -> None:
    inputs = {**INPUTS, "V": SERIES.get(function, [])} | ({"lambda": [WEIGHT]} if function in WEIGHTED else {})
    exact = TRUTHS[function](replace(setting, order=int(function in SERIES)), inputs)
    assert close(exact.values, expected()[function], HALF if function.endswith("hessian") else 1e-28)
    assert len(exact.scales) == len(exact.values)
    assert all(scale >= abs(value) - 1e-28 for scale, value in zip(exact.scales, exact.values, strict=True))


def test_products_of_inertia_tilt_momentum_and_wrench(setting: Setting) -> None:
    s, c = mp.sin(Q), mp.cos(Q)
    xy, yz = mp.mpf(0.03125), mp.mpf(-0.03125)
    # momentum (xy, yy, yz) v in the arm's axes, turned by R_y(q)
    matrix = TRUTHS["centroidal_momentum_matrix"](setting, INPUTS).values
    assert close(matrix[3:], [c * xy + s * yz, J, -s * xy + c * yz])
    assert close(matrix[:3], expected()["centroidal_momentum_matrix"])
    momentum = TRUTHS["centroidal_momentum"](setting, INPUTS).values
    assert close(momentum, [V * value for value in matrix])
    # its rate (xy, yy, yz) a + v e_y x (xy, yy, yz) v
    wrench = TRUTHS["joint_wrenches"](setting, INPUTS).values
    assert close(wrench[:3], expected()["joint_wrenches"])
    assert close(wrench[3:], [xy * A + yz * V**2, expected()["inverse_dynamics"][0], yz * A - xy * V**2])


def test_a_prescribed_joint_is_inverse_dynamics(setting: Setting) -> None:
    held = replace(setting, prescribed=(0,))
    inputs = {**INPUTS, "u": [A]}
    assert close(TRUTHS["hybrid_dynamics"](held, inputs).values, expected()["inverse_dynamics"])
    assert close(TRUTHS["hybrid_dynamics_partials"](held, inputs).values, expected()["inverse_dynamics_partials"])
    moved = TRUTHS["hybrid_dynamics_time_derivatives"](replace(held, order=1), {**INPUTS, "U": [A, JERK]})
    assert close(moved.values, expected()["inverse_dynamics_time_derivatives"])


def test_every_function_of_the_catalogue_has_a_truth() -> None:
    assert set(CATALOGUE) <= set(TRUTHS)
