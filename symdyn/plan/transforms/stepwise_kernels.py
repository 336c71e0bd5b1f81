"""Kernels of order 0 run on series of which coefficient k alone is wanted: how scalars of ports make up the series.

See :mod:`symdyn.plan.transforms.order_by_order`, which makes the sweeps.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.scalars.taylor import Series, rate, times
from symdyn.algebra.scalars.taylor_algebra import TaylorAlgebra
from symdyn.algebra.scalars.taylor_functions import reciprocal
from symdyn.plan.plan import Mode, Step


@dataclass(frozen=True, slots=True)
class PortForm:
    """What the scalars of a port are: its highest coefficient, and per scalar how the series is kept."""

    top: int
    first: int
    led: int
    by_rate: tuple[bool, ...]
    unknown: tuple[bool, ...]
    passing: bool


@dataclass(frozen=True, slots=True)
class StepwiseVariant:
    """The variant of a visit at order ``k``: the plain one, and the form of each port that holds series."""

    plain: Hashable
    k: int
    forms: tuple[tuple[str, PortForm], ...]


@cache
def coefficient_of(name: str, k: int) -> str:
    """The field, or the port, that holds coefficient k of another one."""
    return f"{name}_order{k}"


def kernel_at_order(step: Step) -> Any:
    """The kernel of a step over coefficients of series; its variants are :class:`StepwiseVariant`."""
    modes = {port.name: port.mode for port in step.ports}

    def kernel(
        variant: StepwiseVariant,
        inner: Algebra,
        constants: Mapping[str, Scalar],
        reads: Mapping[str, Sequence[Scalar]],
    ) -> Mapping[str, Sequence[Scalar]]:
        algebra, forms = TaylorAlgebra(inner, variant.k), dict(variant.forms)
        held = {coefficient_of(name, j) for name, form in forms.items() for j in range(form.top + 1)}
        plain = {name: values for name, values in reads.items() if name not in held}
        seen = {
            name: _series(algebra, form, name, form.top, reads)
            for name, form in forms.items()
            if modes[name] is Mode.READ
        }
        written = step.kernel(variant.plain, algebra, constants, {**plain, **seen})
        found: dict[str, Sequence[Scalar]] = {}
        for name, values in written.items():
            if name not in forms:
                found[name] = [_coefficient(value, variant.k) for value in values]
                continue
            form = forms[name]
            if modes[name] is Mode.WRITE and form.first > 0 and not form.passing:
                _settle(values, _series(algebra, form, name, form.first - 1, reads))
            for j in range(form.first, form.top + 1):
                found[coefficient_of(name, j)] = _stored(inner, form, values, j)
        return found

    return kernel


def _series(
    algebra: TaylorAlgebra, form: PortForm, name: str, top: int, reads: Mapping[str, Sequence[Scalar]]
) -> list[Series]:
    """The series of a port, up to coefficient ``top``."""
    count = len(form.unknown)
    columns: list[list[Scalar]] = [[] for _ in range(count)]
    for j in range(top + 1):
        values = reads.get(coefficient_of(name, j))
        skipped = form.led if j else 0
        for place in range(skipped, count):
            open_top = form.unknown[place] and j == form.top
            columns[place].append(0.0 if open_top or values is None else values[place - skipped])
    found = []
    for place, column in enumerate(columns):
        if place < form.led:
            found.append(Series([column[0], *(columns[place + form.led] if form.top else [])]))
        elif place < 2 * form.led and form.top:
            found.append(rate(found[place - form.led]))
        elif form.by_rate[place]:
            found.append(_integrated(algebra, column[0], column[1:]))
        else:
            found.append(Series(column))
    return found


def _integrated(algebra: TaylorAlgebra, start: Scalar, rates: Sequence[Scalar]) -> Series:
    return algebra.integral(Series(rates), start) if rates else Series([start])


def _settle(values: Sequence[Scalar], known: Sequence[Series]) -> None:
    for value, lower in zip(values, known, strict=True):
        if isinstance(value, Series):
            value.settle(lower.coefficients)


def _stored(inner: Algebra, form: PortForm, values: Sequence[Scalar], j: int) -> list[Scalar]:
    """Coefficient j of each scalar as it is kept."""
    kept = []
    for place in range(form.led if j else 0, len(values)):
        value = values[place]
        if form.led <= place < 2 * form.led:
            kept.append(_led(inner, values[place - form.led], value, j))
        elif form.by_rate[place] and j:
            kept.append(_coefficient(rate(value), j - 1))
        else:
            kept.append(_coefficient(value, j))
    return kept


def _led(inner: Algebra, leading: Scalar, own_rate: Scalar, j: int) -> Scalar:
    """Coefficient j + 1 of a scalar that has a rate of its own, read off the one that is known to that order."""
    if isinstance(leading, Series) and leading.order > j:
        return leading.coefficient(j + 1)
    return times(_coefficient(own_rate, j), reciprocal(inner, j + 1)) if j else _coefficient(own_rate, 0)


def _coefficient(value: Scalar, j: int) -> Scalar:
    if isinstance(value, Series):
        return value.coefficient(j)
    return value if j == 0 else 0.0
