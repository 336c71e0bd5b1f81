"""Partial derivatives of the velocities of frames, from their Jacobians and the time derivatives of these.

With fields X_i along which rows of v move q, J_i = X_i(p) of a frame's origin, and X_i(R) = [W_i] R of its axes,

    X_i(J_j) - X_j(J_i) = [X_i, X_j](p),    X_i(W_j) - X_j(W_i) = W_i x W_j + (W of [X_i, X_j])

Summed with v over j, where [X_i, v] is ``JointModel.bracket`` and vanishes for joints whose v are rates of coordinates,

    dV/dq_i = dJ_i/dt + (0; W_i x omega) + J [e_i, v],    dV/dv = J

for links that bend as for rigid ones. Source: Marsden & Ratiu 1999, section 9.1, for the brackets.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.spatial.vectors import add, cross, scale
from symdyn.dynamics.tree.bindings import Reads, Writes
from symdyn.model.joints import JointModel
from symdyn.model.model import Model
from symdyn.plan.compose import kept_apart, places_written, wanted
from symdyn.plan.plan import Access, Binding, Field, FieldKind, Kernel, Mode, Plan, Port, Step, Sweep, Visit

BY_Q, BY_V = "dV_dq", "dV_dv"
"""Outputs, (nframes, 6, nv)."""
_SPIN, _RATE, _BRACKETS = "frame_spin", "dJ_dt", "brackets"


def add_spin(_: None, __: Algebra, ___: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per frame and row of v that moves it: what it adds to the frame's angular velocity."""
    return {"spin": scale(reads["v"][0], reads["column"])}


def velocity_slope(_: None, __: Algebra, ___: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per frame and row of v that moves it: a column of dV/dq, but for brackets."""
    rate = reads["rate"]
    return {"slope": [*rate[:3], *add(rate[3:], cross(reads["column"], reads["spin"]))]}


def brackets(kind: JointModel, _: Algebra, __: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per joint that turns: [e_i, v], row by row i."""
    v = reads["v"]
    units = [[float(place == row) for place in range(len(v))] for row in range(len(v))]
    return {"brackets": [entry for unit in units for entry in kind.bracket(unit, v)]}


def bracket_slope(_: None, __: Algebra, ___: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per frame and two rows of a joint that turns: a part of J [e_i, v]."""
    return {"slope": scale(reads["bracket"][0], reads["column"])}


def _step(kernel: Kernel, name: str, mode: Mode, out: str, *given: str) -> Step:
    return Step(name, kernel, (*(Port(own, Mode.READ) for own in given), Port(out, mode)))


_ADD_SPIN = _step(add_spin, "frame_spin", Mode.ADD, "spin", "v", "column")
_SLOPE = _step(velocity_slope, "velocity_slope", Mode.WRITE, "slope", "rate", "column", "spin")
_BRACKET = _step(brackets, "brackets", Mode.WRITE, "brackets", "v")
_BRACKET_SLOPE = _step(bracket_slope, "bracket_slope", Mode.ADD, "slope", "bracket", "column")


def frame_velocity_partials_plan(model: Model, plans: Sequence[Plan]) -> Plan:
    """The plan of (q, v[, p]) -> dV_dq, dV_dv, (nframes, 6, nv): linear; angular, world axes, at each frame's origin.

    Parameters
    ----------
    model
        The robot.
    plans
        Those of dJ_dt and J; the first may have both.
    """
    count, nv = len(model.frames), model.nv
    fields: dict[str, Field] = {}
    sweeps: list[Sweep] = []
    for label, plan in zip(("rate", "plain"), plans, strict=False):
        more, made = kept_apart(plan.fields, plan.sweeps, label, (), {_RATE: _RATE, "J": BY_V})
        fields |= {field.name: field for field in more}
        sweeps += made
    moving = _moving(sweeps, count, nv)

    def column(field: str, frame: int, row: int, first: int = 0) -> Access:
        return Access(field, (6 * frame + first) * nv + row, 6 - first, nv)

    spins, slopes = list[Visit](), list[Visit]()
    for frame, row in moving:
        spin, angular = Access(_SPIN, 3 * frame, 3), column(BY_V, frame, row, 3)
        spins.append(Visit(-1, None, {}, {"v": Access("v", row, 1), "column": angular, "spin": spin}))
        given: dict[str, Binding] = {"rate": column(_RATE, frame, row), "column": angular, "spin": spin}
        slopes.append(Visit(-1, None, {}, {**given, "slope": column(BY_Q, frame, row)}))
    sweeps += [Sweep(_ADD_SPIN, tuple(spins)), Sweep(_SLOPE, tuple(slopes))]
    start, turned = 0, list[Visit]()
    blocks = list[Visit]()
    for joint in model.independent_joints:
        if joint.kind.commutes:
            continue
        size, first = len(joint.coordinates.v), joint.v_index
        found: dict[str, Binding] = {"v": Access("v", first, size), "brackets": Access(_BRACKETS, start, size**2)}
        blocks.append(Visit(-1, joint.kind, {}, found))
        turned += [
            Visit(
                -1,
                None,
                {},
                {
                    "bracket": Access(_BRACKETS, start + size * row + own, 1),
                    "column": column(BY_V, frame, first + own),
                    "slope": column(BY_Q, frame, first + row),
                },
            )
            for frame in range(count)
            for row in range(size)
            for own in range(size)
            if (frame, first + row) in moving and (frame, first + own) in moving
        ]
        start += size**2
    sweeps += [Sweep(_BRACKET, tuple(blocks)), Sweep(_BRACKET_SLOPE, tuple(turned))]
    states = {_SPIN: 3 * count, _RATE: 6 * nv * count, _BRACKETS: start}
    fields |= {name: Field(name, FieldKind.STATE, size, sparse=True) for name, size in states.items() if size}
    fields |= {name: Field(name, FieldKind.OUTPUT, 6 * nv * count) for name in (BY_Q, BY_V)}
    run = tuple(sweep for sweep in sweeps if sweep.visits)
    return wanted(replace(plans[0], name="frame_velocity_partials", fields=tuple(fields.values()), sweeps=run))


def _moving(sweeps: list[Sweep], frames: int, nv: int) -> dict[tuple[int, int], None]:
    """Frames with the rows of v that move them."""
    written = places_written(sweeps, BY_V)
    both = ((frame, row) for frame in range(frames) for row in range(nv))
    return {own: None for own in both if any((6 * own[0] + axis) * nv + own[1] in written for axis in range(6))}
