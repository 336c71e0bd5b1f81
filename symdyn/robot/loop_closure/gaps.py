"""How far the places of loops are from where these hold them, by the poses of one in the axes of the other.

Unlike errors, which are smooth functions for dynamics, gaps are lengths and angles at any pose: turns of half a
revolution have one too, and axes that point against each other are half a turn apart.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from symdyn.description.loops import MET, Loop, LoopKind
from symdyn.errors import ModelError
from symdyn.model.velocity_rows import cite

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from symdyn.model.model import Model
    from symdyn.plan.plan import Plan

_POSE = 12
_TURNED = ("x", "y", "z")


@dataclass(frozen=True, slots=True)
class Gap:
    """A loop, how far its places are shifted [m], and how far turned against each other [rad, up to pi]."""

    loop: Loop
    shift: float
    angle: float


def gap_plan(model: Model) -> Plan | None:
    """The plan of q -> related, error that :func:`gaps` reads; None where no loop holds places."""
    from symdyn.dynamics.loops.constraint_kinematics import relation_fields, relation_sweeps
    from symdyn.dynamics.loops.constraint_set import ConstraintSet
    from symdyn.dynamics.tree.bindings import plan_of
    from symdyn.dynamics.tree.body_state import pose_sweep
    from symdyn.dynamics.tree.tree import TreePlan
    from symdyn.plan.plan import Field, FieldKind

    loops = tuple(
        replace(loop, rows=_smooth(loop.constraint)) for loop in model.loops if isinstance(loop.constraint, Loop)
    )
    if not loops:
        return None
    held = ConstraintSet(TreePlan(replace(model, loops=loops)))
    sweeps = [pose_sweep(held.tree), *relation_sweeps(held)]
    shown = [
        replace(field, kind=FieldKind.OUTPUT) if field.name in ("related", "error") else field
        for field in relation_fields(held, sweeps)
    ]
    return plan_of("gaps", held.tree, sweeps, [Field("q", FieldKind.INPUT, model.nq), *shown])


def gaps(model: Model, plan: Plan | None, q: Sequence[float], p: Sequence[float]) -> list[Gap]:
    """The gap of each loop between places, at position q (nq,) and with run-time parameters p (np,)."""
    from symdyn.algebra.scalars.floats import FloatAlgebra
    from symdyn.plan.run import run_plan

    if plan is None:
        return []
    inputs = {"q": list(q), "p": list(p)}
    asked = {field.name for field in plan.fields}
    found = run_plan(plan, FloatAlgebra(), {name: own for name, own in inputs.items() if name in asked})
    return _gaps(model, found["related"], found["error"])


def gaps_over(model: Model, plan: Plan | None, q: NDArray[np.float64], p: Sequence[float]) -> list[list[Gap]]:
    """The gaps at each of many positions q (n, nq)."""
    import numpy as np

    from symdyn.algebra.scalars.array_floats import ArrayAlgebra
    from symdyn.plan.many import run_many

    if plan is None:
        return [[] for _ in q]
    found = run_many(plan, ArrayAlgebra(), {"q": q, "p": np.array([p], dtype=np.float64)})
    rows = zip(found["related"].tolist(), found["error"].tolist(), strict=True)
    return [_gaps(model, related, error) for related, error in rows]


def _gaps(model: Model, related: Sequence[float], error: Sequence[float]) -> list[Gap]:
    errors = iter(error)
    result = []
    for number, loop in enumerate(own.constraint for own in model.loops if isinstance(own.constraint, Loop)):
        row = related[_POSE * number : _POSE * (number + 1)]
        apart = {name: next(errors) for name in _smooth(loop)}
        held = [name for name in loop.kind.rows if name in apart]
        result.append(Gap(loop, math.hypot(*(apart[name] for name in held)), _angle(loop.kind, row[:9])))
    return result


def check_closed(model: Model, neutral: Sequence[float]) -> None:
    """Refuse loops that are open at the neutral position, where their file does not say that they may be.

    What rests on a run-time parameter without a value is left.

    Raises
    ------
    ModelError
        A loop that is open by more than ``MET``.
    """
    if all(isinstance(own.constraint, Loop) and own.constraint.close for own in model.loops):
        return
    p = [math.nan if value is None else value for value in model.slots.defaults]
    for gap in gaps(model, gap_plan(model), neutral, p):
        if not gap.loop.close and (gap.shift > MET or gap.angle > MET):
            raise ModelError(
                f"{cite(gap.loop)} is open by {' and '.join(_open(gap))} at the neutral position, where all "
                "coordinates are zero; correct its places, or write close: true and use robot.close"
            )


def _open(gap: Gap) -> Iterator[str]:
    if gap.shift > MET:
        yield f"{gap.shift:.3g} m"
    if gap.angle > MET:
        yield f"{gap.angle:.3g} rad"


def _smooth(held: object) -> tuple[str, ...]:
    """Rows of errors that can be told at any pose."""
    return ("distance",) if isinstance(held, Loop) and held.kind is LoopKind.DISTANCE else _TURNED


def _angle(kind: LoopKind, turn: Sequence[float]) -> float:
    rows = kind.rows
    if "rx" in rows:
        sine = math.hypot(turn[7] - turn[5], turn[2] - turn[6], turn[3] - turn[1])
        return math.atan2(sine, turn[0] + turn[4] + turn[8] - 1.0)
    if "tilt_x" in rows:
        return math.atan2(math.hypot(turn[2], turn[5]), turn[8])
    return math.asin(max(-1.0, min(1.0, abs(turn[8])))) if "tilt" in rows else 0.0
