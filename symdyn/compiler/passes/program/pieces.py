"""One long call in pieces: what each of them loads, computes and stores.

Where a long straight line is cut: where the fewest values are alive.
"""

from __future__ import annotations

import heapq
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from symdyn.compiler.passes.program.order_calls import Cell
from symdyn.compiler.tape.ops import LEAVES, OPS
from symdyn.compiler.tape.program import Address, Affine, Call
from symdyn.compiler.tape.tape import Op, Port, Tape, places_from_first

_SHORTEST = 0.6
"""A piece is cut where the fewest values are alive, between this part of its greatest length and the whole."""

_HALVES = frozenset({"sin_of", "cos_of"})


def piece_numbers(tape: Tape, length: int) -> tuple[tuple[int, ...], int]:
    """The piece of each instruction but leaves, and how many there are, of about ``length`` operations each."""
    ops = tape.ops
    last = list(range(len(ops)))
    for position, op in enumerate(ops):
        for argument in op.args:
            last[argument] = position
    live = _live_counts(ops, last)
    line = [position for position, op in enumerate(ops) if op.code not in LEAVES and op.code not in _HALVES]
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
    return tuple(piece), here + 1


def _live_counts(ops: Sequence[Op], last: Sequence[int]) -> list[int]:
    """Per position, values made before it that are used there or later."""
    changes = [0] * (len(ops) + 1)
    for position, op in enumerate(ops):
        if op.code not in LEAVES and last[position] > position:
            # A truth value lives in no workspace, so that no cut may pass between it and its use.
            weight = len(ops) if OPS[op.code].boolean else 1
            changes[position + 1] += weight
            changes[last[position] + 1] -= weight
    return list(accumulate(changes))


_SLOTS = -1
"""Stands for the workspace where ports are numbered."""


@dataclass(frozen=True, slots=True)
class Store:
    """Workspace for what later pieces need: a buffer, the scalars of a slot, and how addresses advance with lanes."""

    buffer: str
    spacing: int = 1
    strides: tuple[int, ...] = ()

    def address(self, slot: int) -> Address:
        """Where a slot lies."""
        return Affine(self.buffer, slot * self.spacing, self.strides)

    def places(self, slots: Sequence[int]) -> tuple[int, ...]:
        """Places of slots, counted from the first."""
        return places_from_first([slot * self.spacing for slot in slots])


