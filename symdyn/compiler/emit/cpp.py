"""C++ over the generated C: one header, with functions of a namespace over ``std::array`` and over Eigen's matrices.

An array of two or more axes is a matrix whose rows are those of all axes but the last, one after another::

    inline void mass_matrix(const std::array<double, 7>& q, std::array<double, 49>& M) noexcept
    {
        panda_mass_matrix(q.data(), M.data(), nullptr);
    }
"""

from __future__ import annotations

from math import prod
from typing import Any

from symdyn.compiler.emit.arguments import all_argument_lines, option_lines
from symdyn.compiler.emit.c.files import frame_numbers
from symdyn.compiler.emit.contents import C_SCOPE, SCALARS, Contents, Function
from symdyn.compiler.emit.docstrings import title
from symdyn.compiler.emit.names import Mangler, comment
from symdyn.compiler.emit.render import render
from symdyn.compiler.emit.source import SourceFile
from symdyn.interface.signature import PARAMETERS, Argument


def emit(contents: Contents) -> tuple[SourceFile, ...]:
    """``<identifier>.hpp``."""
    stem = contents.identifier
    context = {
        "robot": comment(contents.robot),
        "version": contents.version,
        "name": stem,
        "macro": f"SYMDYN_{stem}",
        "scalar": SCALARS[contents.dtype],
        "frames": _frames(contents),
        "functions": [_function(function, SCALARS[contents.dtype]) for function in contents.functions],
    }
    return (SourceFile(f"{stem}.hpp", render("cpp/ROBOT.hpp.jinja", context)),)


def _frames(contents: Contents) -> list[tuple[str, int, str]]:
    """Per frame: a constant, its number, and its name for a comment. No constant is a macro of the header in C."""
    macros = [macro for macro, _, _ in frame_numbers(contents)]
    mangler = Mangler(reserved=frozenset({"frame", *macros}))
    return [(mangler.name(name), number, comment(name)) for number, name in enumerate(contents.frames)]


def _function(function: Function, scalar: str) -> dict[str, Any]:
    signature = function.signature
    given = [_argument(argument, f"Matrix{number}", True, scalar) for number, argument in enumerate(signature.inputs)]
    taken = [
        _argument(argument, f"Matrix{number}", False, scalar)
        for number, argument in enumerate(signature.outputs, len(given))
    ]
    return {
        "name": function.name,
        "c_name": function.c_name,
        "title": title(signature),
        "documentation": all_argument_lines(signature, C_SCOPE.name) + option_lines(signature),
        "arguments": given + taken,
        "work": f"{function.c_name.upper()}_WORK" if function.program.work_size else "",
        "batch_work": f"{function.c_name.upper()}_BATCH_WORK",
        "states": next(C_SCOPE.name(argument.name) for argument in signature.inputs if argument.name != PARAMETERS),
    }


def _argument(argument: Argument, matrix: str, given: bool, scalar: str) -> dict[str, str]:
    """One argument as a parameter and as what C is given: of one state as array or matrix, of many states."""
    name, constant = C_SCOPE.name(argument.name), "const " if given else ""
    columns = argument.shape[-1] if len(argument.shape) > 1 else 1
    rows = prod(argument.shape[:-1]) if len(argument.shape) > 1 else argument.size
    number = f"{scalar} {name}" if given else f"{scalar}& {name}"
    as_matrix = f"const Eigen::MatrixBase<{matrix}>& {name}" if given else f"{matrix}&& {name}"
    own = f"{name}.derived()" if given else name
    kind, type_name = ("Given", matrix) if given else ("Taken", f"std::remove_reference_t<{matrix}>")
    held = f"detail::{kind}<{type_name}, {rows}, {columns}> of_{name}({own});"
    shared = argument.name == PARAMETERS
    single = not argument.shape
    return {
        "array": number if single else f"{constant}std::array<{scalar}, {argument.size}>& {name}",
        "of_array": f"&{name}" if single else f"{name}.data()",
        "class": "" if single else f"class {matrix}",
        "matrix": number if single else as_matrix,
        "held": "" if single else held,
        "of_matrix": f"&{name}" if single else f"of_{name}.data()",
        "pointer": f"{constant}{scalar}* {name}",
        "of_pointer": name,
        "batch_class": f"class {matrix}",
        "batch_matrix": as_matrix,
        "batch_held": held if shared else "",
        "of_batch_matrix": f"of_{name}.data()" if shared else f"detail::states<{argument.size}>({own})",
    }
