"""Compile a generated folder into a shared object: the extension module, or a plain library for ctypes."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sysconfig
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Literal

import numpy as np

from symdyn.emit.extension import check_names, emit_extension_stub
from symdyn.emit.source import SourceFile
from symdyn.errors import ToolchainError, VerificationError
from symdyn.manifest import Manifest, text_digest
from symdyn.toolchain import cache
from symdyn.toolchain.build_plan import BuildPlan, plan_build
from symdyn.toolchain.find_compiler import Compiler, find_compiler
from symdyn.toolchain.folder import read_manifest
from symdyn.toolchain.headers import extension_includes
from symdyn.toolchain.object_size import text_bytes
from symdyn.toolchain.record import Entry, beside, write_record
from symdyn.toolchain.refusal import refusal
from symdyn.toolchain.run_commands import Command, Outcome, run_commands
from symdyn.warning import warn

TIMEOUT_S = 1800.0
_COMPILED_SUFFIXES = (".c", ".h", ".inc")


@dataclass(frozen=True, slots=True)
class Built:
    """A compiled module on disk.

    ``seconds`` is what compiling took when it took place, ``from_cache`` whether that was earlier; ``text_bytes`` its
    machine code and constants, ``sha256`` the hash of the file. An ``extension`` is imported, a ``ctypes`` library is
    called through ctypes.
    """

    path: Path
    seconds: float
    from_cache: bool
    kind: Literal["extension", "ctypes"]
    text_bytes: int
    sha256: str


def compile_folder(
    sources: Sequence[SourceFile],
    manifest: Manifest,
    progress: Callable[[int, int], None] | None = None,
    glue: SourceFile | None = None,
) -> Built:
    """Compile generated sources for this machine, or take the result of the same build from the cache.

    Parameters
    ----------
    sources
        Files of a generated folder; those that are neither C nor headers are left alone, as is everything in
        ``python/`` (the extension's glue is written from the manifest).
    manifest
        The folder's manifest, with C sources.
    progress
        Called with (files compiled, files in all) as they are done; not at all where the cache has the module.
    glue
        The extension's C, where symdyn wrote it before from this manifest.

    Returns
    -------
    Built
        The shared object in the cache. Without the headers of Python or NumPy it is a plain library, with a warning
        that says what to install.

    Raises
    ------
    ToolchainError
        No working compiler, one that makes nothing, no usable cache folder, or no end of compiling within the time
        limit.
    VerificationError
        The manifest is not one of symdyn's, or a file that it lists is absent.
    InternalError
        The compiler refuses the generated C; the sources are kept where the message says.
    """
    check_names(manifest)
    texts = _compiled_texts(sources, manifest)
    cache.sweep()
    includes = extension_includes()
    compiler = find_compiler()
    kind: Literal["extension", "ctypes"] = "ctypes" if isinstance(includes, str) else "extension"
    if isinstance(includes, str):
        warn(f"calls go through ctypes and are tens of times slower: {includes}")
    plan = plan_build(texts, manifest, compiler, () if isinstance(includes, str) else includes, glue)
    address = cache.key(
        [
            *(text for path in sorted(plan.texts) for text in (path, plan.texts[path])),
            *(word for step in (*plan.steps, plan.link) for word in (*step, "")),
            compiler.version,
            cache.cpu_features(),
            *((sysconfig.get_config_var("EXT_SUFFIX") or "", np.__version__) if kind == "extension" else ()),
        ]
    )
    entry = cache.lookup(address)
    from_cache = entry is not None
    if entry is None:
        made = partial(cache.publish, address, kind=kind, manifest=manifest.to_json())
        entry = _build(plan, compiler, address, made, progress)
    return Built(entry.path, entry.seconds, from_cache, kind, entry.text_bytes, entry.sha256)


def build_into(folder: Path, progress: Callable[[int, int], None] | None = None) -> Path:
    """Compile a generated folder and put the module into its ``python/``.

    Beside it lies a stub that tells editors and type checkers its functions. Modules that earlier builds of this folder
    left there for the same Python are removed. ``progress`` is called as by :func:`compile_folder`.

    Returns
    -------
    Path
        The extension module, importable by the file's stem; see :func:`compile_folder` for the errors. It has been
        loaded once, which runs none of its functions.
    """
    from symdyn.toolchain.load import compile_and_load

    manifest = read_manifest(folder)
    check_names(manifest)
    names = [*manifest.sources, *manifest.lane_sources, *manifest.calling_sources]
    names += sorted(path.name for path in folder.glob("*.h"))
    try:
        sources = [SourceFile(name, (folder / _inside(name)).read_text(encoding="utf-8")) for name in names]
    except (OSError, UnicodeDecodeError) as failure:
        raise VerificationError(
            f"{folder} is not a complete generated folder ({failure}); generate it anew"
        ) from failure
    built, _ = compile_and_load(sources, manifest, progress)
    target = folder / "python" / built.path.name
    # Modules of earlier texts of this folder, for the same Python: nobody could tell which one to import.
    suffix = re.escape("".join(built.path.suffixes))
    ours = re.compile(re.escape(manifest.identifier) + rf"_[0-9a-f]{{12}}{suffix}(\.json)?")
    stubs = re.compile(re.escape(manifest.identifier) + r"_[0-9a-f]{12}\.pyi")
    stub = emit_extension_stub(manifest)
    try:
        target.parent.mkdir(exist_ok=True)
        _placed(target, lambda path: shutil.copyfile(built.path, path), 0o755)
        entry = _recorded(built, manifest, sources)
        _placed(beside(target), lambda path: write_record(path, entry), 0o644)
        if built.kind == "extension":
            _placed(folder / stub.path, lambda path: path.write_text(stub.text, encoding="utf-8"), 0o644)
        for path in target.parent.iterdir():
            if path not in (target, beside(target)) and ours.fullmatch(path.name):
                path.unlink()
        # One stub tells the functions of a module for every Python.
        stems = Counter(path.name.partition(".")[0] for path in target.parent.iterdir())
        for path in target.parent.iterdir():
            if stubs.fullmatch(path.name) and stems[path.stem] == 1:
                path.unlink()
    except OSError as failure:
        raise ToolchainError(f"cannot write the compiled module into {target.parent} ({failure})") from failure
    return target


def _placed(target: Path, write: Callable[[Path], object], mode: int) -> None:
    """Write a file beside its place, and rename it."""
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=".building-")
    os.close(handle)
    made = Path(name)
    write(made)
    made.chmod(mode)
    made.replace(target)


def _recorded(built: Built, manifest: Manifest, sources: Sequence[SourceFile]) -> Entry:
    """What is recorded of a module in a folder; one of edited files is no module of the folder's manifest."""
    entry = cache.lookup(built.path.parent.name)
    if entry is None:
        raise ToolchainError(f"{built.path.parent} was changed while it was copied; compile the folder again")
    edited = any(manifest.files.get(source.path) != text_digest(source.text) for source in sources)
    return replace(entry, manifest="" if edited else entry.manifest)


def _inside(name: str) -> str:
    """A path of a generated folder, refused where it leads out of it."""
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or "\\" in name or ":" in name or name.startswith("-"):
        raise VerificationError(
            f"the manifest lists file {name!r}, expected a path inside the folder; generate it anew"
        )
    return name


def _compiled_texts(sources: Sequence[SourceFile], manifest: Manifest) -> dict[str, str]:
    texts = {
        _inside(source.path): source.text
        for source in sources
        if source.path.endswith(_COMPILED_SUFFIXES) and not source.path.startswith("python/")
    }
    for name in (*manifest.sources, *manifest.lane_sources, *manifest.calling_sources, manifest.header):
        if _inside(name) not in texts:
            raise VerificationError(f"the manifest lists {name!r}, which is not among the sources; generate them anew")
    return texts


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
        environment["TMPDIR"] = str(folder)
        with cache.writing():
            for name, text in plan.texts.items():
                path = folder / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
        try:
            outcomes = _compile_and_link(plan, folder, environment, progress)
        except OSError as failure:
            raise ToolchainError(f"cannot run {compiler.command[0]} in {folder} ({failure})") from failure
        for outcome in outcomes:
            if outcome.code != 0:
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
        return publish(product, seconds=seconds, text_bytes=size)


def _product(outcome: Outcome) -> str:
    """What a command was told to make."""
    words = outcome.command.arguments
    return words[words.index("-o") + 1]


def _compile_and_link(
    plan: BuildPlan,
    folder: Path,
    environment: Mapping[str, str],
    progress: Callable[[int, int], None] | None,
) -> list[Outcome]:
    commands = [Command(step, folder, environment) for step in plan.steps]
    tell = None if progress is None else lambda done: progress(done, len(commands))
    if tell is not None:
        tell(0)
    outcomes = run_commands(commands, timeout=TIMEOUT_S, workers=_processors(), finished=tell)
    if all(outcome.code == 0 and (folder / _product(outcome)).is_file() for outcome in outcomes):
        outcomes = run_commands([Command(plan.link, folder, environment)], timeout=TIMEOUT_S, workers=1)
    return outcomes


def _processors() -> int:
    """Processors that this process may use: fewer than there are, where it is pinned to some."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
