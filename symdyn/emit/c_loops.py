"""Kernels and the loops that call them as lines of C, with one value per name or one per lane."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from symdyn.emit.addresses import (
    runs_text,
    shared_ports,
    start_text,
    tapes_apart,
    tapes_in_independent_loops,
)
from symdyn.emit.arguments import WIDTH, call_lines, wrap_items
from symdyn.emit.c_dialect import DIALECTS, FUSED_MACRO, PAIR_FUNCTION, PAIRS_FUNCTION
from symdyn.emit.names import Mangler, comment
from symdyn.emit.statements import Kernel, Place, Statement, form_kernel
from symdyn.emit.tree import For, Node, Run, Tree
from symdyn.tape.program import Address, Gather
from symdyn.tape.tape import Tape

INDEPENDENT = "INDEPENDENT_ITERATIONS"
"""Macro before a loop whose order is free, so that compilers make vector instructions of it."""

APART = "static SEPARATE"
"""Linkage of a long kernel that is called once, for inlined, the pieces would become one long function again; and of
one that is called from very many places."""

INLINED = "static INLINED"
"""Linkage of the kernels of independent loops, which make no vector instructions of calls."""

_PORTS = Mangler(reserved=frozenset({"lanes", "lane_bits"}))
KERNELS = Mangler(prefix="kernel_")


@dataclass(frozen=True, slots=True)
class Types:
    """C types of values: numbers, truth values and sine-cosine pairs, where there are lanes of each lane's too.

    ``fma`` spells a fused multiply-add of such numbers.
    """

    number: str
    truth: str = "int"
    pair: str = f"struct {PAIR_FUNCTION}"
    several: str = f"struct {PAIRS_FUNCTION}"
    fma: str = f"{FUSED_MACRO}({{0}}, {{1}}, {{2}})"
    lanes: Types | None = None

    def fused(self, statement: Statement) -> str:
        """How a fused multiply-add with a statement's factors is spelled."""
        return self.lanes.fma if self.lanes is not None and statement.varying else self.fma

    def of(self, statement: Statement) -> str:
        """The type of a statement's value."""
        types = self.lanes if self.lanes is not None and statement.varying else self
        if statement.several:
            return types.several
        return types.pair if statement.pair else types.truth if statement.boolean else types.number


@dataclass(frozen=True, slots=True)
class Parameter:
    """A pointer that a kernel takes: where it points and its type with the star."""

    place: Place
    pointer: str


@dataclass(frozen=True, slots=True)
class Form:
    """A kernel about to be written.

    Its name, its statements, what it takes for each port, the types of its values, and what it takes before its ports.
    """

    name: str
    kernel: Kernel
    inputs: Sequence[Parameter]
    outputs: Sequence[Parameter]
    types: Types
    before: tuple[str, ...] = ()


def kernel_lines(
    tape: Tape, kernel: Kernel, outputs: Sequence[Place], types: Types, late: frozenset[int] = frozenset()
) -> list[str]:
    """Statements and stores.

    A store follows its value, so that the value needs no register any longer, but the ports
    in ``late`` are stored to at the end, because loads may still need what is there. Products are added where they lie.
    """
    stores: dict[str, list[str]] = {}
    at_end: list[str] = []
    values = {statement.name: statement for statement in kernel.statements}
    for number, (port, place, results) in enumerate(zip(tape.outputs, outputs, kernel.results, strict=True)):
        sign = "+=" if port.accumulate else "="
        for index, value in enumerate(results):
            factors = values[value].factors if value in values else None
            if factors is None:
                text = place.store(port.place(index), sign, value)
            else:
                text = place.add_product(port.place(index), factors, types.fused(values[value]))
            if number in late or value not in values:
                at_end.append(text)
            else:
                stores.setdefault(value, []).append(text)
    lines = []
    for statement in kernel.statements:
        if statement.factors is None:
            note = f" /* {statement.note} */" if statement.note else ""
            lines.append(f"const {types.of(statement)} {statement.name} = {statement.value};{note}")
        lines += stores.get(statement.name, ())
    return lines + at_end


class LoopWriter:
    """The loops of a function as C, and the kernels that they call."""

    def __init__(self, tree: Tree, scalar: str, places: Mapping[str, str]) -> None:
        program = tree.program
        self.scalar = scalar
        self.places = places
        self.shared = shared_ports(program)
        self.apart = tapes_apart(program)
        self.in_vectors = tapes_in_independent_loops(program.body)
        self.kernels: dict[str, tuple[str, ...]] = {}

    def lines(self, nodes: tuple[Node, ...]) -> list[str]:
        """Statements, one after another."""
        return [line for node in nodes for line in (self._call(node) if isinstance(node, Run) else self._loop(node))]

    def _loop(self, loop: For) -> list[str]:
        index, count = f"i{loop.level}", runs_text(loop.count, self.places)
        head = f"for (size_t {index} = 0; {index} < {count}; ++{index}) {{"
        lines = [INDEPENDENT] if loop.free else []
        lines.append(f"if ({count}) {{" if loop.once else head)
        return [*lines, *(f"  {line}" for line in self.lines(loop.body)), "}"]

    def _call(self, run: Run) -> list[str]:
        return call_lines(self._kernel(run), self._pointers(run), ";")

    def _kernel(self, run: Run) -> str:
        """The kernel's name; its first call writes it."""
        name = KERNELS.name(run.tape.name)
        if name not in self.kernels:
            ins, outs = port_names(run.tape)
            inputs, outputs = ([Parameter(Place(text), f"{self.scalar} *") for text in names] for names in (ins, outs))
            kernel = form_kernel(run.tape, DIALECTS[self.scalar], [parameter.place for parameter in inputs])
            self._write(run, Form(name, kernel, inputs, outputs, Types(self.scalar)))
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

    def _write(self, run: Run, form: Form) -> None:
        tape, late = run.tape, self.shared.get(run.tape.name, frozenset())
        restrict = "" if late else "restrict "
        parameters = [*form.before]
        parameters += [
            f"const {parameter.pointer}{restrict}{parameter.place.array}"
            for index, parameter in enumerate(form.inputs)
            if index in run.read
        ]
        parameters += [
            f"{parameter.pointer}{restrict}{parameter.place.array}"
            for port, parameter in zip(tape.outputs, form.outputs, strict=True)
            if port.width
        ]
        places = [parameter.place for parameter in form.outputs]
        lines = [line for place in places for line in place.first()]
        lines += kernel_lines(tape, form.kernel, places, form.types, late)
        lines += [line for place in places for line in place.last()]
        title = [f"/* {comment(tape.description)} */"] if tape.description else []
        head = wrap_items(parameters or ["void"], WIDTH - 16)
        linkage = APART if tape.name in self.apart else INLINED if tape.name in self.in_vectors else "static"
        opening = f"{linkage} void {form.name}("
        signature = [opening + head[0], *(" " * 4 + line for line in head[1:])]
        signature[-1] += ")"
        self.kernels[form.name] = (*title, *signature, "{", *(f"  {line}" for line in lines), "}")


def port_names(tape: Tape) -> tuple[list[str], list[str]]:
    """Names of the parameters of a kernel; a port that is read and written is called differently on each side."""
    ins = [_PORTS.name(port.name) for port in tape.inputs]
    outs = [_PORTS.name(port.name) for port in tape.outputs]
    for index, name in enumerate(outs):
        while name in ins:
            name = f"out_{name}"
        outs[index] = name
    return ins, outs
