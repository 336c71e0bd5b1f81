"""Xacro is not read but expanded by its own tool; here is the command."""

from __future__ import annotations

import shlex

from symdyn.description.text.position import at
from symdyn.errors import DescriptionError


def refusal(source: str, line: int | None, evidence: str) -> DescriptionError:
    """Error that names what is xacro in the file, and the command that expands it."""
    stem = source.removesuffix(".xacro").removesuffix(".urdf") or "robot"
    # Never a command that overwrites its own input.
    output = f"{stem}.urdf" if f"{stem}.urdf" != source else f"{stem}_expanded.urdf"
    command = f"xacro {shlex.quote(source)} > {shlex.quote(output)}"
    return DescriptionError(f"{at(source, line)}: {evidence} is xacro, not URDF; expand it first: {command}")
