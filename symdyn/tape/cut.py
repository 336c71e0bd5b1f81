"""Cut a long straight line into pieces of bounded length over a workspace.

The line has been optimised as a whole, so that pieces share what they have in common. A piece loads arguments where
they lie, and values of earlier pieces from the workspace, whose places are given out anew once nobody needs them.
"""

from __future__ import annotations

import heapq
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from symdyn.tape.ops import OPS
from symdyn.tape.program import Address, Affine, Buffer, BufferKind, Call, Program
from symdyn.tape.tape import Op, Port, Tape

CARRIED = "carried"
"""The workspace for what later pieces need."""

_SHORTEST = 0.6
"""A piece is cut where the fewest values are alive, between this part of its greatest length and the whole."""

_LEAVES = frozenset({"input", "constant"})
_HALVES = frozenset({"sin_of", "cos_of"})


def in_pieces(program: Program, length: int) -> Program:
    """A program of one call, cut into calls of pieces of about ``length`` operations; as it is if it is shorter."""
    (call,) = program.body
    assert isinstance(call, Call), call
    tape = program.tape(call.tape)
    if sum(OPS[op.code].cost for op in tape.ops) <= length:
        return program
    ports, addresses = (*tape.inputs, *tape.outputs), (*call.inputs, *call.outputs)
    cutter = _Cutter(tape, {port.name: address for port, address in zip(ports, addresses, strict=True)}, length)
    pieces = cutter.pieces()
    carried = Buffer(CARRIED, BufferKind.WORKSPACE, 1, max(cutter.slots, 1), dtype=program.dtype)
    return replace(
        program,
        buffers=(*program.buffers, *([carried] if cutter.slots else [])),
        tapes=tuple(piece for piece, _ in pieces),
        body=tuple(made for _, made in pieces),
    )


@dataclass(frozen=True, slots=True)
class _Cuts:
    """The piece of each instruction that is not a leaf, and how many pieces there are."""

    piece: tuple[int, ...]
    count: int


def _live_counts(ops: Sequence[Op], last: Sequence[int]) -> list[int]:
    """Per position, values made before it that are used there or later."""
    changes = [0] * (len(ops) + 1)
    for position, op in enumerate(ops):
        if op.code not in _LEAVES and last[position] > position:
            # A truth value lives in no workspace, so that no cut may pass between it and its use.
            weight = len(ops) if OPS[op.code].boolean else 1
            changes[position + 1] += weight
            changes[last[position] + 1] -= weight
    return list(accumulate(changes))


def _cuts(tape: Tape, length: int) -> _Cuts:
    ops = tape.ops
    last = list(range(len(ops)))
    for position, op in enumerate(ops):
        for argument in op.args:
            last[argument] = position
    live = _live_counts(ops, last)
    line = [position for position, op in enumerate(ops) if op.code not in _LEAVES and op.code not in _HALVES]
    spent = [0, *accumulate(OPS[ops[position].code].cost for position in line)]
    starts, start = set(), 0
    while spent[-1] - spent[start] > length:
        first = bisect_left(spent, spent[start] + _SHORTEST * length)
        final = max(bisect_right(spent, spent[start] + length) - 1, first)
        while final < len(line) - 1 and min(live[line[place]] for place in range(first, final + 1)) >= len(ops):
            final += 1  # truth values are alive everywhere before
        start = min(range(first, min(final, len(line) - 1) + 1), key=lambda place: (live[line[place]], -place))
        if live[line[start]] >= len(ops):
            break
        starts.add(line[start])
    piece: list[int] = []
    here = 0
    for position, op in enumerate(ops):
        here += position in starts
        piece.append(piece[op.args[0]] if op.code in _HALVES else here)  # a pair is never stored, its halves are
    return _Cuts(tuple(piece), here + 1)


