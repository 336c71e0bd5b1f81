"""All rows."""

from __future__ import annotations

from dataclasses import replace

from support.cases import Case, once

from cases import acting, actuators, flexible, loops, rigid, soft

STEEP = {
    "touching_thin-inverse_dynamics_partials",
    "prismatic_loop-statics_jacobian-prescribed=wrist",
    "coupling_loop-constrained_hybrid_dynamics_time_derivatives-prescribed=wrist",
}
"""Rows to which the rule ``slopes`` applies."""
WRONG = {
    "four_bar-impulse_dynamics_adjoint": "fails with a TypeError on a robot with run-time parameters",
    "acted_tree-hybrid_dynamics_partials-external_wrenches=body": "slopes of forces of prescribed rows lack a part of "
    "added mass; differences of hybrid_dynamics agree with the truth",
    "geared_loop-implicit_residual-switched=pin,gear": "the multiplier of a coupling that is let go still acts",
}
"""Rows that are known to be wrong, and how."""
CASES: tuple[Case, ...] = tuple(
    replace(row, rule="slopes") if str(row) in STEEP else row
    for row in once((rigid.ROWS, flexible.ROWS, soft.ROWS, acting.ROWS, actuators.ROWS, loops.ROWS))
)
