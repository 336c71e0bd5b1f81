"""Plans whose scalars vary in time: every scalar of a state field becomes the coefficients of its Taylor series.

A plan of order 0 becomes one of order r as it stands: each kernel runs on :class:`Series` instead of plain scalars,
and fields hold the coefficients side by side. What rests on constants alone (the robot's numbers, run-time parameters)
stays plain. There is no second code path per order, and the lifted plan is a plan like any other: unrolled, split or
rolled. The cost grows like the square of the order, because products are convolutions (Griewank and Walther 2008,
chapter 13; Ali et al. 2026 write the same orders out by binomials).
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any

from symdyn.errors import InternalError
from symdyn.plan.plan import Access, Field, FieldKind, Mode, Step, Sweep, Visit
from symdyn.scalars.algebra import Algebra, Scalar
from symdyn.scalars.taylor import Series, rate
from symdyn.scalars.taylor_algebra import TaylorAlgebra
from symdyn.transforms.varying_constants import with_ports_for


@dataclass(frozen=True, slots=True)
class Form:
    """How a series lies in a field: ``size`` scalars, its coefficients, or its value and then those of its rate.

    The latter (``by_rate``) suits a quantity that was made by integrating, and of which readers want the rate: nothing
    is divided by its order and multiplied again.
    """

    size: int
    by_rate: bool = False

    def loaded(self, algebra: TaylorAlgebra, scalars: Sequence[Scalar]) -> Series:
        """The series from its scalars."""
        if self.by_rate and self.size > 1:
            return algebra.integral(Series(scalars[1:]), scalars[0])
        return Series(scalars)

    def stored(self, value: Scalar) -> list[Scalar]:
        """The scalars of a series or of what is constant in time.

        Raises
        ------
        InternalError
            The series is shorter than its field has room for.
        """
        if not isinstance(value, Series):
            return [value] + [0.0] * (self.size - 1)
        found = list(value.coefficients)
        if self.by_rate and self.size > 1:
            found = [value.leading, *rate(value).coefficients]
        if len(found) < self.size:
            raise InternalError(f"a series of {len(found)} coefficients where its readers need {self.size}")
        return found[: self.size]


@dataclass(frozen=True, slots=True)
class SeriesVariant:
    """The variant of a lifted visit: the plain one, and per port that holds series the form of each scalar."""

    plain: Hashable
    order: int
    forms: tuple[tuple[str, tuple[Form, ...]], ...]


def lifted(
    fields: Sequence[Field],
    sweeps: Sequence[Sweep],
    order: int,
    varying: Collection[str],
    forms: Mapping[str, Sequence[Form]],
) -> tuple[list[Field], list[Sweep]]:
    """Fields and sweeps that carry time series.

    Parameters
    ----------
    fields, sweeps
        Of the plan. Sweeps may mix kernels that know nothing of series with those that make or take them.
    order
        The order to which series are carried where ``forms`` does not say.
    varying
        Inputs that depend on time. A state field is lifted if a step writes it that has read one of them, or a lifted
        field. Inputs and outputs stay as they are: their kernels see plain scalars.
    forms
        Per state field the forms of the scalars of a row, where they are not all of ``order + 1`` coefficients.

    Returns
    -------
    All fields, lifted or not, and all sweeps. ``lifted`` sweeps have the ports and names of the plain ones.
    """
    found = _varying_fields(fields, sweeps, varying)
    sweeps = [with_ports_for(sweep, found) for sweep in sweeps]
    layouts = {
        field.name: _Layout(field, tuple(forms.get(field.name, (Form(order + 1),) * field.width)))
        for field in fields
        if field.name in found
    }
    return (
        [layouts[field.name].field if field.name in layouts else field for field in fields],
        [_lifted_sweep(sweep, order, layouts, varying) for sweep in sweeps],
    )


class _Layout:
    """Where the scalars of a lifted field lie."""

    def __init__(self, plain: Field, forms: tuple[Form, ...]) -> None:
        assert len(forms) == plain.width, (plain.name, len(forms))
        self._width, self._lanes = plain.width, plain.lanes
        self._forms = forms
        self._starts = [0, *accumulate(form.size for form in forms)]
        self._known: dict[tuple[int, int, int], tuple[Form, ...]] = {}
        self.field = replace(plain, width=self._starts[-1])

    def forms(self, access: Access) -> tuple[Form, ...]:
        """The forms of the scalars of an access."""
        column, stride = access.offset // self._lanes % self._width, self._stride(access)
        key = (column, access.count, stride)
        if key not in self._known:
            places = range(column, column + access.count * stride, stride)
            self._known[key] = tuple([self._forms[place % self._width] for place in places])
        return self._known[key]

    def access(self, access: Access) -> Access:
        """Where the series of an access lie."""
        assert self._stride(access) == 1 or access.count == 1, access
        scalar, lane = divmod(access.offset, self._lanes)
        row, column = divmod(scalar, self._width)
        size = sum([form.size for form in self.forms(access)])
        start = (row * self._starts[-1] + self._starts[column]) * self._lanes + lane
        return Access(access.field, start, size, self._lanes, self._lane(access))

    def _stride(self, access: Access) -> int:
        """Scalars of a lane from one of the access to the next."""
        assert access.count == 1 or access.stride % self._lanes == 0, access
        return access.stride // self._lanes if access.count > 1 else 1

    def _lane(self, access: Access) -> int:
        """By how much the series of an access advance from lane to lane."""
        if self._lanes > 1 or not access.lane:
            return access.lane
        rows, rest = divmod(access.lane, self._width)
        alike = len(set(self._forms)) == 1
        assert alike or not rest, access  # or lanes would find series of unequal forms
        return access.lane * self._forms[0].size if alike else rows * self._starts[-1]


def _varying_fields(fields: Sequence[Field], sweeps: Sequence[Sweep], varying: Collection[str]) -> set[str]:
    states = {field.name for field in fields if field.kind is FieldKind.STATE}
    touched = dict.fromkeys(_touched(sweep.step, visit) for sweep in sweeps for visit in sweep.visits)
    found: set[str] = set()
    known = -1
    while known != len(found):  # a field may be read before the sweep that shows it to vary
        known = len(found)
        for reads, writes in touched:
            if not found.isdisjoint(reads) or any(name in varying for name in reads):
                found.update(writes & states)
    return found


def _touched(step: Step, visit: Visit) -> tuple[frozenset[str], frozenset[str]]:
    """Fields that a visit reads, constants included, and those that it writes."""
    read = [visit.bindings.get(port.name) for port in step.ports if port.mode is Mode.READ]
    written = [visit.bindings.get(port.name) for port in step.ports if port.mode is not Mode.READ]
    reads, writes = (
        frozenset(place.field for place in places if isinstance(place, Access))
        for places in ((*visit.constants.values(), *read), written)
    )
    return reads, writes


def _lifted_sweep(sweep: Sweep, order: int, layouts: Mapping[str, _Layout], varying: Collection[str]) -> Sweep:
    concerned = set(layouts) | set(varying)
    bindings = (binding for visit in sweep.visits for binding in visit.bindings.values())
    if not any(isinstance(binding, Access) and binding.field in concerned for binding in bindings):
        return sweep
    parts = [_by_coefficients(visit, layouts) for visit in sweep.visits] if sweep.step.linear else []
    if parts and all(parts):
        return replace(sweep, visits=tuple(visit for part in parts for visit in part))
    return Sweep(
        _lifted_step(sweep.step), tuple(_lifted_visit(visit, order, layouts) for visit in sweep.visits), sweep.vector
    )


def _by_coefficients(visit: Visit, layouts: Mapping[str, _Layout]) -> list[Visit]:
    """A visit of a linear step once per coefficient, for less code; none where a port does not allow it."""
    sizes, starts = {}, {}
    for name, access in visit.bindings.items():
        if not isinstance(access, Access) or access.field not in layouts:
            return []
        forms = set(layouts[access.field].forms(access))
        if len(forms) > 1 or any(form.by_rate for form in forms):
            return []
        (sizes[name],), starts[name] = [form.size for form in forms], layouts[access.field].access(access)
    return [
        replace(visit, bindings={name: _coefficient(access, sizes[name], k) for name, access in starts.items()})
        for k in range(min(sizes.values()))
    ]


def _coefficient(access: Access, size: int, k: int) -> Access:
    """Where coefficient k of each series of an access lies."""
    stride = access.stride
    return replace(access, offset=access.offset + k * stride, count=access.count // size, stride=size * stride)


def _lifted_visit(visit: Visit, order: int, layouts: Mapping[str, _Layout]) -> Visit:
    series = {
        name: access
        for name, access in visit.bindings.items()
        if isinstance(access, Access) and access.field in layouts
    }
    forms = tuple((name, layouts[access.field].forms(access)) for name, access in series.items())
    moved = {name: layouts[access.field].access(access) for name, access in series.items()}
    variant = SeriesVariant(visit.variant, order, forms)
    return replace(visit, variant=variant, bindings={**visit.bindings, **moved})


def _lifted_step(step: Step) -> Step:
    def kernel(
        variant: SeriesVariant, inner: Algebra, constants: Mapping[str, Scalar], reads: Mapping[str, Sequence[Scalar]]
    ) -> Mapping[str, Sequence[Scalar]]:
        algebra, forms = TaylorAlgebra(inner, variant.order), dict(variant.forms)
        seen = {
            name: _loaded(algebra, forms[name], scalars) if name in forms else scalars
            for name, scalars in reads.items()
        }
        written: Mapping[str, Sequence[Any]] = step.kernel(variant.plain, algebra, constants, seen)
        return {name: _stored(forms[name], values) if name in forms else values for name, values in written.items()}

    return Step(step.name, kernel, step.ports)


def _loaded(algebra: TaylorAlgebra, forms: Sequence[Form], scalars: Sequence[Scalar]) -> list[Series]:
    starts = [0, *accumulate(form.size for form in forms)]
    return [
        form.loaded(algebra, scalars[start : start + form.size]) for form, start in zip(forms, starts, strict=False)
    ]


def _stored(forms: Sequence[Form], values: Sequence[Scalar]) -> list[Scalar]:
    return [scalar for form, value in zip(forms, values, strict=True) for scalar in form.stored(value)]
