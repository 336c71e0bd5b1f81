"""How each family of compilers spells what builds ask for, and how shared objects end on each system."""

from __future__ import annotations

import sys
import sysconfig
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

SYSTEM: str = sys.platform
"""The system that this runs on."""

Kind = Literal["gcc", "clang", "zig", "msvc", "clang-cl", "other"]
"""Families: ``msvc`` is Microsoft's ``cl``, ``clang-cl`` is clang with the options of ``cl``."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """The words of a family.

    ``separate`` keeps products and sums apart, ``fused`` lets the compiler fuse them as it likes, and ``quiet`` are
    options that change no result. ``source``, ``object`` and ``product`` come before the names of files.
    """

    longest: tuple[str, ...]
    short: tuple[str, ...]
    c99: tuple[str, ...]
    c11: tuple[str, ...]
    separate: tuple[str, ...]
    fused: tuple[str, ...]
    quiet: tuple[str, ...]
    hidden: tuple[str, ...]
    source: tuple[str, ...]
    object: str
    object_suffix: str
    product: str
    common: tuple[str, ...] = ()


_UNIX = Dialect(
    longest=("-O3",),
    short=("-O2",),
    c99=("-std=c99",),
    c11=("-std=c11",),
    separate=("-ffp-contract=off",),
    fused=("-ffp-contract=fast",),
    quiet=("-fno-math-errno", "-fno-trapping-math"),
    hidden=("-fvisibility=hidden",),
    source=("-c",),
    object="-o",
    object_suffix=".o",
    product="-o",
)
# cl has no C99 mode: C11 is where it knows `restrict`. It fuses nothing under /fp:precise, and has no fused operations
# without /arch:AVX2, which is not asked for: before Visual Studio 2022 the two together fuse products.
_MSVC = Dialect(
    longest=("/O2",),
    short=("/O2",),
    c99=("/std:c11",),
    c11=("/std:c11",),
    separate=("/fp:precise",),
    fused=("/fp:precise",),
    quiet=("/utf-8",),
    hidden=(),
    source=("/c",),
    object="/Fo",
    object_suffix=".obj",
    product="/Fe",
    common=("/nologo",),
)
_CLANG_CL = Dialect(
    longest=("/O2", "/clang:-O3"),
    short=("/O2",),
    c99=("/clang:-std=c99",),
    c11=("/std:c11",),
    separate=("/clang:-ffp-contract=off",),
    fused=("/clang:-ffp-contract=fast",),
    quiet=("/clang:-fno-math-errno", "/clang:-fno-trapping-math"),
    hidden=(),
    source=("/c",),
    object="/Fo",
    object_suffix=".obj",
    product="/Fe",
    common=("/nologo",),
)
_DIALECTS: dict[str, Dialect] = {"msvc": _MSVC, "clang-cl": _CLANG_CL}


def dialect_of(kind: Kind) -> Dialect:
    """The words of a family; those of Unix compilers for all but ``cl`` and ``clang-cl``."""
    return _DIALECTS.get(kind, _UNIX)


def product_of(words: Sequence[str]) -> str:
    """What a command line of any dialect makes."""
    for dialect in (_UNIX, _MSVC):
        for option in (dialect.object, dialect.product):
            for place, word in enumerate(words):
                if option == "-o" and word == option:
                    return words[place + 1]
                if option != "-o" and word.startswith(option):
                    return word.removeprefix(option)
    raise ValueError(f"{' '.join(words)} names no file to make")


_SUFFIXES = {"win32": (".pyd", ".dll"), "darwin": (".so", ".dylib")}
"""How extension modules and libraries end, where it is not .so; a cross build cannot ask this Python."""


def shared_suffix(system: str, *, extension: bool) -> str:
    """How the name of a shared object ends on a system, by the names of ``sys.platform``."""
    if system == SYSTEM:
        own = sysconfig.get_config_var("EXT_SUFFIX" if extension else "SHLIB_SUFFIX")
        if own:
            return str(own)
    return _SUFFIXES.get(system, (".so", ".so"))[0 if extension else 1]
