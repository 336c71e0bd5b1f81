"""Compile and open libraries of external functions by which CasADi calls steps and rollouts of a compiled module."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

from symdyn.compiler.emit.casadi_steps import emit_steps
from symdyn.compiler.emit.source import SourceFile
from symdyn.interface.contact_calls import step_calls
from symdyn.toolchain import cache
from symdyn.toolchain.build import built
from symdyn.toolchain.build_plan import BuildPlan
from symdyn.toolchain.dialects import shared_suffix
from symdyn.toolchain.find_compiler import find_compiler
from symdyn.toolchain.flags import compile_command, extension_flags, link_command, object_name
from symdyn.toolchain.maker import CompiledFunctions
from symdyn.toolchain.steppers import addresses_apart

KIND = "casadi-steps"
"""What a record calls a library of external functions of steps."""

_BOUND: dict[str, ctypes.CDLL] = {}
"""Libraries by their paths: they stay open, because graphs call them."""


def opened_steps(module: CompiledFunctions) -> str:
    """The library of external functions of steps, which knows where the compiled ones are."""
    names = [entry.python_name for entry in step_calls(module.manifest)]
    addresses = addresses_apart(str(module.path), module.manifest)
    return opened(module, emit_steps(module.manifest), [addresses[name][0] for name in names])


def opened(module: CompiledFunctions, file: SourceFile, places: Sequence[int]) -> str:
    """The library of a C file, whose ``.._bind`` was told where what it calls is, by numbers."""
    manifest = module.manifest
    cache.sweep()
    compiler = find_compiler()
    product = f"{file.path.removesuffix('.c')}{shared_suffix(compiler.system, extension=False)}"
    made = object_name(compiler, 0)
    flags = extension_flags(compiler, ())
    plan = BuildPlan(
        {file.path: file.text},
        (compile_command(compiler, flags, file.path, made),),
        link_command(compiler, product, [made], extension=True),
        product,
    )
    path = str(built(plan, compiler, (), KIND, manifest)[0].path)
    if path not in _BOUND:
        library = ctypes.CDLL(path)
        bind = library[f"{manifest.identifier}_bind"]
        bind.argtypes = [ctypes.c_size_t, ctypes.c_void_p]
        for number, place in enumerate(places):
            bind(number, place)
        _BOUND[path] = library
    return path
