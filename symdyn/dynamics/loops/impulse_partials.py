"""Partial derivatives of what an impact does to velocities.

At the solved v+ and Lambda, with the jump v+ - v held, t are the slopes of M (v+ - v) - A^T Lambda and h those of
A v+ + e A v by q or p. As in ``partials``, with N = M^-1 and S = A N A^T,

    dv+ = -P t - Y^T h,    dLambda = Y t - S^-1 h,    dLambda_dv = -S^-1 (1 + e) A,    dv+_dv = 1 + N A^T dLambda_dv
"""

from __future__ import annotations

from collections.abc import Mapping

from symdyn.dynamics.loops.held_tree import HeldTree
from symdyn.dynamics.loops.impulses import (
    CLOSING,
    bare,
    closing_rows,
    closing_sweeps,
    given_fields,
    impulse_motion_plan,
)
from symdyn.dynamics.loops.partials import HeldPartials, Outputs
from symdyn.dynamics.loops.relate import relation_fields, relation_sweeps
from symdyn.dynamics.mass_matrix.matrix_product import MatrixField, Transposed, product_sweeps
from symdyn.dynamics.tree.bindings import Reads, Writes, plan_of
from symdyn.dynamics.tree.body_state import pose_sweep
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.model.model import Model
from symdyn.plan.compose import places_written
from symdyn.plan.plan import Mode, Plan, Port, Step, Sweep, Visit
from symdyn.scalars.algebra import Algebra, Scalar


def impulse_partials_plan(model: Model, outputs: Outputs, restitution: bool) -> Plan:
    """The plan of (q, v[, restitution][, p]) -> derivatives of v_plus and of impulses.

    Parameters
    ----------
    model
        The robot, with loops.
    outputs
        Names by q, v and, where the robot has run-time parameters, p.
    restitution
        Whether the input e, one per loop, is there; otherwise it is zero.
    """
    own = bare(model)
    return _Plan(own, TreePlan(own), range(model.nv), outputs).made(restitution)


class _Plan(HeldPartials):
    """Fields and sweeps of the plan, as they come."""

    def made(self, restitution: bool) -> Plan:
        """The plan."""
        count, rows, every = self.count, range(self.rows), range(self.count)
        held = HeldTree(self.tree)
        related, closed = [pose_sweep(self.tree), *relation_sweeps(held)], closing_sweeps(held, restitution)
        exerted = ("on_own", "on_other", "coefficients")  # which come with the slopes
        fields = [field for field in relation_fields(held, [*related, *closed]) if field.name not in exerted]
        self.take(([*given_fields(self.model, restitution), *self.tree.fields(), *fields], related))
        back = Transposed(self.invert().field, count)
        self.sweeps += closed
        closing, impulses = self.state(CLOSING, self.rows, 1), self.state("solved_impulses", self.rows, 1)
        jump, after = self.state("jump", count, 1), self.state("v_after", count, 1)
        self.sweeps.append(self.factor.solving(closing, impulses, [0], negative=True))
        self.sweeps += product_sweeps(back, impulses, jump, every, {0: rows})
        self.sweeps += product_sweeps(back, impulses, after, every, {0: rows}, MatrixField("v", 1))
        linked = {"a": jump.field, "v_plus": after.field, "lambda": impulses.field}
        self.slopes_of(impulse_motion_plan(self.model, restitution), [by for by in self.found if by in "qp"], linked)
        slopes = self.slopes
        if restitution:
            slopes = self.state("closing_slopes", self.rows, count)
            self.sweeps.append(
                closing_rows(self.model, self.slopes, slopes, places_written(self.sweeps, self.slopes.field))
            )
        unit = self.state("unit", count, count)
        self.sweeps.append(Sweep(_ONE, tuple(Visit(-1, None, {}, {"one": unit.entry(row, row)}) for row in every)))
        self.sweeps.append(self.factor.solving(slopes, self.multipliers["v"], every, negative=True))
        self.sweeps += product_sweeps(
            back, self.multipliers["v"], self.found["v"], every, dict.fromkeys(every, rows), unit
        )
        return plan_of("impulse_dynamics_partials", self.tree, self.sweeps, self.fields)


def _one(_: None, __: Algebra, ___: Mapping[str, Scalar], ____: Reads) -> Writes:
    return {"one": [1.0]}


_ONE = Step("one", _one, (Port("one", Mode.WRITE),))
