"""C99: a header, two files per function, and a CMake project.

Every value is a statement of its own::

    const double v3 = q[0]; /* shoulder [rad] */
    const double v4 = sine_cosine(v3).sine;
    const double v5 = 9.81 * v4;
    tau[0] = v5;

A program of one call is written into the public function. Otherwise each tape becomes a static kernel, and the public
function holds the loops. Loads stand before stores in every kernel.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from symdyn.compiler.emit.arguments import WIDTH, all_argument_lines, count_lines, option_lines, shape_text, wrap_items
from symdyn.compiler.emit.c.body import form_unit
from symdyn.compiler.emit.c.lanes_body import LanesUnit, form_lanes, lane_count
from symdyn.compiler.emit.c.lanes_files import (
    batch_lines,
    batch_work,
    emit_lanes,
    lane_context,
    lanes_macro,
    lanes_work,
)
from symdyn.compiler.emit.c.unit import Unit
from symdyn.compiler.emit.contents import C_SCOPE, SCALARS, Contents, Function, text_hash
from symdyn.compiler.emit.names import Mangler, comment, macros
from symdyn.compiler.emit.render import render
from symdyn.compiler.emit.solvers.emit import emit_solvers, solver_declarations
from symdyn.compiler.emit.source import SourceFile
from symdyn.compiler.emit.steppers.emit import declarations as stepper_declarations
from symdyn.compiler.emit.steppers.emit import emit_steppers
from symdyn.compiler.tape.program import BufferKind
from symdyn.interface.signature import PARAMETERS


def emit(contents: Contents) -> tuple[SourceFile, ...]:
    """Header, two source files per function (for one state and for lanes), steppers, solvers, and CMakeLists.txt."""
    stem = contents.identifier
    scalar = SCALARS[contents.dtype]
    sources, in_lanes, declarations = [], [], []
    for function in contents.functions:
        unit = form_unit(function.tree, scalar)
        plain = _parameters(function, scalar)
        digest = text_hash(unit.lines)
        context: dict[str, Any] = {
            "header": f"{stem}.h",
            "robot": comment(contents.robot),
            "version": contents.version,
            "function": function.name,
            "name": function.c_name,
            "counts": count_lines(function.counts, WIDTH),
            "hash": digest,
            "layout": function.program.layout,
            "parameters": _parameters(function, scalar, restrict="restrict "),
            "plain_parameters": plain,
            "all_arguments": ", ".join([*(C_SCOPE.name(argument.name) for argument in function.arguments), "work"]),
            "batch_arguments": _batch_arguments(function),
            "unused": _unused(function, unit),
            "unit": unit,
            **lane_context(unit.lane_functions, scalar, unit.vector_lanes, unit.lane_counts),
            **batch_lines(function, contents, scalar),
        }
        sources.append(SourceFile(f"{function.c_name}.c", render("c/FUNCTION.c.jinja", context)))
        lanes = form_lanes(function.tree, scalar)
        in_lanes.append(emit_lanes(function, lanes, contents, scalar, context["parameters"], plain))
        declarations.append(_declaration(function, scalar, digest, lanes, stack_of(unit)))
    header_context = {
        "robot": comment(contents.robot),
        "version": contents.version,
        "guard": f"SYMDYN_{stem}_H",
        "lanes": (lanes_macro(contents), lane_count(scalar)),
        "rows": row_numbers(contents),
        "functions": declarations,
        "frames": frame_numbers(contents),
        "steppers": stepper_declarations(contents),
        "solvers": solver_declarations(contents),
    }
    calling = (*emit_steppers(contents), *emit_solvers(contents))
    project_context = {
        "name": stem,
        "headers": [stem + ending for ending in contents.headers],
        "option": lanes_macro(contents),
        "sources": [source.path for source in sources],
        "lanes": [source.path for source in in_lanes],
        "calling": [source.path for source in calling],
    }
    return (
        SourceFile(f"{stem}.h", render("c/ROBOT.h.jinja", header_context)),
        *sources,
        *in_lanes,
        *calling,
        SourceFile("CMakeLists.txt", render("c/CMakeLists.txt.jinja", project_context)),
    )


def row_numbers(contents: Contents) -> list[tuple[str, int]]:
    """Macros for the numbers of rows of q and v."""
    own = contents.identifier.upper()
    return [] if contents.rows is None else [(f"{own}_NQ", contents.rows[0]), (f"{own}_NV", contents.rows[1])]


def frame_numbers(contents: Contents) -> list[tuple[str, int, str]]:
    """Per frame that functions have rows of: a macro, its number, and its name for a comment."""
    mangler = Mangler(prefix=f"{contents.identifier}_frame_")
    names = {name: mangler.name(name) for name in contents.frames}
    capitals = macros(names.values())
    return [(capitals[own], number, comment(name)) for number, (name, own) in enumerate(names.items())]


def _parameters(function: Function, scalar: str, restrict: str = "") -> list[str]:
    """Parameter list on lines; top-level ``restrict`` is no part of a function's type, so the header goes without."""
    texts = [f"const {scalar} *{restrict}{C_SCOPE.name(argument.name)}" for argument in function.signature.inputs]
    texts += [f"{scalar} *{restrict}{C_SCOPE.name(argument.name)}" for argument in function.signature.outputs]
    return wrap_items([*texts, f"{scalar} *{restrict}work"], WIDTH - 4)


