"""The name under which symdyn is installed, and what else goes by the name of its folder.

The import name, the command and the folders are ``symdyn``. The package index gives that name to another project,
whose files land in the same folder, so that the distribution has a name of its own.
"""

from __future__ import annotations

import base64
import functools
import hashlib
import json
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from importlib.metadata import Distribution, PackagePath

DISTRIBUTION = "symdyn-codegen"
"""The name in ``pyproject.toml`` (a test compares them)."""

_OTHER = "symdyn"
_OWN_COMMAND = "symdyn.cli.main:main"
_SHOWN = 60


@functools.cache
def listed_versions() -> dict[str, str]:
    """Versions of installed packages by name, in lower case with hyphens, as names of folders on Python's path tell.

    ``importlib.metadata`` knows more places, and takes 50 ms to load and to look up some packages.
    """
    found: dict[str, str] = {}
    for place in sys.path:
        with suppress(OSError):
            for name in os.listdir(place or "."):  # noqa: PTH208  (a path for each of hundreds costs more)
                if name.endswith((".dist-info", ".egg-info")):
                    package, _, number = name[: -len(".dist-info")].partition("-")
                    found.setdefault(package.lower().replace("_", "-").replace(".", "-"), number)
    return found


def installing(extra: str) -> str:
    """The command that brings an optional dependency, for messages: from a checkout, or by name."""
    if _from_a_checkout():
        return f'pip install ".[{extra}]" in a checkout of symdyn'
    return f'pip install "{DISTRIBUTION}[{extra}]"'


@functools.cache
def _from_a_checkout() -> bool:
    """Whether pip installed this from a folder, editable or not; it writes that down. So it is where nothing is."""
    own = _installed(DISTRIBUTION)
    if own is None:
        return True
    try:
        return "dir_info" in json.loads(own.read_text("direct_url.json") or "{}")
    except ValueError:
        return False


def _remedy() -> str:
    what = ". in a checkout of symdyn" if _from_a_checkout() else DISTRIBUTION
    return f"pip uninstall -y {_OTHER}, then pip install --force-reinstall --no-deps {what}"


def look_beside(package: Path) -> str | None:
    """As :func:`foreign_namesake`, where a folder beside the package is named as a namesake's would be; else None.

    A look at one folder takes no time, so that it can be had at every import.
    """
    return foreign_namesake() if next(package.parent.glob(f"{_OTHER}-[0-9]*.dist-info"), None) else None


@functools.cache
def foreign_namesake() -> str | None:
    """One line on another project that is installed under our import name, with the remedy; None where there is none.

    An earlier install of this project, from the time when its distribution had that name too, is no other project.
    """
    if _OTHER not in listed_versions():
        return None
    other = _installed(_OTHER)
    # A folder without metadata is what an interrupted uninstall leaves behind.
    if other is None or not other.metadata["Name"] or any(entry.value == _OWN_COMMAND for entry in other.entry_points):
        return None
    summary = " ".join((other.metadata["Summary"] or "").split())
    about = f" ({summary[:_SHOWN]}{'...' * (len(summary) > _SHOWN)})" if summary.isprintable() and summary else ""
    spoilt = _replaced(other)
    harm = f"it has replaced {', '.join(spoilt)}" if spoilt else "removing or updating one of them breaks the other"
    return (
        f"another project's package '{_OTHER}' {other.version}{about} is installed here, in the same folder as "
        f"{DISTRIBUTION}; {harm}: {_remedy()}"
    )


def broken_install() -> str:
    """One line for when ``symdyn/__init__.py`` is not ours or is gone, with the remedy."""
    return foreign_namesake() or f"files of {DISTRIBUTION} are missing or are another project's: {_remedy()}"


def _installed(name: str) -> Distribution | None:
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        return distribution(name)
    except PackageNotFoundError:
        return None


def _replaced(other: Distribution) -> list[str]:
    """Files that both projects list and that are not ours any more."""
    own = _installed(DISTRIBUTION)
    theirs = {str(file) for file in other.files or ()}
    return (
        [] if own is None else [str(file) for file in own.files or () if str(file) in theirs and not _as_listed(file)]
    )


def _as_listed(file: PackagePath) -> bool:
    if file.hash is None:
        return True
    try:
        digest = hashlib.new(file.hash.mode, file.read_binary()).digest()
    except (OSError, ValueError):
        return False
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode("ascii") == file.hash.value
