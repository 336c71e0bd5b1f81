"""Compile and open the library of external functions by which CasADi calls steps of a compiled module."""

from __future__ import annotations

import ctypes

from symdyn.compiler.emit.casadi_steps import emit_steps
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
"""Libraries by the content of what they call: they stay open, because graphs call them."""


def opened_steps(module: CompiledFunctions) -> str:
    """The library of external functions, which knows where the compiled ones are."""
    manifest = module.manifest
    cache.sweep()
    file, compiler = emit_steps(manifest), find_compiler()
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
    if manifest.content_hash not in _BOUND:
        library = ctypes.CDLL(path)
        bind = library[f"{manifest.identifier}_bind"]
        bind.argtypes = [ctypes.c_size_t, ctypes.c_void_p]
        addresses = addresses_apart(str(module.path), manifest)
        for number, entry in enumerate(step_calls(manifest)):
            bind(number, addresses[entry.python_name][0])
        _BOUND[manifest.content_hash] = library
    return path
