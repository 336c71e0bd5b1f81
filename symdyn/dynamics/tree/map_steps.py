"""What the coordinates of a body given by its map make of its points, and what forces there make of its forces.

With r(s, q) the place of a point in the link's frame (Pustina et al., section II),

    r' = J q',    r'' = J q'' + sum_ij d2r/dq_i dq_j q_i' q_j',    tau = J^T f,    J = dr/dq

Slopes are formulas of the same kind as the map, found when the model is made. A visit does all points side by side.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from symdyn.dynamics.tree.ports import Reads, Writes
from symdyn.dynamics.tree.series_rates import rates_of
from symdyn.scalars.algebra import Algebra, Scalar
from symdyn.scalars.taylor import rate
from symdyn.scalars.taylor_algebra import TaylorAlgebra
from symdyn.shapes.map_terms import Values
from symdyn.spatial.vectors import Vector, dot

if TYPE_CHECKING:  # shapes load SymPy
    from symdyn.shapes.mapped import MapFormulas


PLACE = 3
"""Scalars of a point's place, of its velocity, and of a column."""


@dataclass(frozen=True, slots=True)
class MapVariant:
    """What is structural about the points of a body: their formulas. A row of the table has a point's numbers."""

    formulas: MapFormulas

    @property
    def width(self) -> int:
        """Scalars of a row of the table."""
        return self.formulas.width

    @property
    def kept(self) -> int:
        """Scalars that a point keeps for the way back: J, column by column."""
        return PLACE * self.formulas.count


def map_step(variant: MapVariant, algebra: Algebra, _: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per body: of each point its place, and velocity and acceleration where they are asked for."""
    place, columns, writes, value = _posed(variant, algebra, reads["table"], reads["q"])
    if "v" in reads:
        writes["twist"] = rates_of(place, lambda: _combined(columns, reads["v"]))
    if "a" in reads:

        def accelerations() -> list[Scalar]:
            found = _combined(columns, reads["a"])
            for i, j, terms in variant.formulas.curvatures:
                speeds = reads["v"][i] * reads["v"][j] if i == j else 2.0 * (reads["v"][i] * reads["v"][j])
                found = [entry + value(term) * speeds for entry, term in zip(found, terms, strict=True)]
            return found

        writes["rate"] = rates_of(writes["twist"], accelerations)
    return writes


def map_step_along(variant: MapVariant, algebra: TaylorAlgebra, _: Mapping[str, Scalar], reads: Reads) -> Writes:
    """As :func:`map_step` on series in time, from q at t = 0 and the series of v: all motion is the places'."""
    q = [algebra.integral(own, start) for own, start in zip(reads["v"], reads["q"], strict=True)]
    place, _columns, writes, _value = _posed(variant, algebra, reads["table"], q)
    twist = [rate(entry) for entry in place]
    return {**writes, "twist": twist, "rate": [rate(entry) for entry in twist]}


def _posed(
    variant: MapVariant, algebra: Algebra, table: Vector, q: Sequence[Scalar]
) -> tuple[list[Scalar], list[list[Scalar]], dict[str, Sequence[Scalar]], Values]:
    """Places and columns, what is written of them, and how other formulas are evaluated."""
    value = values_in(algebra, {"c": table, "q": q})
    place = [value(term) for term in variant.formulas.place]
    columns = [[value(term) for term in own] for own in variant.formulas.slopes]
    return place, columns, {"pose": place, "kept": [entry for own in columns for entry in own]}, value


def values_in(algebra: Algebra, leaves: Mapping[str, Sequence[Scalar]]) -> Values:
    """Values of formulas over an algebra."""

    def function(name: str, x: Scalar) -> Scalar:
        if name in ("sin", "cos"):
            return algebra.sin_cos(x)[name == "cos"]
        return algebra.function(name, x)

    return Values(function, leaves)


def columns_kept(kept: Sequence[Scalar]) -> list[Sequence[Scalar]]:
    """The columns of J, from what a point keeps."""
    return [kept[start : start + PLACE] for start in range(0, len(kept), PLACE)]


def map_response(
    variant: MapVariant,
    free: Sequence[bool],
    algebra: Algebra,
    constants: Mapping[str, Scalar],
    reads: Reads,
) -> Writes:
    """Step per body: accelerations of each point by those of its coordinates; see ``rod_steps.rod_response``."""
    found = [own if each else 0.0 for own, each in zip(reads["found"], free, strict=True)]
    moved = _combined(columns_kept(reads["kept"]), found)
    if "power" not in constants:
        return {"moved": moved}
    share = algebra.constant(1.0) / constants["power"]
    return {"moved": moved, "twist": [share * entry for entry in moved]}


def map_force(_: MapVariant, __: Algebra, ___: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per body: the forces of its coordinates, from the force at each point."""
    return {"tau": [dot(column, reads["wrench"]) for column in columns_kept(reads["kept"])]}


def _combined(columns: Sequence[Sequence[Scalar]], factors: Sequence[Scalar]) -> list[Scalar]:
    """J times a vector."""
    found: list[Scalar] = [0.0] * PLACE
    for column, factor in zip(columns, factors, strict=True):
        found = [entry + part * factor for entry, part in zip(found, column, strict=True)]
    return found
