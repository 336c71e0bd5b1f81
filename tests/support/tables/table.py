"""All rows."""

from __future__ import annotations

from dataclasses import replace

from support.cases import Case, once
from support.tables import acting, actuators, flexible, loops, rigid, soft

STEEP = {
    "touching_thin-inverse_dynamics_partials",
    "prismatic_loop-statics_jacobian-prescribed=wrist",
    "coupling_loop-constrained_hybrid_dynamics_time_derivatives-prescribed=wrist",
}
"""Rows to which the rule ``slopes`` applies."""
CASES: tuple[Case, ...] = tuple(
    replace(row, rule="slopes") if str(row) in STEEP else row
    for row in once((rigid.ROWS, flexible.ROWS, soft.ROWS, acting.ROWS, actuators.ROWS, loops.ROWS))
)
