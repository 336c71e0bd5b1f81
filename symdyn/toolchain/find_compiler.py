"""Find a C compiler that really makes shared objects here.

Compilers that were tried before are known by the files that they are, because trying one takes as long as loading a
module. Each answer lies in the cache under the command, the file that it starts, and every compiler on the path, for a
wrapper such as ccache starts one of those. A command with arguments may start anything, and is tried by each process.
"""

from __future__ import annotations

import functools
import importlib.util
import json
import os
import shlex
import shutil
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from symdyn.errors import ToolchainError
from symdyn.interface import processor
from symdyn.interface.distribution import installing
from symdyn.toolchain import cache, remembered
from symdyn.toolchain.dialects import SYSTEM, Kind, dialect_of, shared_suffix
from symdyn.warning import warn

_ROOM = "compilers"
_STARTED = ("cc", "gcc", "clang", "as", "ld")
"""What wrappers and drivers start by name."""


def recall_probe(command: tuple[str, ...], path: str) -> dict[str, Any] | None:
    """The fields of a compiler that a trial of that command told, or None; lists are tuples again."""
    address = _address(command, path)
    data = remembered.recall_bytes(_ROOM, address) if address else None
    told = {} if data is None else json.loads(data)
    return {name: tuple(own) if isinstance(own, list) else own for name, own in told.items()} or None


def remember_probe(command: tuple[str, ...], path: str, told: Mapping[str, Any]) -> None:
    """Keep what a trial of a command told."""
    address = _address(command, path)
    if address:
        remembered.remember_bytes(_ROOM, address, json.dumps(told).encode())


def _address(command: tuple[str, ...], path: str) -> str:
    stamps = [_stamp(Path(command[0])), *_others(path)]
    if len(command) > 1 or os.name != "posix" or not stamps[0]:
        return ""
    return remembered.address([*command, processor.cpu_features(), *stamps])


def _others(path: str) -> Iterator[str]:
    for folder in path.split(os.pathsep):
        yield from (stamp for name in _STARTED if (stamp := _stamp(Path(folder) / name)))


def _stamp(file: Path) -> str:
    """The file that a name leads to, its number, size and clocks; empty where it leads nowhere."""
    try:
        own = file.stat()
        return f"{file.resolve()} {own.st_ino} {own.st_size} {own.st_mtime_ns} {own.st_ctime_ns}"
    except (OSError, RuntimeError):
        return ""


PROBE_TIMEOUT_S = 120.0
# clang for ARM knows the second spelling only; a compiler that knows neither still compiles, for a plain CPU.
_NATIVE = (("-march=native",), ("-mcpu=native",), ())
_PROBE = (
    "#include <math.h>\n#include <stddef.h>\ndouble symdyn_probe(const double *x) { return sqrt(x[0]) + sin(x[1]); }\n"
)
_CL_BANNER = "Microsoft (R) C/C++"
"""What ``cl`` says of itself, also where it refuses ``--version``."""


@dataclass(frozen=True, slots=True)
class Compiler:
    """A C compiler: the command to start it, its family, its first line of ``--version``, its flags for this CPU.

    ``system`` is what it compiles for, by the names of ``sys.platform``.
    """

    command: tuple[str, ...]
    kind: Kind
    version: str
    native: tuple[str, ...] = ()
    system: str = SYSTEM


def find_compiler() -> Compiler:
    """The first compiler that links a shared object: ``$CC``, ``cc``, ``gcc``, ``clang``, then the ziglang wheel's.

    On Windows ``cl`` and ``clang-cl`` come before these, where a developer's command prompt has put them on the path.

    ``$CC`` may hold arguments. Every candidate compiles and links a probe; the answer is kept for the process as long
    as ``$CC`` and ``$PATH`` stay the same.

    Raises
    ------
    ToolchainError
        No candidate works; the message lists each one with the reason, and what to install.
    """
    return _find(os.environ.get("CC", "").strip(), os.environ.get("PATH", ""))


@functools.lru_cache(maxsize=16)
def _find(cc: str, path: str) -> Compiler:
    tried: list[str] = []
    for label, command in _candidates(cc):
        program = shutil.which(command[0], path=path)
        if program is None:
            reason: str | Compiler = "not found"
        else:
            reason = _known((program, *command[1:]), path)
        if isinstance(reason, Compiler):
            if cc and tried:
                warn(f"$CC does not work ({tried[0]}); {label} is used instead")
            return reason
        tried.append(f"{label}: {reason}")
    raise ToolchainError(
        f"no working C compiler; tried {'; '.join(tried)}. Install one ({_remedy()}, or {installing('cc')}), "
        "or point $CC to one; the Python target (target='python') needs none"
    )


