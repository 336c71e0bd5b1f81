"""Errors of frames against targets that are given at run time, and how moves of q change them.

A residual is a record: its kind, its rows e, and its rows of targets. Of a frame with the pose (R, p) and the Jacobian
(J_v; J_w) in world axes,

    pose      e = log(X_ref^-1 X), (v; w),    de = (A R^T J_v + B R^T J_w; A R^T J_w) dq, A and B of ``PoseLogarithm``
    position  e = p - p_ref,                  de = J_v dq
    axis      e = z - z_ref,                  de = (J_w dq) x z

where z is the third column of R. The product z x z_ref would also vanish where the axis points the other way.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.spatial.logarithm import PoseLogarithm, rotation_quaternion
from symdyn.algebra.spatial.rotations import from_quaternion
from symdyn.algebra.spatial.vectors import (
    add,
    cross,
    dot,
    entries_of,
    matrix_from,
    product,
    scale,
    subtract,
    times,
    transpose,
)
from symdyn.dynamics.kinematics.frame_kinematics import forward_kinematics_plan
from symdyn.dynamics.kinematics.jacobian import jacobians_plan
from symdyn.dynamics.tree.bindings import Reads, Writes
from symdyn.model.joints.quaternions import quaternion_between
from symdyn.model.model import Model
from symdyn.plan.compose import kept_apart, places_written, wanted
from symdyn.plan.plan import Access, Binding, Field, FieldKind, Mode, Plan, Port, Step, Sweep, Visit

Named = tuple[tuple[str, str], ...]
"""Rows: names and units."""


@dataclass(frozen=True, slots=True)
class ResidualKind:
    """What a frame's residual is: rows of its target, and its own."""

    word: str
    targets: Named
    rows: Named


_PLACE = (("x", "m"), ("y", "m"), ("z", "m"))
POSE = ResidualKind(
    "pose",
    (*_PLACE, ("qx", "1"), ("qy", "1"), ("qz", "1"), ("qw", "1")),
    (("vx", "m"), ("vy", "m"), ("vz", "m"), ("wx", "rad"), ("wy", "rad"), ("wz", "rad")),
)
POSITION = ResidualKind("position", _PLACE, _PLACE)
AXIS = ResidualKind("axis", (("zx", "1"), ("zy", "1"), ("zz", "1")), (("zx", "1"), ("zy", "1"), ("zz", "1")))
KINDS = {kind.word: kind for kind in (POSE, POSITION, AXIS)}


@dataclass(frozen=True, slots=True)
class Residual:
    """A residual of a frame, by its number among those of the model."""

    frame: int
    kind: ResidualKind


