"""C99 for CasADi: one file per function and per derivative, with the symbols by which ``casadi.external`` finds them.

A function ``F(arg, res, iw, work, mem)`` reads and writes where CasADi's pointers lead: matrices by columns, without
their zeros. What CasADi leaves out is zero, or goes into the workspace.
"""

from __future__ import annotations

from typing import Any

from symdyn.compiler.emit.arguments import WIDTH, all_argument_lines, count_lines, option_lines, wrap_items
from symdyn.compiler.emit.c.body import form_unit
from symdyn.compiler.emit.c.lanes_files import lane_context
from symdyn.compiler.emit.c.unit import Unit
from symdyn.compiler.emit.contents import C_SCOPE, SCALARS, Contents, Function, text_hash
from symdyn.compiler.emit.names import comment
from symdyn.compiler.emit.render import render
from symdyn.compiler.emit.source import SourceFile
from symdyn.compiler.tape.pattern import Pattern
from symdyn.interface.signature import HELD_INPUTS, Argument, option_names, role_of


def emit(contents: Contents) -> tuple[SourceFile, ...]:
    """A header, a file per function, and a CMake project that makes a shared library of them."""
    stem, scalar = contents.identifier, SCALARS[contents.dtype]
    shared = {"robot": comment(contents.robot), "version": contents.version, "header": f"{stem}.h", "name": stem}
    sources = [
        SourceFile(f"{function.c_name}.c", render("casadi/FUNCTION.c.jinja", {**shared, **_context(function, scalar)}))
        for function in contents.functions
    ]
    header = {
        **shared,
        "guard": f"SYMDYN_{stem}_H",
        "functions": [_declaration(function) for function in contents.functions],
    }
    return (
        SourceFile(f"{stem}.h", render("casadi/ROBOT.h.jinja", header)),
        *sources,
        SourceFile(
            "CMakeLists.txt",
            render("casadi/CMakeLists.txt.jinja", {**shared, "sources": [source.path for source in sources]}),
        ),
    )


def _context(function: Function, scalar: str) -> dict[str, Any]:
    program = function.program
    unit = form_unit(function.tree, scalar)
    inputs, outputs = function.signature.inputs, function.signature.outputs
    arrays: dict[tuple[int, ...], str] = {}
    patterns = [_named(program.patterns[own.name], arrays) for own in (*inputs, *outputs)]
    scratch = sum(program.stored(own) for own in outputs)
    held = option_names(function.signature.options, HELD_INPUTS)
    return {
        "function": function.c_name,
        "layout": program.layout,
        "counts": count_lines(function.counts, WIDTH),
        "hash": text_hash(unit.lines),
        "unit": unit,
        **lane_context(unit.lane_functions, scalar, unit.vector_lanes, unit.lane_counts),
        "zeros": max((program.stored(own) for own in inputs if own.name in unit.buffers_used), default=0),
        "pointers": _pointers(function, unit),
        "unused": [name for name, used in _parameters(function, unit) if not used],
        "arrays": [(name, wrap_items(map(str, numbers), WIDTH - 4)) for numbers, name in arrays.items()],
        "inputs": [(own.name, name) for own, name in zip(inputs, patterns, strict=False)],
        "outputs": [(own.name, name) for own, name in zip(outputs, patterns[len(inputs) :], strict=True)],
        "held": [number for number, own in enumerate(inputs) if own.name in held],
        "work": program.work_size + scratch,
    }


def _named(pattern: Pattern, arrays: dict[tuple[int, ...], str]) -> str:
    """The array of a pattern in CasADi's spelling, made at its first use."""
    stored = (1,) if pattern.is_dense and pattern.size else (*pattern.starts, *pattern.row_numbers)
    numbers: tuple[int, ...] = (pattern.rows, pattern.columns, *stored)
    return arrays.setdefault(numbers, f"sparsity_{len(arrays)}")


def _pointers(function: Function, unit: Unit) -> list[str]:
    """Declarations of what is read, and of where is written: in the workspace where CasADi wants nothing."""
    scalar, program = SCALARS[function.program.dtype], function.program
    lines = [
        f"const {scalar} *const restrict {C_SCOPE.name(own.name)} = arg[{number}] ? arg[{number}] : zeros;"
        for number, own in enumerate(function.signature.inputs)
        if own.name in unit.buffers_used
    ]
    place = program.work_size
    for number, own in enumerate(function.signature.outputs):
        if own.name in unit.buffers_used:
            name = C_SCOPE.name(own.name)
            lines.append(f"{scalar} *const restrict {name} = res[{number}] ? res[{number}] : work + {place};")
        place += program.stored(own)
    return lines


def _parameters(function: Function, unit: Unit) -> list[tuple[str, bool]]:
    """The parameters of the function, and whether it touches them."""
    signature = function.signature
    reads = any(own.name in unit.buffers_used for own in signature.inputs)
    writes = any(own.name in unit.buffers_used for own in signature.outputs)
    return [("arg", reads), ("res", writes), ("iw", False), ("work", writes), ("mem", False)]


def _declaration(function: Function) -> dict[str, object]:
    signature = function.signature
    documentation: list[str] = []
    if not role_of(function.name):
        documentation = all_argument_lines(signature, C_SCOPE.name)
    else:
        for direction, group in (("in", signature.inputs), ("out", signature.outputs)):
            documentation += wrap_items((_short(function, own, direction) for own in group), WIDTH - 4)
    return {
        "name": function.c_name,
        "title": comment(signature.description or function.name),
        "documentation": documentation,
        "options": option_lines(signature),
        "holds": bool(option_names(signature.options, HELD_INPUTS)),
        "layout": function.program.layout,
        "counts": count_lines(function.counts, WIDTH),
    }


def _short(function: Function, own: Argument, direction: str) -> str:
    pattern = function.program.patterns[own.name]
    return f"{direction} {C_SCOPE.name(own.name)} {pattern.rows}x{pattern.columns}, {pattern.size} stored"
