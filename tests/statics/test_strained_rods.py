"""Rests of soft links: poses of tips by closed forms, coordinates by name, warnings of large strains."""

from __future__ import annotations

import pickle
import re
import warnings

import pytest

import symdyn

pytestmark = pytest.mark.needs_cc

LENGTH, DENSITY, GRAVITY = 0.4, 1000.0, 9.81
HANGING = """
name: hanging
links:
  arm:
    soft:
      length: 0.4
      axis: [0, 0, -1]
      section: {shape: circle, radius: 0.01}
      material: {youngs_modulus: 1e5, poisson_ratio: 0.5, density: 1000}
      strain: {stretch: 2}
      stations: 3
"""


def test_a_hanging_rod_gets_longer_by_its_weight() -> None:
    """The strain of a bar that hangs is rho g (L - x) / E, and its end goes down by rho g L^2 / 2 E."""
    robot = symdyn.loads(HANGING, "yaml", runtime=["arm.material.youngs_modulus"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rest = symdyn.equilibrium(robot)
    longer = DENSITY * GRAVITY * LENGTH**2 / (2.0 * 1e5)
    assert rest.frames["arm.tip"][:3, 3] == pytest.approx([0.0, 0.0, -LENGTH - longer], rel=1e-9, abs=1e-12)
    assert rest["arm.stretch[0]"] == rest.q[0]
    kept = pickle.loads(pickle.dumps(rest))
    assert (kept.frames["arm.tip"] == rest.frames["arm.tip"]).all()
    with pytest.raises(symdyn.SymdynError, match="no coordinate 'arm"):
        rest["arm.curvature_z[0]"]
    young = 1.1e3
    with pytest.warns(symdyn.SymdynWarning, match="doubtful: soft link 'arm' has stretch") as told:
        symdyn.equilibrium(robot, p=[young])
    (said,) = told
    value, x = map(float, re.findall(r"stretch (\S+) at x = (\S+) m", str(said.message))[0])
    assert value == pytest.approx(1.0 + DENSITY * GRAVITY * (LENGTH - x) / young, rel=5e-3)
