"""Xacro: refused with the way out, or expanded by its own tool where the user asks for it."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path

from symdyn.description.text.position import at, shown
from symdyn.errors import ArgumentError, DescriptionError
from symdyn.interface.distribution import installing

PROGRAM = Path(__file__).with_name("expand_xacro.py")
_SHOWN = 300
_MEND = "mend the file or its xacro_args"
_NO_PACKAGE = "no package"
"""How ``expand_xacro`` begins to say that one is missing."""


def refusal(source: str, line: int | None, evidence: str) -> DescriptionError:
    """Error that names what is xacro in the file, and how it is expanded."""
    stem = source.removesuffix(".xacro").removesuffix(".urdf") or "robot"
    # Never a command that overwrites its own input.
    output = f"{stem}.urdf" if f"{stem}.urdf" != source else f"{stem}_expanded.urdf"
    command = f"xacro {shlex.quote(source)} > {shlex.quote(output)}"
    return DescriptionError(
        f"{at(source, line)}: {evidence} is xacro, not URDF; expand it first: {command}; or let symdyn run "
        "xacro, which executes the file's expressions: xacro_args={}, on the command line --xacro none, or --xacro "
        "NAME:=VALUE"
    )


def expanded(
    file: Path,
    source: str,
    arguments: Mapping[str, str],
    packages: Sequence[str | os.PathLike[str]],
    running: Callable[[Path, Mapping[str, bytes], str], bytes] | None,
) -> bytes:
    """The URDF that xacro makes of a file, in a process of its own.

    ``packages`` are folders that are packages or hold them, where ``$(find package)`` looks before ROS does.

    Raises
    ------
    DescriptionError
        Xacro is not installed, or refuses the file; a folder of packages that does not exist.
    """
    if not hasattr(arguments, "items"):
        raise ArgumentError(f"xacro_args are values by name, such as {{'arm': 'left'}}, got {shown(arguments)}")
    if running is None or find_spec("xacro") is None:
        raise DescriptionError(f"{source}: xacro is not installed: {installing('xacro')}")
    words = {name: str(value) for name, value in arguments.items()}
    folders = [str(Path(folder).resolve()) for folder in packages]
    request = json.dumps({"file": str(file.absolute()), "arguments": words, "packages": folders}).encode()
    told = json.loads(running(PROGRAM, {"request.txt": request}, f"{source}: xacro"))
    if "refused" in told:
        said = " ".join(told["refused"].split())[:_SHOWN]
        missing = _NO_PACKAGE in said
        remedy = "package_paths=[...], on the command line --package-path DIR" if missing else ""
        raise DescriptionError(
            f"{source}: xacro refuses it: {said}; {f'name a folder that holds it: {remedy}' if missing else _MEND}"
        )
    return str(told["text"]).encode("utf-8", "surrogatepass")