class Cutter:
    """State of one cut: which piece makes what, and where it is kept."""

    def __init__(self, tape: Tape, call: Call, length: int, store: Store, first: int) -> None:
        self.tape = tape
        self.call = call
        self.store = store
        self.first = first
        self.piece, self.count = piece_numbers(tape, length)
        self.members: list[list[int]] = [[] for _ in range(self.count)]
        for position, op in enumerate(tape.ops):
            if op.code not in LEAVES:
                self.members[self.piece[position]].append(position)
        self.slot: dict[int, int] = {}
        self.slots = 0
        self.written = self._written()
        self._give_slots(self._last_pieces())

    def _last_pieces(self) -> dict[int, int]:
        """Per value that another piece reads or stores, the last that does."""
        last: dict[int, int] = {}
        for position, op in enumerate(self.tape.ops):
            for argument in op.args:
                if self.tape.ops[argument].code not in LEAVES and self.piece[argument] != self.piece[position]:
                    last[argument] = max(self.piece[position], last.get(argument, 0))
        for piece, ports in enumerate(self.written):
            for _, position in (item for items in ports.values() for item in items):
                if self.tape.ops[position].code not in LEAVES and self.piece[position] != piece:
                    last[position] = max(piece, last.get(position, 0))
        return last

    def _give_slots(self, last: dict[int, int]) -> None:
        made: dict[int, list[int]] = defaultdict(list)
        for position in sorted(last):
            made[self.piece[position]].append(position)
        # A linear scan, as for registers: a slot is free again after the last piece that reads its value.
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
        """Per piece, and output port, the elements that it writes with their positions.

        What a call reads and writes in one place is written once no piece reads it any longer.
        """
        ops, readers = self.tape.ops, self._last_readers()
        found: list[dict[int, list[tuple[int, int]]]] = [defaultdict(list) for _ in range(self.count)]
        for port, results in enumerate(self.tape.results):
            for element, position in enumerate(results):
                made = self.count - 1 if ops[position].code in LEAVES else self.piece[position]
                cell = self._cell(self.tape.outputs[port], self.call.outputs[port], element)
                found[max(made, readers.get(cell, 0))][port].append((element, position))
        return found

    def _last_readers(self) -> dict[Cell, int]:
        """The last piece that loads each scalar."""
        found: dict[Cell, int] = {}
        for position, op in enumerate(self.tape.ops):
            for argument in op.args:
                if self.tape.ops[argument].code == "input":
                    port, element = self.tape.ops[argument].source
                    cell = self._cell(self.tape.inputs[port], self.call.inputs[port], element)
                    found[cell] = max(self.piece[position], found.get(cell, 0))
        return found

    def _cell(self, port: Port, address: Address, element: int) -> Cell:
        return address.buffer, address.base + port.place(element)

    def pieces(self) -> list[tuple[Tape, Call]]:
        """Every piece that does something, and its call."""
        return [self._made(piece) for piece in range(self.count) if self.members[piece] or self.written[piece]]

    def _made(self, piece: int) -> tuple[Tape, Call]:
        inputs: list[Port] = []
        addresses: list[Address] = []
        index: dict[tuple[int, int], tuple[int, int]] = {}
        for number, loaded in self._loads(piece).items():
            kept = sorted(loaded)
            for place, element in enumerate(kept):
                index[number, element] = (len(inputs), place)
            inputs.append(self._input(number, kept))
            addresses.append(self.store.address(kept[0]) if number == _SLOTS else self._input_address(number, kept[0]))
        line = _Line(self.tape, index, self.slot)
        for position in self.members[piece]:
            line.keep(position)
        outputs, results, targets = [], [], []
        for number, items in self.written[piece].items():
            port, address = self.tape.outputs[number], self.call.outputs[number]
            places = [port.place(element) for element, _ in items]
            outputs.append(replace(port, width=len(places), origins=(), places=places_from_first(places)))
            results.append(tuple(line.position(position) for _, position in items))
            targets.append(replace(address, base=address.base + places[0]))
        crossing = sorted((self.slot[position], position) for position in self.members[piece] if position in self.slot)
        if crossing:
            slots = [slot for slot, _ in crossing]
            outputs.append(Port(self.store.buffer, len(slots), places=self.store.places(slots)))
            results.append(tuple(line.position(position) for _, position in crossing))
            targets.append(self.store.address(slots[0]))
        name = f"piece_{self.first + piece}"
        made = Tape(name, tuple(inputs), tuple(outputs), tuple(line.ops), tuple(results), self.tape.dtype)
        return made, Call(name, tuple(addresses), tuple(targets))

    def _loads(self, piece: int) -> dict[int, set[int]]:
        """Elements of input ports, and slots, that a piece reads."""
        ops = self.tape.ops
        found: dict[int, set[int]] = defaultdict(set)
        read = [argument for position in self.members[piece] for argument in ops[position].args]
        read += [position for items in self.written[piece].values() for _, position in items]
        for position in read:
            if ops[position].code == "input":
                port, element = ops[position].source
                found[port].add(element)
            elif ops[position].code not in LEAVES and self.piece[position] != piece:
                found[_SLOTS].add(self.slot[position])
        return {number: found[number] for number in (*range(len(self.tape.inputs)), _SLOTS) if number in found}

    def _input(self, number: int, elements: Sequence[int]) -> Port:
        if number == _SLOTS:
            return Port(self.store.buffer, len(elements), places=self.store.places(elements))
        port = self.tape.inputs[number]
        origins = tuple(port.origins[element] for element in elements) if port.origins else ()
        places = places_from_first([port.place(element) for element in elements])
        return replace(port, width=len(elements), origins=origins, places=places)

    def _input_address(self, number: int, element: int) -> Address:
        address = self.call.inputs[number]
        return replace(address, base=address.base + self.tape.inputs[number].place(element))


class _Line:
    """The instructions of one piece."""

    def __init__(self, tape: Tape, index: dict[tuple[int, int], tuple[int, int]], slot: dict[int, int]) -> None:
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
                self._append(position, op._replace(source=self._index[op.source]))
            else:
                self._append(position, Op("input", source=self._index[_SLOTS, self._slot[position]]))
        return self._made[position]

    def _append(self, position: int, op: Op) -> None:
        self.ops.append(op)
        self._made[position] = len(self.ops) - 1
