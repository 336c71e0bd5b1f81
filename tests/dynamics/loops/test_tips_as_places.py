"""A tip that a file names as a place is the centre of the far section, as the frame of that name is."""

from __future__ import annotations

import numpy as np
import pytest
from support.soft_calls import call

import symdyn

BODIES = {
    "soft": """
    soft:
      length: 0.5
      axis: [0, 0.6, 0.8]
      section: {shape: circle, radius: 0.01}
      material: {youngs_modulus: 1e6, poisson_ratio: 0.5, density: 1000}
      strain: {twist: 0, curvature_y: 1, curvature_z: 0, stretch: 0}
      reference: {curvature_z: 2}
      stations: 5""",
    "flexible": """
    flexible:
      length: 0.5
      axis: [0, 0.6, 0.8]
      mass_per_length: 1.0
      bending_stiffness: 10.0
      modes: {bend_y: 1, bend_z: 1}""",
}
FILE = """
name: held
links:
  ground:
  carrier: {{mass: 1, inertia: {{xx: 0.1, yy: 0.2, zz: 0.15}}}}
  arm:{body}
joints:
  base: {{type: spherical, parent: ground, child: carrier, translation: [0, 0, 1]}}
  foot: {{type: fixed, parent: carrier, child: arm, translation: [0.1, 0, 0]}}
loops:
  hold: {{kind: spherical, close: true, between: [{place}, {{world: [0, 0, 0]}}]}}
"""
LOAD = """loads:
  pull: {frame: arm.tip, force: [1, 2, 3], axes: world}
"""
STRUT = """struts:
  shock: {between: [ground, arm.tip], stiffness: 10, length: 0.1}
"""


@pytest.mark.parametrize("kind", BODIES)
def test_what_holds_a_tip_stands_where_its_frame_does(kind: str) -> None:
    text = FILE.format(body=BODIES[kind], place="arm.tip")
    held, pulled, sprung = (symdyn.loads(text + more, "yaml") for more in ("", LOAD, STRUT))
    q, _ = held.random_state(3)
    frame, still = held.frame_names.index("arm.tip"), np.zeros(held.nv)
    tip = call(held, "forward_kinematics", q=q)[0].reshape(-1, 4, 4)[frame]
    np.testing.assert_allclose(call(held, "constraint_error", q=q)[0], tip[:3, 3], rtol=0, atol=1e-14)
    slope = call(held, "jacobians", q=q)[0].reshape(-1, 6, held.nv)[frame, :3]
    np.testing.assert_allclose(call(held, "constraint_jacobian", q=q)[0].reshape(3, -1), slope, rtol=0, atol=1e-13)
    alone, loaded, stretched = (
        call(own, "inverse_dynamics", q=q, v=still, a=still)[0] for own in (held, pulled, sprung)
    )
    np.testing.assert_allclose(alone - loaded, slope.T @ [1.0, 2.0, 3.0], rtol=0, atol=1e-13)
    away = np.linalg.norm(tip[:3, 3])
    np.testing.assert_allclose(stretched - alone, slope.T @ tip[:3, 3] * 10 * (1 - 0.1 / away), rtol=0, atol=1e-13)
