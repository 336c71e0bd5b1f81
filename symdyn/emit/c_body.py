"""Bodies of C functions: constants, kernels and loops as lines of text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from symdyn.emit.addresses import (
    ARGUMENT_KINDS,
    offset_text,
    only_call,
    shared_ports,
    tapes_apart,
    tapes_in_independent_loops,
)
from symdyn.emit.arguments import WIDTH, call_lines, wrap_items
from symdyn.emit.contents import C_SCOPE
from symdyn.emit.literals import double_literal, float_literal
from symdyn.emit.names import Mangler, comment
from symdyn.emit.statements import Dialect, Kernel, Place, form_kernel
from symdyn.tape.program import Address, Buffer, BufferKind, Call, Gather, Loop, Program, Statement
from symdyn.tape.tape import Tape

_FUNCTIONS = ["sqrt", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "log"]

PAIR_FUNCTION = "sine_cosine"
"""Of ``c/sine_cosine.c.jinja``; its struct has the same name."""

INDEPENDENT = "INDEPENDENT_ITERATIONS"
"""Macro before a loop whose order is free, so that compilers make vector instructions of it."""

APART = "static SEPARATE"
"""Linkage of a long kernel that is called once, for inlined, the pieces would become one long function again; and of
one that is called from very many places."""

INLINED = "static INLINED"
"""Linkage of the kernels of independent loops, which make no vector instructions of calls."""


def _dialect(scalar: str) -> Dialect:
    suffix, zero = ("f", "0.0f") if scalar == "float" else ("", "0.0")
    operations = {code: f"{code}{suffix}({{0}})" for code in _FUNCTIONS}
    operations |= {
        "add": "{0} + {1}",
        "sub": "{0} - {1}",
        "mul": "{0} * {1}",
        "div": "{0} / {1}",
        "neg": "-{0}",
        "fma": f"fma{suffix}({{0}}, {{1}}, {{2}})",
        "atan2": f"atan2{suffix}({{0}}, {{1}})",
        "pow": f"pow{suffix}({{0}}, {{1}})",
        "abs": f"fabs{suffix}({{0}})",
        "sign": f"({scalar})(({{0}} > {zero}) - ({{0}} < {zero}))",
        "min": "{0} < {1} ? {0} : {1}",
        "max": "{0} > {1} ? {0} : {1}",
        "less": "{0} < {1}",
        "less_equal": "{0} <= {1}",
        "equal": "{0} == {1}",
        "not": "!{0}",
        "and": "{0} && {1}",
        "or": "{0} || {1}",
        "select": "{0} ? {1} : {2}",
    }
    if scalar == "float":  # the library's sinf and cosf are as fast as a polynomial in doubles
        return Dialect(operations, float_literal)
    return Dialect(operations, double_literal, f"{PAIR_FUNCTION}({{0}})", ("{0}.sine", "{0}.cosine"))


_DIALECTS: Mapping[str, Dialect] = {scalar: _dialect(scalar) for scalar in ("double", "float")}
_PORTS = Mangler()
_KERNELS, _TABLES, _INDEX_TABLES = Mangler(prefix="kernel_"), Mangler(prefix="table_"), Mangler(prefix="index_")


@dataclass(frozen=True, slots=True)
class Unit:
    """What the template of one C file loops over."""

    constants: tuple[str, ...]
    kernels: tuple[tuple[str, ...], ...]
    body: tuple[str, ...]
    buffers_used: frozenset[str]

    @property
    def has_independent_loops(self) -> bool:
        """Whether the file needs the macro of independent loops."""
        return any(line.strip() == INDEPENDENT for line in self.body)

    @property
    def has_pieces(self) -> bool:
        """Whether the file needs the macro of kernels that stay functions of their own."""
        return any(line.startswith(APART) for lines in self.kernels for line in lines)

    @property
    def has_inlined_kernels(self) -> bool:
        """Whether the file needs the macro of kernels that must become part of their loops."""
        return any(line.startswith(INLINED) for lines in self.kernels for line in lines)

    @property
    def uses_pairs(self) -> bool:
        """Whether the file needs the function of sine-cosine pairs."""
        return any(f" = {PAIR_FUNCTION}(" in line for lines in (self.body, *self.kernels) for line in lines)


def form_unit(program: Program, scalar: str) -> Unit:
    """The body of a function over ``double`` or ``float``."""
    places = {buffer.name: _array(buffer) for buffer in program.buffers}
    direct = only_call(program)
    if direct is not None:
        inputs = [_direct_place(program, address, places) for address in direct.inputs]
        kernel = form_kernel(program.tape(direct.tape), _DIALECTS[scalar], inputs)
        outputs = [_direct_place(program, address, places) for address in direct.outputs]
        lines = _kernel_lines(program.tape(direct.tape), kernel, outputs, scalar)
        read = {direct.inputs[port].buffer for port in kernel.ports_read}
        used = read | {address.buffer for address in direct.outputs if program.buffer(address.buffer).size}
        kernels: tuple[tuple[str, ...], ...] = ()
    else:
        writer = _LoopWriter(program, scalar, places)
        lines = writer.lines(program.body, 0)
        kernels, used = tuple(writer.kernels.values()), writer.used
    prologue = _workspace_lines(program, scalar, places, used)
    return Unit(tuple(_constant_lines(program, scalar, places, used)), kernels, (*prologue, *lines), frozenset(used))


def _array(buffer: Buffer) -> str:
    if buffer.kind is BufferKind.TABLE:
        return _TABLES.name(buffer.name)
    if buffer.kind is BufferKind.INDEX:
        return _INDEX_TABLES.name(buffer.name)
    if buffer.kind is BufferKind.WORKSPACE:
        return Mangler(prefix="work_").name(buffer.name)
    return C_SCOPE.name(buffer.name)


def _direct_place(program: Program, address: Address, places: Mapping[str, str]) -> Place:
    buffer = program.buffer(address.buffer)
    units: tuple[str, ...] = ()
    for argument in program.signature.inputs:
        if buffer.kind in ARGUMENT_KINDS and argument.name == buffer.name:
            units = argument.element_units[address.base :]
    return Place(places[buffer.name], address.base, units)


def _kernel_lines(
    tape: Tape, kernel: Kernel, outputs: list[Place], scalar: str, late: frozenset[int] = frozenset()
) -> list[str]:
    """Statements and stores.

    A store follows its value, so that the value needs no register any longer, but the ports
    in ``late`` are stored to at the end, because loads may still need what is there.
    """
    stores: dict[str, list[str]] = {}
    at_end: list[str] = []
    values = {statement.name for statement in kernel.statements}
    for number, (port, place, results) in enumerate(zip(tape.outputs, outputs, kernel.results, strict=True)):
        sign = "+=" if port.accumulate else "="
        for index, value in enumerate(results):
            text = f"{place.element(port.place(index))} {sign} {value};"
            if number in late or value not in values:
                at_end.append(text)
            else:
                stores.setdefault(value, []).append(text)
    lines = []
    for statement in kernel.statements:
        note = f" /* {statement.note} */" if statement.note else ""
        kind = f"struct {PAIR_FUNCTION}" if statement.pair else "int" if statement.boolean else scalar
        lines.append(f"const {kind} {statement.name} = {statement.value};{note}")
        lines += stores.get(statement.name, ())
    return lines + at_end


class _LoopWriter:
    """The loops of a program as C, and the kernels that they call."""

    def __init__(self, program: Program, scalar: str, places: Mapping[str, str]) -> None:
        self.program = program
        self.scalar = scalar
        self.places = places
        self.tapes = {tape.name: tape for tape in program.tapes}
        self.shared = shared_ports(program)
        self.apart = tapes_apart(program)
        self.in_vectors = tapes_in_independent_loops(program.body)
        self.kernels: dict[str, tuple[str, ...]] = {}
        self.ports: dict[str, frozenset[int]] = {}
        self.used: set[str] = set()

    def lines(self, statements: tuple[Statement, ...], depth: int) -> list[str]:
        """Statements inside of ``depth`` loops."""
        lines: list[str] = []
        for statement in statements:
            if isinstance(statement, Call):
                lines += self._call(statement)
            elif statement.count > 0:
                if statement.independent and not any(isinstance(item, Loop) for item in statement.body):
                    lines.append(INDEPENDENT)
                lines.append(f"for (size_t i{depth} = 0; i{depth} < {statement.count}; ++i{depth}) {{")
                lines += [f"  {line}" for line in self.lines(statement.body, depth + 1)]
                lines.append("}")
        return lines

    def _call(self, call: Call) -> list[str]:
        if call.tape not in self.kernels:
            self._write_kernel(self.tapes[call.tape])
        read = self.ports[call.tape]
        addresses = [address for port, address in enumerate(call.inputs) if port in read]
        tape = self.tapes[call.tape]
        addresses += [address for port, address in zip(tape.outputs, call.outputs, strict=True) if port.width]
        return call_lines(_KERNELS.name(call.tape), map(self._pointer, addresses), ";")

    def _pointer(self, address: Address) -> str:
        array = self.places[address.buffer]
        self.used.add(address.buffer)
        offset = offset_text(address.base, address.strides)
        if isinstance(address, Gather):
            self.used.add(address.index)
            return f"{array} + {self.places[address.index]}[{offset}]"
        if offset == "0":
            return array
        return f"{array} + {offset}" if " " not in offset else f"{array} + ({offset})"

    def _write_kernel(self, tape: Tape) -> None:
        names = {port.name: _PORTS.name(port.name) for port in tape.inputs}
        outs: dict[str, str] = {}
        for port in tape.outputs:  # a port that is read and written is called differently on each side
            outs[port.name] = _PORTS.name(port.name)
            while outs[port.name] in names.values():
                outs[port.name] = "out_" + outs[port.name]
        kernel = form_kernel(tape, _DIALECTS[self.scalar], [Place(names[port.name]) for port in tape.inputs])
        late = self.shared.get(tape.name, frozenset())
        restrict = "" if late else "restrict "
        parameters = [
            f"const {self.scalar} *{restrict}{names[port.name]}"
            for index, port in enumerate(tape.inputs)
            if index in kernel.ports_read
        ] + [f"{self.scalar} *{restrict}{outs[port.name]}" for port in tape.outputs if port.width]
        lines = _kernel_lines(tape, kernel, [Place(outs[port.name]) for port in tape.outputs], self.scalar, late)
        title = [f"/* {comment(tape.description)} */"] if tape.description else []
        head = wrap_items(parameters or ["void"], WIDTH - 16)
        linkage = APART if tape.name in self.apart else INLINED if tape.name in self.in_vectors else "static"
        opening = f"{linkage} void {_KERNELS.name(tape.name)}("
        signature = [opening + head[0], *(" " * 4 + line for line in head[1:])]
        signature[-1] += ")"
        self.kernels[tape.name] = (*title, *signature, "{", *(f"  {line}" for line in lines), "}")
        self.ports[tape.name] = kernel.ports_read


def _workspace_lines(program: Program, scalar: str, places: Mapping[str, str], used: set[str]) -> list[str]:
    lines, start = [], 0
    for buffer in program.buffers_of(BufferKind.WORKSPACE):
        if buffer.name in used:
            note = f" /* {comment(buffer.description)} */" if buffer.description else ""
            offset = f" + {start}" if start else ""
            lines.append(f"{scalar} *const {places[buffer.name]} = work{offset};{note}")
        start += buffer.size
    return lines


def _constant_lines(program: Program, scalar: str, places: Mapping[str, str], used: set[str]) -> list[str]:
    lines: list[str] = []
    for buffer in program.buffers_of(BufferKind.TABLE, BufferKind.INDEX):
        if buffer.name not in used:
            continue
        if buffer.description:
            lines.append(f"/* {comment(buffer.description)} */")
        if buffer.kind is BufferKind.TABLE:
            kind = scalar
            literal = _DIALECTS[scalar].literal
            values = [literal(value) for value in buffer.values]
        else:
            kind = "unsigned short" if max(buffer.values) < 2**16 else "unsigned int"
            values = [str(int(value)) for value in buffer.values]
        lines.append(f"static const {kind} {places[buffer.name]}[{buffer.size}] = {{")
        lines += [f"  {line}" for line in wrap_items(values, WIDTH - 4)]
        lines.append("};")
    return lines
