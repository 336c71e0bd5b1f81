"""The rolled layout: a kernel per structural class of link, loops over the bodies, the robot's numbers in tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from symdyn.compiler.tape.program import Buffer, BufferKind, Program, Statement
from symdyn.compiler.tape.tape import Tape
from symdyn.interface.signature import Signature
from symdyn.plan.compose import cleared
from symdyn.plan.plan import Access, Binding, Constant, FieldKind, Plan, Sweep, Visit
from symdyn.tracing.lanes.lane_loops import LaneCall, in_lanes
from symdyn.tracing.rolled.flat_calls import FlatCall
from symdyn.tracing.rolled.kernels import TABLE_PORT, ClassKernel, place_behind, trace_kernel
from symdyn.tracing.rolled.loops import LoopFinder
from symdyn.tracing.unrolled.structure import ClassKey, Knowledge
from symdyn.tracing.unrolled.unrolled import argument_buffer


class _Table:
    """Rows of one class, equal ones stored once."""

    def __init__(self, kernel: ClassKernel) -> None:
        self.name = f"{kernel.tape.name}_constants"
        self.width = len(kernel.columns)
        self.rows: dict[tuple[float, ...], int] = {}

    def offset(self, row: tuple[float, ...]) -> int:
        return self.rows.setdefault(row, len(self.rows)) * self.width

    def buffer(self) -> Buffer:
        values = tuple(value for row in self.rows for value in row)
        return Buffer(self.name, BufferKind.TABLE, self.width, len(self.rows), values=values)


class Roller:
    """Turns sweeps into loops over kernels, and collects the kernels and tables that these need."""

    def __init__(self, knowledge: Knowledge) -> None:
        self.knowledge = knowledge
        self._kernels: dict[ClassKey, ClassKernel] = {}
        self._tables: dict[str, _Table] = {}
        self._finder = LoopFinder()
        self._laned: dict[str, LaneCall] = {}

    def statements(self, *sweeps: Sweep) -> tuple[Statement, ...]:
        """The calls of a sweep, or of several that take turns, in their order, as loops where they repeat a pattern."""
        calls = []
        for step, visit in ((sweep.step, visit) for sweep in sweeps for visit in sweep.visits):
            key = self.knowledge.key(step, visit)
            kernel = self._kernels.get(key)
            if kernel is None:
                name = f"{step.name}_{sum(1 for known in self._kernels if known.step == step.name)}"
                kernel = self._kernels[key] = trace_kernel(step, visit, key, name)
                self._tables[name] = _Table(kernel)
                if kernel.lanes > 1:
                    self._laned[name] = LaneCall(kernel.lanes, *kernel.lane_strides)
            self.knowledge.record(step, visit, kernel.zeros)
            calls.append(_call(visit, kernel, self._tables[kernel.tape.name]))
        return in_lanes(self._finder.statements(calls, len(sweeps) == 1 and sweeps[0].vector), self._laned)

    @property
    def tapes(self) -> tuple[Tape, ...]:
        """The kernels."""
        return tuple(kernel.tape for kernel in self._kernels.values())

    def buffers(self) -> list[Buffer]:
        """The tables of numbers and of indices."""
        tables = [table.buffer() for table in self._tables.values() if table.rows and table.width]
        return [*tables, *self._finder.buffers()]


def trace_rolled(plan: Plan, signature: Signature) -> Program:
    """Loops over kernels.

    Calls run in the plan's order; runs of calls that repeat a pattern become loops. Fields of state become workspace.
    """
    plan = cleared(plan)
    roller = Roller(Knowledge(plan))
    statements = [statement for sweeps in _walks(_joined(plan.sweeps)) for statement in roller.statements(*sweeps)]
    buffers = [*argument_buffers(signature), *roller.buffers(), *lane_tables(plan)]
    buffers += [
        Buffer(field.name, BufferKind.WORKSPACE, field.width, field.rows, lanes=field.lanes)
        for field in plan.fields_of(FieldKind.STATE)
        if field.size
    ]
    return Program(signature, tuple(buffers), roller.tapes, tuple(statements), layout="rolled")


def _walks(sweeps: Iterable[Sweep]) -> Iterator[list[Sweep]]:
    """Each sweep by itself, but those of one walk together."""
    for walk, run in groupby(sweeps, key=lambda sweep: sweep.walk):
        found = list(run)
        yield from [found] if walk else ([sweep] for sweep in found)


def _joined(sweeps: Sequence[Sweep]) -> Iterator[Sweep]:
    """Sweeps of one visit each that follow each other with the same step are one sweep, which may be a loop."""
    held: list[Sweep] = []
    for sweep in sweeps:
        if held and not (len(sweep.visits) == 1 and sweep.step == held[0].step and sweep.walk == held[0].walk):
            yield _as_one(held)
            held = []
        if len(sweep.visits) == 1:
            held.append(sweep)
        else:
            yield sweep
    if held:
        yield _as_one(held)


def _as_one(sweeps: Sequence[Sweep]) -> Sweep:
    visits = tuple(visit for sweep in sweeps for visit in sweep.visits)
    return sweeps[0] if len(sweeps) == 1 else Sweep(sweeps[0].step, visits, walk=sweeps[0].walk)  # order not free


def argument_buffers(signature: Signature) -> list[Buffer]:
    """Buffers of all inputs and outputs."""
    inputs = [argument_buffer(argument, BufferKind.IN) for argument in signature.inputs]
    return inputs + [argument_buffer(argument, BufferKind.OUT) for argument in signature.outputs]


def lane_tables(plan: Plan) -> list[Buffer]:
    """The tables of numbers that differ from lane to lane."""
    return [
        Buffer(field.name, BufferKind.TABLE, field.width, field.rows, lanes=field.lanes, values=field.values)
        for field in plan.fields_of(FieldKind.TABLE)
    ]


def _call(visit: Visit, kernel: ClassKernel, table: _Table) -> FlatCall:
    inputs = []
    for name in kernel.inputs:
        if name == TABLE_PORT:
            inputs.append((table.name, table.offset(kernel.table_row(visit))))
        else:
            inputs.append(_place(place_behind(visit, name)))
    return FlatCall(kernel.tape.name, tuple(inputs), tuple(_place(visit.bindings[name]) for name in kernel.outputs))


def _place(place: Binding | Constant) -> tuple[str, int]:
    assert isinstance(place, Access)
    return place.field, place.offset
