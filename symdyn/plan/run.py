"""Plans carried out, step by step, over any algebra."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from symdyn.plan.compose import cleared
from symdyn.plan.plan import Access, FieldKind, Given, Mode, Plan, Step, Visit, runs_of


def run_plan(plan: Plan, algebra: Any, inputs: Mapping[str, Sequence[Any]]) -> dict[str, list[Any]]:
    """Carry a plan out, step by step, over any algebra.

    This is the float recursion when the algebra is floats, and the unrolled trace when it is symbolic.

    Parameters
    ----------
    plan
        What to do.
    algebra
        Passed to the kernels; see ``symdyn.algebra.scalars``.
    inputs
        Flat scalars per input field.

    Returns
    -------
    Flat scalars per output field.
    """
    plan = cleared(plan)
    memory: dict[str, Any] = {field.name: [None] * field.size for field in plan.fields}
    for field in plan.fields_of(FieldKind.INPUT):
        memory[field.name] = list(inputs[field.name])
        assert len(memory[field.name]) == field.size, (field.name, len(memory[field.name]), field.size)
    for field in plan.fields_of(FieldKind.TABLE):
        memory[field.name] = list(field.values)

    read, write = access_to(memory)
    for sweep in plan.sweeps:
        for visit in sweep.visits:
            for run in runs_of(visit):
                run_visit(sweep.step, run, algebra, read, write)
    return {field.name: memory[field.name] for field in plan.fields_of(FieldKind.OUTPUT)}


def access_to(memory: dict[str, Any]) -> tuple[Callable[[Access, int], Any], Callable[[Access, int, Any, bool], None]]:
    """What reads and writes fields for :func:`run_visit`; None is a place that nothing was added to."""

    def read(access: Access, place: int) -> Any:
        return memory[access.field][place]

    def write(access: Access, place: int, value: Any, adds: bool) -> None:
        before = memory[access.field][place] if adds else None
        memory[access.field][place] = value if before is None else before + value

    return read, write


def run_visit(
    step: Step,
    visit: Visit,
    algebra: Any,
    read: Callable[[Access, int], Any],
    write: Callable[[Access, int, Any, bool], None],
) -> None:
    """Run a step's kernel at one visit, with ``read(access, place)`` and ``write(access, place, value, adds)``.

    Of a visit with lanes only the first one is run.
    """
    modes = {port.name: port.mode for port in step.ports}
    reads: dict[str, list[Any]] = {}
    for name, binding in visit.bindings.items():
        if isinstance(binding, Given):
            reads[name] = list(binding.values)
        elif modes[name] is Mode.READ:
            reads[name] = [read(binding, place) for place in binding.places]
    constants = {
        name: read(value, value.offset) if isinstance(value, Access) else value
        for name, value in visit.constants.items()
    }
    for name, values in step.kernel(visit.variant, algebra, constants, reads).items():
        access = visit.bindings[name]
        assert isinstance(access, Access) and len(values) == access.count, (step.name, name)
        for place, value in zip(access.places, values, strict=True):
            write(access, place, value, modes[name] is Mode.ADD)
