"""The gradient of a weighted state after a step, without its Jacobian.

With weights (l_q, l_v) of moves of q+ and of v+, and of a step of semi-implicit Euler that ends with v+ = v + h a,

    w = h D^T l_q + l_v,    g_q = T^T l_q + h w^T a_q,    g_v = w + h w^T a_v,    g_u = h w^T a_u,    g_p = h w^T a_p

where the products with w are those of the adjoint of forward dynamics: two solutions and one sweep back. Moves by h w
and by dh w commute, so that g_h = l_q^T v+ + (w^T a).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.spatial.vectors import add, scale, times, transpose
from symdyn.dynamics.control.step_moves import (
    BY_LENGTH,
    STEP_LENGTH,
    advance_sweep,
    dot_sweep,
    inputs_of,
    of_step,
    turning_joints,
)
from symdyn.dynamics.control.steps import INNER, V_NEXT
from symdyn.dynamics.equations.adjoint import signed_sum
from symdyn.dynamics.tree.bindings import Reads, Writes
from symdyn.interface.derivatives import WEIGHTS
from symdyn.model.joints import JointModel
from symdyn.model.model import Model
from symdyn.plan.compose import kept_apart, outputs_as_state, vanishing, wanted
from symdyn.plan.plan import Access, Binding, Field, FieldKind, Mode, Plan, Port, Step, Sweep, Visit

WEIGHED, FELT, SCALED = "weights_of_moves", "weights_of_velocities", "weights_of_accelerations"


@dataclass(frozen=True, slots=True)
class PulledMove:
    """A joint that moves by part h w, theta h a being the part of w that the acceleration makes.

    Weights of a are h times (theta m + part l_v), or that itself where not ``long``.
    """

    kind: JointModel
    part: float = 1.0
    theta: float = 1.0
    long: bool = True


def pull_back(own: PulledMove, algebra: Algebra, _: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per joint: T^T l_q, m + l_v and the weights of a, with m = part h D^T l_q."""
    h, l_q, l_v = reads["h"][0], reads["l_q"], reads["l_v"]
    length = of_step(own.part, h)
    if own.kind.commutes:
        moved, spread = l_q, l_q
    else:
        T, D = own.kind.move_slopes(algebra, scale(length, reads["velocity"]))
        moved, spread = times(transpose(T), l_q), times(transpose(D), l_q)
    by_move = scale(length, spread)
    by_velocity = add(by_move, l_v)
    by_acceleration = by_velocity
    if (own.part, own.theta) != (1.0, 1.0):
        by_acceleration = add(scale(own.theta, by_move), scale(own.part, l_v))
    return {
        "moved": moved,
        "by_velocity": by_velocity,
        "scaled": scale(h, by_acceleration) if own.long else by_acceleration,
    }


_PULL_BACK = Step(
    "pull_back_step",
    pull_back,
    (
        *(Port(name, Mode.READ) for name in ("l_q", "l_v", "h", "velocity")),
        *(Port(name, Mode.WRITE) for name in ("moved", "by_velocity", "scaled")),
    ),
)


def explicit_adjoint_plan(
    model: Model, inner: Plan, acceleration: str, by: Mapping[str, str], silent: Sequence[str], by_length: bool = False
) -> Plan:
    """The plan of (q, v, u, h, lambda) -> g_q, g_v, g_u[, g_p], lambda (2 nv,).

    Parameters
    ----------
    model
        The robot.
    inner
        The gradient of weighted accelerations.
    acceleration
        Their field, which is filled before weights are read.
    by
        Outputs of the inner plan by those of this one.
    silent
        Inputs of the inner plan that are zero: weights of multipliers.
    by_length
        Whether g_h is requested.
    """
    nv = model.nv
    fields, sweeps = vanishing(inner.fields, inner.sweeps, silent)
    sizes = {name: inner.field(own).size for name, own in by.items()}
    summed = ("g_q", "g_v")
    linked = {WEIGHTS: SCALED} | {own: f"{INNER}_{own}" if name in summed else name for name, own in by.items()}
    kept, found = kept_apart(outputs_as_state(fields), sweeps, INNER, (), linked)
    first = next(number for number, sweep in enumerate(found) if reads(sweep, SCALED))
    before = [advance_sweep(nv, "v", f"{INNER}_{acceleration}", V_NEXT)] if turning_joints(model) or by_length else []
    before.append(pull_back_sweep(model, V_NEXT))
    after = [
        signed_sum(name, {own: 1, linked[by[name]]: 1}, range(nv))
        for name, own in zip(summed, (WEIGHED, FELT), strict=True)
    ]
    if by_length:
        sizes[BY_LENGTH] = 1
        before += [dot_sweep(nv, WEIGHTS, V_NEXT), dot_sweep(nv, FELT, f"{INNER}_{acceleration}")]
    there = {field.name for field in kept}
    every = [
        *(own for own in inputs_of(model) if own.name not in there),
        *kept,
        Field(WEIGHTS, FieldKind.INPUT, 2 * nv),
        *(Field(linked[by[name]], FieldKind.STATE, nv, sparse=True) for name in summed),
        *(Field(name, FieldKind.STATE, nv) for name in (WEIGHED, FELT, SCALED, V_NEXT)),
        *(Field(name, FieldKind.OUTPUT, size) for name, size in sizes.items()),
    ]
    run = (*found[:first], *before, *found[first:], *after)
    return wanted(replace(inner, name="step_adjoint", fields=tuple(every), sweeps=run))


def reads(sweep: Sweep, field: str) -> bool:
    """Whether visits of a sweep have a place of a field."""
    places = (place for visit in sweep.visits for place in visit.bindings.values())
    return any(isinstance(place, Access) and place.field == field for place in places)


def pull_back_sweep(
    model: Model, velocity: str, part: float = 1.0, theta: float = 1.0, long: bool = True, weights: str = WEIGHTS
) -> Sweep:
    """The sweep back through a move by part h w, of the field ``velocity``: see :class:`PulledMove`.

    It reads weights (2 nv,) and fills ``WEIGHED``, ``FELT`` and ``SCALED``: weights of q, of v but for what a does,
    and of a.
    """
    visits = []
    for joint in model.independent_joints:
        first, count = joint.v_index, len(joint.coordinates.v)
        bindings: dict[str, Binding] = {
            "l_q": Access(weights, first, count),
            "l_v": Access(weights, model.nv + first, count),
            "h": Access(STEP_LENGTH, 0, 1),
            "moved": Access(WEIGHED, first, count),
            "by_velocity": Access(FELT, first, count),
            "scaled": Access(SCALED, first, count),
        }
        if not joint.kind.commutes:
            bindings["velocity"] = Access(velocity, first, count)
        visits.append(Visit(-1, PulledMove(joint.kind, part, theta, long), {}, bindings))
    return Sweep(_PULL_BACK, tuple(visits))
