"""Compile generated sources and load what came of them; build a generated folder into itself."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from symdyn.compiler.emit.extension import check_names, emit_extension_stub
from symdyn.compiler.emit.source import SourceFile
from symdyn.errors import ToolchainError, VerificationError
from symdyn.interface.manifest import Manifest, text_digest
from symdyn.interface.regular_files import read_regular
from symdyn.toolchain import cache
from symdyn.toolchain.compile import Built, compile_folder, inside
from symdyn.toolchain.folder import read_manifest
from symdyn.toolchain.load import REPLACED, load
from symdyn.toolchain.module import Module
from symdyn.toolchain.record import Entry, beside, write_record


def compile_and_load(
    sources: Sequence[SourceFile],
    manifest: Manifest,
    progress: Callable[[int, int], None] | None = None,
    glue: Sequence[SourceFile] = (),
    later: bool = False,
) -> tuple[Built, Module]:
    """Compile generated sources, or take them from the cache, and load the module.

    A module that cannot be loaded leaves the cache, and is compiled once more. Parameters and errors are those of
    :func:`symdyn.toolchain.compile.compile_folder` and :func:`load`.
    """
    built = compile_folder(sources, manifest, progress, glue, later)
    try:
        return built, load(built, manifest)
    except ToolchainError:
        _discard(built)
    built = compile_folder(sources, manifest, progress, glue, later)
    try:
        return built, load(built, manifest)
    except ToolchainError as failure:
        _discard(built)
        raise ToolchainError(
            f"{failure}; a second build gave the same: point $CC to another compiler, or ${cache.VARIABLE} to a "
            "folder from which code may be loaded"
        ) from None


def _discard(built: Built) -> None:
    cache.discard(built.path.parent)
    REPLACED[built.path] += 1


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
    manifest = read_manifest(folder)
    check_names(manifest)
    names = [*manifest.sources, *manifest.lane_sources, *manifest.calling_sources]
    names += sorted(path.name for path in folder.glob("*.h"))
    try:
        sources = [SourceFile(name, read_regular(folder / inside(name)).decode("utf-8")) for name in names]
    except (OSError, UnicodeDecodeError) as failure:
        raise VerificationError(f"{folder} is not a complete generated folder ({failure}); generate it anew") from None
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
        raise ToolchainError(f"cannot write the compiled module into {target.parent} ({failure})") from None
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
