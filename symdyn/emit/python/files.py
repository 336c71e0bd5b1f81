"""Python over NumPy: one module whose functions broadcast, and need nothing but NumPy.

Every value is a statement over one number per state of a chunk, and is let go after its last use::

    v3 = q[0]  # shoulder [rad]
    s4 = np.sin(v3)
    v5 = 9.81 * s4
    tau[0] = v5

The same text serves a single state, where ``q`` has one axis and the values are NumPy scalars.
"""

from __future__ import annotations

from symdyn.emit.arguments import WIDTH, call_lines, wrap_items
from symdyn.emit.contents import Contents, Function, text_hash
from symdyn.emit.docstrings import PYTHON_SCOPE, documentation, result_context, signature_lines, title
from symdyn.emit.names import Mangler, comment
from symdyn.emit.printing.addresses import runs_text, start_text
from symdyn.emit.printing.literals import double_literal
from symdyn.emit.python.kernels import ChunkPrinter
from symdyn.emit.render import render
from symdyn.emit.source import SourceFile
from symdyn.emit.stub import emit_stub
from symdyn.emit.tree.calls import tapes_on_shared_buffers
from symdyn.emit.tree.form_kernel import form_kernel
from symdyn.emit.tree.loops import Node, Run, direct_names
from symdyn.signature import PARAMETERS, Argument
from symdyn.tape.program import Address, BufferKind


def emit(contents: Contents) -> tuple[SourceFile, ...]:
    """``python/<identifier>.py``, and its stub."""
    writers = [_FunctionWriter(function) for function in contents.functions]
    lines = [line for writer in writers for line in writer.lines]
    context = {
        "robot": comment(contents.robot),
        "version": contents.version,
        "dtype": contents.dtype,
        "functions": [_entry(function) for function in contents.functions],
        "results": result_context(contents.signatures),
        "array": "np.ndarray",
        "signatures": signature_lines(contents.functions),
        "blocks": [writer.lines for writer in writers],
        "hash": text_hash(lines),
    }
    stem, said = contents.identifier, (contents.robot, contents.version, contents.dtype)
    return (
        SourceFile(f"python/{stem}.py", render("python/ROBOT.py.jinja", context)),
        emit_stub(stem, *said, "numpy", contents.signatures, PYTHON_SCOPE.name),
    )


def _entry(function: Function) -> dict[str, object]:
    return {
        "name": function.name,
        "inputs": [PYTHON_SCOPE.name(argument.name) for argument in function.signature.inputs],
        "title": title(function.signature),
        "documentation": documentation(function),
    }


class _FunctionWriter:
    """Tables, kernels and the body of one function, over the states of a chunk."""

    def __init__(self, function: Function) -> None:
        self.tree, self.program = function.tree, function.program
        self.name = function.name
        self.kernels: dict[str, list[str]] = {}
        self.shared = tapes_on_shared_buffers(self.program)
        self.tables = Mangler(prefix=f"_{function.name}_table_")
        self.kernel_names = Mangler(prefix=f"_{function.name}_kernel_")
        self.arrays = {buffer.name: self._array(buffer.name, buffer.kind) for buffer in self.program.buffers}
        body = self._body(function.arguments)
        tables = self._tables()
        blocks = [block for block in (tables, *self.kernels.values(), body) if block]
        self.lines = [line for block in blocks for line in ([*block, "", ""])][:-2]

    def _array(self, name: str, kind: BufferKind) -> str:
        if kind in (BufferKind.TABLE, BufferKind.INDEX):
            return self.tables.name(name)
        return Mangler(prefix="work_").name(name) if kind is BufferKind.WORKSPACE else PYTHON_SCOPE.name(name)

    def _body(self, arguments: tuple[Argument, ...]) -> list[str]:
        parameters = [PYTHON_SCOPE.name(argument.name) for argument in arguments]
        direct = self.tree.direct
        if direct is not None:
            names = direct_names(direct.call, self.arrays)
            kernel = form_kernel(direct.tape, *self.tree.direct_places())
            lines = ChunkPrinter(kernel, names, direct.tape.name in self.shared).print()
        else:
            lines = self._loops(self.tree.body)
        chunk = next((argument for argument in arguments if argument.name != PARAMETERS), None)
        tail = f"{PYTHON_SCOPE.name(chunk.name)}.shape[1:]" if chunk else "()"
        workspace = [
            f"{self.arrays[buffer.name]} = np.empty(({buffer.size}, *{tail}), DTYPE)" for buffer in self.tree.workspace
        ]
        lines = [*workspace, *lines] or ["pass"]
        return [f"def _{self.name}({', '.join(parameters)}):", *(f"    {line}" for line in lines)]

    def _loops(self, nodes: tuple[Node, ...]) -> list[str]:
        lines: list[str] = []
        for node in nodes:
            if isinstance(node, Run):
                lines += self._call(node)
                continue
            count = runs_text(node.count, self.arrays)
            lines.append(f"if {count}:" if node.once else f"for i{node.level} in range({count}):")
            lines += [f"    {line}" for line in self._loops(node.body)] or ["    pass"]
        return lines

    def _call(self, run: Run) -> list[str]:
        if run.tape.name not in self.kernels:
            self._write_kernel(run)
        texts = [self._slice(address) for _, address in (*run.loads, *run.stores)]
        return call_lines(self.kernel_names.name(run.tape.name), texts)

    def _slice(self, address: Address) -> str:
        start = start_text(address, self.arrays)
        return self.arrays[address.buffer] + (f"[{start} :]" if start != "0" else "")

    def _write_kernel(self, run: Run) -> None:
        tape = run.tape
        ins = [PYTHON_SCOPE.name(port.name) for port in tape.inputs]
        outs = [f"out_{PYTHON_SCOPE.name(port.name)}" for port in tape.outputs]
        names = [own for number, own in enumerate(ins) if number in run.read]
        names += [own for own, port in zip(outs, tape.outputs, strict=True) if port.width]
        lines = ChunkPrinter(form_kernel(tape), (ins, outs), tape.name in self.shared).print() or ["pass"]
        head = [f"# {comment(tape.description)}"] if tape.description else []
        head.append(f"def {self.kernel_names.name(tape.name)}({', '.join(names)}):")
        self.kernels[tape.name] = [*head, *(f"    {line}" for line in lines)]

    def _tables(self) -> list[str]:
        lines: list[str] = []
        for buffer in self.tree.tables:
            whole = buffer.kind is BufferKind.INDEX
            values = [str(int(value)) if whole else double_literal(value) for value in buffer.values]
            opening, closing = ("(", ")") if whole else ("np.array([", "], DTYPE)")
            lines += [f"# {comment(buffer.description)}"] if buffer.description else []
            lines.append(f"{self.arrays[buffer.name]} = {opening}")
            wrapped = wrap_items(values, WIDTH - 6)
            lines += [f"    {line}" for line in [*wrapped[:-1], wrapped[-1] + ","]]
            lines.append(closing)
        return lines
