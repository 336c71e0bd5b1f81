"""One traced kernel per structural class."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from symdyn.algebra.scalars.casadi_sx import CasadiAlgebra
from symdyn.compiler.tape.tape import Port, Tape
from symdyn.plan.plan import Access, Binding, Constant, Given, Mode, Step, Visit
from symdyn.tracing.unrolled.from_casadi import trace_casadi
from symdyn.tracing.unrolled.structure import ClassKey, Source

TABLE_PORT = "constants"


@dataclass(frozen=True, slots=True)
class ClassKernel:
    """A kernel of a structural class.

    ``inputs`` names the plan port behind each tape input (``constant:<name>`` for a constant that an earlier step
    computed, ``lanes:<name>`` for the first of the constants that differ from lane to lane); ``columns`` lists the
    numbers of a table row as (constant name) or (read port, element); ``zeros`` tells per output which scalars are
    structurally zero. A kernel of visits with ``lanes`` runs once per lane; ``lane_strides`` tells for each input and
    output by how much its address advances.
    """

    tape: Tape
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    columns: tuple[tuple[str, int], ...]
    zeros: Mapping[str, tuple[bool, ...]]
    lanes: int = 1
    lane_strides: tuple[tuple[int, ...], tuple[int, ...]] = ((), ())

    def table_row(self, visit: Visit) -> tuple[float, ...]:
        """The numbers of one visit in the order of the columns."""
        row = []
        for name, element in self.columns:
            if element < 0:
                value = visit.constants[name]
                assert isinstance(value, float)
                row.append(value)
            else:
                given = visit.bindings[name]
                assert isinstance(given, Given)
                row.append(given.values[element])
        return tuple(row)


CONSTANT_PREFIX = "constant:"
LANES_PREFIX = "lanes:"
_LANES_PORT = "lane_constants"


def trace_kernel(step: Step, visit: Visit, key: ClassKey, name: str) -> ClassKernel:
    """Trace the kernel of a class at one of its visits."""
    algebra = CasadiAlgebra()
    columns: list[tuple[str, int]] = [(item, -1) for item, slot in key.constants if slot is Source.COLUMN]
    columns += [
        (port, element) for port, slots in key.reads for element, slot in enumerate(slots) if slot is Source.COLUMN
    ]
    table = algebra.symbols(TABLE_PORT, len(columns)) if columns else []
    column = dict(zip(columns, table, strict=True))
    inputs: list[tuple[str, Port, Sequence[Any]]] = []
    constants: dict[str, Any] = {}
    for item, slot in key.constants:
        if slot is Source.PORT:
            symbols = algebra.symbols(item, 1)
            inputs.append((CONSTANT_PREFIX + item, Port(item, 1), symbols))
            constants[item] = symbols[0]
        elif slot is not Source.LANES:
            constants[item] = column[item, -1] if slot is Source.COLUMN else slot
    # Constants that differ from lane to lane share a port if they lie in one field with one stride over lanes.
    groups: dict[tuple[str, int], list[tuple[str, int]]] = {}
    for item, slot in key.constants:
        place = visit.constants[item]
        if slot is Source.LANES and isinstance(place, Access):
            groups.setdefault((place.field, place.lane), []).append((item, place.offset))
    for number, group in enumerate(groups.values()):
        own = sorted(group, key=lambda one: one[1])
        called = f"{_LANES_PORT}_{number + 1}" if number else _LANES_PORT
        symbols = algebra.symbols(called, len(own))
        names, places = tuple(item for item, _ in own), tuple(start - own[0][1] for _, start in own)
        inputs.append((LANES_PREFIX + names[0], Port(called, len(own), origins=names, places=places), symbols))
        constants |= dict(zip(names, symbols, strict=True))
    reads: dict[str, list[Any]] = {}
    for port, slots in key.reads:
        binding = visit.bindings[port]
        values: list[Any] = []
        if isinstance(binding, Access):
            values = algebra.symbols(port, len(slots))
            inputs.append((port, Port(port, len(slots), step.port(port).unit, places=places_of(binding)), values))
        reads[port] = [
            values[element] if slot is Source.PORT else column[port, element] if slot is Source.COLUMN else slot
            for element, slot in enumerate(slots)
        ]
    writes = step.kernel(visit.variant, algebra, constants, reads)
    written = [port for port in step.ports if port.mode is not Mode.READ and port.name in writes]
    outputs = [
        (
            Port(
                port.name,
                len(writes[port.name]),
                port.unit,
                accumulate=port.name in key.accumulates,
                places=places_of(visit.bindings[port.name]),
            ),
            writes[port.name],
        )
        for port in written
    ]
    if columns:
        names = tuple(item if element < 0 else f"{item}[{element}]" for item, element in columns)
        inputs.insert(0, (TABLE_PORT, Port(TABLE_PORT, len(columns), origins=names, varying=False), table))
    tape = trace_casadi(name, [(port, symbols) for _, port, symbols in inputs], outputs, step.name.replace("_", " "))
    zeros = {
        port.name: tuple(tape.ops[result].code == "constant" and tape.ops[result].literal == 0.0 for result in results)
        for port, results in zip(tape.outputs, tape.results, strict=True)
    }
    tape, kept = without_unused_inputs(tape)
    plan_ports = [inputs[index][0] for index in kept]
    names_written = tuple(port.name for port in written)
    strides = tuple(_lane_stride(visit, name) for name in plan_ports)
    return ClassKernel(
        tape,
        tuple(plan_ports),
        names_written,
        tuple(columns),
        zeros,
        visit.lanes,
        (strides, tuple(_lane_stride(visit, name) for name in names_written)),
    )


def place_behind(visit: Visit, name: str) -> Binding | Constant:
    """What a visit binds to an input or output of its kernel other than the table."""
    for prefix in (CONSTANT_PREFIX, LANES_PREFIX):
        if name.startswith(prefix):
            return visit.constants[name.removeprefix(prefix)]
    return visit.bindings[name]


def _lane_stride(visit: Visit, name: str) -> int:
    if name == TABLE_PORT:
        return 0
    place = place_behind(visit, name)
    return place.lane if isinstance(place, Access) else 0


def places_of(binding: Binding) -> tuple[int, ...]:
    """Places of an access' scalars for a tape's port: none where they lie side by side."""
    assert isinstance(binding, Access)
    return () if binding.stride == 1 else tuple(place - binding.offset for place in binding.places)


def without_unused_inputs(tape: Tape) -> tuple[Tape, list[int]]:
    """Drop ports that the kernel does not need, so that no address is formed for them; also tell which are kept."""
    used = {op.source[0] for op in tape.ops if op.code == "input"}
    kept = [index for index in range(len(tape.inputs)) if index in used]
    moved = {old: new for new, old in enumerate(kept)}
    ops = tuple(
        op._replace(source=(moved[op.source[0]], op.source[1])) if op.code == "input" else op for op in tape.ops
    )
    return replace(tape, inputs=tuple(tape.inputs[index] for index in kept), ops=ops), kept
