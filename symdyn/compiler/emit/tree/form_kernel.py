"""Tapes as kernels: one node per live instruction, in order."""

from __future__ import annotations

from collections.abc import Sequence

from symdyn.compiler.emit.tree.kernel import (
    ROUNDED_SUB,
    Angle,
    Constant,
    Kernel,
    Kind,
    Let,
    Load,
    Node,
    Place,
    Product,
    SineCosine,
    Store,
)
from symdyn.compiler.passes.tape.gather_pairs import gather_pairs
from symdyn.compiler.tape.ops import LEAVES, OPS
from symdyn.compiler.tape.tape import Op, Tape

_PROJECTIONS = {"sin_of": "sine", "cos_of": "cosine"}
_KINDS = {code: Kind.TRUTH if facts.boolean else Kind.NUMBER for code, facts in OPS.items()}


def ports_read(tape: Tape) -> frozenset[int]:
    """The input ports that results rest on."""
    live, _ = _liveness(tape)
    return frozenset(op.source[0] for op, wanted in zip(tape.ops, live, strict=True) if wanted and op.code == "input")


def form_kernel(
    tape: Tape,
    inputs: Sequence[Place] = (),
    outputs: Sequence[Place] = (),
    together: int = 1,
    varying: Sequence[bool] = (),
) -> Kernel:
    """The kernel of a tape.

    Parameters
    ----------
    tape
        Legal instructions (:func:`symdyn.compiler.tape.verify.verify_tape`); those that reach no result are left out.
    inputs, outputs
        Where each port lies; without them each begins an array of its own.
    together
        How many sine-cosine pairs the language evaluates at once.
    varying
        Whether each instruction has one value per lane; without it all is one lane.
    """
    if together > 1:
        tape = gather_pairs(tape)
    inputs, outputs = inputs or [Place()] * len(tape.inputs), outputs or [Place()] * len(tape.outputs)
    return _Former(tape, inputs, together, varying).kernel(outputs)


class _Former:
    """State of one pass over a tape: the nodes so far, and the positions that have the value of another."""

    def __init__(self, tape: Tape, inputs: Sequence[Place], together: int, varying: Sequence[bool]) -> None:
        self.tape = tape
        self.inputs = inputs
        self.together = together
        self.varying = varying or [False] * len(tape.ops)
        self.live, self.halves = _liveness(tape)
        self.nodes: list[Node] = []
        self.done: set[int] = set()
        self.same: dict[int, int] = {}
        self.noted: set[tuple[int, int]] = set()

    def kernel(self, outputs: Sequence[Place]) -> Kernel:
        pairs = sum(op.code == "sincos" and self.live[at] for at, op in enumerate(self.tape.ops))
        if pairs == 1:  # alone it costs less; one of several that is left over costs no more
            self.together = 1
        for position, op in enumerate(self.tape.ops):
            if self.live[position] and position not in self.done:
                self._node(position, op)
        stores = [
            Store(number, place.offset + port.place(index), self._value(position), port.accumulate)
            for number, (port, place, results) in enumerate(
                zip(self.tape.outputs, outputs, self.tape.results, strict=True)
            )
            for index, position in enumerate(results)
        ]
        return Kernel(tuple(self.nodes), tuple(stores), self.inputs, outputs)

    def _node(self, position: int, op: Op) -> None:
        code, args = op.code, op.args
        if code in LEAVES:
            self._leaf(position, op)
        elif code == "lane_sum":  # with one lane
            self.same[position] = self._value(args[0])
        elif code in _PROJECTIONS:
            first = self.halves[args[0], _PROJECTIONS[code]]
            if first != position:
                self.same[position] = first
        elif code == "sincos":
            self._pairs(position)
        else:
            if self.same:
                args = tuple([self._value(argument) for argument in args])
            if code == "product":
                self.nodes.append(Product(position, (args[0], args[1]), self.varying[position]))
                return
            if code == "sub" and _may_be_product(self.tape.ops[op.args[0]]):
                code = ROUNDED_SUB
            self.nodes.append(Let(position, code, args, _KINDS[op.code], self.varying[position]))

    def _value(self, position: int) -> int:
        return self.same.get(position, position)

    def _leaf(self, position: int, op: Op) -> None:
        self.done.add(position)
        if op.code == "constant":
            self.nodes.append(Constant(position, op.literal))
            return
        number, element = op.source
        port, place = self.tape.inputs[number], self.inputs[number]
        index, note = port.place(element), None
        if port.origins and op.source not in self.noted:
            units = place.units or (port.unit,)
            note = port.origins[element], units[index] if len(units) > 1 else units[0]
        self.noted.add(op.source)
        self.nodes.append(Load(position, number, place.offset + index, self.varying[position], note))

    def _pairs(self, first: int) -> None:
        """A pair and those that are evaluated with it: they follow with nothing but leaves between."""
        found: list[Angle] = []
        for position in range(first, len(self.tape.ops)):
            op = self.tape.ops[position]
            if self.live[position] and op.code == "sincos":
                (angle,) = op.args
                if angle not in self.done and self.tape.ops[angle].code in LEAVES:  # it stands between the pairs
                    self._leaf(angle, self.tape.ops[angle])
                self.done.add(position)
                halves = (self.halves.get((position, half)) for half in _PROJECTIONS.values())
                found.append(Angle(position, self._value(angle), *halves))
            elif self.live[position] and op.code not in LEAVES:
                break
            if len(found) == self.together:
                break
        kind = Kind.PAIRS if self.together > 1 else Kind.PAIR
        self.nodes.append(SineCosine(kind, tuple(found), self.varying[first]))


def _may_be_product(op: Op) -> bool:
    """Whether a compiler may see a product: an input may be one of another kernel, and x + x is 2 x."""
    return op.code in ("mul", "input") or (op.code == "add" and op.args[0] == op.args[1])


def _liveness(tape: Tape) -> tuple[list[bool], dict[tuple[int, str], int]]:
    """Which positions reach a result, and the first one that reads each half of each sine-cosine pair."""
    live = [False] * len(tape.ops)
    for port in tape.results:
        for position in port:
            live[position] = True
    halves: dict[tuple[int, str], int] = {}
    for position in range(len(tape.ops) - 1, -1, -1):
        op = tape.ops[position]
        if not live[position]:
            continue
        for argument in op.args:
            live[argument] = True
        if op.code in _PROJECTIONS:
            halves[op.args[0], _PROJECTIONS[op.code]] = position
    return live, halves
