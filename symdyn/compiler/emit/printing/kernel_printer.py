"""Kernels as text, in the words of a dialect: what the printers of all languages share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

from symdyn.compiler.emit.names import comment
from symdyn.compiler.emit.printing.dialect import Dialect
from symdyn.compiler.emit.tree.kernel import Angle, Constant, Kernel, Kind, Let, Load, Product, SineCosine


class KernelPrinter(ABC):
    """One pass over the nodes of a kernel.

    The value of instruction 12 is called ``v12``, a sine-cosine pair ``p12``, or its halves ``s12`` and ``c12``.
    ``lanes`` is the dialect of what differs from lane to lane. After :meth:`print_nodes`, ``text`` holds what each
    value is read by, ``lines`` the statements, and ``uniform`` the kinds of values that all lanes share.
    ``used`` holds the spellings that were used.
    """

    def __init__(self, kernel: Kernel, dialect: Dialect, lanes: Dialect | None = None) -> None:
        self.kernel = kernel
        self.dialects = (dialect, lanes or dialect)
        self.text: dict[int, str] = {}
        self.lines: list[str] = []
        self.uniform: dict[int, Kind] = {}
        self.used: set[str] = set()

    @abstractmethod
    def declare(
        self, at: int, name: str, value: str, kind: Kind, varying: bool, reads: Sequence[int] = (), note: str = ""
    ) -> None:
        """The statement that names a value, which rests on those that it ``reads``."""

    @abstractmethod
    def note(self, text: str) -> str:
        """A comment at the end of a line."""

    @abstractmethod
    def load(self, node: Load) -> str:
        """The text of an element of an input."""

    def print_nodes(self) -> None:
        """Print all nodes, in order."""
        ways: dict[type, Callable[[Any], None]] = {
            Constant: self._constant,
            Load: self._load,
            Let: self._let,
            SineCosine: self._sine_cosine,
            Product: self._product,
        }
        for node in self.kernel.nodes:
            ways[node.__class__](node)

    def operand(self, position: int, varying: bool) -> str:
        """The text of a value, given to each lane where that is asked for."""
        if varying and position in self.uniform:
            return self.spelled(self.dialects[True].spread[self.uniform[position]], self.text[position])
        return self.text[position]

    def spelled(self, spelling: str, *operands: str) -> str:
        """A spelling over some operands."""
        self.used.add(spelling)
        return spelling.format(*operands)

    def _name(
        self, at: int, name: str, value: str, kind: Kind, varying: bool, reads: Sequence[int], note: str = ""
    ) -> None:
        self.text[at] = name
        if not varying:
            self.uniform[at] = kind
        self.declare(at, name, value, kind, varying, reads, note)

    def _constant(self, node: Constant) -> None:
        self.text[node.at] = self.dialects[False].literal(node.value)
        self.uniform[node.at] = Kind.NUMBER

    def _load(self, node: Load) -> None:
        note = ""
        if node.note:
            name, unit = node.note
            note = self.note(comment(name) + (f" [{comment(unit)}]" if unit else ""))
        self._name(node.at, f"v{node.at}", self.load(node), Kind.NUMBER, node.varying, (), note)

    def _let(self, node: Let) -> None:
        at, code, args, kind, varying = node
        self._name(at, f"v{at}", self._operation(code, args, varying), kind, varying, args)

    def _operation(self, code: str, args: tuple[int, ...], varying: bool) -> str:
        dialect = self.dialects[varying]
        if varying and code not in dialect.takes_shared:
            texts = [self.operand(argument, True) for argument in args]
        else:
            texts = [self.text[argument] for argument in args]
        return self.spelled(dialect.operations[code], *[f"({text})" if text[0] == "-" else text for text in texts])

    def _product(self, node: Product) -> None:
        value = self.dialects[False].product.format(*[self.text[argument] for argument in node.args])
        self._name(node.at, f"v{node.at}", value, Kind.NUMBER, node.varying, node.args)

    def _sine_cosine(self, node: SineCosine) -> None:
        dialect, kind, varying = self.dialects[node.varying], node.kind, node.varying
        angles = [angle.angle for angle in node.angles]
        texts, at = [self.text[angle] for angle in angles], node.angles[0].at
        if dialect.pairs is not None and kind is Kind.PAIRS:
            texts += [dialect.pairs.idle] * (dialect.pairs.count - len(texts))
            call, halves = dialect.pairs.call, dialect.pairs.halves
        elif dialect.pair:
            call, halves = dialect.pair, dialect.halves
        else:
            self._halves(node.angles[0], varying)
            return
        self.declare(at, f"p{at}", self.spelled(call, *texts), kind, varying, angles)
        for part, angle in enumerate(node.angles):
            for position, half in zip((angle.sine, angle.cosine), halves, strict=True):
                if position is not None:
                    self.text[position] = half.format(f"p{at}", part)
                    if not varying:
                        self.uniform[position] = Kind.NUMBER

    def _halves(self, angle: Angle, varying: bool) -> None:
        for code, position in (("sin", angle.sine), ("cos", angle.cosine)):
            if position is not None:
                value = self._operation(code, (angle.angle,), varying)
                self._name(position, f"{code[0]}{angle.at}", value, Kind.NUMBER, varying, (angle.angle,))
