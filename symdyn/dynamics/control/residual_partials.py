"""The residual of the equations of motion and its derivatives, apart: what implicit steps are differentiated by.

R = ID(q, v, a) - B(q) u - A(q)^T lambda
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.dynamics.actuation.actuation_map import column_sweeps, driving_fields
from symdyn.dynamics.equations.implicit_residual import RESIDUAL, implicit_residual_plan, less_forces
from symdyn.dynamics.equations.problem import Problem
from symdyn.dynamics.partials.inverse_dynamics import refuse_jumps
from symdyn.dynamics.tree.bindings import Reads, Writes, plan_of
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.plan.compose import kept_apart, renamed
from symdyn.plan.plan import Access, Field, FieldKind, Mode, Plan, Port, Step, Sweep, Visit

SLOPES = {x: f"R_{x}" for x in "qvaup"}
"""Outputs: derivatives of R by moves of q, by v, a, inputs u of actuators, and parameters."""


def _negate(_: None, __: Algebra, ___: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per entry: -x."""
    return {"entry": [-1.0 * reads["x"][0]]}


_NEGATE = Step("negate_entry", _negate, (Port("x", Mode.READ), Port("entry", Mode.WRITE)))


def residual_partials_plan(problem: Problem, errors: bool = False) -> Plan:
    """The plan of (q, v, a, tau or u[, lambda][, f_ext][, p]) -> R, R_q, R_v, R_a[, R_u][, R_p].

    R_u (nv, na) is there where inputs of actuators are given: by forces it is -1. With ``errors`` each output but this
    has rows of the constraints e'' + 2 e' / T + e / T^2 = 0 below, so that R_a has A.

    Raises
    ------
    ModelError
        A joint's friction jumps with the sign of its velocity.
    """
    model, nv = problem.model, problem.model.nv
    tree = TreePlan(model, problem.external)
    refuse_jumps(tree)
    given = ("u", len(model.actuator_inputs)) if problem.actuated else ("tau", nv)
    sizes = {"q": model.nq, "v": nv, "a": nv, given[0]: given[1], "lambda": problem.rows}
    fields = [Field(name, FieldKind.INPUT, size) for name, size in sizes.items() if size]
    widths = {"q": nv, "v": nv, "a": nv, **({"p": len(model.slots.names)} if model.slots.names else {})}
    slopes, sweeps = problem.slopes(tree, list(widths), {"a": "a", "lambda": "lambda"})
    missed = [
        Field(f"missed_{x}", FieldKind.STATE, max(width, 1), max(problem.rows, 1), sparse=True)
        for x, width in widths.items()
        if problem.rows
    ]
    below = {f"missed_{x}": (SLOPES[x], nv * width) for x, width in widths.items()} if errors else {}
    if errors:
        below |= {"constraint_residual": (RESIDUAL, nv), "A": (SLOPES["a"], nv * nv)}
        value = less_forces(model, problem.residual(jacobian=True), problem.actuated)
    else:
        value = implicit_residual_plan(model, problem.external, problem.actuated)
    own, found = kept_apart(value.fields, value.sweeps, "value", ("ground",))
    names = {f"slope_{x}": SLOPES[x] for x in widths} | {name: to for name, (to, _) in below.items()}
    starts = {name: start for name, (_, start) in below.items()}
    rows = nv + problem.rows if errors else nv
    made = [Field(SLOPES[x], FieldKind.OUTPUT, rows * width) for x, width in widths.items()]
    every = [*fields, *slopes] if errors else [*fields, *missed, *slopes]
    if errors:
        own = [replace(field, width=rows) if field.name == RESIDUAL else field for field in own]
        own = [field for field in own if field.name not in below]
    if problem.actuated:
        columns = column_sweeps(model, "B")
        every += [Field("B", FieldKind.STATE, given[1], nv, sparse=True)]
        every += driving_fields(model, [*sweeps, *columns], every)
        opposed = _negated(nv * given[1], "B", SLOPES["u"])
        made.append(Field(SLOPES["u"], FieldKind.OUTPUT, nv * given[1]))
        sweeps = [*sweeps, *columns, opposed]
    every += [field for field in own if field.name not in {other.name for other in every}]
    run = renamed([*sweeps, *found], names, starts)
    return plan_of("implicit_residual_partials", tree, run, [*every, *made])


def _negated(count: int, source: str, out: str) -> Sweep:
    visits = (Visit(-1, None, {}, {"x": Access(source, k, 1), "entry": Access(out, k, 1)}) for k in range(count))
    return Sweep(_NEGATE, tuple(visits), vector=True)
