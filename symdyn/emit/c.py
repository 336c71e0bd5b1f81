"""C99: a header, one file per function, and a CMake project.

Every value is a statement of its own::

    const double v3 = q[0]; /* shoulder [rad] */
    const double s4 = sin(v3);
    const double v5 = 9.81 * s4;
    tau[0] = v5;

A program of one call is written into the public function. Otherwise each tape becomes a static kernel, and the public
function holds the loops. Loads stand before stores in every kernel.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from symdyn.emit.addresses import ARGUMENT_KINDS, PARAMETERS, offset_text, only_call, tapes_on_shared_buffers
from symdyn.emit.arguments import argument_lines, count_text, shape_text, wrap_items
from symdyn.emit.contents import C_SCOPE, Contents, Function, text_hash
from symdyn.emit.literals import double_literal, float_literal
from symdyn.emit.names import Mangler, comment, macros, upper
from symdyn.emit.render import render
from symdyn.emit.source import SourceFile
from symdyn.emit.statements import Dialect, Kernel, Place, form_kernel
from symdyn.tape.program import Address, Affine, Buffer, BufferKind, Call, Gather, Loop, Program, Statement
from symdyn.tape.tape import Tape

_FUNCTIONS = "sqrt sin cos tan asin acos atan sinh cosh tanh exp log".split()
_TABLE_WIDTH = 96


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
    return Dialect(operations, float_literal if scalar == "float" else double_literal, f"{{0}} != {zero}")


_DIALECTS: Mapping[str, Dialect] = {scalar: _dialect(scalar) for scalar in ("double", "float")}
_SCALARS: Mapping[str, str] = {"float64": "double", "float32": "float"}
_KERNELS, _TABLES, _INDEX_TABLES = Mangler(prefix="kernel_"), Mangler(prefix="table_"), Mangler(prefix="index_")


@dataclass(frozen=True, slots=True)
class _Unit:
    """What the template of one C file loops over."""

    constants: tuple[str, ...]
    kernels: tuple[tuple[str, ...], ...]
    body: tuple[str, ...]
    buffers_used: frozenset[str]


def emit_c(contents: Contents) -> tuple[SourceFile, ...]:
    """Header, one source file per function, and CMakeLists.txt."""
    stem = contents.identifier
    scalar = _SCALARS[contents.dtype]
    sources, declarations = [], []
    for function in contents.functions:
        unit = _unit(function.program, scalar)
        digest = text_hash([*unit.constants, *(line for kernel in unit.kernels for line in kernel), *unit.body])
        context = {
            "header": f"{stem}.h",
            "robot": comment(contents.robot),
            "version": contents.version,
            "function": function.name,
            "name": function.c_name,
            "counts": count_text(function.counts),
            "hash": digest,
            "layout": function.program.layout,
            "parameters": _parameters(function, scalar, restrict="restrict "),
            "batch_arguments": _batch_arguments(function),
            "unused": _unused(function, unit),
            "unit": unit,
        }
        sources.append(SourceFile(f"{function.c_name}.c", render("c/FUNCTION.c.jinja", context)))
        declarations.append(_declaration(function, scalar, digest))
    header_context = {
        "robot": comment(contents.robot),
        "version": contents.version,
        "guard": f"SYMDYN_{stem}_H",
        "functions": declarations,
    }
    project_context = {
        "name": stem,
        "sources": [source.path for source in sources],
        "contract": "fast" if contents.fp_contract else "off",
    }
    return (
        SourceFile(f"{stem}.h", render("c/ROBOT.h.jinja", header_context)),
        *sources,
        SourceFile("CMakeLists.txt", render("c/CMakeLists.txt.jinja", project_context)),
    )


def _unit(program: Program, scalar: str) -> _Unit:
    places = {buffer.name: _array(buffer) for buffer in program.buffers}
    direct = only_call(program)
    if direct is not None:
        inputs = [_direct_place(program, address, places) for address in direct.inputs]
        kernel = form_kernel(program.tape(direct.tape), _DIALECTS[scalar], inputs)
        outputs = [_direct_place(program, address, places) for address in direct.outputs]
        lines = _kernel_lines(program.tape(direct.tape), kernel, outputs, scalar)
        read = {direct.inputs[port].buffer for port in kernel.ports_read}
        used = read | {address.buffer for address in direct.outputs}
        kernels: tuple[tuple[str, ...], ...] = ()
    else:
        writer = _LoopWriter(program, scalar, places)
        lines = writer.lines(program.body, 0)
        kernels, used = tuple(writer.kernels.values()), writer.used
    prologue = _workspace_lines(program, scalar, places, used)
    return _Unit(tuple(_constant_lines(program, scalar, places, used)), kernels, (*prologue, *lines), frozenset(used))


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


def _kernel_lines(tape: Tape, kernel: Kernel, outputs: list[Place], scalar: str) -> list[str]:
    lines = []
    for statement in kernel.statements:
        note = f" /* {statement.note} */" if statement.note else ""
        kind = "int" if statement.boolean else scalar
        lines.append(f"const {kind} {statement.name} = {statement.value};{note}")
    for port, place, results in zip(tape.outputs, outputs, kernel.results, strict=True):
        sign = "+=" if port.accumulate else "="
        lines += [f"{place.element(index)} {sign} {value};" for index, value in enumerate(results)]
    return lines


class _LoopWriter:
    """The loops of a program as C, and the kernels that they call."""

    def __init__(self, program: Program, scalar: str, places: Mapping[str, str]) -> None:
        self.program = program
        self.scalar = scalar
        self.places = places
        self.tapes = {tape.name: tape for tape in program.tapes}
        self.shared = tapes_on_shared_buffers(program)
        self.kernels: dict[str, tuple[str, ...]] = {}
        self.ports: dict[str, frozenset[int]] = {}
        self.used: set[str] = set()

    def lines(self, statements: tuple[Statement, ...], depth: int) -> list[str]:
        """Statements inside of ``depth`` loops."""
        lines: list[str] = []
        for statement in statements:
            if isinstance(statement, Call):
                lines.append(self._call(statement))
            elif statement.count > 0:
                lines.append(f"for (size_t i{depth} = 0; i{depth} < {statement.count}; ++i{depth}) {{")
                lines += [f"  {line}" for line in self.lines(statement.body, depth + 1)]
                lines.append("}")
        return lines

    def _call(self, call: Call) -> str:
        if call.tape not in self.kernels:
            self._write_kernel(self.tapes[call.tape])
        read = self.ports[call.tape]
        addresses = [address for port, address in enumerate(call.inputs) if port in read]
        tape = self.tapes[call.tape]
        addresses += [address for port, address in zip(tape.outputs, call.outputs, strict=True) if port.width]
        return f"{_KERNELS.name(call.tape)}({', '.join(map(self._pointer, addresses))});"

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
        names = {port.name: C_SCOPE.name(port.name) for port in tape.inputs}
        outs = {port.name: C_SCOPE.name(port.name) for port in tape.outputs}
        for name in [port.name for port in tape.outputs if port.name in names]:  # read under one name, written under another
            while outs[name] in {*names.values(), *outs.values()}:
                outs[name] += "_out"
        kernel = form_kernel(tape, _DIALECTS[self.scalar], [Place(names[port.name]) for port in tape.inputs])
        restrict = "" if tape.name in self.shared else "restrict "
        parameters = [
            f"const {self.scalar} *{restrict}{names[port.name]}"
            for index, port in enumerate(tape.inputs)
            if index in kernel.ports_read
        ] + [f"{self.scalar} *{restrict}{outs[port.name]}" for port in tape.outputs if port.width]
        lines = _kernel_lines(tape, kernel, [Place(outs[port.name]) for port in tape.outputs], self.scalar)
        title = [f"/* {comment(tape.description)} */"] if tape.description else []
        head = wrap_items(parameters or ["void"], 84)
        opening = f"static void {_KERNELS.name(tape.name)}("
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
        lines += [f"  {line}" for line in wrap_items(values, _TABLE_WIDTH)]
        lines.append("};")
    return lines


def _parameters(function: Function, scalar: str, restrict: str = "") -> list[str]:
    """Parameter list on lines; top-level ``restrict`` is no part of a function's type, so the header goes without."""
    texts = [f"const {scalar} *{restrict}{C_SCOPE.name(argument.name)}" for argument in function.signature.inputs]
    texts += [f"{scalar} *{restrict}{C_SCOPE.name(argument.name)}" for argument in function.signature.outputs]
    return wrap_items([*texts, f"{scalar} *{restrict}work"], _TABLE_WIDTH)


