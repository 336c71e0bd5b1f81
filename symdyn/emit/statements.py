"""Tapes as statements: one per live instruction, in order, in the words of a language's dialect."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from symdyn.emit.names import comment
from symdyn.tape.ops import OPS
from symdyn.tape.tape import Op, Tape

_LEAVES = frozenset({"input", "constant"})
_PROJECTIONS: Mapping[str, tuple[str, str]] = {"sin_of": ("sin", "s"), "cos_of": ("cos", "c")}
_WITHOUT_TEXT = _LEAVES | {"sincos", "sin_of", "cos_of", "lane_sum"}

CODES_WITH_TEXT: frozenset[str] = frozenset(OPS) - _WITHOUT_TEXT
"""Codes that a dialect must spell; the others are elements, literals, pairs or (with one lane) the value itself."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a language spells each code of ``CODES_WITH_TEXT`` over operands ``{0}``, ``{1}``, ``{2}``.

    ``literal`` makes the text of a constant. ``pair`` spells a sine-cosine pair that is one value, of which ``halves``
    read the sine and the cosine; without it the two are computed one by one.
    """

    operations: Mapping[str, str]
    literal: Callable[[float], str]
    pair: str = ""
    halves: tuple[str, str] = ("", "")

    def __post_init__(self) -> None:
        assert self.operations.keys() == CODES_WITH_TEXT, self.operations.keys() ^ CODES_WITH_TEXT


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


@dataclass(frozen=True, slots=True)
class Statement:
    """``name = value``, with the names that ``value`` reads and a note in the user's words."""

    name: str
    value: str
    operands: tuple[str, ...]
    boolean: bool = False
    load: bool = False
    note: str = ""
    pair: bool = False


@dataclass(frozen=True, slots=True)
class Kernel:
    """A tape in a dialect's words: statements, the value of each output scalar, and the input ports that it reads."""

    statements: tuple[Statement, ...]
    results: tuple[tuple[str, ...], ...]
    ports_read: frozenset[int]


def form_kernel(tape: Tape, dialect: Dialect, inputs: Sequence[Place]) -> Kernel:
    """Spell a tape.

    Parameters
    ----------
    tape
        Legal instructions (:func:`symdyn.tape.verify.verify_tape`); those that reach no result are left out.
    dialect
        The language.
    inputs
        Where each input port lies.

    Returns
    -------
    A value of instruction 12 is called ``v12``, a sine-cosine pair ``p12``, or its halves ``s12`` and ``c12``.
    """
    return _Speller(tape, dialect, inputs).spell()


class _Speller:
    """State of one pass over a tape: the text by which each position is read, and the statements so far."""

    def __init__(self, tape: Tape, dialect: Dialect, inputs: Sequence[Place]) -> None:
        self.tape = tape
        self.dialect = dialect
        self.inputs = inputs
        self.text: list[str] = [""] * len(tape.ops)
        self.statements: list[Statement] = []
        self.noted: set[tuple[int, int]] = set()

    def spell(self) -> Kernel:
        live, halves = _liveness(self.tape)
        for position, op in enumerate(self.tape.ops):
            if not live[position]:
                continue
            if op.code == "constant":
                self.text[position] = self.dialect.literal(op.literal)
            elif op.code == "input":
                self._load(position, op)
            elif op.code == "lane_sum":
                self.text[position] = self.text[op.args[0]]
            elif op.code == "sincos" and self.dialect.pair:
                self.text[position] = f"p{position}"
                value = self.dialect.pair.format(self.text[op.args[0]])
                self.statements.append(Statement(f"p{position}", value, (self.text[op.args[0]],), pair=True))
            elif op.code == "sincos":
                for code, letter in _PROJECTIONS.values():
                    if (position, code) in halves:
                        self._assign(f"{letter}{position}", code, op.args)
            elif op.code in _PROJECTIONS and self.dialect.pair:
                half = self.dialect.halves[0 if op.code == "sin_of" else 1]
                self.text[position] = half.format(self.text[op.args[0]])
            elif op.code in _PROJECTIONS:
                self.text[position] = f"{_PROJECTIONS[op.code][1]}{op.args[0]}"
            else:
                self.text[position] = f"v{position}"
                self._assign(self.text[position], op.code, op.args)
        results = tuple(tuple(self.text[position] for position in port) for port in self.tape.results)
        return Kernel(tuple(self.statements), results, frozenset(port for port, _ in self.noted))

    def _load(self, position: int, op: Op) -> None:
        port_index, element = op.source
        port, place = self.tape.inputs[port_index], self.inputs[port_index]
        note = ""
        if port.origins and op.source not in self.noted:
            units = place.units or (port.unit,)
            unit = units[port.place(element)] if len(units) > 1 else units[0]
            note = comment(port.origins[element]) + (f" [{comment(unit)}]" if unit else "")
        self.noted.add(op.source)
        self.text[position] = f"v{position}"
        self.statements.append(Statement(f"v{position}", place.element(port.place(element)), (), load=True, note=note))

    def _assign(self, name: str, code: str, args: tuple[int, ...]) -> None:
        texts = [self.text[argument] for argument in args]
        operands = [f"({text})" if text.startswith("-") else text for text in texts]
        value = self.dialect.operations[code].format(*operands)
        read = tuple(self.text[argument] for argument in args if self.tape.ops[argument].code != "constant")
        self.statements.append(Statement(name, value, read, OPS[code].boolean))


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
