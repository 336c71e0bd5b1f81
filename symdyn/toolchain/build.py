"""Run the build of a plan, or find its product in the cache.

What is said where a compiler ends without success: whose fault it is, and where the sources are.
"""

from __future__ import annotations

import os
import shlex
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from symdyn.errors import InternalError, ToolchainError
from symdyn.interface import processor
from symdyn.interface.manifest import Manifest
from symdyn.toolchain import cache, remembered
from symdyn.toolchain.build_plan import BuildPlan
from symdyn.toolchain.dialects import product_of
from symdyn.toolchain.find_compiler import Compiler, confirm
from symdyn.toolchain.object_size import text_bytes
from symdyn.toolchain.record import Entry

if TYPE_CHECKING:
    from symdyn.toolchain.run_commands import Outcome

_SHOWN_LINES = 12
# How compilers and linkers say that the machine, and not the code, was at fault.
_OUT_OF_MEANS = (
    "no space left on device",
    "disk quota exceeded",
    "file too large",
    "file size limit exceeded",
    "killed signal terminated",
    "signal terminated program",
    "virtual memory exhausted",
    "cannot allocate memory",
    "out of memory",
)


def refusal(outcome: Outcome, kept: Path, timeout: float) -> ToolchainError | InternalError:
    """The error for a command that failed: the machine's fault, or ours where the generated code was refused.

    ``kept`` is where the sources are, ``timeout`` the seconds that the command had.
    """
    command = shlex.join(outcome.command.arguments)
    if outcome.code is None:
        return ToolchainError(
            f"compiling did not end within {timeout:g} s: {command}; ask for layout='rolled', whose code is short. "
            f"The sources are kept in {kept}"
        )
    lines = [line for line in outcome.output.splitlines() if line.strip()]
    short = next((line for line in lines if any(words in line.lower() for words in _OUT_OF_MEANS)), "")
    if outcome.code < 0 or short:
        how = short or f"it was ended by signal {-outcome.code}"
        return ToolchainError(
            f"compiling was cut short ({how}): {command}; make room on disk and in memory, then try again. "
            f"The sources are kept in {kept}"
        )
    errors = [line for line in lines if "error" in line.lower()]
    shown = " | ".join((errors or lines)[:_SHOWN_LINES]) or "no message"
    return InternalError(
        f"the compiler refused generated code with exit code {outcome.code}: {command}: {shown}. "
        f"The sources are kept in {kept}; please report them"
    )


TIMEOUT_S = 1800.0
_OBJECTS = "objects"


def built(
    plan: BuildPlan,
    compiler: Compiler,
    shaped_by: Sequence[str],
    kind: str,
    manifest: Manifest,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[Entry, bool]:
    """The product of a plan in the cache, and whether it was there before.

    Parameters
    ----------
    plan
        What to write, compile and link.
    compiler
        Who does it.
    shaped_by
        What shapes the product besides texts, commands, compiler and processor, such as versions of foreign headers.
    kind
        How it is loaded.
    manifest
        What it is compiled for.
    progress
        Called with (files compiled, files in all) as they are done; not at all where the cache has the product.

    Raises
    ------
    ToolchainError
        The compiler makes nothing or does not end, or no usable cache folder.
    InternalError
        The compiler refuses the generated C; the sources are kept where the message says.
    """
    address = cache.key(
        [
            *(text for own in (plan.texts, plan.beside) for path in sorted(own) for text in (path, own[path])),
            *(word for step in (*plan.steps, plan.link) for word in (*step, "")),
            compiler.version,
            processor.cpu_features(),
            *shaped_by,
        ]
    )
    entry = cache.lookup(address)
    if entry is not None:
        return entry, True
    made = partial(cache.publish, address, kind=kind, manifest=manifest.to_json())
    return _build(plan, compiler, address, made, progress), False


def _build(
    plan: BuildPlan,
    compiler: Compiler,
    address: str,
    publish: Callable[..., Entry],
    progress: Callable[[int, int], None] | None,
) -> Entry:
    start = time.perf_counter()
    # zig compiles its run-time library once into a cache of its own, which may not be writable at its usual place.
    environment = {"ZIG_GLOBAL_CACHE_DIR": str(cache.place("zig"))} if compiler.kind == "zig" else {}
    with cache.build_folder() as folder:
        # What a compiler puts aside for a moment goes with the folder, also where it is killed.
        environment |= dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(folder))
        with cache.writing():
            for name, text in plan.texts.items():
                path = folder / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
        try:
            outcomes = _compile_and_link(plan, compiler, folder, environment, progress)
        except OSError as failure:
            raise ToolchainError(f"cannot run {compiler.command[0]} in {folder} ({failure})") from None
        for outcome in outcomes:
            if outcome.code != 0:
                if outcome.code is not None and outcome.code > 0:
                    confirm(compiler)
                raise refusal(outcome, cache.keep_failed(address, folder), TIMEOUT_S)
            made = folder / _product(outcome)
            if not made.is_file():
                raise ToolchainError(
                    f"{shlex.join(outcome.command.arguments)} ended with exit code 0 and made no '{made.name}'; "
                    "point $CC to a compiler that works"
                )
        product = folder / plan.product
        seconds = time.perf_counter() - start
        with cache.writing():
            size = text_bytes(product)
        return publish(product, seconds=seconds, text_bytes=size, beside=plan.beside)


