"""What modules in Python have in common: files, and the functions in them with their tables and kernels."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import ClassVar, Literal

from symdyn.compiler.emit.arguments import WIDTH, wrap_items
from symdyn.compiler.emit.contents import Contents, Function, text_hash
from symdyn.compiler.emit.docstrings import documentation, result_context, signature_lines, title
from symdyn.compiler.emit.names import Mangler, comment
from symdyn.compiler.emit.printing.literals import double_literal
from symdyn.compiler.emit.render import render
from symdyn.compiler.emit.source import SourceFile
from symdyn.compiler.emit.stub import emit_stub
from symdyn.compiler.emit.tree.loops import Run
from symdyn.compiler.tape.program import BufferKind
from symdyn.interface.signature import SWITCHES

_WORKSPACE = Mangler(prefix="work_")


class FunctionWriter(ABC):
    """Tables, kernels and the body of one function."""

    scope: ClassVar[Mangler]
    """Names of arguments."""
    table: ClassVar[tuple[str, str]]
    """What stands around the numbers of a table."""

    def __init__(self, function: Function) -> None:
        self.function, self.tree, self.program = function, function.tree, function.program
        self.kernels: dict[str, list[str]] = {}
        self.tables = Mangler(prefix=f"_{function.name}_table_")
        self.kernel_names = Mangler(prefix=f"_{function.name}_kernel_")
        self.arrays = {buffer.name: self._array(buffer.name, buffer.kind) for buffer in self.program.buffers}
        body = self.body()
        blocks = [block for block in (self._tables(), *self.kernels.values(), body) if block]
        self.lines = [line for block in blocks for line in ([*block, "", ""])][:-2]

    @abstractmethod
    def body(self) -> list[str]:
        """The lines of the function, which keeps the kernels that it calls."""

    def kernel(self, run: Run, parameters: Iterable[str], lines: Iterable[str]) -> None:
        """Keep a kernel."""
        head = [f"# {comment(run.tape.description)}"] if run.tape.description else []
        head.append(f"def {self.kernel_names.name(run.tape.name)}({', '.join(parameters)}):")
        self.kernels[run.tape.name] = [*head, *indented(lines)]

    def _array(self, name: str, kind: BufferKind) -> str:
        if kind in (BufferKind.TABLE, BufferKind.INDEX):
            return self.tables.name(name)
        return (_WORKSPACE if kind is BufferKind.WORKSPACE else self.scope).name(name)

    def _tables(self) -> list[str]:
        lines: list[str] = []
        for buffer in self.tree.tables:
            whole = buffer.kind is BufferKind.INDEX
            values = [str(int(value)) if whole else double_literal(value) for value in buffer.values]
            opening, closing = ("(", ")") if whole else self.table
            lines += [f"# {comment(buffer.description)}"] if buffer.description else []
            lines += [f"{self.arrays[buffer.name]} = {opening}", *indented(wrap_items(values, WIDTH - 6))]
            lines[-1] += ","
            lines.append(closing)
        return lines


def indented(lines: Iterable[str]) -> list[str]:
    """Lines of a block; empty ones stay so."""
    return [f"    {line}" if line else "" for line in lines]


def python_files(
    contents: Contents,
    writer: type[FunctionWriter],
    template: str,
    suffix: str,
    kind: Literal["numpy", "jax"],
    array: str,
) -> tuple[SourceFile, ...]:
    """A module and its stub: what its name adds to the robot's, whose arrays it takes, and the type of these."""
    writers = [writer(function) for function in contents.functions]
    context = {
        "robot": comment(contents.robot),
        "version": contents.version,
        "dtype": contents.dtype,
        "functions": [
            {
                "name": function.name,
                "inputs": [writer.scope.name(argument.name) for argument in function.signature.inputs],
                "title": title(function.signature),
                "documentation": documentation(function),
            }
            for function in contents.functions
        ],
        "results": result_context(contents.signatures),
        "array": array,
        "switches": SWITCHES if any(own.name == SWITCHES for one in contents.signatures for own in one.inputs) else "",
        "signatures": signature_lines(contents.functions),
        "blocks": [own.lines for own in writers],
        "hash": text_hash(line for own in writers for line in own.lines),
    }
    stem, said = f"{contents.identifier}{suffix}", (contents.robot, contents.version, contents.dtype)
    return (
        SourceFile(f"python/{stem}.py", render(template, context)),
        emit_stub(stem, *said, kind, contents.signatures, writer.scope.name),
    )
