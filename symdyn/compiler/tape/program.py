"""A program: buffers, kernels, and the loops that call the kernels on the buffers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from math import gcd

from symdyn.compiler.tape.pattern import Pattern
from symdyn.compiler.tape.tape import Tape
from symdyn.interface.signature import Argument, Signature
from symdyn.plan.plan import lane_spacing


class BufferKind(Enum):
    """Who owns a buffer's memory, and when it is written."""

    IN = "in"
    OUT = "out"
    PARAM = "param"  # run-time parameters: an input that does not change along a trajectory or a batch
    TABLE = "table"  # numbers of the robot, constant in the generated source
    INDEX = "index"  # integers for Gather, constant in the generated source
    WORKSPACE = "workspace"  # scratch, from the caller in C


@dataclass(frozen=True, slots=True)
class Buffer:
    """A row-major array of ``rows`` rows of ``width`` scalars. Tables and index tables hold their ``values``.

    With ``lanes``, each scalar is that many side by side, of which the first ones are those of a loop's lanes; what is
    left fills up a vector.
    """

    name: str
    kind: BufferKind
    width: int
    rows: int = 1
    dtype: str = "float64"
    lanes: int = 1
    values: tuple[float, ...] | tuple[int, ...] = ()
    description: str = ""

    @property
    def size(self) -> int:
        """Number of scalars, over all lanes."""
        return self.width * self.rows * self.lanes


@dataclass(frozen=True, slots=True)
class Affine:
    """Element ``base + sum(stride_k * i_k)`` of a buffer; one stride per enclosing loop, outermost first."""

    buffer: str
    base: int
    strides: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Gather:
    """Element ``index[base + sum(stride_k * i_k)] + shift + sum(step_k * i_k)``, ``index`` being an ``INDEX`` buffer.

    The steps let one entry serve a whole inner loop whose addresses advance evenly; the shift is for entries that would
    be negative.
    """

    buffer: str
    index: str
    base: int
    strides: tuple[int, ...] = ()
    steps: tuple[int, ...] = ()
    shift: int = 0


Address = Affine | Gather


def dot(strides: Sequence[int], indices: Sequence[int]) -> int:
    """``sum(stride_k * i_k)``."""
    total = 0
    for stride, index in zip(strides, indices, strict=False):
        total += stride * index
    return total


@dataclass(frozen=True, slots=True)
class Call:
    """Run a tape. ``inputs`` and ``outputs`` hold the address of the first scalar of each port, in port order."""

    tape: str
    inputs: tuple[Address, ...]
    outputs: tuple[Address, ...]


@dataclass(frozen=True, slots=True)
class Trips:
    """A number of runs that depends on the loops around: ``base + sum(stride_k * i_k)``, or that entry of ``index``.

    Rows of a triangle have one run more or less each. Where branches are of unequal depth, or something is there in
    some rows only, an ``INDEX`` buffer holds the numbers.
    """

    base: int
    strides: tuple[int, ...] = ()
    index: str = ""

    def at(self, tables: Mapping[str, Sequence[float]], indices: Sequence[int]) -> int:
        """The number at these indices of the enclosing loops."""
        place = self.base + dot(self.strides, indices)
        return int(tables[self.index][place]) if self.index else place


@dataclass(frozen=True, slots=True)
class Loop:
    """Run ``body`` ``count`` times; its index is one more stride for the addresses inside.

    ``independent`` says that no run reads or adds to what another one writes, so that their order is free. With
    ``lanes``, as many as there are runs, the body is one call whose runs may go side by side: none reads what another
    one writes or adds to, and no place is written by two, though several may add to it. In a buffer with lanes they
    find their scalars next to each other, and in others evenly spaced.
    """

    count: int | Trips
    body: tuple[Statement, ...]
    lanes: int = 1
    independent: bool = False


Statement = Call | Loop


