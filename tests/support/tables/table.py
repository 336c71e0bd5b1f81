"""All rows."""

from __future__ import annotations

from dataclasses import replace

from support.cases import Case, once
from support.tables import acting, actuators, control, flexible, loops, rigid, soft

STEEP = {
    # dtau_dv of the stretch by the turn, 0.16: its error is that of terms as large as the slope by the stretch, 33.
    # Which terms these are is not known.
    "touching_thin-inverse_dynamics_partials",
    # The loop is turned by nearly half a turn here, cos(theta / 2) = 0.033. Its rows are vee(R - R^T) / sqrt(1 + tr R),
    # and 1 + tr R = 4 cos^2(theta / 2) is left of ones: slopes lose u / cos^3(theta / 2), at random states from 0.005
    # to 1.5 of that. The oracle knows this size in de_dx, and not in dr_dx = d(A^T lambda)/dq.
    "prismatic_loop-statics_jacobian-prescribed=wrist",
    # The coupling holds the slide at 0.18 m/s^2, which without it has 7.0 m/s^2. Alone in its
    # unit it is the difference. M, through which the force of the coupling goes, has the condition number 1000.
    "coupling_loop-constrained_hybrid_dynamics_time_derivatives-prescribed=wrist",
}
"""Rows to which the rule ``slopes`` applies, and why."""
TABLES = {
    "rigid": rigid.ROWS,
    "flexible": flexible.ROWS,
    "soft": soft.ROWS,
    "acting": acting.ROWS,
    "actuators": actuators.ROWS,
    "loops": loops.ROWS,
    "control": control.ROWS,
}
CASES: tuple[Case, ...] = tuple(
    replace(row, rule="slopes") if str(row) in STEEP else row for row in once(TABLES.values())
)
TABLE_OF = {str(row): name for name, rows in reversed(TABLES.items()) for row in rows}
"""The table of each case; of two that have it, the first."""
OPERATORS = ("_time_derivatives_partials", "_time_derivatives", "_partials", "_adjoint", "_weighted_hessian")


def operator(case: Case) -> str:
    """What is done to the problem that the function solves."""
    return next((name for name in OPERATORS if case.function.endswith(name)), "")
