"""What the coordinates of a body given by its map make of its points, and what forces there make of its forces.

With r(s, q) the place of a point in the link's frame (Pustina et al., section II),

    r' = J q',    r'' = J q'' + sum_ij d2r/dq_i dq_j q_i' q_j',    tau = J^T f,    J = dr/dq

Slopes are formulas of the same kind as the map, found when the model is made. A visit does all points side by side.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.scalars.taylor import rate
from symdyn.algebra.scalars.taylor_algebra import TaylorAlgebra
from symdyn.algebra.spatial.tangent_frame import TangentFrame, seen_at_rest
from symdyn.algebra.spatial.vectors import Matrix, Vector, cross, dot, entries_of, subtract, times, transpose
from symdyn.dynamics.tree.ports import Reads, Writes
from symdyn.dynamics.tree.series_rates import rates_of
from symdyn.shapes.map_terms import Values

if TYPE_CHECKING:  # shapes load SymPy
    from symdyn.shapes.map_tip import TipTangents, Triple
    from symdyn.shapes.mapped import MapFormulas

Pair = tuple[Vector, Vector]
"""Something of both tangents."""
PLACE = 3
"""Scalars of a point's place, of its velocity, and of a column."""
POSE, RATES = 12, 9
"""Scalars where the tip turns: rotation and place; velocity and angular velocity in its axes, and velocity."""


@dataclass(frozen=True, slots=True)
class MapVariant:
    """What is structural about the points of a body: their formulas. A row of the table has a point's numbers.

    Where the tip turns, all lanes know its rotation and angular velocity, which are formulas of the coordinates alone.
    """

    formulas: MapFormulas

    @property
    def width(self) -> int:
        """Scalars of a row of the table."""
        return self.formulas.width

    @property
    def turns(self) -> bool:
        """Whether the tip's frame turns."""
        return self.formulas.tip is not None

    @property
    def rates(self) -> int:
        """Scalars of a point's velocities."""
        return RATES if self.turns else PLACE

    @property
    def kept(self) -> int:
        """Scalars that a point keeps for the way back: what each coordinate adds to its velocities."""
        return self.rates * self.formulas.count


