"""The work of a call of a program, counted by kind: what it takes to run, and what its code consists of.

Instructions are for one value or for a vector, at the width of the processor's registers; besides, values are loaded
and stored, and loops run. A product that is added is one instruction with its sum.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from symdyn.compiler.tape.ops import FUSED, OPS
from symdyn.compiler.tape.program import (
    Address,
    Affine,
    BufferKind,
    Call,
    Loop,
    Program,
    Statement,
    call_of,
    has_trips,
    inner_runs,
    vector_lanes,
)
from symdyn.compiler.tape.tape import OverSeries, Tape
from symdyn.plan.plan import lane_spacing

PLAIN = "plain"
_CODES = {
    "division": ("div", "sqrt"),
    "pair": ("sincos", "sin", "cos"),
    "library": ("tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "exp", "log", "pow"),
}
_KINDS = {code: kind for kind, codes in _CODES.items() for code in codes}
"""Kinds of instructions that are not plain, by code."""


@dataclass(frozen=True, slots=True)
class _Kernel:
    """What one run of a tape does: instructions by kind, for one value and for a vector; scalars per port.

    ``loads`` and ``stores`` count the scalars that are read and written, by port.
    """

    uniform: Counter[str]
    varying: Counter[str]
    loads: tuple[int, ...]
    stores: tuple[int, ...]


def _counted(tape: Tape, varies: Sequence[bool]) -> _Kernel:
    """Count a tape whose input ports have one value per lane where ``varies`` says so."""
    fused = _fused_products(tape)
    uniform, varying = Counter[str](), Counter[str]()
    flags: list[bool] = []
    read: list[set[int]] = [set() for _ in tape.inputs]
    for position, op in enumerate(tape.ops):
        if op.code == "input":
            flags.append(varies[op.source[0]])
            read[op.source[0]].add(op.source[1])
            continue
        flag = any(flags[argument] for argument in op.args)
        flags.append(flag)
        if OPS[op.code].cost and position not in fused:
            (varying if flag else uniform)[_KINDS.get(op.code, PLAIN)] += 1
    stores = tuple(port.width * (2 if port.accumulate else 1) for port in tape.outputs)
    return _Kernel(uniform, varying, tuple(map(len, read)), stores)


def _fused_products(tape: Tape) -> set[int]:
    """Products that one sum alone reads, which takes one product: together they are one instruction."""
    readers = [0] * len(tape.ops)
    for op in tape.ops:
        for argument in op.args:
            readers[argument] += 1
    for results in tape.results:
        for position in results:
            readers[position] += 1
    fused: set[int] = set()
    for op in tape.ops:
        if op.code in ("add", "sub"):
            for argument in op.args:
                if tape.ops[argument].code == "mul" and readers[argument] == 1:
                    fused.add(argument)
                    break
    return fused


class Work:
    """The work of a call of a program, and its code, on a processor with vectors of ``width`` scalars; by kind."""

    def __init__(self, program: Program, width: int, side_by_side: bool = True) -> None:
        self.run, self.code, self.straight = Counter[str](), Counter[str](), Counter[str]()
        self._width = width
        self._lane_width = min(width, vector_lanes(program)) if side_by_side else 1
        self._series_width = width if side_by_side else 1
        self._tapes = {tape.name: tape for tape in program.tapes}
        self._beside = frozenset(buffer.name for buffer in program.buffers if buffer.lanes > 1)
        self._tables = {buffer.name: buffer.values for buffer in program.buffers_of(BufferKind.INDEX)}
        self._kernels: dict[tuple[str, tuple[bool, ...]], _Kernel] = {}
        self._written: set[tuple[str, tuple[str, ...]]] = set()
        self.code["function"] = 1
        self._statements(program.body, [()], 1)

    def _statements(self, statements: tuple[Statement, ...], runs: Sequence[tuple[int, ...]], times: int) -> None:
        for statement in statements:
            if isinstance(statement, Call):
                self._single(statement, times * len(runs))
            elif statement.lanes > 1:
                self._side_by_side(call_of(statement), statement.lanes, times * len(runs))
            else:
                self._loop(statement, runs, times)

    def _loop(self, loop: Loop, runs: Sequence[tuple[int, ...]], times: int) -> None:
        self.run["loop"] += times * len(runs)
        self.code["loop"] += 1
        if loop.independent and all(isinstance(item, Call) for item in loop.body):
            if isinstance(loop.count, int):
                rows = -(-loop.count // self._width) * len(runs)
            else:
                rows = sum(-(-loop.count.at(self._tables, run) // self._width) for run in runs)
            for item in loop.body:
                assert isinstance(item, Call)
                self._row(item, rows * times)
            return
        if isinstance(loop.count, int) and not has_trips(loop.body):
            inner, times = runs, times * loop.count
        else:
            inner = list(inner_runs(loop, self._tables, runs))
        self.run["trip"] += times * len(inner)
        self._statements(loop.body, inner, times)

    def _kernel(self, call: Call, varies: tuple[bool, ...]) -> _Kernel:
        key = call.tape, varies
        if key not in self._kernels:
            self._kernels[key] = _counted(self._tapes[call.tape], varies)
        return self._kernels[key]

    def _single(self, call: Call, times: int) -> None:
        """A call for one value."""
        over, width = self._tapes[call.tape].over_series, self._series_width
        if over is not None and width > 1:
            width = min(width, lane_spacing(over.size))
            self._add(call, {**_on_series(over, width), "call": 1}, times, times)
            return
        kernel = self._kernel(call, (False,) * len(call.inputs))
        stored = sum(kernel.stores)
        work = {**_alone(kernel.uniform), "load": sum(kernel.loads), "store": stored, "call": 1}
        self._add(call, work, times, times)

    def _row(self, call: Call, rows: int) -> None:
        """A call over entries of a matrix, of which the compiler makes vectors: ``rows`` runs of these."""
        kernel = self._kernel(call, (False,) * len(call.inputs))
        self._add(call, {"row": sum(kernel.uniform.values()), "row store": sum(kernel.stores)}, rows, 1)

    def _side_by_side(self, call: Call, lanes: int, times: int) -> None:
        """A call in a loop over lanes, which advances by whole vectors."""
        strides = tuple(_lane_stride(address) for address in call.inputs)
        kernel = self._kernel(call, tuple(stride != 0 for stride in strides))
        passes = -(-lanes // self._lane_width)
        once = Counter(_alone(kernel.uniform))
        for kind, number in kernel.varying.items():
            once["vector" if kind == PLAIN else f"vector {kind}"] += number
        each = Counter[str]()
        for number, address, stride in zip(kernel.loads, call.inputs, strides, strict=True):
            if not stride or address.buffer in self._beside:
                once["vector load" if stride else "spread"] += number
            else:
                each["gather"] += number
        for number, address in zip(kernel.stores, call.outputs, strict=True):
            if address.buffer in self._beside and _lane_stride(address):
                once["vector store"] += number
            else:
                each["scatter"] += number
        once["pass"] = 1
        self._add(call, once, passes * times, times)
        self._add(call, each, lanes * times, times)

    def _add(self, call: Call, work: Mapping[str, int], times: int, places: int) -> None:
        for kind, number in work.items():
            self.run[kind] += times * number
            self.straight[kind] += places * number
        written = call.tape, tuple(sorted(work))
        if written not in self._written:
            self._written.add(written)
            self.code.update(work)


def _on_series(over: OverSeries, width: int) -> dict[str, int]:
    """Instructions of one run of a kernel on series, in vectors of so many coefficients.

    Of a product, the coefficients of one factor are spread, and those of the other moved, once for all its products.
    """
    size, ops = over.size, over.tape.ops
    parts = -(-size // width)
    found, moved = Counter[str](), set[int]()
    fused = _fused_products(over.tape)
    for position, op in enumerate(ops):
        if op.code == "constant":
            continue
        if not op.varying:
            found["scalar"] += position not in fused
        elif op.code == "input":
            found["vector load"] += parts
        elif op.code in ("mul", *FUSED) and ops[op.args[0]].varying and ops[op.args[1]].varying:
            found["vector"] += sum(min(size, (part + 1) * width) for part in range(parts))
            moved.update(op.args[:2])
        else:
            found["vector"] += 0 if position in fused else parts
    found["vector"] += (size - 1) * parts * len(moved)
    found["vector store"] = parts * sum(port.width for port in over.tape.outputs)
    return dict(found)


def _alone(counts: Counter[str]) -> dict[str, int]:
    """Instructions for one value; sines and cosines that are several share their constants."""
    names = {PLAIN: "scalar", "pair": "pair" if counts["pair"] > 1 else "lone pair"}
    return {names.get(kind, kind): number for kind, number in counts.items()}


def _lane_stride(address: Address) -> int:
    """By how much an address advances from lane to lane: the last loop around it."""
    return address.strides[-1] if isinstance(address, Affine) else address.steps[-1]