def _batch_arguments(function: Function) -> str:
    texts = []
    for argument in function.arguments:
        name = C_SCOPE.name(argument.name)
        if argument.size and argument.name != PARAMETERS:
            name += " + state" if argument.size == 1 else f" + {argument.size} * state"
        texts.append(name)
    return ", ".join([*texts, "work"])


def _unused(function: Function, unit: Unit) -> list[str]:
    names = [C_SCOPE.name(argument.name) for argument in function.arguments if argument.name not in unit.buffers_used]
    workspace = {buffer.name for buffer in function.program.buffers_of(BufferKind.WORKSPACE)}
    return names + (["work"] if workspace.isdisjoint(unit.buffers_used) else [])


def _declaration(function: Function, scalar: str, digest: str, lanes: LanesUnit, stack: Stack) -> dict[str, object]:
    macro = function.c_name.upper()
    names = [C_SCOPE.name(argument.name) for argument in function.arguments]
    sizes = macros(names)
    return {
        "name": function.c_name,
        "title": comment(function.signature.description or function.name),
        "documentation": all_argument_lines(function.signature, C_SCOPE.name),
        "options": option_lines(function.signature),
        "layout": function.program.layout,
        "counts": count_lines(function.counts, WIDTH),
        "hash": digest,
        "stack": stack,
        "work": (f"{macro}_WORK", function.program.work_size),
        "lanes_work": (f"{macro}_LANES_WORK", lanes_work(lanes, scalar)),
        "batch_work": (f"{macro}_BATCH_WORK", batch_work(function, lanes.work_size, scalar)),
        "sizes": [
            (f"{macro}_{sizes[name]}_SIZE", argument.size, shape_text(argument))
            for name, argument in zip(names, function.arguments, strict=True)
        ],
        "parameters": _parameters(function, scalar),
        "shares_parameters": any(argument.name == PARAMETERS for argument in function.signature.inputs),
    }


_VALUE = re.compile(r"\s*const (?P<type>double|float|lanes\w*|struct \w+) \w+ = ")
_ARRAY = re.compile(r"\s*lanes \w+\[(\d+)\]\[(\d+)\];")
_KERNEL = re.compile(r"\b(kernel_\w+)\(")
_VECTOR = 64
"""Bytes of the widest vector that a file may be compiled for."""
_STRUCTS = {"sine_cosine": 16, "sines_cosines": 64, "lanes_pair": 2 * _VECTOR}

_SHORT = 4096
"""Up to so many bytes of values, the part of them that lies on the stack is that of short functions."""


@dataclass(frozen=True, slots=True)
class Stack:
    """Bytes at most: by compilers that optimise, and by those that do not."""

    optimised: int
    plain: int


def stack_of(unit: Unit) -> Stack:
    """The bounds for one call of a file's function for one state, by what its text declares.

    Compilers that optimise put kernels that are called once into their caller, and keep on the stack those values for
    which there are no registers: half of the values of short functions, and a smaller part of long ones. Without
    optimisation each value has a place of its own, and each kernel a frame. Both bounds are fitted to what compilers
    report by ``-fstack-usage`` (``tests/cross/test_stack_bounds.py`` has the compilers, flags, robots and functions).
    The frames of libm are not in them.
    """
    kernels = {_KERNEL.search("\n".join(lines))[1]: lines for lines in unit.kernels}  # type: ignore[index]
    own = {name: _values(lines) for name, lines in kernels.items()}
    body = _values(unit.body)
    deep = {name: own[name] + sum(own[inner] for inner in _called(kernels[name], kernels) - {name}) for name in kernels}
    deepest = max((deep[name] for name in _called(unit.body, kernels)), default=0)
    every = body + sum(own.values())
    optimised = 400 + 0.625 * min(every, _SHORT) + 0.4 * max(0, every - _SHORT)
    called = 1600 if unit.uses_pairs else 600  # frames of what computes sines and cosines
    return Stack(_whole(optimised), _whole(max(optimised, called + 1.5 * (body + deepest))))


def _values(lines: Sequence[str]) -> int:
    """Bytes of the values and arrays that some lines declare."""
    sizes = {"double": 8, "float": 4, **{f"struct {name}": size for name, size in _STRUCTS.items()}}
    found = [sizes.get(match["type"], _VECTOR) for line in lines if (match := _VALUE.match(line))]
    arrays = [math.prod(map(int, match.groups())) * _VECTOR for line in lines if (match := _ARRAY.match(line))]
    return sum(found) + sum(arrays)


def _called(lines: Sequence[str], kernels: Mapping[str, object]) -> set[str]:
    """The kernels that some lines call. A loop that is a function of its own calls one, and others none."""
    return {name for line in lines for name in _KERNEL.findall(line) if name in kernels}


def _whole(size: float) -> int:
    return 16 * math.ceil(size / 16)