class _Cutter:
    """State of one cut: which piece makes what, and where it is kept."""

    def __init__(self, tape: Tape, addresses: dict[str, Address], length: int) -> None:
        self.tape = tape
        self.addresses = addresses
        cuts = _cuts(tape, length)
        self.piece, self.count = cuts.piece, cuts.count
        self.members: list[list[int]] = [[] for _ in range(self.count)]
        for position, op in enumerate(tape.ops):
            if op.code not in _LEAVES:
                self.members[self.piece[position]].append(position)
        self.slot: dict[int, int] = {}
        self.slots = 0
        self._give_slots(self._last_pieces())
        self.written = self._written()

    def _last_pieces(self) -> dict[int, int]:
        """Per value that another piece reads, the last that does."""
        last: dict[int, int] = {}
        for position, op in enumerate(self.tape.ops):
            for argument in op.args:
                if self.tape.ops[argument].code not in _LEAVES and self.piece[argument] != self.piece[position]:
                    last[argument] = self.piece[position]
        return last

    def _give_slots(self, last: dict[int, int]) -> None:
        made: dict[int, list[int]] = defaultdict(list)
        for position in sorted(last):
            made[self.piece[position]].append(position)
        free: list[int] = []
        released: dict[int, list[int]] = defaultdict(list)
        for piece in range(self.count):
            for slot in released.pop(piece, ()):
                heapq.heappush(free, slot)
            for position in made[piece]:
                if free:
                    self.slot[position] = heapq.heappop(free)
                else:
                    self.slot[position] = self.slots
                    self.slots += 1
                released[last[position] + 1].append(self.slot[position])

    def _written(self) -> list[dict[int, list[tuple[int, int]]]]:
        """Per piece, and output port, the elements that it writes with their positions."""
        found: list[dict[int, list[tuple[int, int]]]] = [defaultdict(list) for _ in range(self.count)]
        for port, results in enumerate(self.tape.results):
            for element, position in enumerate(results):
                leaf = self.tape.ops[position].code in _LEAVES
                found[-1 if leaf else self.piece[position]][port].append((element, position))
        return found

    def pieces(self) -> list[tuple[Tape, Call]]:
        """Every piece that does something, and its call."""
        return [self._made(piece) for piece in range(self.count) if self.members[piece] or self.written[piece]]

    def _made(self, piece: int) -> tuple[Tape, Call]:
        loads = self._loads(piece)
        inputs: list[Port] = []
        addresses: list[Address] = []
        index: dict[tuple[str, int], tuple[int, int]] = {}
        for name, loaded in loads.items():
            kept = sorted(loaded)
            for place, element in enumerate(kept):
                index[name, element] = (len(inputs), place)
            inputs.append(self._input(name, kept))
            addresses.append(self._address(name, kept[0]))
        line = _Line(self.tape, index, self.slot)
        for position in self.members[piece]:
            line.keep(position)
        outputs, results, targets = [], [], []
        for port, items in self.written[piece].items():
            name = self.tape.outputs[port].name
            elements = [element for element, _ in items]
            outputs.append(Port(name, len(elements), places=_places(elements)))
            results.append(tuple(line.position(position) for _, position in items))
            targets.append(self._address(name, elements[0]))
        crossing = sorted((self.slot[position], position) for position in self.members[piece] if position in self.slot)
        if crossing:
            slots = [slot for slot, _ in crossing]
            outputs.append(Port(CARRIED, len(slots), places=_places(slots)))
            results.append(tuple(line.position(position) for _, position in crossing))
            targets.append(Affine(CARRIED, slots[0]))
        name = f"piece_{piece}"
        made = Tape(name, tuple(inputs), tuple(outputs), tuple(line.ops), tuple(results), self.tape.dtype)
        return made, Call(name, tuple(addresses), tuple(targets))

    def _loads(self, piece: int) -> dict[str, set[int]]:
        """Elements of arguments, and slots, that a piece reads."""
        ops = self.tape.ops
        found: dict[str, set[int]] = defaultdict(set)
        read = [argument for position in self.members[piece] for argument in ops[position].args]
        read += [position for items in self.written[piece].values() for _, position in items]
        for position in read:
            if ops[position].code == "input":
                port, element = ops[position].source
                found[self.tape.inputs[port].name].add(element)
            elif ops[position].code not in _LEAVES and self.piece[position] != piece:
                found[CARRIED].add(self.slot[position])
        order = [port.name for port in self.tape.inputs] + [CARRIED]
        return {name: found[name] for name in order if name in found}

    def _input(self, name: str, elements: Sequence[int]) -> Port:
        if name == CARRIED:
            return Port(name, len(elements), places=_places(elements))
        port = next(port for port in self.tape.inputs if port.name == name)
        origins = tuple(port.origins[element] for element in elements) if port.origins else ()
        return Port(name, len(elements), port.unit, origins, port.varying, places=_places(elements))

    def _address(self, name: str, element: int) -> Address:
        whole = self.addresses.get(name)
        return Affine(CARRIED, element) if whole is None else replace(whole, base=whole.base + element)


class _Line:
    """The instructions of one piece."""

    def __init__(self, tape: Tape, index: dict[tuple[str, int], tuple[int, int]], slot: dict[int, int]) -> None:
        self.ops: list[Op] = []
        self._tape, self._index, self._slot = tape, index, slot
        self._made: dict[int, int] = {}

    def keep(self, position: int) -> None:
        """Append an instruction of this piece."""
        op = self._tape.ops[position]
        args = tuple(self.position(argument) for argument in op.args)
        varying = op.code != "lane_sum" and any(self.ops[argument].varying for argument in args)
        self._append(position, Op(op.code, args, varying=varying))

    def position(self, position: int) -> int:
        """Where a value stands in this piece; loads it if another piece made it."""
        if position not in self._made:
            op = self._tape.ops[position]
            if op.code == "constant":
                self._append(position, op)
            elif op.code == "input":
                name = self._tape.inputs[op.source[0]].name
                self._append(position, op._replace(source=self._index[name, op.source[1]]))
            else:
                self._append(position, Op("input", source=self._index[CARRIED, self._slot[position]]))
        return self._made[position]

    def _append(self, position: int, op: Op) -> None:
        self.ops.append(op)
        self._made[position] = len(self.ops) - 1


def _places(elements: Iterable[int]) -> tuple[int, ...]:
    """Places counted from the first, or none where they lie side by side."""
    kept = list(elements)
    places = tuple(element - kept[0] for element in kept)
    return () if places == tuple(range(len(places))) else places
