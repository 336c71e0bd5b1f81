"""Open the module of a folder, generated or compiled: now, or where it is unpickled.

This runs code of the folder, as importing it would. So nothing is loaded before all files were compared with what is
recorded of them: those that were generated with the manifest, a compiled module with the record that its build left.
"""

from __future__ import annotations

import copyreg
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from symdyn.compiler.emit.extension import check_names, module_name
from symdyn.compiler.emit.source import SourceFile
from symdyn.errors import RequestError, ToolchainError, VerificationError
from symdyn.interface import processor
from symdyn.interface.manifest import FILE_NAME, Manifest, text_digest
from symdyn.interface.regular_files import read_regular
from symdyn.interface.targets import TARGETS
from symdyn.toolchain.casadi_module import CasadiModule
from symdyn.toolchain.dialects import shared_suffix
from symdyn.toolchain.folder import file_digest, read_manifest, write_folder
from symdyn.toolchain.load import load
from symdyn.toolchain.module import Module
from symdyn.toolchain.origin import Origin
from symdyn.toolchain.python_module import load_python, python_file
from symdyn.toolchain.record import IN_CACHE, Entry, beside, read_record
from symdyn.warning import warn

_TOOLS = frozenset(target.opened_by for target in TARGETS.values() if target.opened_by)
"""Tools that open a library; those are kinds of modules, too."""

_SUFFIXES = {
    "extension": shared_suffix(sys.platform, extension=True),
    **dict.fromkeys(("ctypes", *_TOOLS), shared_suffix(sys.platform, extension=False)),
}
"""How the file of a compiled module ends, by its kind."""


def open_folder(folder: Path, trust: bool = False) -> Module:
    """The module of a folder: what was compiled there for this Python, or else its code in Python.

    Parameters
    ----------
    trust
        Whether code of a folder that was changed since it was generated is run all the same.

    Raises
    ------
    VerificationError
        No folder, none of symdyn's, one that cannot be read, was changed, or was compiled for another processor;
        nothing of it was run.
    ToolchainError
        Its compiled module cannot be loaded here.
    """
    with _reading(folder):
        found = _found(folder.absolute())
        kind = _kind(found)
        doubts = "; ".join(_doubts(found, kind))
    if doubts and not trust:
        raise VerificationError(
            f"'{found.folder}': {doubts}; nothing of it was run. Make it anew, or run it all the same with trust=True"
        )
    if doubts:
        warn(f"'{found.folder}': {doubts}; its code is run all the same")
    return _load(found, kind)


def reopen(origin: Origin) -> Module:
    """The module that was pickled, where its folder still holds the same; one process loads it once.

    Raises
    ------
    VerificationError
        The folder is gone, has other contents, or was compiled for another processor; nothing of it was run.
    ToolchainError
        Its compiled module cannot be loaded here.
    """
    folder = Path(origin.folder)
    with _reading(folder):
        path = _found(folder).file(origin.kind)
    try:
        found = [own.stat() for own in (folder / FILE_NAME, path)]
    except OSError as failure:
        raise VerificationError(f"{_pickled(folder)} is not there any more ({failure}); make it anew") from None
    return _reopened(origin, tuple((own.st_ino, own.st_size, own.st_mtime_ns, own.st_ctime_ns) for own in found))


def _pickled_as(module: Module) -> tuple[Callable[[Origin], Any], tuple[Origin]]:
    """How a module is pickled: by the place where it can be opened again."""
    if module.origin is None:
        raise RequestError(
            f"this module of {module.manifest.robot!r} lies in no folder, so that it cannot be pickled; write it to "
            "one by symdyn.generate, and take symdyn.open"
        )
    return reopen, (module.origin,)


copyreg.pickle(Module, _pickled_as)
copyreg.pickle(CasadiModule, _pickled_as)


@lru_cache(maxsize=64)
def _reopened(origin: Origin, stamps: tuple[tuple[int, ...], ...]) -> Module:
    folder = Path(origin.folder)
    with _reading(folder):
        found = _found(folder)
        record = read_record(found.record(origin.kind)) if origin.kind in _SUFFIXES else None
    if record is not None and record.processor != _processor():
        raise VerificationError(
            f"{_pickled(folder)} was compiled for another processor; nothing of it was run. Compile it here"
        )
    return _load(found, origin.kind, origin)


def keep_and_open(files: Sequence[SourceFile], manifest: Manifest) -> Module:
    """The Python of sources, from a folder in the cache that they are written to; without a cache from their text."""
    from symdyn.toolchain import cache

    try:
        folder = cache.place("folders") / manifest.content_hash
    except ToolchainError:
        return load_python(files, manifest)
    if folder.exists():
        try:
            return open_folder(folder)
        except VerificationError:
            cache.discard(folder)
    try:
        write_folder(folder, files)
    except RequestError:
        return load_python(files, manifest)
    return open_folder(folder)


