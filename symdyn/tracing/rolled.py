"""The rolled layout: a kernel per structural class of link, loops over the bodies, the robot's numbers in tables."""

from __future__ import annotations

from symdyn.plan import Access, Binding, Constant, FieldKind, Plan, Visit, cleared
from symdyn.signature import Signature
from symdyn.tape.program import Buffer, BufferKind, Program, Statement
from symdyn.tracing.kernels import CONSTANT_PREFIX, TABLE_PORT, ClassKernel, trace_kernel
from symdyn.tracing.loops import FlatCall, LoopFinder
from symdyn.tracing.structure import ClassKey, Knowledge
from symdyn.tracing.unrolled import argument_buffer


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


def trace_rolled(plan: Plan, signature: Signature) -> Program:
    """Loops over kernels.

    Calls run in the plan's order; runs of calls that repeat a pattern become loops. Fields of state become workspace.
    """
    plan = cleared(plan)
    knowledge = Knowledge(plan)
    kernels: dict[ClassKey, ClassKernel] = {}
    tables: dict[str, _Table] = {}
    finder = LoopFinder()
    statements: list[Statement] = []
    for sweep in plan.sweeps:
        calls = []
        for visit in sweep.visits:
            key = knowledge.key(sweep.step, visit)
            kernel = kernels.get(key)
            if kernel is None:
                name = f"{sweep.step.name}_{sum(1 for known in kernels if known.step == sweep.step.name)}"
                kernel = kernels[key] = trace_kernel(sweep.step, visit, key, name)
                tables[name] = _Table(kernel)
            knowledge.record(sweep.step, visit, kernel.zeros)
            calls.append(_call(visit, kernel, tables[kernel.tape.name]))
        statements.extend(finder.statements(calls))
    buffers = [argument_buffer(argument, BufferKind.IN) for argument in signature.inputs]
    buffers += [argument_buffer(argument, BufferKind.OUT) for argument in signature.outputs]
    buffers += [table.buffer() for table in tables.values() if table.rows and table.width]
    buffers += finder.buffers()
    buffers += [
        Buffer(field.name, BufferKind.WORKSPACE, field.width, field.rows)
        for field in plan.fields_of(FieldKind.STATE)
        if field.size
    ]
    return Program(
        signature, tuple(buffers), tuple(kernel.tape for kernel in kernels.values()), tuple(statements), layout="rolled"
    )


def _call(visit: Visit, kernel: ClassKernel, table: _Table) -> FlatCall:
    inputs = []
    for name in kernel.inputs:
        if name == TABLE_PORT:
            inputs.append((table.name, table.offset(kernel.table_row(visit))))
        elif name.startswith(CONSTANT_PREFIX):
            inputs.append(_place(visit.constants[name.removeprefix(CONSTANT_PREFIX)]))
        else:
            inputs.append(_place(visit.bindings[name]))
    return FlatCall(kernel.tape.name, tuple(inputs), tuple(_place(visit.bindings[name]) for name in kernel.outputs))


def _place(place: Binding | Constant) -> tuple[str, int]:
    assert isinstance(place, Access)
    return place.field, place.offset
