"""Tangents of contacts: smooth where normals are horizontal, and of no account for what a step finds."""

from __future__ import annotations

import numpy as np
import pytest

import symdyn
from symdyn import api
from symdyn.analysis.contacts.solve import solve_rows
from symdyn.interface.contact_solving import ContactCode, SetKind

pytestmark = pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")
BALLS = """
name: balls
gravity: [0, 0, -9.81]
links:
  world: {}
  ball: {mass: 0.5, inertia: {xx: 0.002, yy: 0.002, zz: 0.002}, collision: {skin: {sphere: 0.1}}}
joints: {free: {type: floating, parent: world, child: ball}}
obstacles: {hill: {sphere: {center: [0, 0, 0], radius: 0.4}}}
contacts: {skin: {of: ball.skin, with: hill, friction: 0.05}}
"""


def _at(height: float) -> np.ndarray:
    """A place where the ball touches the hill, so high above its centre."""
    across = np.sqrt(0.5**2 - height**2)
    return np.array([0.8 * across, 0.6 * across, height, 0.0, 0.0, 0.0, 1.0])


def test_rows_and_steps_are_smooth_across_a_horizontal_normal() -> None:
    """A micrometre to both sides rows change by what the curvature gives, 2 per metre, and so do impulses."""
    robot = symdyn.loads(BALLS, "yaml")
    rows = api.float_recursion(robot, "contact_jacobian")
    v = np.array([-0.3, -0.2, 0.4, 0.5, -1.0, 0.7])
    results = []
    for height in (-1e-6, 1e-6):
        q = _at(height)
        step = symdyn.contact_step(robot, q, v, None, h=1e-3)
        assert step.state[0] == 2
        results.append((np.reshape(rows({"q": q.tolist()})["J"], (3, 6)), step))
    (J, first), (K, second) = results
    assert np.abs(J - K).max() < 1e-5
    assert np.abs(first.impulses - second.impulses).max() < 1e-5 * np.abs(first.impulses).max()
    assert np.abs(first.v_next - second.v_next).max() < 1e-4


def test_impulses_do_not_depend_on_tangents() -> None:
    """Contacts seen in turned tangents have turned impulses, but for the proximal term of 1e-9 and its weights."""
    rng = np.random.default_rng(4)
    for _ in range(5):
        root = rng.normal(size=(12, 18))
        G, b = root @ root.T / 18.0, rng.normal(size=12)
        turn = np.zeros((12, 12))
        for k in range(4):
            angle = rng.uniform(0.0, 2.0 * np.pi)
            cosine, sine = np.cos(angle), np.sin(angle)
            turn[3 * k : 3 * k + 3, 3 * k : 3 * k + 3] = [[cosine, sine, 0], [-sine, cosine, 0], [0, 0, 1]]
        kinds, friction = [SetKind.CONE] * 4, [0.3, 0.6, 0.8, 1.0]
        solution = solve_rows(G, b, kinds, friction, tolerance=1e-13)
        turned = solve_rows(turn @ G @ turn.T, turn @ b, kinds, friction, tolerance=1e-13)
        assert solution.code is turned.code is ContactCode.SOLVED
        np.testing.assert_allclose(turned.x, turn @ solution.x, rtol=0.0, atol=1e-7)
        assert (solution.states == turned.states).all()
