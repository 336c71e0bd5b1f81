"""What a call of a program costs on a processor, estimated from its work before anything is compiled.

Each kind of work has a weight, in nanoseconds. Code that exceeds the instruction cache pays for its bytes, and more
where results exceed the data cache: both then pass through the second-level cache. Tables are data, and no part of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from symdyn.compiler.tape.program import BufferKind, Program, call_of, lane_loops, vector_lanes
from symdyn.compiler.tape.tape import operation_total
from symdyn.interface import cpus
from symdyn.interface.cpus import BYTES, Cpu
from symdyn.tracing.work import Work

_NANOSECONDS: Mapping[str, float] = {
    "scalar": 0.10,
    "store": 0.13,
    "pair": 2.4,
    "lone pair": 6.0,
    "division": 2.8,
    "library": 8.0,
    "trip": 0.27,
    "loop": 0.04,
    "row": 0.36,
    "row store": 0.92,
    "vector": 0.06,
    "vector pair": 2.1,
    "vector division": 2.8,
    "vector library": 32.0,
    "vector load": 0.17,
    "vector store": 0.12,
    "gather": 0.96,
    "scatter": 0.04,
    "pass": 0.10,
}
"""Time per unit of work [ns]: least relative squares over 66 functions and processors.

The processors are one core of an AMD EPYC (Zen 4) with AVX2 and with AVX-512; gcc 12.2, -O3. The root mean
square error is 11 %. Only their ratios matter, and they are much the same on other cores.
"""

_SCARCE: Mapping[str, float] = {"scalar": 0.05, "vector": 0.07}
"""Time that a unit takes on top with 16 registers, and less with more: values wait in memory [ns]."""

_BYTES: Mapping[str, float] = {
    "scalar": 13.6,
    "division": 13.6,
    "vector": 14.8,
    "vector division": 14.8,
    "store": 7.4,
    "vector store": 6.0,
    "scatter": 20.0,
    "pair": 300.0,
    "lone pair": 215.0,
    "vector pair": 717.0,
    "loop": 65.0,
    "row": 30.0,
    "row store": 93.0,
    "function": 560.0,
}
"""Bytes of machine code per unit of work in the source, with AVX2."""

_INDEX_BYTES = 2
"""Bytes of an entry of a table of indices: an unsigned short."""

_LONG_LINE: Mapping[int, int] = {16: 1330, 32: 1500}
"""Operations and stored scalars from which one line takes longer, by registers: values wait in memory.

Forward dynamics of an arm with fingers, 1340 of them, takes 5 to 7 % more time in one line than in pieces with AVX2,
and as much within 2 % with AVX-512.
"""

_LONGER = 1.14
"""By how much it takes longer."""

_CACHE, _CACHE_FULL = 32_000, 38_000
"""Estimated bytes of code from which some of it is read anew in each call, and from which all of it is: partials of
inverse dynamics of a quadruped, 38 kB by estimate and 40 measured, take 641 ns for 466 of work."""

_MISS = 0.28 / 64
"""Time per byte of code that is read anew [ns]."""

_DATA_CACHE = 32_000
"""Bytes of results that stay in the data cache. The part beyond leaves it in every call, which takes as much of the
second-level cache as code that is read anew: Jacobians of a humanoid, 109 kB of results, take 4.1 us from 97 kB of code
and 3.6 us from 33 kB, where the work alone is estimated as 3.1 and 3.7 us."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What a call costs on a processor.

    ``operations`` counts those of a vector once; ``running`` is the time with all code in the cache [ns], and
    ``code_bytes`` the machine code; ``straight_bytes`` is what it would be with each run of a kernel written out.
    ``table_bytes`` are constants and indices, ``result_bytes`` the outputs.
    """

    operations: int
    running: float
    code_bytes: float
    straight_bytes: float
    table_bytes: int = 0
    result_bytes: int = 0

    @property
    def nanoseconds(self) -> float:
        """The time of a call."""
        read_anew = min(max((self.code_bytes - _CACHE) / (_CACHE_FULL - _CACHE), 0.0), 1.0)
        results_beyond = max(1.0 - _DATA_CACHE / max(self.result_bytes, 1), 0.0)
        return self.running + read_anew * (1.0 + results_beyond) * self.code_bytes * _MISS

    def without_misses(self) -> Cost:
        """The same work, with little code."""
        return replace(self, code_bytes=0.0)

    def share(self, operations: float, running: float) -> Cost:
        """Part of the work, with as much code."""
        return replace(self, operations=round(operations * self.operations), running=running * self.running)

    def written_out(self, share: float) -> Cost:
        """The same work, with part of the code that it would be with each run of a kernel written out."""
        return replace(self, code_bytes=share * self.straight_bytes)


def estimate(program: Program, cpu: Cpu, dtype: str = "float64", side_by_side: bool = True) -> Cost:
    """The cost of a call in numbers of a type; without ``side_by_side`` for lanes that run one after the other."""
    width = cpu.lanes(dtype)
    work = Work(program, width, side_by_side)
    scarce = 16 / cpu.registers
    times = {kind: own + scarce * _SCARCE.get(kind, 0.0) for kind, own in _NANOSECONDS.items()}
    running = sum(number * times.get(kind, 0.0) for kind, number in work.run.items())
    code, straight = (
        sum(number * _BYTES.get(kind, 0.0) for kind, number in counts.items()) for counts in (work.code, work.straight)
    )
    operations = instructions(program, width if side_by_side else 1)
    if program.layout == "unrolled" and operations + work.run["store"] > _LONG_LINE[cpu.registers]:
        running *= _LONGER
    tables = sum(
        len(buffer.values) * (_INDEX_BYTES if buffer.kind is BufferKind.INDEX else BYTES[dtype])
        for buffer in program.buffers
    )
    results = BYTES[dtype] * sum(map(program.stored, program.signature.outputs))
    return Cost(operations, running, code, straight, tables, results)


def instructions(program: Program, width: int = cpus.DEFAULT.lanes()) -> int:
    """Operations of one call, those on a vector of ``width`` lanes counted once: five lanes of four are two vectors."""
    totals = {tape.name: operation_total(tape.counts()) for tape in program.tapes}
    lanes = {call_of(loop).tape: loop.lanes for loop in lane_loops(program.body)}
    width = min(width, vector_lanes(program))
    count = 0
    for call, times in program.calls():
        side_by_side = lanes.get(call.tape, 1)
        count += totals[call.tape] * (times // side_by_side) * -(-side_by_side // width)
    return count