def map_step(variant: MapVariant, algebra: Algebra, _: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per body: of each point its place, and velocity and acceleration where they are requested."""
    moving = _Moving.at(variant, algebra, reads["table"], reads["q"])
    writes, value = moving.written(), moving.value
    if "v" in reads:
        velocity = rates_of(moving.place, lambda: _combined(moving.columns, reads["v"]))
        writes["twist"] = velocity if moving.tip is None else moving.tip.twist(velocity, moving.tip.rates(reads["v"]))
    if "a" in reads:

        def accelerations() -> list[Scalar]:
            found = _combined(moving.columns, reads["a"])
            for i, j, terms in variant.formulas.curvatures:
                share = speeds(reads["v"], i, j)
                found = [entry + value(term) * share for entry, term in zip(found, terms, strict=True)]
            tip = moving.tip
            return found if tip is None else tip.twist_rate(writes["twist"], found, reads["v"], reads["a"])

        writes["rate"] = rates_of(writes["twist"], accelerations)
    return writes


def map_step_along(variant: MapVariant, algebra: TaylorAlgebra, _: Mapping[str, Scalar], reads: Reads) -> Writes:
    """As :func:`map_step` on series in time, from q at t = 0 and the series of v: all motion is the places'."""
    q = [algebra.integral(own, start) for own, start in zip(reads["v"], reads["q"], strict=True)]
    moving = _Moving.at(variant, algebra, reads["table"], q)
    twist: Vector = [rate(entry) for entry in moving.place]
    if moving.tip is not None:
        first, second = ([rate(entry) for entry in own] for own in moving.tip.tangents)
        twist = moving.tip.twist(twist, (first, second))
    return {**moving.written(), "twist": twist, "rate": [rate(entry) for entry in twist]}


@dataclass(frozen=True, slots=True)
class _Moving:
    """Places and their columns, how other formulas are evaluated, and the tip's frame if that turns."""

    place: list[Scalar]
    columns: list[list[Scalar]]
    value: Values
    tip: TurningTip | None

    @classmethod
    def at(cls, variant: MapVariant, algebra: Algebra, table: Vector, q: Sequence[Scalar]) -> _Moving:
        value = values_in(algebra, {"c": table, "q": q})
        place = [value(term) for term in variant.formulas.place]
        columns = [[value(term) for term in own] for own in variant.formulas.slopes]
        tip = variant.formulas.tip
        return cls(place, columns, value, None if tip is None else TurningTip.at(tip, algebra, value))

    def written(self) -> dict[str, Sequence[Scalar]]:
        """Pose, and what is kept for the way back."""
        pose, kept = self.place, self.columns
        if self.tip is not None:
            pose, kept = [*entries_of(self.tip.turn), *self.place], self.tip.columns(self.columns)
        return {"pose": pose, "kept": [entry for own in kept for entry in own]}


def values_in(algebra: Algebra, leaves: Mapping[str, Sequence[Scalar]]) -> Values:
    """Values of formulas over an algebra."""

    def function(name: str, x: Scalar) -> Scalar:
        if name in ("sin", "cos"):
            return algebra.sin_cos(x)[name == "cos"]
        return algebra.function(name, x)

    return Values(function, leaves)


def columns_kept(kept: Sequence[Scalar], rates: int = PLACE) -> list[Sequence[Scalar]]:
    """The columns of J, from what a point keeps, ``rates`` scalars per coordinate."""
    return [kept[end - PLACE : end] for end in range(rates, len(kept) + 1, rates)]


def map_response(
    variant: MapVariant,
    free: Sequence[bool],
    algebra: Algebra,
    constants: Mapping[str, Scalar],
    reads: Reads,
) -> Writes:
    """Step per body: accelerations of each point by those of its coordinates; see ``rod_steps.rod_response``."""
    found = [own if each else 0.0 for own, each in zip(reads["found"], free, strict=True)]
    moved = _combined(_rows_kept(variant, reads), found)
    if "power" not in constants:
        return {"moved": moved}
    share = algebra.constant(1.0) / constants["power"]
    return {"moved": moved, "twist": [share * entry for entry in moved]}


def map_force(variant: MapVariant, __: Algebra, ___: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per body: the forces of its coordinates, from the force at each point."""
    wrench = reads["wrench"]  # that of the tip alone has no part of the points
    return {"tau": [dot(column[: len(wrench)], wrench) for column in _rows_kept(variant, reads)]}


def _rows_kept(variant: MapVariant, reads: Reads) -> list[Sequence[Scalar]]:
    """What each coordinate adds to the velocities of a point."""
    kept, rates = reads["kept"], variant.rates
    return [kept[start : start + rates] for start in range(0, len(kept), rates)]


def _combined(columns: Sequence[Sequence[Scalar]], factors: Sequence[Scalar]) -> list[Scalar]:
    """J times a vector."""
    found: list[Scalar] = [0.0] * len(columns[0])
    for column, factor in zip(columns, factors, strict=True):
        found = [entry + part * factor for entry, part in zip(found, column, strict=True)]
    return found


@dataclass(frozen=True, slots=True)
class TurningTip:
    """The frame of a tip that turns with the matter, in some state: ``turn`` takes its axes to the link's.

    Its axes are those of the tangents along s1 and s2 (``spatial.tangent_frame``), seen from where they are at rest:
    the frame is parallel to the link's then. All formulas are of the coordinates alone.
    """

    formulas: TipTangents
    value: Values
    tangents: Pair
    frame: TangentFrame
    turn: Matrix

    @classmethod
    def at(cls, formulas: TipTangents, algebra: Algebra, value: Values) -> TurningTip:
        """The frame where formulas have some values."""
        first, second = _values(value, formulas.tangents)
        frame = TangentFrame.of(algebra, first, second)
        return cls(formulas, value, (first, second), frame, frame.turned(formulas.rest))

    def rates(self, v: Vector) -> Pair:
        """The rates of the tangents."""
        first: Vector = [0.0] * 3
        second: Vector = [0.0] * 3
        for own, share in zip(self.formulas.slopes, v, strict=True):
            one, two = _values(self.value, own)
            first, second = _added(first, one, share), _added(second, two, share)
        return first, second

    def twist(self, velocity: Vector, rates: Pair) -> list[Scalar]:
        """Velocities as points have them: (v; omega) in the tip's axes, and v in the link's."""
        return [*times(transpose(self.turn), velocity), *self._seen(self.frame.spin(*rates)), *velocity]

    def twist_rate(self, twist: Vector, acceleration: Vector, v: Vector, a: Vector) -> list[Scalar]:
        """Their rates."""
        rates, (first, second) = self.rates(v), self.rates(a)
        for i, j, own in self.formulas.curvatures:
            one, two = _values(self.value, own)
            share = speeds(v, i, j)
            first, second = _added(first, one, share), _added(second, two, share)
        turning = self.frame.spin_rate(self.frame.spin(*rates), rates, (first, second))
        moved = subtract(times(transpose(self.turn), acceleration), cross(twist[3:6], twist[:3]))
        return [*moved, *self._seen(turning), *acceleration]

    def columns(self, columns: Sequence[Vector]) -> list[list[Scalar]]:
        """What each coordinate adds to these velocities, from what it adds to those of points."""
        own = (_values(self.value, each) for each in self.formulas.slopes)
        return [self.twist(column, rates) for column, rates in zip(columns, own, strict=True)]

    def _seen(self, spin: Vector) -> list[Scalar]:
        return seen_at_rest(self.formulas.rest, spin)


def speeds(v: Vector, i: int, j: int) -> Scalar:
    """By what a second derivative by two coordinates i <= j counts."""
    return v[i] * v[j] if i == j else 2.0 * (v[i] * v[j])


def _values(value: Values, own: tuple[Triple, Triple]) -> Pair:
    first, second = ([value(term) for term in each] for each in own)
    return first, second


def _added(sums: Vector, vector: Vector, share: Scalar) -> Vector:
    return [total + entry * share for total, entry in zip(sums, vector, strict=True)]
