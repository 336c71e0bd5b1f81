"""The split layout: straight-line pieces of bounded size over a workspace, and loops where a sweep fills matrices.

Pieces have the robot's numbers baked in, as the unrolled layout has, and what an earlier piece knows to be a number is
one in the later pieces too. Only what a later piece needs is stored. Sweeps marked ``vector`` become loops over one
kernel, on the fields as they lie in the workspace.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from symdyn.algebra.scalars.casadi_sx import CasadiAlgebra
from symdyn.compiler.tape.program import Affine, Buffer, BufferKind, Call, Program, Statement
from symdyn.compiler.tape.tape import Port, Tape, places_from_first
from symdyn.interface.signature import Argument, Signature
from symdyn.plan.compose import cleared
from symdyn.plan.plan import Access, FieldKind, Plan
from symdyn.plan.run import run_visit
from symdyn.tracing.lanes.lane_loops import LaneCall, over_lanes
from symdyn.tracing.rolled.kernels import without_unused_inputs
from symdyn.tracing.rolled.rolled import Roller, argument_buffers, lane_tables
from symdyn.tracing.split.pieces import Flags, Piece, all_places, fields_in_memory, live_after, pieces_of, written_by
from symdyn.tracing.split.series import traced_on_series
from symdyn.tracing.unrolled.from_casadi import trace_casadi
from symdyn.tracing.unrolled.structure import Knowledge, lane_places


def trace_split(plan: Plan, signature: Signature, on_series: bool = False) -> Program:
    """Pieces and loops in the plan's order, with kernels on whole series where :func:`runs_on_series` allows them."""
    plan = cleared(plan)
    pieces = pieces_of(plan, on_series)
    tracer = _PieceTracer(plan, signature, fields_in_memory(pieces))
    roller = Roller(Knowledge(plan, zeros=False))
    statements: list[Statement] = []
    for piece, live in zip(pieces, live_after(plan, pieces), strict=True):
        if piece.vector is not None:
            statements += roller.statements(piece.vector)
            tracer.leave_in_memory(piece)
        elif piece.on_series:
            statements += tracer.call_on_series(piece, live)
        else:
            statements += tracer.call(piece, live)
            for step, visit in piece.visits:
                roller.knowledge.touch(step, visit)
    used = {address.buffer for call in _calls(statements) for address in (*call.inputs, *call.outputs)}
    workspace = [
        Buffer(field.name, BufferKind.WORKSPACE, field.width, field.rows, lanes=field.lanes)
        for field in plan.fields_of(FieldKind.STATE)
        if field.name in used
    ]
    tables = [table for table in lane_tables(plan) if table.name in used]
    return Program(
        signature,
        (*argument_buffers(signature), *roller.buffers(), *tables, *workspace, *tracer.buffers),
        (*tracer.tapes, *roller.tapes),
        tuple(statements),
        layout="split",
    )


def _calls(statements: list[Statement]) -> list[Call]:
    found: list[Call] = []
    for statement in statements:
        found += [statement] if isinstance(statement, Call) else _calls(list(statement.body))
    return found


_Group = tuple[str, int, bool]
"""A field, by how much its places advance from lane to lane, and whether they are added to."""


