"""Plans over time series that go order by order, because what one order finds the next one needs.

Where the whole trajectory is given, :mod:`symdyn.recursion.time_series` runs each kernel once for all orders. Forward
dynamics finds its trajectory on the way: coefficient k of the accelerations follows from the motion to order k - 1. So
every sweep is made once per order k. A kernel is the one of order 0; it sees series to order k, of which the lower
coefficients lie in fields that earlier orders have filled, and of its results coefficient k alone is computed and
stored. Recurrences inside a kernel start from its own lower results (:meth:`Series.settle`). All orders together cost
O(r^2), as with the whole series at once.

Each coefficient of a field is a field of its own, with the rows of the plain one.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

from symdyn.plan import Access, Field, Mode, Port, Step, Sweep
from symdyn.scalars.algebra import Algebra, Scalar
from symdyn.scalars.taylor import Series, rate, times
from symdyn.scalars.taylor_algebra import TaylorAlgebra
from symdyn.scalars.taylor_functions import reciprocal


class Reach(Enum):
    """To which order a field is known once order k of the accelerations is looked for."""

    SAME = "k"
    TURNING = "k + 1, but 0 for k = 0"
    NEXT = "k + 1"

    def top(self, k: int) -> int:
        """The highest coefficient at order k; -1 before order 0."""
        if k < 0:
            return -1
        return k if self is Reach.SAME or (self is Reach.TURNING and k == 0) else k + 1


@dataclass(frozen=True, slots=True)
class Stepwise:
    """How a field is carried from order to order.

    Parameters
    ----------
    reach
        To which order it is known.
    led
        How many scalars at the start of each row have those that follow as their rates. Of them the value at t = 0 is
        kept, and where coefficient j of a rate would lie, coefficient j + 1 of the scalar itself: nobody need divide
        it by j + 1 anew at each order.
    by_rate
        Places of scalars of which the coefficients of the rate are kept, after the value at t = 0.
    unknown
        Places of scalars of which the highest coefficient is what is looked for: it counts as zero.
    passing
        Whether only the highest coefficient is of use: what is found at an order does not reach the field afterwards.
    """

    reach: Reach = Reach.SAME
    led: int = 0
    by_rate: frozenset[int] = frozenset()
    unknown: frozenset[int] = frozenset()
    passing: bool = False


@dataclass(frozen=True, slots=True)
class _PortForm:
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
    forms: tuple[tuple[str, _PortForm], ...]


def coefficient_of(name: str, k: int) -> str:
    """The field, or the port, that holds coefficient k of another one."""
    return f"{name}_order{k}"


def coefficient_fields(fields: Sequence[Field], carried: Mapping[str, Stepwise], order: int) -> list[Field]:
    """Fields for all coefficients of those that are carried; the others as they are."""
    found = []
    for field in fields:
        if field.name in carried:
            tops = range(carried[field.name].reach.top(order) + 1)
            found += [replace(field, name=coefficient_of(field.name, k)) for k in tops]
        else:
            found.append(field)
    return found


def at_order(sweeps: Sequence[Sweep], carried: Mapping[str, Stepwise], k: int) -> list[Sweep]:
    """Sweeps that compute coefficient k of what they write.

    Fields that are not carried take the coefficient k of what kernels write there; what they read from such fields is
    constant in time.
    """
    return [_at_order(sweep, carried, k) for sweep in sweeps]


def at_start(sweeps: Sequence[Sweep], carried: Mapping[str, Stepwise]) -> list[Sweep]:
    """Sweeps of plain scalars that read the values at t = 0 of what is carried."""

    def moved(place: Any) -> Any:
        known = isinstance(place, Access) and place.field in carried
        return replace(place, field=coefficient_of(place.field, 0)) if known else place

    return [
        replace(
            sweep,
            visits=tuple(
                replace(visit, bindings={name: moved(place) for name, place in visit.bindings.items()})
                for visit in sweep.visits
            ),
        )
        for sweep in sweeps
    ]


def _at_order(sweep: Sweep, carried: Mapping[str, Stepwise], k: int) -> Sweep:
    modes = {port.name: port.mode for port in sweep.step.ports}
    visits, ports = [], {}
    for visit in sweep.visits:
        bindings: dict[str, Any] = {}
        forms = []
        for name, place in visit.bindings.items():
            if not isinstance(place, Access) or place.field not in carried:
                bindings[name] = place
                ports[name] = Port(name, modes[name])
                continue
            own = carried[place.field]
            form = _form(own, place, k)
            forms.append((name, form))
            reads = modes[name] is Mode.READ
            for j in range(form.top + 1):
                if reads and j == form.top and all(form.unknown):
                    continue
                if modes[name] is Mode.ADD and j < form.first:
                    continue
                port = coefficient_of(name, j)
                bindings[port] = _coefficient_access(place, own, j)
                ports[port] = Port(port, modes[name] if j >= form.first and not reads else Mode.READ)
        visits.append(replace(visit, variant=StepwiseVariant(visit.variant, k, tuple(forms)), bindings=bindings))
    step = Step(coefficient_of(sweep.step.name, k), _kernel(sweep.step), tuple(ports.values()))
    return Sweep(step, tuple(visits), sweep.vector)


def _form(own: Stepwise, place: Access, k: int) -> _PortForm:
    places = place.places
    return _PortForm(
        own.reach.top(k),
        own.reach.top(k - 1) + 1,
        own.led,
        tuple(entry in own.by_rate for entry in places),
        tuple(entry in own.unknown for entry in places),
        own.passing,
    )


def _coefficient_access(place: Access, own: Stepwise, j: int) -> Access:
    skipped = own.led if j else 0  # their higher coefficients are those of their rates
    return Access(
        coefficient_of(place.field, j), place.offset + skipped * place.stride, place.count - skipped, place.stride
    )


def _kernel(step: Step) -> Any:
    writing = {port.name for port in step.ports if port.mode is Mode.WRITE}
    adding = {port.name for port in step.ports if port.mode is Mode.ADD}

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
            if name not in writing and name not in adding
        }
        written = step.kernel(variant.plain, algebra, constants, {**plain, **seen})
        found: dict[str, Sequence[Scalar]] = {}
        for name, values in written.items():
            if name not in forms:
                found[name] = [_coefficient(value, variant.k) for value in values]
                continue
            form = forms[name]
            if name in writing and form.first > 0 and not form.passing:
                _settle(values, _series(algebra, form, name, form.first - 1, reads))
            for j in range(form.first, form.top + 1):
                found[coefficient_of(name, j)] = _stored(inner, form, values, j)
        return found

    return kernel


def _series(
    algebra: TaylorAlgebra, form: _PortForm, name: str, top: int, reads: Mapping[str, Sequence[Scalar]]
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


def _stored(inner: Algebra, form: _PortForm, values: Sequence[Scalar], j: int) -> list[Scalar]:
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
