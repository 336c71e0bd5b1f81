"""Write a generated module to a folder: whole files, and no C left over from an earlier run."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from symdyn.emit.source import SourceFile
from symdyn.errors import InternalError, RequestError, VerificationError
from symdyn.manifest import FILE_NAME, Manifest


def write_folder(folder: Path, files: Sequence[SourceFile]) -> None:
    """Write files below a folder, each by an atomic rename, the manifest last.

    C sources and the header that an earlier manifest in the folder lists and this run does not write are removed.
    A folder without a manifest of ours may hold other files, but none by the name of a file to be written.

    Raises
    ------
    RequestError
        The folder cannot be made or written, or holds files of someone else that would be lost.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        earlier = _earlier_sources(folder)
        foreign = [file.path for file in files if (folder / _inside(file.path)).exists()] if earlier is None else []
        if foreign:
            raise RequestError(
                f"output folder '{folder}' was not made by symdyn and holds {', '.join(sorted(foreign)[:3])}, which "
                "would be overwritten; choose another with out, or remove them"
            )
        stale = (earlier or set()) - {file.path for file in files}
        for file in sorted(files, key=lambda file: file.path == FILE_NAME):
            _write(folder / _inside(file.path), file.text)
        for name in stale:
            (folder / name).unlink(missing_ok=True)
    except OSError as failure:
        message = f"cannot write to the output folder '{folder}': {failure}; choose another with out"
        raise RequestError(message) from failure


def _inside(path: str) -> Path:
    parts = PurePosixPath(path)
    if parts.is_absolute() or ".." in parts.parts:
        raise InternalError(f"generated file '{path}' would leave its folder; please report the robot file")
    return Path(*parts.parts)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".writing-")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as stream:
            stream.write(text)
        Path(temporary).chmod(0o644)
        Path(temporary).replace(path)
    except OSError:
        Path(temporary).unlink(missing_ok=True)
        raise


def _earlier_sources(folder: Path) -> set[str] | None:
    """C files that an earlier run listed; None where there was none."""
    try:
        manifest = Manifest.from_json((folder / FILE_NAME).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, VerificationError):
        return None
    names = {*manifest.sources, *manifest.lane_sources, manifest.header} - {""}
    return {name for name in names if PurePosixPath(name).name == name}
