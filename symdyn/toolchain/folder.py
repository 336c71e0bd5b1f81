"""Write a generated module to a folder: at once where the folder is new, and losing nobody's files where it is not.

A new folder is made beside its place and renamed. In a folder that is there, the files are first written whole into
``.symdyn-*`` inside it, and then renamed one by one, the manifest last. A run that is killed meanwhile leaves that
inner folder, whose own manifest tells the next run which of the files are generated ones.
"""

from __future__ import annotations

import itertools
import os
import stat
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath

from symdyn.compiler.emit.source import SourceFile
from symdyn.errors import InternalError, RequestError, VerificationError
from symdyn.interface.manifest import FILE_NAME, Manifest, text_digest
from symdyn.interface.manifest_schema import looks_like_one
from symdyn.interface.regular_files import read_regular
from symdyn.toolchain import claims
from symdyn.toolchain.products import is_own_unit, products_of
from symdyn.warning import warn

WAIT_S = 20.0
"""How long a run waits for another one that writes into the same folder."""
KEPT = ".kept"
"""What is added to the name of a generated file that was changed by hand, when it is written anew."""

_PREFIX = ".symdyn-"
_SHOWN = 3


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a generated folder.

    Raises
    ------
    VerificationError
        There is none, or it is not one of symdyn's.
    """
    try:
        return Manifest.from_json(read_regular(folder / FILE_NAME).decode("utf-8"))
    except (OSError, UnicodeDecodeError) as failure:
        raise VerificationError(
            f"{folder} is not a generated folder: {FILE_NAME} cannot be read ({failure}); make one with symdyn.generate"
        ) from None


def write_folder(folder: Path, files: Sequence[SourceFile]) -> None:
    """Write files below a folder, the manifest last.

    Files that an earlier run wrote there, and nobody changed, are replaced, and removed where this run does not write
    them. Those that somebody changed are kept, under another name where this run writes them: a warning names them.
    A unit that was packed of an earlier run's files goes with them.

    Raises
    ------
    RequestError
        The folder cannot be made or written, or holds files of someone else that would be lost.
    """
    for file in files:
        _inside(file.path)
    try:
        if not _written_whole(folder, files):
            _write_into(folder, files)
    except RequestError:
        raise
    # A path that cannot be one: with a NUL in it, or with what the file system's encoding does not know.
    except (OSError, ValueError) as failure:
        message = f"cannot write to the output folder '{folder}': {failure}; choose another with out"
        raise RequestError(message) from None


def _inside(path: str) -> Path:
    parts = PurePosixPath(path)
    if parts.is_absolute() or ".." in parts.parts:
        raise InternalError(f"generated file '{path}' would leave its folder; please report the robot file")
    return Path(*parts.parts)


def _written_whole(folder: Path, files: Sequence[SourceFile]) -> bool:
    """Make the folder in one step, if it is not there yet."""
    if os.path.lexists(folder):
        return False
    folder.parent.mkdir(parents=True, exist_ok=True)
    # The name itself may be as long as the file system takes.
    prefix = f".symdyn_{text_digest(os.fsencode(folder.name))[:8]}-"
    claims.sweep(folder.parent, prefix)
    with claims.claimed_folder(folder.parent, prefix, mode=0o777) as made:
        _write_all(made, files)
        try:
            made.rename(folder)
        except OSError:
            if os.path.lexists(folder):  # somebody else was faster
                return False
            raise
    return True


def _write_into(folder: Path, files: Sequence[SourceFile]) -> None:
    with claims.locked(folder, WAIT_S):
        texts = {file.path: file.text for file in files}
        recorded, products = _recorded(folder)
        changed = _changed_by_hand(folder, texts, recorded)
        kept = []
        claim = claims.Claim(folder, _PREFIX)
        try:
            _write_all(claim.folder, files)
            # A run that ends early leaves the inner folder from here on: the next one reads from it what is ours.
            claim.keep = True
            kept += [_set_aside(folder, path) for path in changed]
            kept += _remove_stale(folder, recorded, texts)
            for unit in products:
                if is_own_unit(folder / unit):
                    (folder / unit).unlink()
            for path in sorted(texts, key=lambda path: path == FILE_NAME):
                (folder / path).parent.mkdir(exist_ok=True)
                if file_digest(folder, path) != text_digest(texts[path]):
                    (claim.folder / path).replace(folder / path)
            claim.keep = False
        finally:
            claim.release()
        claims.sweep(folder, _PREFIX)
    if kept:
        warn(f"files in '{folder}' that were changed since they were generated are kept: {', '.join(sorted(kept))}")


def _write_all(folder: Path, files: Sequence[SourceFile]) -> None:
    for file in files:
        path = folder / _inside(file.path)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(file.text, encoding="utf-8", newline="\n")


def _recorded(folder: Path) -> tuple[dict[str, set[str]], set[str]]:
    """Hashes of generated files by path, and what was packed of them: of the last run, and of runs that were killed.

    A manifest that is damaged vouches for nothing, itself included.
    """
    recorded: dict[str, set[str]] = {}
    products: set[str] = set()
    places = [folder, *claims.unclaimed(folder, _PREFIX)]
    for place in places:
        if not file_digest(place, FILE_NAME):
            continue
        try:
            text = read_regular(place / FILE_NAME).decode("utf-8")
            manifest = Manifest.from_json(text)
        except (OSError, UnicodeDecodeError):
            continue
        except VerificationError:
            if place == folder and looks_like_one(text):
                recorded.setdefault(FILE_NAME, set())
            continue
        for path, digest in {**manifest.files, FILE_NAME: text_digest(text)}.items():
            recorded.setdefault(path, set()).add(digest)
        products |= products_of(manifest)
    return recorded, products


def _changed_by_hand(folder: Path, texts: Mapping[str, str], recorded: Mapping[str, set[str]]) -> list[str]:
    """Generated files that somebody changed and this run writes anew.

    Raises
    ------
    RequestError
        Files or links of someone else are in the way; nothing has been written yet.
    """
    changed, foreign = [], []
    for path, text in texts.items():
        in_the_way = _in_the_way(folder, path)
        if in_the_way:
            raise NotADirectoryError(f"'{in_the_way}' in it is no folder")
        digest = file_digest(folder, path)
        if digest is None:
            continue
        if path not in recorded:
            foreign += [path] * (digest != text_digest(text))
        elif digest not in {*recorded[path], text_digest(text)}:
            changed.append(path)
    if foreign:
        raise RequestError(
            f"output folder '{folder}' holds {', '.join(sorted(foreign)[:_SHOWN])}, which would be overwritten and "
            "which no manifest of this version of symdyn in it lists; choose another folder with out, or remove them"
        )
    return changed


def _in_the_way(folder: Path, path: str) -> str:
    """The part of a path that should be a folder of its own and is something else; empty where there is none."""
    for parent in reversed(PurePosixPath(path).parents):
        place = folder / parent
        if parent.parts and os.path.lexists(place) and not stat.S_ISDIR(place.lstat().st_mode):
            return str(parent)
    return ""


def file_digest(folder: Path, path: str) -> str | None:
    """The hash of a file; None where nothing is, and empty for what is no regular file."""
    place = folder / path
    if not os.path.lexists(place):
        return None
    return text_digest(place.read_bytes()) if stat.S_ISREG(place.lstat().st_mode) else ""


def _set_aside(folder: Path, path: str) -> str:
    names = (f"{path}{KEPT}{number or ''}" for number in itertools.count())
    name = next(name for name in names if not os.path.lexists(folder / name))
    (folder / path).rename(folder / name)
    return name


def _remove_stale(folder: Path, recorded: Mapping[str, set[str]], texts: Mapping[str, str]) -> list[str]:
    """Remove generated files that this run does not write; those that were changed stay, and are named."""
    kept = []
    for path in sorted(set(recorded) - set(texts)):
        digest = None if _in_the_way(folder, path) else file_digest(folder, path)
        if digest in recorded[path]:
            (folder / path).unlink()
        elif digest is not None:
            kept.append(path)
    return kept
