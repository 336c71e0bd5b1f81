"""Python over JAX: one module of pure functions that broadcast, to be transformed by ``jit``, ``vmap`` and ``grad``.

Kernels take and give arrays; loops become ``fori_loop`` over the buffers that they change::

    def loop_1(i0, buffers):
        tau, work_f = buffers
        (x0,) = _inverse_dynamics_kernel_leaf(_read(q, i0, 1), _read(work_f, 6 * i0, 6))
        tau = _write(tau, i0, x0)
        return tau, work_f
"""

from __future__ import annotations

from collections.abc import Sequence

from symdyn.compiler.emit.arguments import WIDTH, call_lines, wrap_items
from symdyn.compiler.emit.contents import Contents
from symdyn.compiler.emit.names import Mangler
from symdyn.compiler.emit.printing.addresses import runs_text, start_text
from symdyn.compiler.emit.python.kernels import PythonPrinter, dialect_over
from symdyn.compiler.emit.python.writer import FunctionWriter, indented, python_files
from symdyn.compiler.emit.source import SourceFile
from symdyn.compiler.emit.tree.form_kernel import form_kernel
from symdyn.compiler.emit.tree.kernel import Place
from symdyn.compiler.emit.tree.loops import For, Node, Run, direct_names
from symdyn.compiler.tape.program import Address, BufferKind, Trips
from symdyn.compiler.tape.tape import Tape

_SCOPE = Mangler(reserved=frozenset({"dtype", "buffers", "signature"}))
_LOCAL_TABLES = Mangler(prefix="table_")
_DIALECT = dialect_over("jnp")
_WRITABLE = (BufferKind.OUT, BufferKind.WORKSPACE)


def emit(contents: Contents) -> tuple[SourceFile, ...]:
    """``python/<identifier>_jax.py``, and its stub."""
    return python_files(contents, _StateWriter, "jax/ROBOT_jax.py.jinja", "_jax", "jax", '"jax.Array"')


class _StateWriter(FunctionWriter):
    """One function over one state."""

    scope = _SCOPE
    table = ("(", ")")

    def body(self) -> list[str]:
        """The lines of the function."""
        self.loops = 0
        parameters = [_SCOPE.name(argument.name) for argument in self.function.signature.inputs]
        return [f"def _{self.function.name}({', '.join([*parameters, 'dtype'])}):", *indented(self._body())]

    def _body(self) -> list[str]:
        results = [self.arrays.get(argument.name) for argument in self.program.signature.outputs]
        direct = self.tree.direct
        whole = [(argument.name, 0) for argument in self.program.signature.outputs]
        if direct is not None and [(address.buffer, address.base) for address in direct.call.outputs] == whole:
            return self._straight(direct)
        lines = [
            f"{self.arrays[buffer.name]} = jnp.zeros({buffer.size}, dtype)"
            for buffer in self.program.buffers_of(*_WRITABLE)
        ]
        for buffer in self.tree.tables:
            if buffer.kind is BufferKind.TABLE:
                lines.append(f"{_LOCAL_TABLES.name(buffer.name)} = jnp.asarray({self.arrays[buffer.name]}, dtype)")
        lines += self._statements(self.tree.body)
        names = [result if result is not None else "jnp.zeros(0, dtype)" for result in results]
        return [*lines, f"return {', '.join(names)}{',' if len(names) == 1 else ''}"]

    def _straight(self, run: Run) -> list[str]:
        return _kernel_body(run.tape, direct_names(run.call, self.arrays)[0], self.tree.direct_places()[0])

    def _statements(self, nodes: tuple[Node, ...]) -> list[str]:
        lines: list[str] = []
        for node in nodes:
            if isinstance(node, Run):
                lines += self._call(node)
            elif node.carried:
                lines += self._loop(node)
        return lines

    def _loop(self, loop: For) -> list[str]:
        """A function of the buffers that a loop changes, and the call that gives them anew."""
        names = ", ".join(self.arrays[name] for name in loop.carried) + ("," if len(loop.carried) == 1 else "")
        self.loops += 1
        step, index = f"loop_{self.loops}", f"i{loop.level}"
        runs = runs_text(loop.count, self._indices())
        run = [f"    {names} = buffers", *indented(self._statements(loop.body)), f"    return {names}"]
        if loop.once:
            called = f"{names} = lax.cond({runs} > 0, {step}, lambda buffers: buffers, ({names}))"
            return ["", f"def {step}(buffers):", *run, "", called]
        if isinstance(loop.count, Trips):  # reverse mode needs a number of runs known in advance
            run = ["    def run(buffers):", *indented(run)]
            run += ["", f"    return lax.cond({index} < {runs}, run, lambda buffers: buffers, buffers)"]
        called = f"{names} = lax.fori_loop(0, {loop.most}, {step}, ({names}))"
        return ["", f"def {step}({index}, buffers):", *run, "", called]

    def _indices(self) -> dict[str, str]:
        """The index tables as arrays that take a traced index."""
        tables = self.program.buffers_of(BufferKind.INDEX)
        return {buffer.name: f"jnp.asarray({self.arrays[buffer.name]})" for buffer in tables}

    def _call(self, run: Run) -> list[str]:
        tape = run.tape
        if tape.name not in self.kernels:
            self._write_kernel(run)
        arguments = [
            f"_read({self._value(address)}, {self._start(address)}, {port.extent})" for port, address in run.loads
        ]
        names = [f"x{index}" for index in range(len(tape.outputs))]
        target = f"{', '.join(names)}{',' if len(names) == 1 else ''} = "
        lines = call_lines(target + self.kernel_names.name(tape.name), [*arguments, "dtype"]) if names else []
        for name, port, address in zip(names, tape.outputs, run.call.outputs, strict=True):
            array = self._value(address)
            update = "_add" if port.accumulate else "_write"
            texts = [array, self._start(address), name]
            if port.places:
                update += "_at"
                texts.append(f"({', '.join(map(str, port.places))},)")
            lines += call_lines(f"{array} = {update}", texts)
        return lines

    def _value(self, address: Address) -> str:
        is_table = self.program.buffer(address.buffer).kind is BufferKind.TABLE
        return _LOCAL_TABLES.name(address.buffer) if is_table else self.arrays[address.buffer]

    def _start(self, address: Address) -> str:
        return start_text(address, self._indices())

    def _write_kernel(self, run: Run) -> None:
        lines = _kernel_body(run.tape, [_SCOPE.name(port.name) for port in run.tape.inputs])
        self.kernel(run, [*(_SCOPE.name(port.name) for port, _ in run.loads), "dtype"], lines)


def _kernel_body(tape: Tape, arrays: Sequence[str], places: Sequence[Place] = ()) -> list[str]:
    """Statements, and an array of the results of each port."""
    printer = PythonPrinter(form_kernel(tape, places), arrays, _DIALECT)
    printer.print_nodes()
    results: list[list[str]] = [[] for _ in tape.outputs]
    for store in printer.kernel.stores:
        results[store.port].append(printer.text[store.value])
    lines = [*printer.lines, "return ("]
    for texts in results:
        lines += ["    _stack(dtype, [", *(f"        {line}" for line in wrap_items(texts, WIDTH - 12)), "    ]),"]
    return [*lines, ")"]
