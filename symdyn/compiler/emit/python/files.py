"""Python over NumPy: one module whose functions broadcast, and need nothing but NumPy.

Every value is a statement over one number per state of a chunk, and is let go after its last use::

    v3 = q[0]  # shoulder [rad]
    s4 = np.sin(v3)
    v5 = 9.81 * s4
    tau[0] = v5

The same text serves a single state, where ``q`` has one axis and the values are NumPy scalars.
"""

from __future__ import annotations

from symdyn.compiler.emit.arguments import call_lines
from symdyn.compiler.emit.contents import Contents
from symdyn.compiler.emit.docstrings import PYTHON_SCOPE
from symdyn.compiler.emit.printing.addresses import runs_text, start_text
from symdyn.compiler.emit.python.kernels import ChunkPrinter
from symdyn.compiler.emit.python.writer import FunctionWriter, indented, python_files
from symdyn.compiler.emit.source import SourceFile
from symdyn.compiler.emit.tree.calls import tapes_on_shared_buffers
from symdyn.compiler.emit.tree.form_kernel import form_kernel
from symdyn.compiler.emit.tree.loops import Node, Run, direct_names
from symdyn.compiler.tape.program import Address
from symdyn.interface.signature import PARAMETERS


def emit(contents: Contents) -> tuple[SourceFile, ...]:
    """``python/<identifier>.py``, and its stub."""
    return python_files(contents, _ChunkWriter, "python/ROBOT.py.jinja", "", "numpy", "np.ndarray")


class _ChunkWriter(FunctionWriter):
    """One function over the states of a chunk."""

    scope = PYTHON_SCOPE
    table = ("np.array([", "], DTYPE)")

    def body(self) -> list[str]:
        """The lines of the function."""
        self.shared = tapes_on_shared_buffers(self.program)
        arguments = self.function.arguments
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
        return [f"def _{self.function.name}({', '.join(parameters)}):", *indented(lines)]

    def _loops(self, nodes: tuple[Node, ...]) -> list[str]:
        lines: list[str] = []
        for node in nodes:
            if isinstance(node, Run):
                lines += self._call(node)
                continue
            count = runs_text(node.count, self.arrays)
            lines.append(f"if {count}:" if node.once else f"for i{node.level} in range({count}):")
            lines += indented(self._loops(node.body) or ["pass"])
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
        lines = ChunkPrinter(form_kernel(tape), (ins, outs), tape.name in self.shared).print()
        self.kernel(run, names, lines or ["pass"])