def _remedy() -> str:
    """How a compiler is had on this system."""
    if SYSTEM == "win32":
        return "the Build Tools for Visual Studio, and start from their developer's command prompt"
    return "xcode-select --install" if SYSTEM == "darwin" else "apt install gcc"


def _candidates(cc: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    if cc:
        try:
            words = _words(cc)
        except ValueError as failure:
            raise ToolchainError(f"$CC is {cc!r}, expected a command with arguments ({failure})") from None
        yield f"$CC ({cc})", words
    for name in (*(("cl", "clang-cl") if SYSTEM == "win32" else ()), "cc", "gcc", "clang"):
        yield name, (name,)
    if importlib.util.find_spec("ziglang") is not None:
        yield "python -m ziglang cc", (sys.executable, "-m", "ziglang", "cc")


def _words(cc: str) -> tuple[str, ...]:
    """The words of a command line; on Windows backslashes are parts of paths."""
    if SYSTEM != "win32":
        return tuple(shlex.split(cc))
    return tuple(word.strip("\"'") for word in shlex.split(cc, posix=False))


def _known(command: tuple[str, ...], path: str) -> Compiler | str:
    """As :func:`_probe`, from the cache where the same files were tried before."""
    told = recall_probe(command, path)
    if told is not None:
        return Compiler(**told)
    found = _probe(command)
    if isinstance(found, Compiler):
        remember_probe(command, path, {field.name: getattr(found, field.name) for field in fields(found)})
    return found


def confirm(compiler: Compiler) -> None:
    """Try a compiler once more after it failed: a part of it may be gone since it was tried.

    Raises
    ------
    ToolchainError
        It does not work any more.
    """
    found = _probe(compiler.command)
    if isinstance(found, str):
        raise ToolchainError(f"the compiler {shlex.join(compiler.command)} does not work any more: {found}; mend it")


def _probe(command: tuple[str, ...]) -> Compiler | str:
    """Link a shared object that calls libm; the reason where that fails."""
    with cache.build_folder() as folder:
        version = _run((*command, "--version"), folder)
        if version.code != 0 and _CL_BANNER not in version.output:
            return version.summary
        kind = _kind(command, version.output)
        lines = [line for line in version.output.splitlines() if kind != "msvc" or _CL_BANNER in line]
        product = f"probe{shared_suffix(SYSTEM, extension=False)}"
        with cache.writing():
            (folder / "probe.c").write_text(_PROBE, encoding="utf-8")
        for native in _NATIVE if kind != "msvc" else ((),):
            draft = Compiler(command, kind, lines[0] if lines else "", native)
            result = _run(_probing(draft, product), folder)
            if result.code == 0 and (folder / product).is_file():
                return draft
        return result.summary


def _probing(compiler: Compiler, product: str) -> tuple[str, ...]:
    """The command that links the probe."""
    words = dialect_of(compiler.kind)
    if words.product != "-o":
        return (*compiler.command, *words.common, *words.short, *compiler.native, "/LD", "probe.c", f"/Fe{product}")
    system = () if SYSTEM == "win32" else ("-fPIC",)
    mathematics = () if SYSTEM == "win32" else ("-lm",)
    named = (words.product, product, "probe.c")
    return (*compiler.command, *words.short, *compiler.native, *system, "-shared", *named, *mathematics)


@dataclass(frozen=True, slots=True)
class _Answer:
    code: int | None
    output: str

    @property
    def summary(self) -> str:
        if self.code is None:
            return f"no answer in {PROBE_TIMEOUT_S:g} s"
        first = next((line for line in self.output.splitlines() if line.strip()), "no message")
        return f"cannot link a shared object (exit code {self.code}: {first})"


def _run(arguments: tuple[str, ...], folder: Path) -> _Answer:
    from symdyn.toolchain.run_commands import Command, run_commands  # a compiler that is known is not tried

    try:
        [outcome] = run_commands([Command(arguments, folder)], timeout=PROBE_TIMEOUT_S, workers=1)
    except OSError as failure:
        return _Answer(127, str(failure))
    return _Answer(outcome.code, outcome.output)


def _kind(command: tuple[str, ...], version: str) -> Kind:
    names = [Path(word).name.lower() for word in command]
    if _CL_BANNER in version:
        return "msvc"
    if names[0].startswith("clang-cl") or "--driver-mode=cl" in command:
        return "clang-cl"
    if "ziglang" in names or (names[0].startswith("zig") and "cc" in names):
        return "zig"
    if "clang" in version.lower():
        return "clang"
    if "Free Software Foundation" in version:
        return "gcc"
    return "other"
