"""What is handed to the readers of robot files: options, folders, contacts beside the file, and the cache."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from symdyn.errors import ArgumentError, ModelError, RequestError
from symdyn.interface.argument_words import given_flag, given_path, listed_names

if TYPE_CHECKING:
    from symdyn.description.read import Unread
    from symdyn.description.robot import RobotDescription

_Made = TypeVar("_Made")


def unread(
    read: Callable[..., Unread], strict: bool | None, repair: bool, runtime: Sequence[str] | None
) -> tuple[Unread, Sequence[str] | None]:
    """What a reader has to read, and the names of run-time parameters as they are handed on."""
    strict = None if strict is None else given_flag("strict", strict, refusal=ModelError)
    repair = given_flag("repair", repair, refusal=ModelError)
    listed = listed_names(runtime)
    runtime = runtime if listed is None else tuple(listed)
    # what is no list of names is refused with the other options
    names = runtime if isinstance(runtime, tuple) else None
    return read(strict=strict, runtime=names, repair=repair), runtime


def touching(
    description: RobotDescription,
    contacts: str | os.PathLike[str],
    floating_base: bool | None,
    runtime: Sequence[str] | None,
    beside: Mapping[str, Any],
    strict: bool | None,
    file: str | os.PathLike[str] | None = None,
) -> RobotDescription:
    """The robot with contacts from beside its ``file``."""
    from symdyn.robot.contact_files import own_folders, with_contacts

    names = runtime if isinstance(runtime, tuple) else None
    folders = (*beside["package_paths"], *(() if file is None else own_folders(description, Path(file))))
    return with_contacts(description, contacts, floating_base, names, beside["ignore"], folders, strict is False)


def said_beside(
    loops: str | os.PathLike[str] | None,
    folders: Sequence[str | os.PathLike[str]],
    xacro_args: Mapping[str, str] | None,
    package_paths: Sequence[str | os.PathLike[str]],
    ignore: Sequence[str],
) -> dict[str, Any]:
    """What readers are told beside a file, checked, with what they need of symdyn."""
    given: object = ignore
    if isinstance(given, str) or not isinstance(given, Sequence) or not all(isinstance(own, str) for own in given):
        raise ArgumentError(f"ignore is a list of names, got {ignore!r}")
    lists = {"folders": _folders("folders", folders), "package_paths": _folders("package_paths", package_paths)}
    return {"loops": loops, "xacro_args": xacro_args, "ignore": tuple(ignore), **lists, **_AIDS}


def _folders(name: str, folders: Sequence[str | os.PathLike[str]]) -> tuple[Path, ...]:
    if isinstance(folders, str | os.PathLike) or not isinstance(folders, Sequence):
        raise ArgumentError(f"{name} is a list of folders, got {type(folders).__name__}")
    found = tuple(given_path(name, folder) for folder in folders)
    for folder in found:
        if not folder.is_dir():
            raise RequestError(f"{name} holds '{folder}'; expected a folder that exists")
    return found


def recalled(said: Sequence[bytes], make: Callable[[], _Made]) -> _Made:
    """What was made before from the same bytes, from the cache; now, and kept there, where nothing was."""
    import pickle

    from symdyn.interface.manifest import text_digest
    from symdyn.toolchain import remembered

    address = remembered.address(list(map(text_digest, said)))
    data = remembered.recall_bytes("robots", address)
    if data is not None:
        return pickle.loads(data)  # type: ignore[no-any-return]  # noqa: S301  (from the private cache, by its hash)
    made = make()
    remembered.remember_bytes("robots", address, pickle.dumps(made))
    return made


def _run(program: Path, files: Mapping[str, bytes], what: str) -> bytes:
    from symdyn.toolchain.run_program import run_program

    return run_program(program, files, what)


_AIDS: dict[str, Any] = {"recalling": recalled, "running": _run}
"""What readers are given beside files and options."""