@dataclass(frozen=True, slots=True)
class Program:
    """A whole function. ``fp_contract`` says whether the last pass may spell a*b + c as a fused multiply-add.

    Arguments are row-major arrays, but for those that have a pattern, by name: of these the entries of the pattern are
    stored, by columns.
    """

    signature: Signature
    buffers: tuple[Buffer, ...]
    tapes: tuple[Tape, ...]
    body: tuple[Statement, ...]
    dtype: str = "float64"
    layout: str = "unrolled"
    fp_contract: bool = True
    patterns: Mapping[str, Pattern] = field(default_factory=dict)

    def stored(self, argument: Argument) -> int:
        """Scalars of an argument in memory."""
        return self.patterns[argument.name].size if argument.name in self.patterns else argument.size

    def buffer(self, name: str) -> Buffer:
        """The buffer of that name."""
        return next(buffer for buffer in self.buffers if buffer.name == name)

    def tape(self, name: str) -> Tape:
        """The tape of that name."""
        return next(tape for tape in self.tapes if tape.name == name)

    def buffers_of(self, *kinds: BufferKind) -> tuple[Buffer, ...]:
        """All buffers of these kinds, in declaration order."""
        return tuple(buffer for buffer in self.buffers if buffer.kind in kinds)

    @property
    def work_size(self) -> int:
        """Scalars of workspace that the caller must bring, with what it takes to begin at a whole vector."""
        workspace = self.buffers_of(BufferKind.WORKSPACE)
        return sum(buffer.size for buffer in workspace) + self.alignment - 1

    @property
    def alignment(self) -> int:
        """Scalars of which the workspace must begin at a multiple, where it holds whole vectors."""
        in_lanes = any(buffer.lanes > 1 for buffer in self.buffers_of(BufferKind.WORKSPACE))
        return vector_lanes(self) if in_lanes else 1

    def with_dtype(self, dtype: str) -> Program:
        """The same program in another floating-point type."""
        buffers = tuple(
            buffer if buffer.kind is BufferKind.INDEX else replace(buffer, dtype=dtype) for buffer in self.buffers
        )
        tapes = tuple(replace(tape, dtype=dtype) for tape in self.tapes)
        return replace(self, buffers=buffers, tapes=tapes, dtype=dtype)

    def calls(self) -> Iterator[tuple[Call, int]]:
        """Every call in the source with the number of times that it runs."""
        tables = {buffer.name: buffer.values for buffer in self.buffers_of(BufferKind.INDEX)}

        def walk(statements: tuple[Statement, ...], runs: Sequence[tuple[int, ...]], times: int) -> Iterator[_Times]:
            for statement in statements:
                if isinstance(statement, Call):
                    yield statement, times * len(runs)
                elif isinstance(statement.count, int) and not has_trips(statement.body):
                    yield from walk(statement.body, runs, times * statement.count)
                else:
                    yield from walk(statement.body, list(inner_runs(statement, tables, runs)), times)

        return walk(self.body, [()], 1)

    def counts(self) -> Counter[str]:
        """Operations executed by one call of the function, by kind."""
        per_tape = {tape.name: tape.counts() for tape in self.tapes}
        total: Counter[str] = Counter()
        for call, times in self.calls():
            for code, number in per_tape[call.tape].items():
                total[code] += number * times
        return total


_Times = tuple[Call, int]


def call_of(statement: Statement) -> Call:
    """The call of a statement that is one, in a loop over lanes or not."""
    call = statement.body[0] if isinstance(statement, Loop) else statement
    assert isinstance(call, Call), call
    return call


def lane_loops(statements: tuple[Statement, ...]) -> list[Loop]:
    """The loops over lanes, wherever they are."""
    found: list[Loop] = []
    for statement in statements:
        if isinstance(statement, Loop):
            found += [statement] if statement.lanes > 1 else lane_loops(statement.body)
    return found


def vector_lanes(program: Program) -> int:
    """Lanes of the longest vector that fits into all buffers with lanes, a power of two; 1 where none has any."""
    spacings = {buffer.lanes for buffer in program.buffers if buffer.lanes > 1}
    whole = gcd(*(spacings or {lane_spacing(loop.lanes) for loop in lane_loops(program.body)} or {1}))
    return whole & -whole


def has_trips(statements: tuple[Statement, ...]) -> bool:
    """Whether some loop's number of runs depends on the indices around it."""
    loops = [statement for statement in statements if isinstance(statement, Loop)]
    return any(isinstance(loop.count, Trips) or has_trips(loop.body) for loop in loops)


def inner_runs(
    loop: Loop, tables: Mapping[str, Sequence[float]], runs: Sequence[tuple[int, ...]]
) -> Iterator[tuple[int, ...]]:
    """Indices of all runs of a loop's body, its own index last, for the indices with which the loop is reached."""
    for indices in runs:
        count = loop.count if isinstance(loop.count, int) else loop.count.at(tables, indices)
        yield from ((*indices, index) for index in range(count))
