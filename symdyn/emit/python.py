"""Python over NumPy: one module whose functions broadcast, and need nothing but NumPy.

Every value is a statement over one number per state of a chunk, and is let go after its last use::

    v3 = q[0]  # shoulder [rad]
    s4 = np.sin(v3)
    v5 = 9.81 * s4
    tau[0] = v5

The same text serves a single state, where ``q`` has one axis and the values are NumPy scalars.
"""

from __future__ import annotations

from symdyn.emit.addresses import (
    runs_text,
    start_text,
    tapes_on_shared_buffers,
)
from symdyn.emit.arguments import WIDTH, call_lines, wrap_items
from symdyn.emit.contents import Contents, Function, text_hash
from symdyn.emit.dialect import CODES_WITH_TEXT, Dialect
from symdyn.emit.docstrings import PYTHON_SCOPE, documentation, result_context, signature_lines, title
from symdyn.emit.literals import double_literal
from symdyn.emit.names import Mangler, comment
from symdyn.emit.render import render
from symdyn.emit.source import SourceFile
from symdyn.emit.statements import Kernel, Place, form_kernel
from symdyn.emit.stub import emit_stub
from symdyn.emit.tree import Node, Run
from symdyn.signature import PARAMETERS, Argument
from symdyn.tape.program import Address, BufferKind
from symdyn.tape.tape import Tape

_NUMPY_NAMES = {"asin": "arcsin", "acos": "arccos", "atan": "arctan", "atan2": "arctan2", "pow": "power"}
_DELETE_AT = 16  # names let go at a time: bounds the memory of a chunk at little cost to a single state


PRODUCT = "{0} * {1}"
"""A product that is added to its place: NumPy and JAX know no fused multiply-add, and round twice."""


def numpy_operations(namespace: str) -> dict[str, str]:
    """Spelling of every code over a namespace with NumPy's functions."""
    operations = {
        "add": "{0} + {1}",
        "sub": "{0} - {1}",
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
    return operations


_DIALECT = Dialect(numpy_operations("np"), double_literal, product=PRODUCT)


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
            inputs = [self._direct_place(address) for address in direct.call.inputs]
            outputs = [self._direct_place(address) for address in direct.call.outputs]
            kernel = form_kernel(direct.tape, _DIALECT, inputs)
            lines = _kernel_lines(direct.tape, kernel, outputs, direct.tape.name in self.shared)
        else:
            lines = self._loops(self.tree.body)
        chunk = next((argument for argument in arguments if argument.name != PARAMETERS), None)
        tail = f"{PYTHON_SCOPE.name(chunk.name)}.shape[1:]" if chunk else "()"
        workspace = [
            f"{self.arrays[buffer.name]} = np.empty(({buffer.size}, *{tail}), DTYPE)" for buffer in self.tree.workspace
        ]
        lines = [*workspace, *lines] or ["pass"]
        return [f"def _{self.name}({', '.join(parameters)}):", *(f"    {line}" for line in lines)]

    def _direct_place(self, address: Address) -> Place:
        units = [item.element_units for item in self.program.signature.inputs if item.name == address.buffer]
        return Place(self.arrays[address.buffer], address.base, units[0][address.base :] if units else ())

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
        kernel = form_kernel(tape, _DIALECT, [Place(PYTHON_SCOPE.name(port.name)) for port in tape.inputs])
        outputs = {port.name: f"out_{PYTHON_SCOPE.name(port.name)}" for port in tape.outputs}
        names = [PYTHON_SCOPE.name(port.name) for port, _ in run.loads]
        names += [outputs[port.name] for port, _ in run.stores]
        places = [Place(name) for name in outputs.values()]
        lines = _kernel_lines(tape, kernel, places, tape.name in self.shared) or ["pass"]
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


def _kernel_lines(tape: Tape, kernel: Kernel, outputs: list[Place], shared: bool) -> list[str]:
    """Statements with their notes, deletions after last uses, and the stores.

    A load is a view of a chunk's row. Where stores may change that row (``shared``), a load that is itself a result is
    copied.
    """
    kept = {name for port in kernel.results for name in port}
    last: dict[str, int] = {}
    for number, statement in enumerate(kernel.statements):
        last.update(dict.fromkeys(statement.operands, number))
    dying: dict[int, list[str]] = {}
    for name, number in last.items():
        if name not in kept:
            dying.setdefault(number, []).append(name)
    lines: list[str] = []
    dead: list[str] = []
    for number, statement in enumerate(kernel.statements):
        note = f"  # {statement.note}" if statement.note else ""
        copied = "+" if shared and statement.load and statement.name in kept else ""
        lines.append(f"{statement.name} = {copied}{statement.value}{note}")
        dead += dying.get(number, ())
        if len(dead) >= _DELETE_AT:
            lines.append(f"del {', '.join(dead)}")
            dead = []
    for port, place, results in zip(tape.outputs, outputs, kernel.results, strict=True):
        sign = "+=" if port.accumulate else "="
        lines += [f"{place.element(port.place(index))} {sign} {value}" for index, value in enumerate(results)]
    return lines
