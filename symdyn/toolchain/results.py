"""Classes of results of modules that nobody imports by name: named tuples that pickle all the same."""

from __future__ import annotations

import copyreg
from collections import namedtuple
from typing import Any

from symdyn.compiler.emit.results import result_of
from symdyn.interface.manifest import Manifest

ResultClass = type[Any]
"""A class that :func:`collections.namedtuple` made."""

_KNOWN: dict[tuple[str, str, tuple[str, ...]], ResultClass] = {}
"""Classes by module, name and fields."""


def portable(kind: ResultClass) -> ResultClass:
    """The class, whose results pickle by its names: another process needs symdyn, and not the module."""
    copyreg.pickle(kind, _reduced)
    _KNOWN[kind.__module__, kind.__name__, kind._fields] = kind
    return kind


def made_for(manifest: Manifest) -> dict[str, ResultClass]:
    """Classes of results by the names of the functions that have one, for a module without classes of its own."""
    found = ((entry.python_name, result_of(entry.signature)) for entry in manifest.functions)
    return {name: _known(__name__, result.name, result.field_names) for name, result in found if result is not None}


def classes_of(module: Any, manifest: Manifest) -> dict[str, ResultClass]:
    """The classes of results that a loaded module holds, by their own names.

    Raises
    ------
    AttributeError
        It lacks one.
    """
    results = (result_of(entry.signature) for entry in manifest.functions)
    return {own.name: portable(getattr(module, own.name)) for own in results if own is not None}


def _known(module: str, name: str, fields: tuple[str, ...]) -> ResultClass:
    found = _KNOWN.get((module, name, fields))
    return found or portable(namedtuple(name, fields, module=module))


def _reduced(result: Any) -> tuple[Any, tuple[Any, ...]]:
    kind = type(result)
    return _restored, (kind.__module__, kind.__name__, kind._fields, tuple(result))


def _restored(module: str, name: str, fields: tuple[str, ...], values: tuple[Any, ...]) -> Any:
    return _known(module, name, fields)(*values)
