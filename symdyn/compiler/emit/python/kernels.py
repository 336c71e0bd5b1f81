"""Kernels as lines of Python over NumPy's functions, or over those of JAX, which have the same names."""

from __future__ import annotations

from collections.abc import Sequence

from symdyn.compiler.emit.printing.dialect import CODES_WITH_TEXT, Dialect
from symdyn.compiler.emit.printing.kernel_printer import KernelPrinter
from symdyn.compiler.emit.printing.literals import double_literal
from symdyn.compiler.emit.tree.kernel import ROUNDED_SUB, Constant, Kernel, Kind, Load

_NUMPY_NAMES = {"asin": "arcsin", "acos": "arccos", "atan": "arctan", "atan2": "arctan2", "pow": "power"}
_DELETE_AT = 16  # names let go at a time: bounds the memory of a chunk at little cost to a single state


def dialect_over(namespace: str) -> Dialect:
    """Spelling of every code over a namespace with NumPy's functions; these know no fused multiply-add."""
    operations = {
        "add": "{0} + {1}",
        "sub": "{0} - {1}",
        ROUNDED_SUB: "{0} - {1}",
        "mul": "{0} * {1}",
        "div": "{0} / {1}",
        "neg": "-{0}",
        "fma": "{0} * {1} + {2}",
        "fms": "{0} * {1} - {2}",
        "fnma": "{2} - {0} * {1}",
        "min": f"{namespace}.where({{0}} < {{1}}, {{0}}, {{1}})",
        "max": f"{namespace}.where({{0}} > {{1}}, {{0}}, {{1}})",
        "less": "{0} < {1}",
        "less_equal": "{0} <= {1}",
        "equal": "{0} == {1}",
        "not": f"{namespace}.logical_not({{0}})",
        "and": f"{namespace}.logical_and({{0}}, {{1}})",
        "or": f"{namespace}.logical_or({{0}}, {{1}})",
        "select": f"{namespace}.where({{0}}, {{1}}, {{2}})",
    }
    for code in sorted(CODES_WITH_TEXT - operations.keys()):
        operands = "{0}, {1}" if code in ("atan2", "pow") else "{0}"
        operations[code] = f"{namespace}.{_NUMPY_NAMES.get(code, code)}({operands})"
    return Dialect(operations, double_literal, product="{0} * {1}")


NUMPY = dialect_over("np")


class PythonPrinter(KernelPrinter):
    """Statements of a kernel, which loads from the arrays of some names, and the texts of its results."""

    def __init__(self, kernel: Kernel, arrays: Sequence[str], dialect: Dialect = NUMPY) -> None:
        super().__init__(kernel, dialect)
        self.arrays = arrays

    def declare(
        self, at: int, name: str, value: str, kind: Kind, varying: bool, reads: Sequence[int] = (), note: str = ""
    ) -> None:
        """One assignment."""
        self.lines.append(f"{name} = {value}{note}")

    def note(self, text: str) -> str:
        """A comment at the end of a line."""
        return f"  # {text}"

    def load(self, node: Load) -> str:
        """The text of an element of an input."""
        return f"{self.arrays[node.port]}[{node.element}]"


class ChunkPrinter(PythonPrinter):
    """Statements and stores over the states of a chunk; each value is let go after its last use.

    A load is a view of a chunk's row. Where stores may change that row (``shared``), a load that is itself a result is
    copied.
    """

    def __init__(self, kernel: Kernel, names: tuple[Sequence[str], Sequence[str]], shared: bool) -> None:
        super().__init__(kernel, names[0])
        self.targets = names[1]
        self.shared = shared
        self.kept = {store.value for store in kernel.stores}
        self.last: dict[int, int] = {}

    def declare(
        self, at: int, name: str, value: str, kind: Kind, varying: bool, reads: Sequence[int] = (), note: str = ""
    ) -> None:
        """One assignment, which may be the last use of what it reads."""
        self.last.update(dict.fromkeys(reads, len(self.lines)))
        super().declare(at, name, value, kind, varying, reads, note)

    def load(self, node: Load) -> str:
        """The text of an element of an input."""
        return ("+" if self.shared and node.at in self.kept else "") + super().load(node)

    def print(self) -> list[str]:
        """The lines of the kernel's body."""
        self.print_nodes()
        constants = {node.at for node in self.kernel.nodes if isinstance(node, Constant)}
        dying: dict[int, list[str]] = {}
        for position, number in self.last.items():
            if position not in self.kept and position not in constants:
                dying.setdefault(number, []).append(self.text[position])
        lines: list[str] = []
        dead: list[str] = []
        for number, line in enumerate(self.lines):
            lines.append(line)
            dead += dying.get(number, ())
            if len(dead) >= _DELETE_AT:
                lines.append(f"del {', '.join(dead)}")
                dead = []
        for port, element, value, accumulate in self.kernel.stores:
            lines.append(f"{self.targets[port]}[{element}] {'+=' if accumulate else '='} {self.text[value]}")
        return lines
