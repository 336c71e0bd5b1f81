"""Tapes as statements: one per live instruction, in order, in the words of a language's dialect."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from symdyn.emit.dialect import Dialect, Lanes
from symdyn.emit.names import comment
from symdyn.passes.tape.gather_pairs import gather_pairs
from symdyn.tape.ops import LEAVES, OPS
from symdyn.tape.tape import Op, Tape

_TAKES_SHARED = frozenset({"add", "sub", "mul", "div"})
_PROJECTIONS: Mapping[str, tuple[str, str]] = {"sin_of": ("sin", "s"), "cos_of": ("cos", "c")}


@dataclass(frozen=True, slots=True)
class Place:
    """Where the scalars of a port are found: an array and the element that is the port's first.

    ``units`` holds one unit per scalar for the notes beside loads, or one for all, or none.
    """

    array: str
    offset: int = 0
    units: tuple[str, ...] = ()

    def element(self, index: int) -> str:
        """Text of one scalar."""
        return f"{self.array}[{self.offset + index}]"

    def store(self, index: int, sign: str, value: str) -> str:
        """The statement that sets one scalar (``sign`` ``=``) or adds to it (``+=``)."""
        return f"{self.element(index)} {sign} {value};"

    def add_product(self, index: int, factors: tuple[str, str], fused: str) -> str:
        """The statement that adds a product to one scalar; ``fused`` spells a fused multiply-add."""
        return f"{self.element(index)} = {fused.format(*factors, self.element(index))};"

    def first(self) -> list[str]:
        """Lines that a kernel begins with."""
        return []

    def last(self) -> list[str]:
        """Lines that a kernel ends with."""
        return []


@dataclass(frozen=True, slots=True)
class Statement:
    """``name = value``, with the names that ``value`` reads and a note in the user's words.

    ``pair`` and ``several`` mark the sine and cosine of one angle and those of several; a ``varying`` value is one per
    lane. ``factors`` are those of a product that is added to its place: it has no value of its own.
    """

    name: str
    value: str
    operands: tuple[str, ...]
    boolean: bool = False
    load: bool = False
    note: str = ""
    pair: bool = False
    several: bool = False
    varying: bool = False
    factors: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Kernel:
    """A tape in a dialect's words: statements, and the value of each output scalar."""

    statements: tuple[Statement, ...]
    results: tuple[tuple[str, ...], ...]


def ports_read(tape: Tape) -> frozenset[int]:
    """The input ports that results rest on."""
    live, _ = _liveness(tape)
    return frozenset(op.source[0] for op, wanted in zip(tape.ops, live, strict=True) if wanted and op.code == "input")


def form_kernel(tape: Tape, dialect: Dialect, inputs: Sequence[Place], lanes: Lanes | None = None) -> Kernel:
    """Spell a tape.

    Parameters
    ----------
    tape
        Legal instructions (:func:`symdyn.tape.verify.verify_tape`); those that reach no result are left out.
    dialect
        The language.
    inputs
        Where each input port lies.
    lanes
        How to spell what differs from lane to lane; without it all is one lane.

    Returns
    -------
    A value of instruction 12 is called ``v12``, a sine-cosine pair ``p12``, or its halves ``s12`` and ``c12``.
    """
    if dialect.pairs is not None and lanes is None:
        tape = gather_pairs(tape)
    return _Speller(tape, dialect, inputs, lanes).spell()


