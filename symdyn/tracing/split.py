"""The split layout: straight-line pieces of bounded size over a workspace, and loops where a sweep fills matrices.

Pieces have the robot's numbers baked in, as the unrolled layout has, and what an earlier piece knows to be a number is
one in the later pieces too. Only what a later piece needs is stored. Sweeps marked ``vector`` become loops over one
kernel, on the fields as they lie in the workspace.
"""

from __future__ import annotations

from typing import Any

from symdyn.plan import FieldKind, Plan, cleared, run_visit
from symdyn.scalars.casadi_sx import CasadiAlgebra
from symdyn.signature import Argument, Signature
from symdyn.tape.program import Affine, Buffer, BufferKind, Call, Program, Statement
from symdyn.tape.tape import Port, Tape
from symdyn.tracing.from_casadi import trace_casadi
from symdyn.tracing.pieces import Flags, Piece, fields_in_loops, live_after, pieces_of, written_by
from symdyn.tracing.rolled import Roller, argument_buffers
from symdyn.tracing.structure import Knowledge


def trace_split(plan: Plan, signature: Signature) -> Program:
    """Pieces and loops in the plan's order."""
    plan = cleared(plan)
    pieces = pieces_of(plan)
    tracer = _PieceTracer(plan, signature, fields_in_loops(pieces))
    roller = Roller(Knowledge(plan, zeros=False))
    statements: list[Statement] = []
    for piece, live in zip(pieces, live_after(plan, pieces), strict=True):
        if piece.vector is not None:
            statements += roller.statements(piece.vector)
            tracer.leave_in_memory(piece)
        else:
            statements += tracer.call(piece, live)
            for step, visit in piece.visits:
                roller.knowledge.touch(step, visit)
    used = {address.buffer for call in _calls(statements) for address in (*call.inputs, *call.outputs)}
    workspace = [
        Buffer(field.name, BufferKind.WORKSPACE, field.width, field.rows)
        for field in plan.fields_of(FieldKind.STATE)
        if field.name in used
    ]
    return Program(
        signature,
        (*argument_buffers(signature), *roller.buffers(), *workspace),
        (*tracer.tapes, *roller.tapes),
        tuple(statements),
        layout="split",
    )


def _calls(statements: list[Statement]) -> list[Call]:
    found: list[Call] = []
    for statement in statements:
        found += [statement] if isinstance(statement, Call) else _calls(list(statement.body))
    return found


class _PieceTracer:
    """Values of the plan's fields while pieces are traced: numbers, expressions of this piece, or None in memory."""

    def __init__(self, plan: Plan, signature: Signature, in_loops: frozenset[str]) -> None:
        self.tapes: list[Tape] = []
        self._algebra = CasadiAlgebra()
        self._arguments = {argument.name: argument for argument in (*signature.inputs, *signature.outputs)}
        self._kinds = {field.name: field.kind for field in plan.fields}
        self._in_loops = in_loops
        self._values: dict[str, list[Any]] = {field.name: [None] * field.size for field in plan.fields}
        self._is_set: Flags = {field.name: bytearray(field.size) for field in plan.fields}
        self._loaded: dict[str, dict[int, Any]] = {}
        self._stored: dict[str, set[int]] = {}

    def leave_in_memory(self, piece: Piece) -> None:
        """What loops have written is known only in memory."""
        for step, visit in piece.visits:
            for _, access in written_by(step, visit):
                for place in access.places:
                    self._values[access.field][place] = None
                    self._is_set[access.field][place] = 1

    def call(self, piece: Piece, live: Flags) -> list[Statement]:
        """Trace a piece; no statement where nothing of it is needed later."""
        self._loaded, self._stored = {}, {}
        for step, visit in piece.visits:
            run_visit(step, visit, self._algebra, self._read, self._write)
        outputs, addresses = [], []
        for field, places in self._stored.items():
            kept = [place for place in sorted(places) if self._is_kept(field, place, live)]
            if kept:
                outputs.append((Port(field, len(kept), places=_places(kept)), [self._values[field][p] for p in kept]))
                addresses.append(Affine(field, kept[0]))
        for field, places in self._stored.items():
            for place in places:
                if not isinstance(self._values[field][place], float):
                    self._values[field][place] = None
        if not outputs:
            return []
        name = f"piece_{len(self.tapes)}"
        inputs = [self._input(field, loads) for field, loads in self._loaded.items()]
        sentence = ", ".join(dict.fromkeys(step.name.replace("_", " ") for step, _ in piece.visits))
        tape = trace_casadi(name, [(port, symbols) for port, symbols, _ in inputs], outputs, sentence)
        self.tapes.append(tape)
        return [Call(name, tuple(address for _, _, address in inputs), tuple(addresses))]

    def _is_kept(self, field: str, place: int, live: Flags) -> bool:
        if self._kinds[field] is FieldKind.OUTPUT:
            return True
        known = isinstance(self._values[field][place], float)
        return bool(live[field][place]) and (not known or field in self._in_loops)

    def _read(self, field: str, place: int) -> Any:
        value = self._values[field][place]
        if value is not None:
            return value
        loads = self._loaded.setdefault(field, {})
        if place not in loads:
            loads[place] = self._algebra.symbols(f"{field}_{place}", 1)[0]
        return loads[place]

    def _write(self, field: str, place: int, value: Any, adds: bool) -> None:
        if adds and self._is_set[field][place]:
            value = self._read(field, place) + value
        known = self._algebra.known(value)
        self._values[field][place] = value if known is None else known
        self._is_set[field][place] = 1
        self._stored.setdefault(field, set()).add(place)

    def _input(self, field: str, loads: dict[int, Any]) -> tuple[Port, list[Any], Affine]:
        kept = sorted(loads)
        argument = self._arguments.get(field)
        unit, origins = "", tuple[str, ...]()
        if argument is not None:
            unit = _single_unit(argument)
            origins = tuple(argument.element_names[place] for place in kept)
        port = Port(field, len(kept), unit, origins, places=_places(kept))
        return port, [loads[place] for place in kept], Affine(field, kept[0])


def _places(kept: list[int]) -> tuple[int, ...]:
    """Places counted from the first, or none where they lie side by side."""
    places = tuple(place - kept[0] for place in kept)
    return () if places == tuple(range(len(places))) else places


def _single_unit(argument: Argument) -> str:
    units = set(argument.units)
    return units.pop() if len(units) == 1 else ""
