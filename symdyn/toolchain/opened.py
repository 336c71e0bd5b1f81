"""Open the module of a folder, generated or compiled: now, or where it is unpickled.

This runs code of the folder, as importing it would. So nothing is loaded before all files were compared with what is
recorded of them: those that were generated with the manifest, a compiled module with the record that its build left.
"""

from __future__ import annotations

import re
import sysconfig
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path

from symdyn.emit.extension import check_names, module_name
from symdyn.emit.source import SourceFile
from symdyn.errors import RequestError, ToolchainError, VerificationError
from symdyn.manifest import FILE_NAME, Manifest, text_digest
from symdyn.toolchain import cache
from symdyn.toolchain.folder import file_digest, read_manifest, write_folder
from symdyn.toolchain.load import load
from symdyn.toolchain.module import Module
from symdyn.toolchain.origin import Origin
from symdyn.toolchain.python_module import load_python, python_file
from symdyn.toolchain.record import IN_CACHE, Entry, beside, read_record
from symdyn.toolchain.warning import warn

_SUFFIXES = {
    "extension": sysconfig.get_config_var("EXT_SUFFIX") or ".so",
    "ctypes": sysconfig.get_config_var("SHLIB_SUFFIX") or ".so",
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
        No folder, none of symdyn's, or one that was changed; nothing of it was run.
    ToolchainError
        Its compiled module cannot be loaded here.
    """
    folder = folder.absolute()
    manifest = _manifest(folder)
    kind = _kind(folder, manifest)
    doubts = "; ".join(_doubts(folder, manifest, kind))
    if doubts and not trust:
        raise VerificationError(
            f"'{folder}': {doubts}; nothing of it was run. Make it anew, or run it all the same with trust=True"
        )
    if doubts:
        warn(f"'{folder}': {doubts}; its code is run all the same")
    return _load(folder, manifest, kind)


def reopen(origin: Origin) -> Module:
    """The module that was pickled, where its folder still holds the same; one process loads it once.

    Raises
    ------
    VerificationError
        The folder is gone or has other contents; nothing of it was run.
    ToolchainError
        Its compiled module cannot be loaded here.
    """
    folder = Path(origin.folder)
    path = _file(folder, _manifest(folder), origin.kind)
    try:
        found = [own.stat() for own in (folder / FILE_NAME, path)]
    except OSError as failure:
        raise VerificationError(f"{_pickled(folder)} is not there any more ({failure}); make it anew") from failure
    return _reopened(origin, tuple((own.st_ino, own.st_size, own.st_mtime_ns, own.st_ctime_ns) for own in found))


@lru_cache(maxsize=64)
def _reopened(origin: Origin, stamps: tuple[tuple[int, ...], ...]) -> Module:
    folder = Path(origin.folder)
    return _load(folder, _manifest(folder), origin.kind, origin)


def keep_and_open(files: Sequence[SourceFile], manifest: Manifest) -> Module:
    """The Python of sources, from a folder in the cache that they are written to; without a cache from their text."""
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


def _manifest(folder: Path) -> Manifest:
    if not folder.is_dir():
        raise VerificationError(f"there is no folder '{folder}'; name one that symdyn.generate wrote")
    manifest = read_manifest(folder)
    if manifest.sources:
        check_names(manifest)
    return manifest


def _in_cache(folder: Path) -> bool:
    return (folder / IN_CACHE).is_file()


def _file(folder: Path, manifest: Manifest, kind: str) -> Path:
    """The file that is run for a module of that kind."""
    if kind not in _SUFFIXES:
        return folder / python_file(manifest)
    return (folder if _in_cache(folder) else folder / "python") / f"{module_name(manifest)}{_SUFFIXES[kind]}"


def _kind(folder: Path, manifest: Manifest) -> str:
    """What is run of a folder."""
    compiled = [kind for kind in _SUFFIXES if manifest.sources and _file(folder, manifest, kind).is_file()]
    if compiled:
        return compiled[0]
    if _in_cache(folder):
        raise VerificationError(f"'{folder}' holds no module for this Python; compile it here, by symdyn.compile")
    if manifest.sources:
        _look_for_others(folder, manifest)
    return "jax" if manifest.target == "jax" else "python"


def _look_for_others(folder: Path, manifest: Manifest) -> None:
    """Refuse a module that was compiled before the folder was generated anew, and tell of one for another Python."""
    name = module_name(manifest)
    ours = re.compile(rf"({re.escape(manifest.identifier)}_[0-9a-f]{{12}})(\.[^.]+)?\.(so|pyd|dylib|dll)")
    for path in sorted((folder / "python").glob("*")):
        found = ours.fullmatch(path.name)
        if found and found[1] == name:
            warn(f"'{path}' was compiled for another Python; the module in Python is taken, which is far slower")
        elif found:
            raise VerificationError(
                f"'{path}' was compiled before this folder was generated anew; compile the folder again, or delete it"
            )


def _doubts(folder: Path, manifest: Manifest, kind: str) -> Iterator[str]:
    """In what a folder differs from what is recorded of it."""
    if not _in_cache(folder):
        changed = [path for path, digest in manifest.files.items() if file_digest(folder, path) != digest]
        if changed:
            yield f"the files differ from those that were generated: {', '.join(sorted(changed))}"
    if kind in _SUFFIXES:
        path = _file(folder, manifest, kind)
        record = read_record(folder / IN_CACHE if _in_cache(folder) else beside(path))
        if record is None or record.path != path:
            yield f"no record of a build vouches for {path.name}"
        elif record.manifest != file_digest(folder, FILE_NAME):
            yield f"{path.name} was compiled from other files"


def _load(folder: Path, manifest: Manifest, kind: str, pickled: Origin | None = None) -> Module:
    """Load what is run of a folder; of one that was pickled only what was run then."""
    path = _file(folder, manifest, kind)
    try:
        data = path.read_bytes()
        text = "" if kind in _SUFFIXES else data.decode("utf-8")
    except (OSError, UnicodeDecodeError) as failure:
        raise VerificationError(f"'{path}' cannot be read ({failure}); make the folder anew") from failure
    origin = Origin(str(folder), kind, manifest.content_hash, text_digest(data))
    if pickled not in (None, origin):
        raise VerificationError(f"{_pickled(folder)} has other contents now; nothing of it was run")
    if kind not in _SUFFIXES:
        return load_python([SourceFile(python_file(manifest), text)], manifest, origin)
    return load(Entry(path, 0.0, kind, 0, origin.sha256, ""), manifest, folder)


def _pickled(folder: Path) -> str:
    return f"the folder '{folder}' of a module that was pickled"
