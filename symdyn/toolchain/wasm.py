"""Generated C as a WebAssembly module, by the compiler of the ziglang wheel.

WebAssembly has no fused multiply-adds, so the C takes two roundings for each, as on a processor without them.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Sequence
from importlib.metadata import version

from symdyn.compiler.emit.source import SourceFile
from symdyn.errors import ToolchainError
from symdyn.interface.distribution import installing
from symdyn.interface.manifest import Manifest
from symdyn.toolchain.build import built
from symdyn.toolchain.build_plan import BuildPlan
from symdyn.toolchain.find_compiler import Compiler

TARGET = "--target=wasm32-wasi"
"""With the C library of WASI for tanh, exp and pow; nothing is imported from where the module runs."""
_COMPILE = ("-O2", "-std=c99", "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math", "-fno-sanitize=undefined")
_STACK = 4 * 1024 * 1024
_LINK = (
    "-mexec-model=reactor",  # there is no main
    "-Wl,--strip-all",
    f"-Wl,-z,stack-size={_STACK}",
    "-Wl,--export=__heap_base",
)


def wasm_module(
    files: Sequence[SourceFile],
    manifest: Manifest,
    exported: Sequence[str],
    progress: Callable[[int, int], None] | None = None,
) -> bytes:
    """The functions of a generated folder as one WebAssembly module; kept in the cache by content.

    Parameters
    ----------
    files, manifest
        Those of a module in C.
    exported
        C functions that can be called from outside; others stay if these call them.
    progress
        Called with (commands done, commands in all).

    Raises
    ------
    ToolchainError
        ziglang is not installed, or cannot be run.
    """
    compiler = _zig()
    texts = {file.path: file.text for file in files}
    names = (*manifest.sources, *manifest.calling_sources)
    texts = {name: texts[name] for name in (manifest.header, *names)}
    exports = [f"-Wl,--export={name}" for name in sorted(exported)]
    product = f"{manifest.identifier}.wasm"
    # One command: zig takes a second to begin, and compiles files side by side.
    make = (*compiler.command, TARGET, *_COMPILE, *_LINK, *exports, "-o", product, *names)
    entry, _ = built(BuildPlan(texts, (), make, product), compiler, (), "wasm", manifest, progress)
    try:
        return entry.path.read_bytes()
    except OSError as failure:
        raise ToolchainError(f"{entry.path.parent} was removed while it was read; try again") from failure


def _zig() -> Compiler:
    if importlib.util.find_spec("ziglang") is None:
        raise ToolchainError(f"WebAssembly is compiled by ziglang, which is not installed; {installing('cc')}")
    return Compiler((sys.executable, "-m", "ziglang", "cc"), "zig", f"zig {version('ziglang')}")
