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

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.scalars.taylor import Series
from symdyn.algebra.scalars.taylor_algebra import TaylorAlgebra
from symdyn.plan.plan import Access, Binding, Field, FieldKind, Mode, OnSeries, Port, Step, Sweep, Visit
from symdyn.plan.transforms.series_places import Form, Layout, Planes, plane_port
from symdyn.plan.transforms.varying_constants import with_ports_for


@dataclass(frozen=True, slots=True)
class SeriesVariant:
    """The variant of a lifted visit: the plain one, and per port that holds series the form of each scalar."""

    plain: Hashable
    order: int
    forms: tuple[tuple[str, tuple[Form, ...]], ...]
    apart: tuple[str, ...] = ()
    """The ports whose series lie coefficient by coefficient."""


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
    found = varying_fields(fields, sweeps, varying)
    sweeps = [with_ports_for(sweep, found) for sweep in sweeps]
    across = _read_across(fields, sweeps, found)
    layouts = {
        field.name: Planes(field, order)
        if field.name in across
        else Layout(field, tuple(forms.get(field.name, (Form(order + 1),) * field.width)))
        for field in fields
        if field.name in found
    }
    return (
        [layouts[field.name].field if field.name in layouts else field for field in fields],
        [_lifted_sweep(sweep, order, layouts, varying) for sweep in sweeps],
    )


def _read_across(fields: Sequence[Field], sweeps: Sequence[Sweep], found: Collection[str]) -> set[str]:
    """Fields of which some port takes scalars that do not lie side by side."""
    lanes = {field.name: field.lanes for field in fields if field.name in found}
    places = (place for sweep in sweeps for visit in sweep.visits for place in visit.bindings.values())
    return {
        place.field
        for place in places
        if isinstance(place, Access) and place.count > 1 and place.stride != lanes.get(place.field, place.stride)
    }


def varying_fields(fields: Sequence[Field], sweeps: Sequence[Sweep], varying: Collection[str]) -> set[str]:
    """State fields that depend on some inputs: a step writes them that has read one of those, or such a field."""
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


def _lifted_sweep(sweep: Sweep, order: int, layouts: Mapping[str, Layout | Planes], varying: Collection[str]) -> Sweep:
    concerned = set(layouts) | set(varying)
    bindings = (binding for visit in sweep.visits for binding in visit.bindings.values())
    if not any(isinstance(binding, Access) and binding.field in concerned for binding in bindings):
        return sweep
    parts = [_by_coefficients(visit, layouts) for visit in sweep.visits] if sweep.step.linear else []
    if parts and all(parts):
        return replace(sweep, visits=tuple(visit for part in parts for visit in part))
    visits = tuple(_lifted_visit(visit, order, layouts) for visit in sweep.visits)
    if sweep.step.timeless:
        visits = tuple(replace(visit, on_series=_on_series(sweep.step, visit, order + 1)) for visit in visits)
    apart = any(isinstance(visit.variant, SeriesVariant) and visit.variant.apart for visit in visits)
    return Sweep(_lifted_step(sweep.step, order + 1 if apart else 0), visits, sweep.vector)


def _by_coefficients(visit: Visit, layouts: Mapping[str, Layout | Planes]) -> list[Visit]:
    """A visit of a linear step once per coefficient, for less code; none where a port does not allow it."""
    sizes, starts = {}, {}
    for name, access in visit.bindings.items():
        layout = layouts.get(access.field) if isinstance(access, Access) else None
        if not isinstance(layout, Layout) or not isinstance(access, Access):
            return []
        forms = set(layout.forms(access))
        if len(forms) > 1 or any(form.by_rate for form in forms):
            return []
        (sizes[name],), starts[name] = [form.size for form in forms], layout.access(access)
    return [
        replace(visit, bindings={name: _coefficient(access, sizes[name], k) for name, access in starts.items()})
        for k in range(min(sizes.values()))
    ]