def _batch_arguments(function: Function) -> str:
    texts = []
    for argument in function.arguments:
        name = C_SCOPE.name(argument.name)
        if argument.size and argument.name != PARAMETERS:
            name += " + state" if argument.size == 1 else f" + {argument.size} * state"
        texts.append(name)
    return ", ".join([*texts, "work"])


def _unused(function: Function, unit: _Unit) -> list[str]:
    names = [C_SCOPE.name(argument.name) for argument in function.arguments if argument.name not in unit.buffers_used]
    workspace = {buffer.name for buffer in function.program.buffers_of(BufferKind.WORKSPACE)}
    return names + (["work"] if workspace.isdisjoint(unit.buffers_used) else [])


def _declaration(function: Function, scalar: str, digest: str) -> dict[str, object]:
    macro = function.c_name.upper()
    sizes = macros(argument.name for argument in function.arguments)
    documentation: list[str] = []
    for direction, group in (("in", function.signature.inputs), ("out", function.signature.outputs)):
        for argument in group:
            documentation += argument_lines(argument, direction, C_SCOPE.name(argument.name))
    return {
        "name": function.c_name,
        "title": comment(function.signature.description or function.name),
        "documentation": documentation,
        "options": [f"{comment(key)}: {comment(value)}" for key, value in sorted(function.signature.options.items())],
        "layout": function.program.layout,
        "counts": count_text(function.counts),
        "hash": digest,
        "work": (f"{macro}_WORK", function.program.work_size),
        "sizes": [(f"{macro}_{sizes[item.name]}_SIZE", item.size, shape_text(item)) for item in function.arguments],
        "parameters": _parameters(function, scalar),
        "shares_parameters": any(argument.name == PARAMETERS for argument in function.signature.inputs),
    }
