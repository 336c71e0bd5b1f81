"""Short names of the kinds of joints, and groups of kinds."""

from __future__ import annotations

from symdyn.description.robot import JointKind

FIXED = JointKind.FIXED
R, C, P, H = JointKind.REVOLUTE, JointKind.CONTINUOUS, JointKind.PRISMATIC, JointKind.HELICAL
U, S, PL, F = JointKind.UNIVERSAL, JointKind.SPHERICAL, JointKind.PLANAR, JointKind.FLOATING
CY = JointKind.CYLINDRICAL

ONE_COORDINATE = (R, C, P, H)
MOVING = (*ONE_COORDINATE, CY, U, S, PL, F)
SLIDING = (P,)
MIXED_UNITS = (CY, PL, F)
"""Kinds whose rows have different units."""