class _PieceTracer:
    """Values of the plan's fields while pieces are traced: numbers, expressions of this piece, or None in memory.

    In lanes, an expression stands at its place in the first one; what lanes add to one place is kept apart.
    """

    def __init__(self, plan: Plan, signature: Signature, in_memory: frozenset[str]) -> None:
        self.tapes: list[Tape] = []
        self.buffers: list[Buffer] = []
        self._algebra = CasadiAlgebra()
        self._arguments = {argument.name: argument for argument in (*signature.inputs, *signature.outputs)}
        self._kinds = {field.name: field.kind for field in plan.fields}
        self._in_memory = in_memory
        self._values: dict[str, list[Any]] = {field.name: [None] * field.size for field in plan.fields}
        self._is_set: Flags = {field.name: bytearray(field.size) for field in plan.fields}
        self._lanes = 1
        self._loaded: dict[_Group, dict[int, Any]] = {}
        self._stored: dict[_Group, dict[int, Any]] = {}

    def leave_in_memory(self, piece: Piece) -> None:
        """What loops have written is known only in memory."""
        for step, visit in piece.visits:
            for _, access in written_by(step, visit):
                for place in all_places(access, visit.lanes):
                    self._values[access.field][place] = None
                    self._is_set[access.field][place] = 1

    def call_on_series(self, piece: Piece, live: Flags) -> tuple[Call, ...]:
        """Trace a piece on whole series."""
        found = traced_on_series(f"piece_{len(self.tapes)}", piece.visits, self._is_set, live)
        self.tapes += found.tapes
        self.buffers += found.buffers
        self.leave_in_memory(piece)
        return found.calls

    def call(self, piece: Piece, live: Flags) -> list[Statement]:
        """Trace a piece; no statement where nothing of it is needed later."""
        self._loaded, self._stored, self._lanes = {}, {}, piece.lanes
        for step, visit in piece.visits:
            run_visit(step, visit, self._algebra, self._read, self._write)
        kept: dict[_Group, dict[int, Any]] = {}
        for group, values in self._stored.items():
            for place in sorted(values):
                if self._is_kept(group, place, values[place], live):
                    kept.setdefault(group, {})[place] = values[place]
        for group, values in self._stored.items():
            for place, value in values.items():
                for own in self._all_lanes(group, place):
                    self._values[group[0]][own] = value if isinstance(value, float) and not group[2] else None
        if not kept:
            return []
        name = f"piece_{len(self.tapes)}"
        inputs = [(*self._input(group, loads), group) for group, loads in self._loaded.items()]
        outputs = [self._output(group, values) for group, values in kept.items()]
        sentence = ", ".join(dict.fromkeys(step.name.replace("_", " ") for step, _ in piece.visits))
        tape = trace_casadi(name, [(port, symbols) for port, symbols, _, _ in inputs], outputs, sentence)
        # What was loaded and then cancelled may not be written yet.
        tape, needed = without_unused_inputs(tape)
        inputs = [inputs[place] for place in needed]
        self.tapes.append(tape)
        targets = tuple(Affine(group[0], min(values)) for group, values in kept.items())
        call = Call(name, tuple(address for _, _, address, _ in inputs), targets)
        if self._lanes == 1:
            return [call]
        strides = tuple(group[1] for *_, group in inputs), tuple(group[1] for group in kept)
        return [over_lanes(call, LaneCall(self._lanes, *strides))]

    def _all_lanes(self, group: _Group, place: int) -> Sequence[int]:
        return lane_places(Access(group[0], place, 1, lane=group[1]), place, self._lanes)

    def _is_kept(self, group: _Group, place: int, value: Any, live: Flags) -> bool:
        field, _, adds = group
        if adds or self._kinds[field] is FieldKind.OUTPUT:
            return True
        needed = any(live[field][own] for own in self._all_lanes(group, place))
        return needed and (not isinstance(value, float) or field in self._in_memory)

    def _read(self, access: Access, place: int) -> Any:
        group = (access.field, self._lane(access), False)
        made = self._stored.get(group, {}).get(place)
        if made is not None:
            return made
        known = [self._values[access.field][own] for own in self._all_lanes(group, place)]
        if known[0] is not None and all(isinstance(value, float) and value == known[0] for value in known):
            return known[0]
        loads = self._loaded.setdefault(group, {})
        if place not in loads:
            loads[place] = self._algebra.symbols(f"{access.field}_{place}", 1)[0]
        return loads[place]

    def _lane(self, access: Access) -> int:
        """By how much an access advances from lane to lane, where there are several."""
        return access.lane if self._lanes > 1 else 0

    def _write(self, access: Access, place: int, value: Any, adds: bool) -> None:
        adds_in_lanes = adds and self._lanes > 1 and not access.lane
        group = (access.field, self._lane(access), adds_in_lanes)
        stored = self._stored.setdefault(group, {})
        if adds_in_lanes:
            value = stored[place] + value if place in stored else value
        elif adds and self._is_set[access.field][place]:
            value = self._read(access, place) + value
        known = self._algebra.known(value)
        stored[place] = value if known is None else known
        for own in self._all_lanes(group, place):
            self._is_set[access.field][own] = 1

    def _input(self, group: _Group, loads: dict[int, Any]) -> tuple[Port, list[Any], Affine]:
        field, lane, _ = group
        kept = sorted(loads)
        argument = self._arguments.get(field)
        unit, origins = "", tuple[str, ...]()
        if argument is not None:
            unit = _single_unit(argument)
            origins = tuple(argument.element_names[place] for place in kept)
        varying = self._lanes == 1 or lane != 0
        port = Port(field, len(kept), unit, origins, varying, places=places_from_first(kept))
        return port, [loads[place] for place in kept], Affine(field, kept[0])

    def _output(self, group: _Group, values: dict[int, Any]) -> tuple[Port, list[Any]]:
        field, _, adds = group
        return Port(field, len(values), accumulate=adds, places=places_from_first(list(values))), list(values.values())


def _single_unit(argument: Argument) -> str:
    units = set(argument.units)
    return units.pop() if len(units) == 1 else ""