class _Speller:
    """State of one pass over a tape: the text by which each position is read, and the statements so far."""

    def __init__(self, tape: Tape, dialect: Dialect, inputs: Sequence[Place], lanes: Lanes | None) -> None:
        self.tape = tape
        self.plain = dialect
        self.lanes = lanes
        self.inputs = inputs
        self.text: list[str] = [""] * len(tape.ops)
        self.statements: list[Statement] = []
        self.halves: dict[int, tuple[str, str]] = {}
        self.single = False
        self.noted: set[tuple[int, int]] = set()

    def spell(self) -> Kernel:
        live, halves = _liveness(self.tape)
        self.single = sum(op.code == "sincos" and live[at] for at, op in enumerate(self.tape.ops)) == 1
        for position, op in enumerate(self.tape.ops):
            if not live[position] or self.text[position] or position in self.halves:
                continue
            if op.code in LEAVES:
                self._leaf(position, op)
            elif op.code == "lane_sum":
                self.text[position] = self.text[op.args[0]]
            elif op.code == "sincos":
                together = self._together(position, live)
                if together:
                    self._pairs(together)
                else:
                    self._pair(position, op, halves)
            elif op.code == "product":
                self._product(position, op)
            elif op.code in _PROJECTIONS:
                self.text[position] = self.halves[op.args[0]][_PROJECTIONS[op.code][1] == "c"]
            else:
                self.text[position] = f"v{position}"
                self._assign(self.text[position], op.code, op.args, position)
        results = tuple(tuple(self.text[position] for position in port) for port in self.tape.results)
        return Kernel(tuple(self.statements), results)

    def _varies(self, position: int) -> bool:
        return self.lanes is not None and self.lanes.varying[position]

    def _dialect(self, position: int) -> Dialect:
        return self.lanes.dialect if self.lanes is not None and self._varies(position) else self.plain

    def _pair(self, position: int, op: Op, halves: frozenset[tuple[int, str]]) -> None:
        dialect, varying = self._dialect(position), self._varies(position)
        if dialect.pair:
            argument = self.text[op.args[0]]
            value = dialect.pair.format(argument)
            self.statements.append(Statement(f"p{position}", value, (argument,), pair=True, varying=varying))
            sine, cosine = dialect.halves
            self.halves[position] = sine.format(f"p{position}"), cosine.format(f"p{position}")
            return
        self.halves[position] = (f"s{position}", f"c{position}")
        for code, letter in _PROJECTIONS.values():
            if (position, code) in halves:
                self._assign(f"{letter}{position}", code, op.args, position)

    def _together(self, first: int, live: Sequence[bool]) -> list[int]:
        """Pairs that are evaluated at once: this one and those that follow with nothing but leaves between.

        None where this is the only pair of the tape; one that is left over costs no more than alone.
        """
        if self.plain.pairs is None or self.lanes is not None or self.single:
            return []
        found: list[int] = []
        for position in range(first, len(self.tape.ops)):
            code = self.tape.ops[position].code
            if live[position] and code == "sincos":
                found.append(position)
            elif live[position] and code not in LEAVES:
                break
            if len(found) == self.plain.pairs.count:
                break
        return found

    def _pairs(self, together: Sequence[int]) -> None:
        pairs, angles = self.plain.pairs, []
        assert pairs is not None
        for part, position in enumerate(together):
            (angle,) = self.tape.ops[position].args
            if not self.text[angle]:  # it stands between the pairs
                self._leaf(angle, self.tape.ops[angle])
            angles.append(self.text[angle])
            name = f"p{together[0]}"
            self.halves[position] = (pairs.halves[0].format(name, part), pairs.halves[1].format(name, part))
        texts = [*angles, *[pairs.idle] * (pairs.count - len(angles))]
        self.statements.append(Statement(f"p{together[0]}", pairs.call.format(*texts), tuple(angles), several=True))

    def _leaf(self, position: int, op: Op) -> None:
        if op.code == "constant":
            self.text[position] = self.plain.literal(op.literal)
            return
        port_index, element = op.source
        port, place = self.tape.inputs[port_index], self.inputs[port_index]
        note = ""
        if port.origins and op.source not in self.noted:
            units = place.units or (port.unit,)
            unit = units[port.place(element)] if len(units) > 1 else units[0]
            note = comment(port.origins[element]) + (f" [{comment(unit)}]" if unit else "")
        self.noted.add(op.source)
        self.text[position] = f"v{position}"
        value, varying = place.element(port.place(element)), self._varies(position)
        self.statements.append(Statement(f"v{position}", value, (), load=True, note=note, varying=varying))

    def _assign(self, name: str, code: str, args: tuple[int, ...], position: int) -> None:
        varying = self._varies(position)
        texts = [self._operand(argument, varying and code not in _TAKES_SHARED) for argument in args]
        operands = [f"({text})" if text.startswith("-") else text for text in texts]
        dialect = self._dialect(position)
        if code == "sub" and dialect.rounded and _may_be_product(self.tape.ops[args[0]]):
            operands[0] = dialect.rounded.format(texts[0])
        value = dialect.operations[code].format(*operands)
        read = tuple(self.text[argument] for argument in args if self.tape.ops[argument].code != "constant")
        self.statements.append(Statement(name, value, read, OPS[code].boolean, varying=varying))

    def _product(self, position: int, op: Op) -> None:
        varying = self._varies(position)
        left, right = (self._operand(argument, varying) for argument in op.args)
        read = tuple(self.text[argument] for argument in op.args if self.tape.ops[argument].code != "constant")
        name = self.text[position] = f"v{position}"
        if self.plain.product:
            self.statements.append(Statement(name, self.plain.product.format(left, right), read))
        else:
            self.statements.append(Statement(name, "", read, varying=varying, factors=(left, right)))

    def _operand(self, position: int, for_lanes: bool) -> str:
        text = self.text[position]
        if self.lanes is None or not for_lanes or self.lanes.varying[position]:
            return text
        spread = self.lanes.spread_truth if OPS[self.tape.ops[position].code].boolean else self.lanes.spread
        return spread.format(text)


def _may_be_product(op: Op) -> bool:
    """Whether a compiler may see a product: an input may be one of another kernel, and x + x is 2 x."""
    return op.code in ("mul", "input") or (op.code == "add" and op.args[0] == op.args[1])


def _liveness(tape: Tape) -> tuple[list[bool], frozenset[tuple[int, str]]]:
    """Which positions reach a result, and which halves of which sine-cosine pairs are wanted."""
    live = [False] * len(tape.ops)
    for port in tape.results:
        for position in port:
            live[position] = True
    halves: set[tuple[int, str]] = set()
    for position in range(len(tape.ops) - 1, -1, -1):
        op = tape.ops[position]
        if not live[position]:
            continue
        for argument in op.args:
            live[argument] = True
        if op.code in _PROJECTIONS:
            halves.add((op.args[0], _PROJECTIONS[op.code][0]))
    return live, frozenset(halves)