@contextmanager
def _reading(folder: Path) -> Iterator[None]:
    """What cannot be read of a folder is refused as the folder."""
    try:
        yield
    except OSError as failure:
        raise VerificationError(f"'{folder}' cannot be read ({failure}); nothing of it was run") from None


def _processor() -> str:
    """What this processor is known by in records of builds."""
    return text_digest(processor.cpu_features())


@dataclass(frozen=True, slots=True)
class _Found:
    """A folder with its manifest; ``name`` is its compiled module's, ``alone`` says that nothing else lies there."""

    folder: Path
    manifest: Manifest
    name: str
    alone: bool

    def file(self, kind: str) -> Path:
        """The file that is run for a module of that kind."""
        if kind not in _SUFFIXES:
            return self.folder / python_file(self.manifest)
        return (self.folder if self.alone else self.folder / "python") / f"{self.name}{_SUFFIXES[kind]}"

    def record(self, kind: str) -> Path:
        """The record of the compiled module of that kind."""
        return self.folder / IN_CACHE if self.alone else beside(self.file(kind))


def _found(folder: Path) -> _Found:
    if not folder.is_dir():
        raise VerificationError(f"there is no folder '{folder}'; name one that symdyn.generate wrote")
    manifest = read_manifest(folder)
    name = ""
    if manifest.sources:
        check_names(manifest)
        name = module_name(manifest)
    alone = (folder / IN_CACHE).is_file() and not (folder / "python").is_dir()
    return _Found(folder, manifest, name, alone)


def _kind(found: _Found) -> str:
    """What is run of a folder."""
    opened_by = TARGETS[found.manifest.target].opened_by
    kinds = [opened_by] if opened_by else [kind for kind in _SUFFIXES if kind not in _TOOLS]
    compiled = [kind for kind in kinds if found.name and found.file(kind).is_file()]
    if compiled:
        return compiled[0]
    if found.alone:
        raise VerificationError(f"'{found.folder}' holds no module for this Python; compile it here, by symdyn.compile")
    if opened_by:
        raise VerificationError(
            f"'{found.folder}' holds C for {opened_by} that is not compiled; make a library of it as its README says, "
            f"or take symdyn.compile with target='{found.manifest.target}'"
        )
    if found.name:
        _look_for_others(found)
    return TARGETS[found.manifest.target].python.kind


def _look_for_others(found: _Found) -> None:
    """Refuse a module that was compiled before the folder was generated anew, and tell of one for another Python."""
    ours = re.compile(rf"({re.escape(found.manifest.identifier)}_[0-9a-f]{{12}})(\.[^.]+)?\.(so|pyd|dylib|dll)")
    for path in sorted((found.folder / "python").glob("*")):
        name = ours.fullmatch(path.name)
        if name and name[1] == found.name:
            warn(f"'{path}' was compiled for another Python; the module in Python is taken, which is far slower")
        elif name:
            raise VerificationError(
                f"'{path}' was compiled before this folder was generated anew; compile the folder again, or delete it"
            )


def _doubts(found: _Found, kind: str) -> Iterator[str]:
    """In what a folder differs from what is recorded of it."""
    if not found.alone:
        files = found.manifest.files
        changed = sorted(path for path, digest in files.items() if file_digest(found.folder, path) != digest)
        if changed:
            yield f"the files differ from those that were generated: {', '.join(changed)}"
    if kind in _SUFFIXES:
        path, record = found.file(kind), read_record(found.record(kind))
        if record is None or record.path != path:
            yield f"no record of a build vouches for {path.name}"
        elif record.manifest != file_digest(found.folder, FILE_NAME):
            yield f"{path.name} was compiled from other files"
        elif record.processor != _processor():
            yield f"{path.name} was compiled for another processor"


def _load(found: _Found, kind: str, pickled: Origin | None = None) -> Module:
    """Load what is run of a folder; of one that was pickled only what was run then."""
    path, manifest = found.file(kind), found.manifest
    try:
        data = read_regular(path)
        text = "" if kind in _SUFFIXES else data.decode("utf-8")
    except (OSError, UnicodeDecodeError) as failure:
        raise VerificationError(f"'{path}' cannot be read ({failure}); make the folder anew") from None
    origin = Origin(str(found.folder), kind, manifest.content_hash, text_digest(data))
    if pickled not in (None, origin):
        raise VerificationError(f"{_pickled(found.folder)} has other contents now; nothing of it was run")
    if kind not in _SUFFIXES:
        return load_python([SourceFile(python_file(manifest), text)], manifest, origin)
    return load(Entry(path, 0.0, kind, 0, origin.sha256, "", ""), manifest, found.folder)


def _pickled(folder: Path) -> str:
    return f"the folder '{folder}' of a module that was pickled"
