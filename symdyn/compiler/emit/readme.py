"""The README of a generated module: what it is, how to call it, what each argument holds."""

from __future__ import annotations

from symdyn.compiler.emit.arguments import count_text, option_lines, row_items, shape_text, unit_text
from symdyn.compiler.emit.c.lanes_body import lane_count
from symdyn.compiler.emit.c.lanes_files import lanes_macro
from symdyn.compiler.emit.contents import C_SCOPE, SCALARS, Contents, Function
from symdyn.compiler.emit.docstrings import PYTHON_SCOPE, title
from symdyn.compiler.emit.names import comment, macros
from symdyn.compiler.emit.render import render
from symdyn.compiler.emit.solvers.emit import solver_declarations
from symdyn.compiler.emit.source import SourceFile
from symdyn.compiler.emit.steppers.emit import declarations
from symdyn.interface.signature import Argument, role_of
from symdyn.interface.targets import Target


def emit_readme(contents: Contents, target: Target) -> SourceFile:
    """``README.md``."""
    context = {
        "robot": _code(contents.robot),
        "identifier": contents.identifier,
        "version": contents.version,
        "dtype": contents.dtype,
        "scalar": SCALARS[contents.dtype],
        "target": target.name,
        "target_title": target.title,
        "arrays": target.arrays,
        "pages": target.pages,
        "python_module": contents.identifier + target.python.suffix,
        "lanes": lane_count(SCALARS[contents.dtype]),
        "option": lanes_macro(contents),
        "functions": [_entry(function) for function in contents.functions if not role_of(function.name)],
        "example": _example(contents),
        "steppers": declarations(contents) if target.has_c else None,
        "solvers": solver_declarations(contents) if target.has_c else None,
    }
    return SourceFile("README.md", render("module/README.md.jinja", context))


def _code(text: str) -> str:
    """A code span; ``comment`` leaves neither backticks nor pipes in it."""
    return f"`{comment(text)}`" if text.strip() else "(no name)"


def _entry(function: Function) -> dict[str, object]:
    signature = function.signature
    return {
        "name": function.name,
        "c_name": function.c_name,
        "title": title(signature),
        "options": option_lines(signature),
        "arguments": [_row(argument, "in") for argument in signature.inputs]
        + [_row(argument, "out") for argument in signature.outputs],
        "call": ", ".join(PYTHON_SCOPE.name(argument.name) for argument in signature.inputs),
        "results": ", ".join(PYTHON_SCOPE.name(argument.name) for argument in signature.outputs),
        "counts": count_text(function.counts),
        "work": function.program.work_size,
        "layout": function.program.layout,
    }


def _row(argument: Argument, direction: str) -> dict[str, str]:
    axes = ["; ".join(items) for items in row_items(argument)]
    return {
        "direction": direction,
        "name": f"{C_SCOPE.name(argument.name)}{shape_text(argument)}",
        "unit": f"`{_unit(argument)}`",
        "description": _plain(argument.description),
        "rows": " / ".join(f"`{axis}`" for axis in axes if axis),
    }


def _unit(argument: Argument) -> str:
    return unit_text(argument) or ("see elements" if len(set(argument.units)) > 1 else "-")


def _plain(text: str) -> str:
    """Running text in Markdown: the signs that format are escaped by a backslash."""
    return "".join(f"\\{sign}" if sign in "_[]{}()#+-!~^" else sign for sign in comment(text))


def _example(contents: Contents) -> dict[str, object]:
    """Declarations and call of the first function in C, and what C++ declares and gives by the same names."""
    function = contents.functions[0]
    macro = function.c_name.upper()
    names = [C_SCOPE.name(argument.name) for argument in function.arguments]
    sizes = macros(names)
    arrays = [name for name, argument in zip(names, function.arguments, strict=True) if argument.size]
    actual = [name if name in arrays else "NULL" for name in names]
    return {
        "name": function.name,
        "arguments": [
            (name, f"{macro}_{sizes[name]}_SIZE" if argument.shape else "")
            for name, argument in zip(names, function.arguments, strict=True)
        ],
        "arrays": [(name, f"{macro}_{sizes[name]}_SIZE") for name in arrays],
        "call": f"{function.c_name}({', '.join([*actual, 'work' if function.program.work_size else 'NULL'])});",
        "work": f"{macro}_WORK" if function.program.work_size else "",
    }
