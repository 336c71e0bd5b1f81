"""A generated folder, read back: its manifest, its robot, and what somebody has changed in it since."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from symdyn.description.read import read_robot
from symdyn.description.robot import RobotDescription
from symdyn.errors import DescriptionError, VerificationError
from symdyn.interface.manifest import FILE_NAME, ROBOT_FILE, Manifest, text_digest
from symdyn.interface.regular_files import read_regular


@dataclass(frozen=True, slots=True)
class GeneratedFolder:
    """What a folder was generated from, the texts of its files by path, and which of them were changed since."""

    manifest: Manifest
    description: RobotDescription
    texts: Mapping[str, str]
    changed: tuple[str, ...]


def read_folder(folder: Path) -> GeneratedFolder:
    """Read a generated folder, and compare its files with the hashes that its manifest recorded. Nothing is run.

    Raises
    ------
    VerificationError
        Not a generated folder, a manifest that was changed, or a file that is missing or unreadable.
    """
    folder = folder if folder.name else folder.resolve()  # "." has no name
    text = _text(folder, FILE_NAME)
    manifest = Manifest.from_json(text)
    texts = {path: _text(folder, path) for path in sorted(manifest.files)}
    if ROBOT_FILE not in texts:
        raise VerificationError(f"{folder.name}: {FILE_NAME} lists no {ROBOT_FILE}; generate the folder anew")
    changed = tuple(path for path, text in texts.items() if text_digest(text) != manifest.files[path])
    try:
        description = read_robot(folder / ROBOT_FILE)
    except DescriptionError as failure:
        raise VerificationError(f"{folder.name}/{ROBOT_FILE} cannot be read back: {failure}") from None
    return GeneratedFolder(manifest, description, {**texts, FILE_NAME: text}, changed)


def _text(folder: Path, path: str) -> str:
    try:
        return read_regular(folder / path).decode("utf-8")
    except (OSError, ValueError) as failure:
        reason = failure.strerror if isinstance(failure, OSError) else "not UTF-8"
        reason = str(failure) if "null" in str(failure) else reason
        raise VerificationError(
            f"'{folder.name}' is not a complete generated folder: {path}: {reason}; "
            "name the folder that 'symdyn generate' wrote, or generate it anew"
        ) from None