def _product(outcome: Outcome) -> str:
    """What a command was told to make."""
    return product_of(outcome.command.arguments)


def _object_address(plan: BuildPlan, step: tuple[str, ...], compiler: Compiler) -> str:
    """Where the object that a step makes lies in the cache; nowhere if it is not known what shapes it."""
    made = product_of(step)
    shaping = plan.shaped_by.get(made)
    if shaping is None:
        return ""
    words = (word.replace(made, "") for word in step)
    return cache.key([*words, "", compiler.version, processor.cpu_features(), *shaping])


def _recalled(address: str, place: Path) -> bool:
    """Whether an object was made before; then it is put in its place."""
    data = remembered.recall_bytes(_OBJECTS, address)
    if data is None:
        return False
    with cache.writing():
        place.write_bytes(data)
    return True


def _compile_and_link(
    plan: BuildPlan,
    compiler: Compiler,
    folder: Path,
    environment: Mapping[str, str],
    progress: Callable[[int, int], None] | None,
) -> list[Outcome]:
    import logging  # after all that a module in the cache needs

    from symdyn.toolchain.run_commands import Command, run_commands

    known = {step: address for step in plan.steps if (address := _object_address(plan, step, compiler))}
    steps = [step for step in plan.steps if step not in known or not _recalled(known[step], folder / product_of(step))]
    commands = [Command(step, folder, environment) for step in steps]

    log = logging.getLogger("symdyn")
    log.info("compiling %d files of %s by %s", len(commands), plan.product, compiler.command[0])
    written = [word for step in steps for word in step if word in plan.texts]
    if written:
        longest = max(written, key=lambda name: len(plan.texts[name]))
        log.info("the longest is %s, with %d kB of C", longest, len(plan.texts[longest]) // 1000)

    def tell(done: int) -> None:
        log.info("%d of %d files are compiled", done, len(commands))
        if progress is not None:
            progress(done, len(commands))

    tell(0)
    outcomes = run_commands(commands, timeout=TIMEOUT_S, workers=_processors(), finished=tell)
    done = [outcome for outcome in outcomes if outcome.code == 0 and outcome.command.arguments in known]
    objects = {known[each.command.arguments]: folder / _product(each) for each in done}
    remembered.remember_all(_OBJECTS, {key: made.read_bytes() for key, made in objects.items() if made.is_file()})
    if all(outcome.code == 0 and (folder / _product(outcome)).is_file() for outcome in outcomes):
        outcomes = run_commands([Command(plan.link, folder, environment)], timeout=TIMEOUT_S, workers=1)
    return outcomes


def _processors() -> int:
    """Processors that this process may use: fewer than there are, where it is pinned to some."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
