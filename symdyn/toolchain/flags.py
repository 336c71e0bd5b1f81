"""Compiler flags, each with its reason."""

from __future__ import annotations

from collections.abc import Sequence

from symdyn.toolchain.dialects import dialect_of
from symdyn.toolchain.find_compiler import Compiler

# Above this many bytes of text, -O3 costs minutes and gains nothing: such files are straight lines without loops.
LARGE_TEXT = 2_000_000

# Above this many, gcc looks for common subexpressions in registers for a sixth of its time, and calls gain nothing:
# they were found before the C was written.
LARGE_KERNELS_TEXT = 500_000

# Above this many, gcc looks for stores that are not read, and for loads of what a register has, for up to a quarter of
# its time, and finds next to none: most machine code is the same without; else a load in 16000 instructions differs.
LARGE_STORES_TEXT = 100_000

# As LARGE_TEXT for lanes, which are vectors already: -O3 takes up to three times as long as -O2 and gains nothing but
# in the loops of small files.
LARGE_LANES_TEXT = 100_000

_GCC_CALLER = ("-O1", "-finline-small-functions", "-foptimize-sibling-calls")

EXPORTS = "exports.def"
"""Lists what a library offers, for linkers on Windows; those of other systems offer every function."""


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
    words = dialect_of(compiler.kind)
    own_gcc = compiler.kind == "gcc" and not foreign
    return (
        *(words.short if text_bytes > (LARGE_LANES_TEXT if lanes else LARGE_TEXT) else words.longest),
        *compiler.native,
        *(() if foreign else words.c99),
        *_position_flags(compiler),
        *(words.fused if foreign else words.separate),
        *words.quiet,
        *(("-fno-tree-slp-vectorize",) if own_gcc else ()),
        *(("-fno-tree-dse", "-fno-gcse-after-reload") if own_gcc and text_bytes > LARGE_STORES_TEXT else ()),
        *(("-fno-gcse",) if own_gcc and text_bytes > LARGE_KERNELS_TEXT else ()),
        *(() if exported else words.hidden),
        *_family_flags(compiler),
    )


def extension_flags(compiler: Compiler, include_folders: tuple[str, ...]) -> tuple[str, ...]:
    """Flags for the extension module; Python's headers ask for C11.

    With GCC 12 what turns a call into one of C compiles in 0.7 of the time of ``-O2``. A call takes as long: within
    2 % for arrays that fit, 0.9 of it with ``out=``, 1.01 for lists.
    """
    words = dialect_of(compiler.kind)
    return (
        *(_GCC_CALLER if compiler.kind == "gcc" else words.short),
        *words.c11,
        *_position_flags(compiler),
        *words.hidden,
        *_thread_flags(compiler),
        *(f"-I{folder}" for folder in include_folders),
        *_family_flags(compiler),
    )


def object_name(compiler: Compiler, stem: str | int) -> str:
    """The name of an object file."""
    return f"{stem}{dialect_of(compiler.kind).object_suffix}"


def compile_command(compiler: Compiler, flags: Sequence[str], source: str, target: str) -> tuple[str, ...]:
    """The command that makes an object of a source."""
    words = dialect_of(compiler.kind)
    made = (words.object, target) if words.object == "-o" else (f"{words.object}{target}",)
    return (*compiler.command, *words.common, *flags, *words.source, source, *made)


def link_command(
    compiler: Compiler,
    product: str,
    inputs: Sequence[str],
    *,
    extension: bool,
    flags: Sequence[str] = (),
    libraries: Sequence[str] = (),
    exports: bool = False,
) -> tuple[str, ...]:
    """The command that makes a shared object.

    Parameters
    ----------
    product
        The name of what is made.
    inputs
        Objects, and sources to compile with ``flags`` on the way.
    extension
        Whether Python imports it.
    libraries
        Paths of libraries to link: on Windows that of Python, for an extension.
    exports
        Whether a file ``EXPORTS`` lists functions that it offers, on Windows.
    """
    words = dialect_of(compiler.kind)
    listed = (EXPORTS,) if exports else ()
    if words.product != "-o":
        linked = (*(f"/DEF:{path}" for path in listed), *libraries)
        made = f"{words.product}{product}"
        return (*compiler.command, *words.common, *flags, "/LD", *inputs, made, *(("/link", *linked) if linked else ()))
    return (
        *compiler.command,
        *flags,
        words.product,
        product,
        *inputs,
        *listed,
        *libraries,
        *link_flags(compiler, extension=extension),
    )


def exports_text(names: Sequence[str]) -> str:
    """The text of ``EXPORTS`` for functions by their C names."""
    return "".join(f"{line}\n" for line in ("EXPORTS", *(f"  {name}" for name in names)))


def link_flags(compiler: Compiler, *, extension: bool) -> tuple[str, ...]:
    """Flags that turn objects into a shared object; on macOS Python's own symbols are found at load time."""
    if compiler.system == "darwin":
        if not extension:
            return ("-dynamiclib", *_family_flags(compiler))
        # zig makes no bundles, and Python imports a library as well.
        form = "-dynamiclib" if compiler.kind == "zig" else "-bundle"
        return (form, "-undefined", "dynamic_lookup", *_family_flags(compiler))
    mathematics = () if compiler.system == "win32" else ("-lm",)
    return ("-shared", *(_thread_flags(compiler) if extension else ()), *_family_flags(compiler), *mathematics)


def _position_flags(compiler: Compiler) -> tuple[str, ...]:
    # Code for Windows may lie anywhere as it is, and clang refuses the flag there.
    return () if compiler.system == "win32" else ("-fPIC",)


def _thread_flags(compiler: Compiler) -> tuple[str, ...]:
    # The extension module shares large batches among threads; the generated functions know none.
    return () if compiler.system == "win32" else ("-pthread",)


def _family_flags(compiler: Compiler) -> tuple[str, ...]:
    # zig's driver instruments for undefined behaviour unless told not to, and then needs its run-time library.
    return ("-fno-sanitize=undefined",) if compiler.kind == "zig" else ()
