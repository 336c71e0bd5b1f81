"""Programs to a whole folder of source files, with the manifest that describes it.

The README of a generated module: what it is, how to call it, what each argument holds.
"""

from __future__ import annotations

import importlib
import keyword
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from symdyn.compiler.emit.arguments import count_text, option_lines, row_items, shape_text, total, unit_text
from symdyn.compiler.emit.c.lanes_body import lane_count, workspace_sizes
from symdyn.compiler.emit.c.lanes_files import SUFFIX, batch_work, lanes_macro
from symdyn.compiler.emit.contents import C_SCOPE, SCALARS, Contents, Function
from symdyn.compiler.emit.docstrings import PYTHON_SCOPE, title
from symdyn.compiler.emit.names import Mangler, comment, macros
from symdyn.compiler.emit.render import render
from symdyn.compiler.emit.solvers.emit import solver_declarations, solver_entries
from symdyn.compiler.emit.source import SourceFile
from symdyn.compiler.emit.steppers.contact_partials import partials_entry
from symdyn.compiler.emit.steppers.emit import declarations, steppers_of, work_size
from symdyn.compiler.emit.tree.check import check_program
from symdyn.compiler.emit.tree.loops import form_tree
from symdyn.compiler.emit.tree.varying import varying_buffers
from symdyn.compiler.tape.program import Program
from symdyn.errors import InternalError, RequestError
from symdyn.interface.manifest import (
    FILE_NAME,
    ROBOT_FILE,
    FunctionEntry,
    Manifest,
    StepperEntry,
    text_digest,
)
from symdyn.interface.signature import Argument, role_of
from symdyn.interface.solving import Solving
from symdyn.interface.state_space import StateSpace
from symdyn.interface.stepping import Stepping
from symdyn.interface.targets import DTYPES, Target, find_target


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


def emit_module(
    programs: tuple[Program, ...],
    *,
    robot: str,
    version: str,
    target: str,
    load_options: Mapping[str, Any],
    robot_yaml: str,
    asked: Mapping[str, Any] | None = None,
    stepping: Stepping | None = None,
    name: str | None = None,
    frames: tuple[str, ...] = (),
    state: StateSpace | None = None,
    solving: Solving | None = None,
    rows: tuple[int, int] | None = None,
) -> tuple[SourceFile, ...]:
    """Write every file of a generated module.

    Parameters
    ----------
    programs
        One per function, of different functions and one dtype.
    robot
        The robot's name as the user wrote it; file and function names are made of it by the mangler.
    version
        Version of symdyn.
    target
        The name of one of ``symdyn.interface.targets``.
    load_options
        What ``load`` was told, as plain data for the manifest.
    robot_yaml
        The resolved robot, kept as ``robot.yaml``.
    asked
        What ``generate`` was told, as plain data for the manifest: what it takes to write the same files again.
    stepping
        The steppers that are asked for, of functions among the programs.
    name
        An identifier that file and function names are made of, in place of the robot's.
    frames
        The frames that functions have rows of; their numbers become macros in C.
    state
        Where the robot starts, for targets that tell it.
    solving
        The solvers that are asked for, of functions among the programs.
    rows
        How many q and v have; they become macros in C.

    Returns
    -------
    The sources, ``robot.yaml``, ``README.md`` and ``manifest.json``, ordered by path.

    Raises
    ------
    RequestError
        An unknown target, a name that is no identifier, no function, a function asked for twice, an unknown dtype, a
        constant beyond float32.
    InternalError
        A program that breaks its own contract.
    """
    chosen = find_target(target)
    empty = Contents(robot, version, "", (), stepping, name, frames, state, chosen.headers, solving, rows)
    contents = _contents(programs, empty)
    files = [*_written(chosen, contents), SourceFile(ROBOT_FILE, robot_yaml), emit_readme(contents, chosen)]
    files.append(SourceFile(FILE_NAME, _manifest(contents, chosen, load_options, asked or {}, files).to_json()))
    return tuple(sorted(files, key=lambda file: file.path))


def _written(target: Target, contents: Contents) -> Iterator[SourceFile]:
    """What the back ends of a target write, each loaded where it is called."""
    for name in target.back_ends:
        for file in importlib.import_module(f"symdyn.compiler.emit.{name}").emit(contents):
            if not target.may_write(file.path, contents.identifier):
                raise InternalError(f"target '{target.name}' does not tell of its file '{file.path}'")
            yield file


def _contents(programs: tuple[Program, ...], empty: Contents) -> Contents:
    if not programs:
        raise RequestError("expected at least one function to generate, got none")
    names = [program.signature.function for program in programs]
    dtypes = sorted({program.dtype for program in programs})
    for name in names:
        if names.count(name) > 1:
            raise RequestError(f"function '{name}' is asked for twice; name it once")
        if not (name.isascii() and name.isidentifier()) or keyword.iskeyword(name):
            raise InternalError(f"function '{name}' cannot be the name of a function in C and Python")
    if len(dtypes) != 1:
        raise InternalError(f"expected programs of one dtype, got {', '.join(dtypes)}")
    if dtypes[0] not in DTYPES:
        raise RequestError(f"dtype '{dtypes[0]}' is not known; expected one of {', '.join(DTYPES)}")
    for program in programs:
        check_program(program)
    prefixed = Mangler(prefix=f"{empty.identifier}_")
    functions = [
        Function(program, role_of(name) + prefixed.name(name.removeprefix(role_of(name))), form_tree(program))
        for program, name in zip(programs, names, strict=True)
    ]
    return replace(empty, dtype=dtypes[0], functions=tuple(functions))


def _batch_work(function: Function, scalar: str) -> int:
    sizes = workspace_sizes(function.program, scalar, varying_buffers(function.program))
    return batch_work(function, sum(sizes), scalar)


def _manifest(
    contents: Contents,
    target: Target,
    load_options: Mapping[str, Any],
    asked: Mapping[str, Any],
    files: Iterable[SourceFile],
) -> Manifest:
    entries = tuple(
        FunctionEntry(
            function.signature,
            function.c_name,
            function.name,
            function.program.work_size,
            function.program.layout,
            function.counts,
            total(function.counts),
            _batch_work(function, SCALARS[contents.dtype]) if target.has_c else 0,
        )
        for function in contents.functions
    )
    return Manifest(
        contents.robot,
        contents.identifier,
        contents.version,
        target.name,
        contents.dtype,
        entries,
        tuple(f"{function.c_name}.c" for function in contents.functions) if target.is_compiled else (),
        f"{contents.identifier}.h" if target.is_compiled else "",
        contents.fp_contract,
        load_options,
        tuple(f"{function.c_name}{SUFFIX}" for function in contents.functions) if target.has_c else (),
        {file.path: text_digest(file.text) for file in files},
        asked,
        tuple(
            StepperEntry(
                stepper.method, stepper.c_name, stepper.moved_by.name, work_size(stepper), *partials_entry(stepper)
            )
            for stepper in steppers_of(contents)
        ),
        solver_entries(contents),
    )