def _error(kind: ResidualKind, algebra: Algebra, _: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per residual: e, and what columns of the Jacobian are multiplied with."""
    rows, target = [reads["pose"][first : first + 4] for first in (0, 4, 8)], reads["target"]
    R, p = [row[:3] for row in rows], [row[3] for row in rows]
    if kind is POSITION:
        return {"e": subtract(p, target)}
    if kind is AXIS:
        z, length = [row[2] for row in R], algebra.function("sqrt", dot(target, target))
        return {"e": subtract(z, [entry / length for entry in target]), "slopes": z}
    reference = scale(1.0 / algebra.function("sqrt", dot(target[3:], target[3:])), target[3:])
    moved = from_quaternion(*reference).transpose_times(subtract(p, target[:3]))
    turned = quaternion_between(reference, rotation_quaternion(algebra, R))
    logarithm, back = PoseLogarithm(algebra, turned, moved), transpose(R)
    slopes = [entry for block in logarithm.slopes() for entry in entries_of(product(block, back))]
    return {"e": logarithm.twist, "slopes": slopes}


def _column(kind: ResidualKind, _: Algebra, __: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per residual and row of v that moves its frame: a column of de/dq."""
    linear, angular = reads["column"][:3], reads["column"][3:]
    if kind is POSITION:
        return {"entries": linear}
    if kind is AXIS:
        return {"entries": cross(angular, reads["slopes"])}
    A, B = matrix_from(reads["slopes"][:9]), matrix_from(reads["slopes"][9:])
    return {"entries": [*add(times(A, linear), times(B, angular)), *times(A, angular)]}


_ERROR = Step(
    "frame_error",
    _error,
    (*(Port(name, Mode.READ) for name in ("pose", "target")), *(Port(name, Mode.WRITE) for name in ("e", "slopes"))),
)
_COLUMN = Step(
    "error_column",
    _column,
    (*(Port(name, Mode.READ) for name in ("slopes", "column")), Port("entries", Mode.WRITE)),
)
_SLOPES = {POSE.word: 18, POSITION.word: 0, AXIS.word: 3}


def frame_columns_of(model: Model) -> tuple[Plan, tuple[tuple[int, ...], ...]]:
    """The plan of the frames' Jacobians, for use beside others, and per frame the rows of v that move it."""
    plan, nv = jacobians_plan(model), model.nv
    sweeps = tuple(replace(own, visits=tuple(replace(visit, body=-1) for visit in own.visits)) for own in plan.sweeps)
    written = places_written(sweeps, "J")
    rows = (tuple(v for v in range(nv) if 6 * nv * frame + v in written) for frame in range(len(model.frames)))
    return replace(plan, sweeps=sweeps), tuple(rows)


@dataclass(frozen=True, slots=True)
class FrameErrors:
    """Sweeps that fill ``e``, and ``de_dq`` row by row, with residuals of frames one after the other.

    ``moving`` are per residual the rows of v that move its frame. Others declare e, (m,), and de_dq, (m, nv).
    """

    fields: tuple[Field, ...]
    sweeps: tuple[Sweep, ...]
    size: int
    moving: tuple[tuple[int, ...], ...]


def frame_errors(
    model: Model, residuals: Sequence[Residual], targets: Sequence[Binding], slopes: bool = True
) -> FrameErrors:
    """What fills errors of frames, and with ``slopes`` how moves of q change them; ``targets`` are where these lie."""
    nv, count = model.nv, len(model.frames)
    plans = [(forward_kinematics_plan(model), "pose", {"X": "poses"})]
    moving: tuple[tuple[int, ...], ...] = ((),) * count
    if slopes:
        jacobian, moving = frame_columns_of(model)
        plans.append((jacobian, "jacobian", {"J": "J"}))
    fields: dict[str, Field] = {}
    sweeps: list[Sweep] = []
    for plan, prefix, linked in plans:
        own, work = kept_apart(plan.fields, plan.sweeps, prefix, (), linked)
        fields |= {field.name: field for field in own}
        sweeps += work
    errors, columns, row, place = list[Visit](), list[Visit](), 0, 0
    for residual, target in zip(residuals, targets, strict=True):
        kind, frame = residual.kind, residual.frame
        rows, stored = len(kind.rows), _SLOPES[kind.word]
        kept = {"slopes": Access("slopes", place, stored)} if stored else {}
        seen: dict[str, Binding] = {"pose": Access("poses", 16 * frame, 16), "target": target}
        errors.append(Visit(-1, kind, {}, {**seen, "e": Access("e", row, rows), **kept}))
        for v in moving[frame]:
            column, entries = Access("J", 6 * nv * frame + v, 6, nv), Access("de_dq", nv * row + v, rows, nv)
            columns.append(Visit(-1, kind, {}, {**kept, "column": column, "entries": entries}))
        row, place = row + rows, place + stored
    sizes = {"poses": 16 * count, "slopes": max(place, 1)} | ({"J": 6 * count * nv} if slopes else {})
    fields |= {name: Field(name, FieldKind.STATE, own, sparse=True) for name, own in sizes.items()}
    sweeps += [sweep for sweep in (Sweep(_ERROR, tuple(errors)), Sweep(_COLUMN, tuple(columns))) if sweep.visits]
    found = tuple(moving[residual.frame] for residual in residuals)
    return FrameErrors(tuple(fields.values()), tuple(sweeps), row, found)


def task_errors_plan(model: Model, residuals: Sequence[Residual]) -> Plan:
    """The plan of e (m,) and de_dq (m, nv) of residuals, from q and their targets, one after the other.

    Parameters
    ----------
    model
        The robot with the frames of the residuals, as it is described.
    residuals
        In the order of rows.
    """
    targets, given = list[Binding](), 0
    for residual in residuals:
        targets.append(Access("targets", given, len(residual.kind.targets)))
        given += len(residual.kind.targets)
    errors = frame_errors(model, residuals, targets)
    fields = {field.name: field for field in errors.fields}
    fields |= {"targets": Field("targets", FieldKind.INPUT, given), "e": Field("e", FieldKind.OUTPUT, errors.size)}
    fields |= {"de_dq": Field("de_dq", FieldKind.OUTPUT, errors.size * model.nv)}
    bodies = tuple(body.name for body in model.bodies)
    return wanted(Plan("task_errors", tuple(fields.values()), errors.sweeps, bodies, model.parent))
