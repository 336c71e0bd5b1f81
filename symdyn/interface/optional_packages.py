"""Packages that extras bring: asked for where they are used; this file imports no room."""

from __future__ import annotations

import importlib.util

from symdyn.errors import RequestError
from symdyn.interface.distribution import installing


def require(what: str, package: str, extra: str) -> None:
    """Raise a RequestError, with the command that brings it, where an optional package is missing."""
    if importlib.util.find_spec(package) is None:
        raise RequestError(f"{what} needs {package}, which is not installed; {installing(extra)}")
