"""Derivatives of steps with rigid contacts by inputs of actuators, against those by forces and against fifty digits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from support.agreement import inputs_of, programs_agree, truth_agrees
from support.robots.driven import SMALL

import symdyn
from symdyn import api
from symdyn.robot.robot import Robot

pytestmark = pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")
ARM = """
name: arm
parameters: {stiff: {value: 3.0, runtime: true}}
links:
  base: {}
  upper: {mass: 0.5, com: [0.1, 0, 0], inertia: {xx: 0.001, yy: 0.001, zz: 0.001}}
  arm: {mass: 0.5, com: [0.1, 0, 0], inertia: {xx: 0.001, yy: 0.001, zz: 0.001}, collision: {tip: {sphere: 0.03}}}
  hand: {mass: 0.2, inertia: {xx: 0.001, yy: 0.001, zz: 0.001}}
joints:
  hinge: {type: revolute, parent: base, child: upper, axis: [0, 1, 0], spring: {stiffness: stiff}}
  knee: {type: revolute, parent: upper, child: arm, axis: [0, 1, 0], translation: [0.3, 0, 0]}
  roll: {type: revolute, parent: arm, child: hand, axis: [1, 0, 0], translation: [0.2, 0, 0]}
actuators: [roll, hinge]
obstacles: {floor: {plane: {normal: [0, 0, 1], point: [0, 0, -0.1]}}}
contacts: {tip: {of: arm.tip, with: floor, friction: 0.5}}
"""
SOFT = SMALL + (
    "obstacles: {floor: {plane: {normal: [0, 0, 1], point: [0, 0, -0.05]}}}\n"
    "contacts: {arm: {of: arm, radius: section, with: floor, friction: 0.4}}\n"
)
"""A tendon whose length is not linear in q, a joint, a chamber and a strain at rest."""


def robot(text: str) -> Robot:
    return symdyn.loads(text, "yaml")


def test_slopes_with_inputs_are_right_to_rounding() -> None:
    """By the stiffness of a spring too, which is implicit: h^2 K w moves with it."""
    arm = robot(ARM)
    assert truth_agrees(
        arm, "contact_slopes", inputs_of(arm, "contact_slopes", 3, inputs="actuators"), inputs="actuators"
    )
    assert truth_agrees(arm, "contact_slopes", inputs_of(arm, "contact_slopes", 3))
    programs_agree(arm, "contact_slopes", ("split", "rolled", "rolled-lanes"), inputs="actuators")


def test_slopes_by_q_have_those_of_tendons() -> None:
    """Less those by forces B u they are h d(B u)/dq, by central differences of 1e-6, which leave 1e-10 of forces."""
    soft = robot(SOFT)
    given = inputs_of(soft, "contact_slopes", 3, inputs="actuators")
    u, h, q, step = np.array(given["u"]), given["h"][0], np.array(given["q"]), 1e-6

    def force(at: np.ndarray) -> np.ndarray:
        matrix = api.float_recursion(soft, "actuation_matrix")({"q": at.tolist()})["B"]
        return np.reshape(matrix, (soft.nv, len(u))) @ u

    driven = api.float_recursion(soft, "contact_slopes", inputs="actuators")(given)
    by_force = {**{name: value for name, value in given.items() if name != "u"}, "tau": force(q).tolist()}
    plain = api.float_recursion(soft, "contact_slopes")(by_force)
    slopes = np.array([force(q + step * e) - force(q - step * e) for e in np.eye(soft.nv)]).T / (2.0 * step)
    more = np.reshape(driven["dimpulse_dq"], slopes.shape) - np.reshape(plain["dimpulse_dq"], slopes.shape)
    assert np.abs(more - h * slopes).max() < 1e-9 * h * np.abs(force(q)).max()
    assert np.abs(slopes).max() > 1e-6
    for name in ("spread", "whitened", "c", "dimpulse_dv", "dc_dq"):
        np.testing.assert_allclose(driven[name], plain[name], rtol=1e-12, atol=1e-12)


@pytest.mark.needs_cc
def test_derivatives_by_u_are_those_by_forces_times_b() -> None:
    """In C, in a state that sticks; the contact is that of the step by forces B u."""
    arm = robot(ARM)
    module: Any = symdyn.compile(arm, ["contact_slopes"], steppers=["contacts"], inputs="actuators", lanes=False)
    plain: Any = symdyn.compile(arm, ["contact_slopes"], steppers=["contacts"], lanes=False)
    q, v, u, p = np.array([0.2, 0.15, 0.0]), np.array([0.1, -0.4, 0.2]), np.array([0.3, 0.8]), np.array([2.5])
    B = np.array([[0.0, 1.0], [0.0, 0.0], [1.0, 0.0]])
    for z in (0.2, 0.3):
        q[0] = z
        step, other = module.contact_step(q, v, u, p, h=2e-3), plain.contact_step(q, v, B @ u, p, h=2e-3)
        np.testing.assert_array_equal(step.v_next, other.v_next)
        places = {"h": 2e-3, "impulses": step.impulses, "state": step.state}
        partials = module.contact_step_partials(q, v, u, p, **places)
        known = plain.contact_step_partials(q, v, B @ u, p, **places)
        assert partials.dv_next_dtau is None and known.dv_next_du is None
        for name in ("q_next", "v_next", "lambda"):
            by_force = getattr(known, f"d{name}_dtau")
            np.testing.assert_allclose(getattr(partials, f"d{name}_du"), by_force @ B, rtol=0.0, atol=1e-12)
            for by in "qvp":
                one, two = (getattr(slopes, f"d{name}_d{by}") for slopes in (partials, known))
                np.testing.assert_allclose(one, two, rtol=0.0, atol=1e-11 * np.abs(two).max(initial=1.0))
