"""``symdyn compile``: generate, build and show how to import the module."""

from __future__ import annotations

from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

from symdyn.interface.options import GenerateOptions

from . import options, terminal


def run(
    *,
    robot: options.RobotName,
    asked: GenerateOptions,
    out: options.CodeFolder = None,
    load: options.Loading,
) -> None:
    """Generate and build a module. It runs on this machine, from Python and from C."""
    import symdyn
    from symdyn.errors import RequestError
    from symdyn.interface.targets import FMU, find_target
    from symdyn.toolchain.compile_and_load import build_into
    from symdyn.toolchain.fmu import pack
    from symdyn.toolchain.folder import read_manifest

    from .counts import show_functions

    tool = find_target(asked.target).opened_by
    if tool:
        raise RequestError(
            f"a library for {tool} is made by symdyn.compile with target='{asked.target}', or by the CMake project "
            "that symdyn generate writes"
        )
    if not find_target(asked.target).has_c:
        raise RequestError(f"target '{asked.target}' needs no compiler; symdyn generate writes it")
    with terminal.working_on(f"generating {robot}") as tell:
        folder = Path(symdyn.generate(load.load(robot), out=out, **options.asked(asked)))

        def compiling(done: int, files: int) -> None:
            tell(f"compiling, {done} of {files} files", done, files)

        extension = build_into(folder, compiling)
        unit = pack(folder, binary=True, progress=compiling) if asked.target == FMU.name else None
    terminal.line(extension)
    if unit is not None:
        terminal.line(unit)
    name = read_manifest(folder).identifier
    terminal.line(f"import symdyn; {name} = symdyn.open({str(folder.resolve())!r})")
    terminal.line(_import_line(extension, name))
    show_functions(folder)


def _import_line(library: Path, name: str) -> str:
    stem, _, suffix = library.name.partition(".")
    if f".{suffix}" not in EXTENSION_SUFFIXES:
        return "a plain library, for C and ctypes: Python's or NumPy's headers were missing"
    return (
        f"import sys; sys.path.insert(0, {str(library.parent.resolve())!r}); import {stem} as {name}  # without symdyn"
    )
