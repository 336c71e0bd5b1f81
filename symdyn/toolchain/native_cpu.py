"""Which of the processors that layouts are chosen for this machine has, by what its compiler defines for it."""

from __future__ import annotations

import functools
import re

from symdyn.errors import ToolchainError
from symdyn.interface.cpus import CPUS, NATIVE
from symdyn.toolchain import cache
from symdyn.toolchain.find_compiler import PROBE_TIMEOUT_S, Compiler, find_compiler
from symdyn.toolchain.run_commands import Command, run_commands


def native_cpu() -> str:
    """The name of this machine's processor among ``interface.cpus.CPUS``: what the generated C would see here, too.

    Raises
    ------
    ToolchainError
        There is no compiler to ask, or the processor is none of those.
    """
    return _cpu_of(find_compiler())


@functools.lru_cache(maxsize=16)
def _cpu_of(compiler: Compiler) -> str:
    with cache.build_folder() as folder:
        with cache.writing():
            (folder / "empty.c").write_text("")
        arguments = (*compiler.command, *compiler.native, "-dM", "-E", "empty.c")
        [outcome] = run_commands([Command(arguments, folder)], timeout=PROBE_TIMEOUT_S, workers=1)
    macros = frozenset(re.findall(r"^#define (\w+)", outcome.output, re.MULTILINE))
    for name, cpu in CPUS.items():
        if cpu.macro in macros:
            return name
    raise ToolchainError(
        f"cpu '{NATIVE}': {compiler.command[0]} does not say that this machine is one of {', '.join(CPUS)}; name one"
    )
