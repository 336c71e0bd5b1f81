"""Kernels and the loops that call them as lines of C, with one value per name or one per lane."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from symdyn.compiler.emit.arguments import WIDTH, call_lines, wrap_items
from symdyn.compiler.emit.c.dialect import pairs_at_once
from symdyn.compiler.emit.c.kernels import CPrinter
from symdyn.compiler.emit.c.series_kernel import SeriesPrinter
from symdyn.compiler.emit.c.unit import APART, INDEPENDENT, INLINED
from symdyn.compiler.emit.names import Mangler, comment
from symdyn.compiler.emit.printing.addresses import runs_text, start_text
from symdyn.compiler.emit.tree.calls import shared_ports, tapes_apart, tapes_in_independent_loops
from symdyn.compiler.emit.tree.form_kernel import form_kernel
from symdyn.compiler.emit.tree.kernel import Kernel, Place
from symdyn.compiler.emit.tree.loops import For, Node, Run, Tree, direct_names
from symdyn.compiler.emit.tree.repeated_loops import LoopForm, at_start, form_of, repeated_forms
from symdyn.compiler.tape.program import Address, Gather, Program, lane_loops
from symdyn.compiler.tape.tape import Tape

_PORTS = Mangler(reserved=frozenset({"lanes", "lane_bits"}))
KERNELS = Mangler(prefix="kernel_")


class LoopWriter:
    """The loops of a function as C, and the kernels that they call; ``needs`` is what these need (:class:`Unit`)."""

    marks_free_loops = True

    def __init__(self, tree: Tree, scalar: str, places: Mapping[str, str]) -> None:
        program = tree.program
        self.tree = tree
        self.scalar = scalar
        self.places = places
        self.shared = shared_ports(program)
        self.apart = tapes_apart(program)
        self.in_vectors = tapes_in_independent_loops(program.body)
        self.counts = lane_counts(program)
        self.repeated = repeated_forms(tree.body) if self.marks_free_loops else frozenset()
        self._loops: dict[LoopForm, str] = {}
        self.needs: set[str] = set()
        self.kernels: dict[str, tuple[str, ...]] = {}

    def body(self) -> list[str]:
        """The lines of the function: its only kernel, or its loops."""
        run = self.tree.direct
        if run is None:
            return self.lines(self.tree.body)
        kernel = self.form(run, *self.tree.direct_places())
        printer = CPrinter(kernel, direct_names(run.call, self.places), self.scalar)
        lines = printer.print()
        self.needs |= printer.needs
        return lines

    def form(self, run: Run, inputs: Sequence[Place] = (), outputs: Sequence[Place] = ()) -> Kernel:
        """The kernel of a call, of whose arrays the ports are these places."""
        return form_kernel(run.tape, inputs, outputs, pairs_at_once(self.scalar))

    def lines(self, nodes: tuple[Node, ...]) -> list[str]:
        """Statements, one after another."""
        return [line for node in nodes for line in (self._call(node) if isinstance(node, Run) else self._loop(node))]

    def _loop(self, loop: For) -> list[str]:
        form = form_of(loop) if self.repeated else None
        if form is not None and form in self.repeated:
            (run,) = loop.body
            assert isinstance(run, Run)
            starts = [at_start(address, loop.level) for _, address in (*run.loads, *run.stores)]
            return call_lines(self._loop_function(form, run), [self._pointer(start) for start in starts], ";")
        index, count = f"i{loop.level}", runs_text(loop.count, self.places)
        head = f"for (size_t {index} = 0; {index} < {count}; ++{index}) {{"
        lines = [INDEPENDENT] if loop.free and self.marks_free_loops else []
        self.needs.update(lines)
        lines.append(f"if ({count}) {{" if loop.once else head)
        return [*lines, *(f"  {line}" for line in self.lines(loop.body)), "}"]

    def _call(self, run: Run) -> list[str]:
        return call_lines(self._kernel(run), self._pointers(run), ";")

    def _kernel(self, run: Run) -> str:
        """The kernel's name; its first call writes it."""
        name = KERNELS.name(run.tape.name)
        if name not in self.kernels:
            if run.tape.over_series is not None:
                self._write_lines(run, name, SeriesPrinter(run.tape.over_series, port_names(run.tape), self.scalar))
            else:
                self._write(run, name, self.form(run))
        return name

    def _loop_function(self, form: LoopForm, run: Run) -> str:
        """The name of the function that runs loops of this form; the first one writes it."""
        if form in self._loops:
            return self._loops[form]
        kernel = self._kernel(run)
        name = self._loops[form] = KERNELS.name(f"{run.tape.name}_loop_{len(self._loops) + 1}")
        assert name not in self.kernels, name
        parameters, names = self._parameters(run)
        places = [f"{own}{_advance(step)}" for own, step in zip(names, form.steps, strict=True)]
        lines = [INDEPENDENT, f"for (size_t i = 0; i < {form.count}; ++i) {{"]
        lines += [*(f"  {line}" for line in call_lines(kernel, places, ";")), "}"]
        self._write_function(name, APART, parameters, lines)
        self.needs.add(INDEPENDENT)
        return name

    def _pointers(self, run: Run) -> list[str]:
        """What a kernel is given for its ports."""
        return [self._pointer(address) for _, address in (*run.loads, *run.stores)]

    def _spacing(self, buffer: str) -> str:
        """What offsets into a buffer are multiplied by."""
        return ""

    def _pointer(self, address: Address) -> str:
        array, spacing = self.places[address.buffer], self._spacing(address.buffer)
        start = start_text(address, self.places)
        if start == "0":
            return array
        single = " " not in start or (isinstance(address, Gather) and start.endswith("]"))
        return f"{array} + {spacing}{start}" if single else f"{array} + {spacing}({start})"

    def _write(self, run: Run, name: str, kernel: Kernel, before: tuple[str, ...] = ()) -> None:
        """The text of a kernel, which takes some parameters ``before`` its arrays."""
        late = self.shared.get(run.tape.name, frozenset())
        self._write_lines(run, name, CPrinter(kernel, port_names(run.tape), self.scalar, late, self.counts), before)

    def _write_lines(
        self, run: Run, name: str, printer: CPrinter | SeriesPrinter, before: tuple[str, ...] = ()
    ) -> None:
        tape = run.tape
        lines = printer.print()
        title = (f"/* {comment(tape.description)} */",) if tape.description else ()
        linkage = APART if tape.name in self.apart else INLINED if tape.name in self.in_vectors else "static"
        self.needs |= printer.needs
        self._write_function(name, linkage, [*before, *self._parameters(run)[0]], lines, title)

    def _parameters(self, run: Run) -> tuple[list[str], list[str]]:
        """Declarations and names of the arrays of a kernel."""
        tape, late = run.tape, self.shared.get(run.tape.name, frozenset())
        loads, stores = port_names(tape)
        loads = [own for port, own in enumerate(loads) if port in run.read]
        stores = [own for port, own in zip(tape.outputs, stores, strict=True) if port.width]
        pointer = f"{self.scalar} *{'' if late else 'restrict '}"
        return [*(f"const {pointer}{own}" for own in loads), *(f"{pointer}{own}" for own in stores)], [*loads, *stores]

    def _write_function(
        self, name: str, linkage: str, parameters: Sequence[str], lines: Sequence[str], title: tuple[str, ...] = ()
    ) -> None:
        self.needs.add(linkage)
        head = wrap_items(list(parameters) or ["void"], WIDTH - 16)
        signature = [f"{linkage} void {name}({head[0]}", *(" " * 4 + line for line in head[1:])]
        signature[-1] += ")"
        self.kernels[name] = (*title, *signature, "{", *(f"  {line}" for line in lines), "}")


def _advance(step: int) -> str:
    """What is added to a pointer in run ``i``, whose index is unsigned in C."""
    if not step:
        return ""
    return f" {'-' if step < 0 else '+'} {'i' if abs(step) == 1 else f'{abs(step)} * i'}"


def lane_counts(program: Program) -> tuple[int, ...]:
    """The numbers of lanes of a program's loops over them, the least first."""
    return tuple(sorted({loop.lanes for loop in lane_loops(program.body)}))


def port_names(tape: Tape) -> tuple[list[str], list[str]]:
    """Names of the parameters of a kernel; a port that is read and written is called differently on each side."""
    ins = [_PORTS.name(port.name) for port in tape.inputs]
    outs = [_PORTS.name(port.name) for port in tape.outputs]
    for index, name in enumerate(outs):
        while name in ins:
            name = f"out_{name}"
        outs[index] = name
    return ins, outs
