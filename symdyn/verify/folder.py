"""A generated folder, read back: its manifest, its robot, and the proof that nobody has touched its files since."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from symdyn.description.read import read_robot
from symdyn.description.robot import RobotDescription
from symdyn.errors import DescriptionError, VerificationError
from symdyn.manifest import FILE_NAME, Manifest

ROBOT_FILE = "robot.yaml"


@dataclass(frozen=True, slots=True)
class GeneratedFolder:
    """What a folder was generated from, and the texts of the files that count, by path."""

    manifest: Manifest
    description: RobotDescription
    texts: Mapping[str, str]


def read_folder(
    folder: Path,
    hashed_paths: Callable[[Manifest], Sequence[str]],
    content_hash: Callable[[Mapping[str, str]], str],
) -> GeneratedFolder:
    """Read a generated folder and check that its files are the generated ones.

    Parameters
    ----------
    folder
        Where ``generate`` wrote.
    hashed_paths
        The paths, relative to the folder, that a manifest's ``content_hash`` covers.
    content_hash
        The hash of their texts by path. Both come from the back ends, which this room does not import.

    Raises
    ------
    VerificationError
        Not a generated folder, a file that is missing or unreadable, or one that was changed.
    """
    manifest = Manifest.from_json(_text(folder, FILE_NAME))
    texts = {path: _text(folder, path) for path in hashed_paths(manifest)}
    found = content_hash(texts)
    if found != manifest.content_hash:
        raise VerificationError(
            f"{folder.name}: the files differ from those that were generated (content hash {found[:12]}, expected "
            f"{manifest.content_hash[:12]}); generate the folder anew"
        )
    try:
        description = read_robot(folder / ROBOT_FILE)
    except DescriptionError as failure:
        raise VerificationError(f"{folder.name}/{ROBOT_FILE} cannot be read back: {failure}") from failure
    return GeneratedFolder(manifest, description, texts)


def _text(folder: Path, path: str) -> str:
    try:
        return (folder / path).read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError) as failure:
        reason = failure.strerror if isinstance(failure, OSError) else "not UTF-8"
        raise VerificationError(
            f"'{folder.name}' is not a complete generated folder: {path}: {reason}; "
            "name the folder that 'symdyn generate' wrote, or generate it anew"
        ) from failure
