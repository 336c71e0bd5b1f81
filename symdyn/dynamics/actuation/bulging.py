"""Chambers in rods whose sections deform: volumes are polynomials of coordinates, and their slopes are forces."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.dynamics.actuation.steps import row_name, slope_name
from symdyn.dynamics.tree.ports import Reads, Writes
from symdyn.plan.plan import Mode, Port, Step


@dataclass(frozen=True, slots=True)
class BulgingVariant:
    """What is structural about such a volume: which products of coordinates it has; see ``shapes.tendon``.

    ``rows`` are those among the rod's in which slopes of its forces are requested.
    """

    count: int
    products: tuple[tuple[int, ...], ...]
    rows: tuple[int, ...] = ()


def product_name(number: int) -> str:
    """The factor of a product among the constants."""
    return f"product{number}"


def bulging_volume(variant: BulgingVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per chamber: its volume [m^3]."""
    total = constants["rest"]
    for row in range(variant.count):
        total = total + constants[slope_name(row)] * reads["q"][row]
    for number, key in enumerate(variant.products):
        total = total + _times(constants[product_name(number)], key, reads["q"])
    return {"volume": [total]}


def bulging_force(variant: BulgingVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per chamber: the forces of its rod's coordinates, by the pressure ``u`` or by that of 1 Pa."""
    slopes = [constants[slope_name(row)] for row in range(variant.count)]
    for number, key in enumerate(variant.products):
        for row, often, left in _without(key):
            slopes[row] = slopes[row] + often * _times(constants[product_name(number)], left, reads["q"])
    return {"force": [slope * reads["u"][0] for slope in slopes] if "u" in reads else slopes}


def bulging_slopes(variant: BulgingVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per chamber: what the pressure ``u`` takes off forces per move of coordinates, -u d2V/dq2, row by row."""
    found: dict[int, list[Scalar]] = {row: [0.0] * variant.count for row in variant.rows}
    for number, key in enumerate(variant.products):
        for row, often, left in _without(key):
            for column, more, rest in _without(left) if row in found else ():
                factor = (-often * more) * _times(constants[product_name(number)], rest, reads["q"])
                found[row][column] = found[row][column] + factor * reads["u"][0]
    return {row_name(row): entries for row, entries in found.items()}


def _without(key: tuple[int, ...]) -> Iterator[tuple[int, float, tuple[int, ...]]]:
    """Per coordinate of a product how often it counts, and what is left without one of it."""
    for row in sorted(set(key)):
        at = key.index(row)
        yield row, float(key.count(row)), (*key[:at], *key[at + 1 :])


def _times(factor: Scalar, key: tuple[int, ...], q: Sequence[Scalar]) -> Scalar:
    for row in key:
        factor = factor * q[row]
    return factor


def _reads(*ports: str) -> tuple[Port, ...]:
    return tuple(Port(port, Mode.READ) for port in ports)


BULGING_VOLUME = Step("bulging_volume", bulging_volume, (*_reads("q"), Port("volume", Mode.WRITE)))
BULGING = Step("bulging_force", bulging_force, (*_reads("q", "u"), Port("force", Mode.ADD)))


def bulging_slopes_step(rows: int) -> Step:
    """The step of :func:`bulging_slopes` for rods of up to so many coordinates."""
    return Step(
        "bulging_slopes", bulging_slopes, (*_reads("q", "u"), *(Port(row_name(k), Mode.ADD) for k in range(rows)))
    )
