"""Constraints on velocities, A(q) v = c(q): their rows at a state, and how w = A v - c changes along the motion."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mpmath import mp

from symdyn.description.pfaffian import Pfaffian
from symdyn.description.robot import JointKind
from symdyn.errors import VerificationError
from symdyn.verify.base.curves import QUATERNION_AT
from symdyn.verify.base.dense import Rows
from symdyn.verify.base.matrices import Real, vector
from symdyn.verify.oracle.place import Place
from symdyn.verify.oracle.setting import Inputs, Setting
from symdyn.verify.oracle.trajectory import Trajectory

_TURN_Q, _TURN_V = (".qx", ".qy", ".qz", ".qw"), (".wx", ".wy", ".wz")
_SHIFT_Q, _SHIFT_V = (".x", ".y", ".z"), (".vx", ".vy", ".vz")
_SUFFIXES = {
    JointKind.CYLINDRICAL: ((".z", ".theta"), (".vz", ".omega")),
    JointKind.UNIVERSAL: ((".1", ".2"), (".1", ".2")),
    JointKind.SPHERICAL: (_TURN_Q, _TURN_V),
    JointKind.PLANAR: ((".x", ".y", ".theta"), (".vx", ".vy", ".omega")),
    JointKind.FLOATING: ((*_SHIFT_Q, *_TURN_Q), (*_SHIFT_V, *_TURN_V)),
}
"""What rows of q and v of joints add to their names."""
_SPATIAL = (*_TURN_V, *_SHIFT_V)
"""The same of a floating base that moves by its twist in the world."""


@dataclass(frozen=True, slots=True)
class VelocityRow:
    """A row of A v = c by its name: entries by rows of v, c, and sizes."""

    name: str
    entries: dict[int, Real]
    equals: Real


def velocity_rows(setting: Setting, inputs: Inputs) -> Iterator[VelocityRow]:
    """The rows of all constraints on velocities at a state, without columns of locked joints.

    Raises
    ------
    VerificationError
        A row of v or q that no joint of the file has.
    """
    quantities = setting.quantities(inputs)
    q = vector(inputs["q"])
    columns, coordinates = _columns(setting), _coordinates(setting, q)
    locked = [place for place in setting.tree.places if place.locked is not None]
    still = {place.joint.name + suffix for place in locked for suffix in _suffixes(place)[1]}
    for held in (own for own in setting.description.acting if isinstance(own, Pfaffian)):
        asked = {v for row in held.rows for v, _ in row} - columns.keys() - still
        unknown = min(asked | ({row for _, row in held.coordinates} - coordinates.keys()), default=None)
        if unknown is not None:
            raise VerificationError(
                f"loop '{held.name}' rests on '{unknown}', which is no row of a joint, and cannot be verified; verify "
                "the robot without it"
            )
        names = {name: coordinates[row] for name, row in held.coordinates}
        for number, (row, equals) in enumerate(zip(held.rows, held.equals or [0.0] * len(held.rows), strict=True)):
            entries = {columns[v]: quantities.with_names(own, names) for v, own in row if v in columns}
            name = f"{held.name}.{number}" if len(held.rows) > 1 else held.name
            yield VelocityRow(name, entries, quantities.with_names(equals, names))


def _columns(setting: Setting) -> dict[str, int]:
    """Rows of v by name."""
    found: dict[str, int] = {}
    for place in setting.tree.places:
        if place.owns_rows and not place.bends:
            own = _SPATIAL if setting.spatial and place.implicit else _suffixes(place)[1]
            found |= {place.joint.name + suffix: place.v_row + row for row, suffix in enumerate(own)}
            if place.joint.elastic is not None:
                found[f"{place.joint.name}.motor"] = place.v_row + 1
    return found


def _coordinates(setting: Setting, q: Sequence[Real]) -> dict[str, Real]:
    """Coordinates by names of rows of q; those of locked joints stand still."""
    found: dict[str, Real] = {}
    for place in setting.tree.places:
        if (place.owns_rows or place.locked is not None) and not place.bends:
            own = zip(_suffixes(place)[0], place.coordinates(q), strict=False)
            found |= {place.joint.name + suffix: value for suffix, value in own}
            if place.owns_rows and place.joint.elastic is not None:
                found[f"{place.joint.name}.motor"] = q[place.q_row + 1]
    return found


def _suffixes(place: Place) -> tuple[tuple[str, ...], tuple[str, ...]]:
    kind = place.joint.kind
    q, v = _SUFFIXES.get(kind, (("",), ("",)))
    if place.mujoco and kind in QUATERNION_AT:
        q = (*q[: QUATERNION_AT[kind]], _TURN_Q[3], *_TURN_Q[:3])
    return q, v


def velocity_slopes(setting: Setting, inputs: Inputs) -> tuple[dict[str, list[Real]], dict[str, list[Real]]]:
    """Rows of A by name, and sizes of their terms."""
    found = {
        row.name: [row.entries.get(v, mp.mpf(0)) for v in range(setting.tree.nv)]
        for row in velocity_rows(setting, inputs)
    }
    return found, {name: [abs(x) for x in row] for name, row in found.items()}


def excess(setting: Setting, inputs: Inputs) -> dict[str, Real]:
    """W = A v - c by name."""
    v = vector(inputs["v"])
    return {
        row.name: mp.fsum(x * v[own] for own, x in row.entries.items()) - row.equals
        for row in velocity_rows(setting, inputs)
    }


def _excess_rates(setting: Setting, inputs: Inputs, v: Sequence[Real]) -> dict[str, tuple[Real, Real, Real, Real]]:
    """W and w' by name along the motion with steady velocities v, each with the size of its terms."""
    if not any(isinstance(own, Pfaffian) for own in setting.description.acting):
        return {}
    moving = Trajectory(setting, {**inputs, "V": list(v)})

    def terms(state: Inputs) -> list[Real]:
        rows = velocity_rows(setting, state)
        return [x for row in rows for x in (*(x * v[own] for own, x in row.entries.items()), -row.equals)]

    values, rates = moving.derivatives(1, terms)
    found: dict[str, tuple[Real, Real, Real, Real]] = {}
    first = 0
    for row in velocity_rows(setting, inputs):
        last = first + len(row.entries) + 1
        own, changes = values[first:last], rates[first:last]
        size = mp.fsum(map(abs, own))
        swift = size * moving.swiftness + mp.fsum(map(abs, changes))
        found[row.name] = (mp.fsum(own), mp.fsum(changes), size, swift)
        first = last
    return found


def velocity_series(
    setting: Setting, inputs: Inputs, v: Sequence[Real], order: int
) -> dict[str, tuple[list[Real], list[Real]]]:
    """Rows that hold velocities: no error, and then w / 2, so that 2 e' / T is w / T and e'' is w'."""
    none = [mp.mpf(0)] * (order + 1)
    if order == 0:
        return {row.name: (none, none) for row in velocity_rows(setting, inputs)}
    found: dict[str, tuple[list[Real], list[Real]]] = {}
    for name, (w, rate, size, swift) in _excess_rates(setting, inputs, v).items():
        series, sizes = [mp.mpf(0), w / 2, rate / 2], [mp.mpf(0), size / 2, swift / 2]
        found[name] = (series[: order + 1], sizes[: order + 1])
    return found


def excess_derivatives(setting: Setting, moving: Trajectory, order: int) -> Rows:
    """The derivatives of w along a trajectory to an order, by the rows that the function holds; others are 0."""

    def held(state: Inputs) -> list[Real]:
        found = excess(setting, state)
        return [found.get(name, mp.mpf(0)) for name in setting.held]

    return moving.derivatives(order, held)
