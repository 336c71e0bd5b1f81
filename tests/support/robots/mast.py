"""A mast on a ball joint, with or without a linkage on it: rows of q and v differ, and gravity is oblique."""

from __future__ import annotations

from functools import cache
from typing import Any

import symdyn

OPEN = """
format: 1
name: mast
gravity: [1.2, -0.7, -9.3]
links:
  ground:
  mast: {mass: 1.4, com: [0.05, 0.03, -0.3], inertia: {xx: 0.05, yy: 0.06, zz: 0.03, xy: 0.002, xz: -0.003, yz: 0.004}}
  crank: {mass: 0.9, com: [0.1, 0.02, 0.01], inertia: {xx: 0.004, yy: 0.006, zz: 0.005, xy: 0.0002}}
joints:
  ball: {type: spherical, parent: ground, child: mast}
  input:
    {type: revolute, parent: mast, child: crank, axis: [0, 1, 0], translation: [0, 0, -0.3],
     spring: {stiffness: 8.0, rest: 0.4}}
"""
LINKS = """\
  coupler: {mass: 1.1, com: [0.24, -0.01, 0.03], inertia: {xx: 0.005, yy: 0.03, zz: 0.028, xz: 0.001}}
  rocker: {mass: 0.7, com: [0.19, 0.03, 0.0], inertia: {xx: 0.003, yy: 0.012, zz: 0.013}}
"""
JOINTS = """\
  elbow: {type: revolute, parent: crank, child: coupler, translation: [0.2, 0, 0], axis: [0, 1, 0]}
  output:
    {type: revolute, parent: mast, child: rocker, translation: [0.45, 0, -0.3], axis: [0, 1, 0],
     spring: {stiffness: 6.0}}
loops:
  pin:
    between: [{link: coupler, point: [0.5, 0, 0]}, {link: rocker, point: [0.4, 0, 0]}]
    kind: revolute
    axis: [0, 1, 0]
    close: true
"""


TETHER = """\
struts:
  tether:
    {between: [{link: mast, point: [0.2, 0.1, -0.3]}, {link: ground, point: [0.6, 0.3, -0.2]}],
     stiffness: 30.0, length: 0.2}
"""


@cache
def mast(looped: bool, tethered: bool = False) -> Any:
    """The robot; with its linkage q has 7 rows and v 6, else 5 and 4.

    Without a tether, which the linkage goes without, nothing keeps it from turning about the direction of gravity.
    """
    text = OPEN.replace("joints:\n", f"{LINKS}joints:\n") + JOINTS if looped else OPEN
    return symdyn.loads(text + (TETHER if tethered or not looped else ""), format="yaml")


@cache
def built(looped: bool) -> Any:
    """All steppers and the solver, compiled once for all tests."""
    methods = ["rk4", "dop853", "taylor", "generalised-alpha"]
    asked: dict[str, Any] = {"steppers": methods, "solvers": ["statics"], "order": 6, "lanes": False}
    return symdyn.compile(mast(looped), ["gravity", "mass_matrix"], **asked)


@cache
def built_with_a_prescribed_crank() -> Any:
    """The looped mast with its tether."""
    asked: dict[str, Any] = {"steppers": ["generalised-alpha"], "solvers": ["statics"], "lanes": False}
    return symdyn.compile(mast(True, True), ["gravity"], prescribed=["input"], **asked)