def _coefficient(access: Access, size: int, k: int) -> Access:
    """Where coefficient k of each series of an access lies."""
    stride = access.stride
    return replace(access, offset=access.offset + k * stride, count=access.count // size, stride=size * stride)


def _lifted_visit(visit: Visit, order: int, layouts: Mapping[str, Layout | Planes]) -> Visit:
    series = {
        name: access
        for name, access in visit.bindings.items()
        if isinstance(access, Access) and access.field in layouts
    }
    forms = tuple((name, layouts[access.field].forms(access)) for name, access in series.items())
    moved: dict[str, Binding] = {name: place for name, place in visit.bindings.items() if name not in series}
    for name, access in series.items():
        moved |= layouts[access.field].bindings(name, access)
    apart = tuple(name for name in series if name not in moved)
    return replace(visit, variant=SeriesVariant(visit.variant, order, forms, apart), bindings=moved)


def _on_series(step: Step, visit: Visit, size: int) -> OnSeries | None:
    """How a lifted visit runs on whole series; none where it has other ports, or series that are too short."""
    variant = visit.variant
    if not isinstance(variant, SeriesVariant) or variant.apart:
        return None
    ports = {}
    for name, forms in variant.forms:
        access, writes = visit.bindings[name], step.port(name).mode is not Mode.READ
        if any(form.size < size or (form.by_rate and writes) for form in forms):
            return None
        if not isinstance(access, Access) or (access.stride != 1 and access.count > 1):
            return None
        starts = accumulate((form.size for form in forms[:-1]), initial=0)
        ports[name] = tuple(zip(starts, forms, strict=True))
    if any(isinstance(access, Access) and name not in ports for name, access in visit.bindings.items()):
        return None
    plain = tuple((name, (Form(1),) * len(forms)) for name, forms in variant.forms)
    return OnSeries(SeriesVariant(variant.plain, 0, plain), size, ports)


def _lifted_step(step: Step, apart: int) -> Step:
    def kernel(
        variant: SeriesVariant, inner: Algebra, constants: Mapping[str, Scalar], reads: Mapping[str, Sequence[Scalar]]
    ) -> Mapping[str, Sequence[Scalar]]:
        algebra, forms = TaylorAlgebra(inner, variant.order), dict(variant.forms)
        seen = {
            name: _loaded(algebra, forms[name], scalars) if name in forms else scalars
            for name, scalars in _together(variant, reads).items()
        }
        written: Mapping[str, Sequence[Any]] = step.kernel(variant.plain, algebra, constants, seen)
        stored = {name: _stored(forms[name], values) if name in forms else values for name, values in written.items()}
        return _taken_apart(variant, stored)

    planes = (Port(plane_port(port.name, k), port.mode) for port in step.ports for k in range(apart))
    return Step(step.name, kernel, (*step.ports, *planes))


def _together(variant: SeriesVariant, reads: Mapping[str, Sequence[Scalar]]) -> dict[str, Sequence[Scalar]]:
    """What is read, with series that lie coefficient by coefficient put together."""
    count = variant.order + 1
    whole = {name: [reads[plane_port(name, k)] for k in range(count)] for name in variant.apart if f"{name}@0" in reads}
    planes = {plane_port(name, k) for name in whole for k in range(count)}
    found = {name: scalars for name, scalars in reads.items() if name not in planes}
    return found | {name: [x for series in zip(*rows, strict=True) for x in series] for name, rows in whole.items()}


def _taken_apart(variant: SeriesVariant, written: Mapping[str, Sequence[Scalar]]) -> dict[str, Sequence[Scalar]]:
    """What is written, with series that lie coefficient by coefficient taken apart."""
    count, found = variant.order + 1, dict(written)
    for name in variant.apart:
        if name in found:
            scalars = found.pop(name)
            found |= {plane_port(name, k): scalars[k::count] for k in range(count)}
    return found


def _loaded(algebra: TaylorAlgebra, forms: Sequence[Form], scalars: Sequence[Scalar]) -> list[Series]:
    starts = [0, *accumulate(form.size for form in forms)]
    return [
        form.loaded(algebra, scalars[start : start + form.size]) for form, start in zip(forms, starts, strict=False)
    ]


def _stored(forms: Sequence[Form], values: Sequence[Scalar]) -> list[Scalar]:
    return [scalar for form, value in zip(forms, values, strict=True) for scalar in form.stored(value)]
