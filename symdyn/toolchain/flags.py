"""Compiler flags, each with its reason."""

from __future__ import annotations

import sys

from symdyn.toolchain.find_compiler import Compiler

# Above this many bytes of text, -O3 costs minutes and gains nothing: such files are straight lines without loops.
LARGE_TEXT = 2_000_000

# The same for lanes, which are vectors already: -O3 takes up to three times as long as -O2 and gains nothing but in
# the loops of small files.
LARGE_LANES_TEXT = 100_000


def function_flags(
    compiler: Compiler, *, text_bytes: int, exported: bool, lanes: bool = False, foreign: bool = False
) -> tuple[str, ...]:
    """Flags for the generated C of a local build.

    Parameters
    ----------
    text_bytes
        Size of the source; very long files are compiled at ``-O2``.
    exported
        Whether the functions are called from outside the shared object (ctypes) or from within (extension).
    lanes
        Whether the file works on lanes of states.
    foreign
        Whether the C is another generator's: of any standard, and with products that the compiler may fuse as it likes.

    Notes
    -----
    ``-ffast-math`` is never used: it breaks infinities and signed zeros, and a library linked with it makes the whole
    process flush subnormal numbers. ``-fno-math-errno`` and ``-fno-trapping-math`` change no result.

    Fused multiply-adds are spelled in the C, and with ``-ffp-contract=off`` no compiler adds others of its own.

    GCC 12.2 makes wrong code where it groups eight straight lines into one AVX-512 vector: it takes lanes of their
    neighbours. What gains from vectors is written as such, so that straight lines are left as they are.
    """
    return (
        "-O2" if text_bytes > (LARGE_LANES_TEXT if lanes else LARGE_TEXT) else "-O3",
        *compiler.native,
        *(() if foreign else ("-std=c99",)),
        "-fPIC",
        "-ffp-contract=fast" if foreign else "-ffp-contract=off",
        "-fno-math-errno",
        "-fno-trapping-math",
        *(("-fno-tree-slp-vectorize",) if compiler.kind == "gcc" and not foreign else ()),
        *(() if exported else ("-fvisibility=hidden",)),
        *_family_flags(compiler),
    )


def extension_flags(compiler: Compiler, include_folders: tuple[str, ...]) -> tuple[str, ...]:
    """Flags for the extension module; Python's headers ask for C11."""
    includes = tuple(f"-I{folder}" for folder in include_folders)
    return (
        "-O2",
        "-std=c11",
        "-fPIC",
        "-fvisibility=hidden",
        *_thread_flags(sys.platform),
        *includes,
        *_family_flags(compiler),
    )


def link_flags(compiler: Compiler, *, extension: bool, platform: str = sys.platform) -> tuple[str, ...]:
    """Flags that turn objects into a shared object; on macOS Python's own symbols are found at load time."""
    if platform == "darwin":
        return ("-bundle", "-undefined", "dynamic_lookup") if extension else ("-dynamiclib",)
    return ("-shared", *(_thread_flags(platform) if extension else ()), *_family_flags(compiler), "-lm")


def _thread_flags(platform: str) -> tuple[str, ...]:
    # The extension module shares large batches among threads; the generated functions know none.
    return () if platform == "win32" else ("-pthread",)


def _family_flags(compiler: Compiler) -> tuple[str, ...]:
    # zig's driver instruments for undefined behaviour unless told not to, and then needs its run-time library.
    return ("-fno-sanitize=undefined",) if compiler.kind == "zig" else ()
