"""A program as a tree of statements, before any language: what runs in which loop and on which places.

It is formed once per function, and each back end prints it: no printer asks the program again what is read, what a loop
changes, or which tables are needed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from symdyn.compiler.emit.tree.form_kernel import ports_read
from symdyn.compiler.emit.tree.kernel import Place
from symdyn.compiler.tape.program import (
    Address,
    Affine,
    Buffer,
    BufferKind,
    Call,
    Gather,
    Loop,
    Program,
    Statement,
    Trips,
)
from symdyn.compiler.tape.tape import Port, Tape


@dataclass(frozen=True, slots=True)
class Run:
    """A call of a kernel: its tape, the call with the place of every port, and the input ports that it reads."""

    tape: Tape
    call: Call
    read: frozenset[int]

    @property
    def loads(self) -> list[tuple[Port, Address]]:
        """The input ports that are read, and their places."""
        ports = zip(self.tape.inputs, self.call.inputs, strict=True)
        return [own for number, own in enumerate(ports) if number in self.read]

    @property
    def stores(self) -> list[tuple[Port, Address]]:
        """The output ports that hold a scalar, and their places."""
        ports = zip(self.tape.outputs, self.call.outputs, strict=True)
        return [own for own in ports if own[0].width]


@dataclass(frozen=True, slots=True)
class For:
    """A loop inside of ``level`` others.

    ``most`` is the largest number of runs that it can have. Where ``once``, it runs once at most and nothing in it
    depends on its index: it is a condition. ``free`` says that the order of its runs is, and that it holds no loop.
    ``carried`` names the buffers that it changes, in the order of the program's.
    """

    level: int
    count: int | Trips
    most: int
    lanes: int
    once: bool
    free: bool
    carried: tuple[str, ...]
    body: tuple[Node, ...]


Node = Run | For


@dataclass(frozen=True, slots=True)
class Tree:
    """What a function does. ``used`` names the buffers that it touches, index tables among them.

    ``direct`` is the only call of a function that makes just one, at fixed places: it needs no kernel of its own.
    """

    program: Program
    body: tuple[Node, ...]
    direct: Run | None
    used: frozenset[str]

    @property
    def tables(self) -> list[Buffer]:
        """The tables of numbers and of indices that are used."""
        return self._used(BufferKind.TABLE, BufferKind.INDEX)

    @property
    def workspace(self) -> list[Buffer]:
        """The scratch buffers that are used."""
        return self._used(BufferKind.WORKSPACE)

    def direct_places(self) -> tuple[list[Place], list[Place]]:
        """Where the inputs and outputs of the only call lie, with the units of their scalars."""
        assert self.direct is not None
        units = {argument.name: argument.element_units for argument in self.program.signature.inputs}
        inputs, outputs = (
            [Place(own.base, units.get(own.buffer, ())[own.base :]) for own in addresses]
            for addresses in (self.direct.call.inputs, self.direct.call.outputs)
        )
        return inputs, outputs

    def _used(self, *kinds: BufferKind) -> list[Buffer]:
        return [buffer for buffer in self.program.buffers_of(*kinds) if buffer.name in self.used]


def form_tree(program: Program) -> Tree:
    """The tree of a program; loops that never run are left out."""
    return _Former(program).tree()


class _Former:
    """What was found of a program so far."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.tapes = {tape.name: tape for tape in program.tapes}
        self.read: dict[str, frozenset[int]] = {}
        self.used: set[str] = set()

    def tree(self) -> Tree:
        body = self._nodes(self.program.body, ())
        return Tree(self.program, body, _only(body), frozenset(self.used))

    def _nodes(self, statements: Iterable[Statement], most: tuple[int, ...]) -> tuple[Node, ...]:
        """Statements inside of loops that run ``most`` times at most."""
        return tuple(
            self._run(statement) if isinstance(statement, Call) else self._for(statement, most)
            for statement in statements
            if isinstance(statement, Call) or statement.count != 0
        )

    def _run(self, call: Call) -> Run:
        tape = self.tapes[call.tape]
        if call.tape not in self.read:
            self.read[call.tape] = ports_read(tape)
        run = Run(tape, call, self.read[call.tape])
        for _, address in (*run.loads, *run.stores):
            self.used.add(address.buffer)
            if isinstance(address, Gather):
                self.used.add(address.index)
        return run

    def _for(self, loop: Loop, most: tuple[int, ...]) -> For:
        if isinstance(loop.count, Trips) and loop.count.index:
            self.used.add(loop.count.index)
        level, largest = len(most), self._most(loop.count, most)
        once = is_condition(self.program, loop, level)
        free = loop.independent and not (once or any(isinstance(item, Loop) for item in loop.body))
        body = self._nodes(loop.body, (*most, largest))
        written = _written(body)
        carried = tuple(buffer.name for buffer in self.program.buffers if buffer.name in written)
        return For(level, loop.count, largest, loop.lanes, once, free, carried, body)

    def _most(self, count: int | Trips, most: tuple[int, ...]) -> int:
        if isinstance(count, int):
            return count
        if count.index:
            return max(map(int, self.program.buffer(count.index).values))
        pairs = zip(count.strides, most, strict=False)
        return count.base + sum(max(0, stride * (times - 1)) for stride, times in pairs)


def direct_names(call: Call, names: Mapping[str, str]) -> tuple[list[str], list[str]]:
    """The names of the arrays of the only call, given those of all buffers."""
    return [names[own.buffer] for own in call.inputs], [names[own.buffer] for own in call.outputs]


def _only(body: tuple[Node, ...]) -> Run | None:
    if len(body) == 1 and isinstance(body[0], Run):
        call = body[0].call
        if all(isinstance(address, Affine) for address in call.inputs + call.outputs):
            return body[0]
    return None


def _written(body: Iterable[Node]) -> frozenset[str]:
    """Buffers that statements change."""
    found: set[str] = set()
    for node in body:
        found |= set(node.carried) if isinstance(node, For) else {address.buffer for address in node.call.outputs}
    return frozenset(found)


def is_condition(program: Program, loop: Loop, level: int) -> bool:
    """Whether a loop, inside of ``level`` others, runs at most once and nothing in it depends on its index."""
    if not isinstance(loop.count, Trips) or not loop.count.index:
        return False
    return max(program.buffer(loop.count.index).values) <= 1 and not _uses_index(loop.body, level)


def _uses_index(statements: tuple[Statement, ...], level: int) -> bool:
    for statement in statements:
        if isinstance(statement, Call):
            addresses = statement.inputs + statement.outputs
            strides = [address.strides for address in addresses]
            strides += [address.steps for address in addresses if isinstance(address, Gather)]
        else:
            strides = [statement.count.strides] if isinstance(statement.count, Trips) else []
            if _uses_index(statement.body, level):
                return True
        if any(len(each) > level and each[level] for each in strides):
            return True
    return False
