"""Plans over time series that go order by order, because what one order finds the next one needs.

Where the whole trajectory is given, :mod:`symdyn.plan.transforms.taylor` runs each kernel once for all orders. Forward
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
from functools import lru_cache
from typing import Any

from symdyn.plan.compose import renamed
from symdyn.plan.plan import Access, Field, Mode, Port, Step, Sweep
from symdyn.plan.transforms.stepwise_kernels import PortForm, StepwiseVariant, coefficient_of, kernel_at_order
from symdyn.plan.transforms.varying_constants import with_ports_for


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


def coefficient_fields(fields: Sequence[Field], carried: Mapping[str, Stepwise], order: int) -> list[Field]:
    """Fields for all coefficients of those that are carried; the others as they are."""
    tops = {name: own.reach.top(order) for name, own in carried.items()}
    return [
        replace(field, name=coefficient_of(field.name, k)) if field.name in tops else field
        for field in fields
        for k in range(tops.get(field.name, 0) + 1)
    ]


def at_order(sweeps: Sequence[Sweep], carried: Mapping[str, Stepwise], k: int) -> list[Sweep]:
    """Sweeps that compute coefficient k of what they write.

    Fields that are not carried take the coefficient k of what kernels write there; what they read from such fields is
    constant in time.
    """
    return [_at_order(sweep, carried, k) for sweep in sweeps]


def at_start(sweeps: Sequence[Sweep], carried: Mapping[str, Stepwise]) -> list[Sweep]:
    """Sweeps of plain scalars that read the values at t = 0 of what is carried."""
    return renamed(sweeps, {name: coefficient_of(name, 0) for name in carried})


def _at_order(sweep: Sweep, carried: Mapping[str, Stepwise], k: int) -> Sweep:
    sweep = with_ports_for(sweep, carried)
    modes = {port.name: port.mode for port in sweep.step.ports}
    variants: dict[Hashable, StepwiseVariant] = {}
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
            form, coefficients = _coefficients(name, modes[name], own, _marks(own, place), k)
            ports |= {port.name: port for port, _ in coefficients}
            forms.append((name, form))
            bindings |= {port.name: _coefficient_access(place, own, power) for port, power in coefficients}
        key = (visit.variant, tuple(forms))
        variant = variants.setdefault(key, StepwiseVariant(visit.variant, k, key[1]))
        visits.append(replace(visit, variant=variant, bindings=bindings))
    step = Step(coefficient_of(sweep.step.name, k), kernel_at_order(sweep.step), tuple(ports.values()))
    return Sweep(step, tuple(visits), sweep.vector)


_Marks = tuple[tuple[bool, ...], tuple[bool, ...]]
"""Per scalar of a port whether it is kept by its rate, and whether its highest coefficient is looked for."""


def _marks(own: Stepwise, place: Access) -> _Marks:
    return tuple([at in own.by_rate for at in place.places]), tuple([at in own.unknown for at in place.places])


@lru_cache
def _coefficients(
    name: str, mode: Mode, own: Stepwise, marks: _Marks, k: int
) -> tuple[PortForm, tuple[tuple[Port, int], ...]]:
    """The form of a port of a plain step, and the ports that it becomes, each with its power."""
    form = PortForm(own.reach.top(k), own.reach.top(k - 1) + 1, own.led, *marks, own.passing)
    last = form.top - (mode is Mode.READ and all(form.unknown))
    powers = range(form.first if mode is Mode.ADD else 0, last + 1)
    ports = ((Port(coefficient_of(name, j), mode if j >= form.first else Mode.READ), j) for j in powers)
    return form, tuple(ports)


def _coefficient_access(place: Access, own: Stepwise, j: int) -> Access:
    skipped = own.led if j else 0  # their higher coefficients lie where those of their rates would
    name, start = coefficient_of(place.field, j), place.offset + skipped * place.stride
    return replace(place, field=name, offset=start, count=place.count - skipped)
