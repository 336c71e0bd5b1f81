"""Tables of a rod's strain functions, made into tables of their moments over each step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from symdyn.algebra.spatial.magnus import moment_weights

if TYPE_CHECKING:  # shapes load SymPy
    from symdyn.shapes.tables import RodTables

_ROUNDING = 1e-15
"""Of a function's largest value times the step's length: what rounding leaves of moments that vanish."""


@dataclass(frozen=True, slots=True)
class StepMoments:
    """What the exponent of one step takes (:mod:`symdyn.algebra.spatial.exponent`): moments are sums of these.

    Attributes
    ----------
    functions
        Per moment and coordinate a value for each row that the coordinate moves, per unit of the coordinate.
    reference
        Per moment the six rows at rest, the linear ones first.
    """

    functions: tuple[tuple[tuple[float, ...], ...], ...]
    reference: tuple[tuple[float, ...], ...]


def rod_moments(tables: RodTables) -> tuple[StepMoments, ...]:
    """The moments of all steps of a rod; those that vanish are zero exactly.

    Constant functions have the first moment alone, linear ones the first two.
    """
    weights = moment_weights(tables.order)
    coordinates = range(len(tables.names))
    largest = [
        [max(abs(point[i][k]) for step in tables.steps for point in step.functions) for k in range(len(rows))]
        for i, rows in enumerate(tables.moved)
    ]
    largest_at_rest = [max(abs(point[row]) for step in tables.steps for point in step.reference) for row in range(6)]
    found = []
    for step in tables.steps:
        functions = tuple(
            tuple(
                tuple(
                    _moment(weight, [point[i][k] for point in step.functions], step.length, largest[i][k])
                    for k in range(len(tables.moved[i]))
                )
                for i in coordinates
            )
            for weight in weights
        )
        reference = tuple(
            tuple(
                _moment(weight, [point[row] for point in step.reference], step.length, largest_at_rest[row])
                for row in range(6)
            )
            for weight in weights
        )
        found.append(StepMoments(functions, reference))
    return tuple(found)


def _moment(weights: tuple[float, ...], values: list[float], length: float, largest: float) -> float:
    total = sum(weight * value for weight, value in zip(weights, values, strict=True))
    return total * length if abs(total) > _ROUNDING * largest else 0.0
