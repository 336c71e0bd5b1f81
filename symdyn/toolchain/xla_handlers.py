"""Compile and register the handlers by which XLA calls a compiled module."""

from __future__ import annotations

import ctypes
import importlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from symdyn.compiler.emit.xla import emit_handlers, handler_name
from symdyn.errors import ToolchainError
from symdyn.interface.manifest import Manifest
from symdyn.interface.rollout_calls import calls_apart
from symdyn.toolchain import cache
from symdyn.toolchain.build import built
from symdyn.toolchain.build_plan import BuildPlan
from symdyn.toolchain.dialects import shared_suffix
from symdyn.toolchain.find_compiler import find_compiler
from symdyn.toolchain.flags import compile_command, extension_flags, link_command, object_name
from symdyn.toolchain.maker import CompiledFunctions
from symdyn.toolchain.record import Entry
from symdyn.toolchain.shares import processors
from symdyn.toolchain.steppers import addresses_apart

KIND = "xla"
"""What a record calls a library of handlers."""

_ELSEWHERE = ("CUDA", "ROCM")
"""Platforms on which calls are refused, by XLA's names."""


@dataclass(frozen=True, slots=True)
class Handlers:
    """A library of handlers in this process, and the names by which XLA knows them, by functions."""

    library: ctypes.CDLL
    identifier: str
    targets: Mapping[str, str]

    def set_threads(self, count: int) -> None:
        """As ``set_threads`` of a module."""
        self.library[f"{self.identifier}_set_threads"](ctypes.c_int(count or processors()))


_REGISTERED: dict[str, Handlers] = {}
"""Handlers by the content of what they call: XLA takes a name once in a process."""


def registered(module: CompiledFunctions, ffi: Any) -> Handlers:
    """The handlers of a compiled module, known to XLA.

    Parameters
    ----------
    module
        A module with compiled C.
    ffi
        ``jax.ffi``.

    Raises
    ------
    ToolchainError
        No working compiler, or a library that cannot be loaded here.
    """
    manifest = module.manifest
    if manifest.content_hash not in _REGISTERED:
        handlers = _loaded(_compiled(manifest, ffi), manifest)
        addresses = {**module.addresses(), **addresses_apart(str(module.path), manifest)}
        bind = handlers.library[f"{manifest.identifier}_bind"]
        bind.argtypes = [ctypes.c_size_t, ctypes.c_void_p, ctypes.c_void_p]
        for number, entry in enumerate((*manifest.functions, *calls_apart(manifest))):
            bind(number, *addresses[entry.python_name])
            name, target = handler_name(entry), handlers.targets[entry.python_name]
            _register(ffi, target, handlers.library[name], "cpu")
            for platform in _ELSEWHERE:
                _register(ffi, target, handlers.library[f"{name}_elsewhere"], platform)
        _REGISTERED[manifest.content_hash] = handlers
    handlers = _REGISTERED[manifest.content_hash]
    module.tell_threads(handlers.set_threads)
    return handlers


def _register(ffi: Any, target: str, handler: Any, platform: str) -> None:
    ffi.register_ffi_target(target, ffi.pycapsule(handler), platform=platform)


def _compiled(manifest: Manifest, ffi: Any) -> Entry:
    """The library in the cache; another jaxlib is another library."""
    cache.sweep()
    file, compiler = emit_handlers(manifest), find_compiler()
    product = f"{file.path.removesuffix('.c')}{shared_suffix(compiler.system, extension=False)}"
    made = object_name(compiler, 0)
    flags = extension_flags(compiler, (ffi.include_dir(),))
    plan = BuildPlan(
        {file.path: file.text},
        (compile_command(compiler, flags, file.path, made),),
        link_command(compiler, product, [made], extension=True),
        product,
    )
    jaxlib = importlib.import_module("jaxlib").__version__
    return built(plan, compiler, (jaxlib,), KIND, manifest)[0]


def _loaded(entry: Entry, manifest: Manifest) -> Handlers:
    try:
        library = ctypes.CDLL(str(entry.path))
    except OSError as failure:
        raise ToolchainError(
            f"{entry.path} cannot be loaded as the handlers of robot {manifest.robot!r} ({failure}); remove it, and "
            "call again"
        ) from None
    content = manifest.content_hash[:16]
    targets = {
        own.python_name: f"symdyn_{own.c_name}_{content}" for own in (*manifest.functions, *calls_apart(manifest))
    }
    return Handlers(library, manifest.identifier, targets)
