"""Constants that change in time after all, such as the moments of a body that carries a link that bends.

To a kernel they are constants; to plans over time series they are ports like those of any state.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.plan.plan import Access, Binding, Mode, Port, Step, Sweep, Visit

CONSTANT = "constant_"
"""Before the name of a constant, in the name of the port that it becomes, or that reads its slope."""


def with_ports_for(sweep: Sweep, fields: Collection[str]) -> Sweep:
    """The sweep with ports in place of the constants that lie in some fields; itself where there are none."""
    names = dict.fromkeys(
        name for visit in sweep.visits for name, value in visit.constants.items() if _lies_in(value, fields)
    )
    if not names:
        return sweep
    ports = tuple(Port(CONSTANT + name, Mode.READ) for name in names)
    step = Step(sweep.step.name, _reading(sweep.step, {port.name for port in ports}), (*sweep.step.ports, *ports))
    return replace(sweep, step=step, visits=tuple(_visit(visit, fields) for visit in sweep.visits))


def _lies_in(value: Any, fields: Collection[str]) -> bool:
    return isinstance(value, Access) and value.field in fields


def _visit(visit: Visit, fields: Collection[str]) -> Visit:
    moved: dict[str, Binding] = {
        CONSTANT + name: value
        for name, value in visit.constants.items()
        if isinstance(value, Access) and value.field in fields
    }
    kept = {name: value for name, value in visit.constants.items() if CONSTANT + name not in moved}
    return replace(visit, constants=kept, bindings={**visit.bindings, **moved})


def _reading(step: Step, ports: Collection[str]) -> Any:
    def kernel(
        variant: Any, algebra: Algebra, constants: Mapping[str, Scalar], reads: Mapping[str, Sequence[Scalar]]
    ) -> Mapping[str, Sequence[Scalar]]:
        moved = {name.removeprefix(CONSTANT): values[0] for name, values in reads.items() if name in ports}
        given = {name: values for name, values in reads.items() if name not in ports}
        return step.kernel(variant, algebra, {**constants, **moved}, given)

    return kernel
