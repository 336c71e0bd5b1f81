"""Sources of the oracle that compute a truth: those of the functions, classes and numbers that it reaches by name.

A function reaches what its body names, one through another, in whatever module of ``symdyn.verify`` that is. Names in
annotations do not count: an object comes from code that is reached, which names its class. What a module does beside
definitions counts with each of its names. Docstrings and lines of comments do not count.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib import import_module
from importlib.util import find_spec
from typing import Any

_VERIFY = "symdyn.verify"
Name = tuple[str, str]
"""A module, and a name at its top level."""


@dataclass(frozen=True, slots=True)
class _Module:
    """What defines each name of a module, what runs beside, and what is imported: a module, or a name of one."""

    text: str
    defined: dict[str, list[ast.stmt]]
    beside: list[ast.stmt]
    imported: dict[str, tuple[str, str | None]]


def digest_of(functions: Iterable[Callable[..., Any]]) -> str:
    """A hash of the sources that functions reach, and of those that the functions in their closures do."""
    return _digest(frozenset(root for function in functions for root in roots_of(function)))


@cache
def _digest(roots: frozenset[Name]) -> str:
    return sha256("\n".join(source_of(own) for own in sorted(reached(roots))).encode()).hexdigest()


def roots_of(function: Any) -> Iterator[Name]:
    """The definitions that a function is from, and those that it was made of."""
    yield function.__module__, function.__qualname__.partition(".")[0]
    for cell in getattr(function, "__closure__", None) or ():
        if callable(cell.cell_contents):
            yield from roots_of(cell.cell_contents)


def reached(roots: Iterable[Name]) -> frozenset[Name]:
    """Names, and all that their definitions name, one through another."""
    found: set[Name] = set()
    left = set(roots)
    while left:
        own = left.pop()
        found.add(own)
        left |= _named(own) - found
    return frozenset(found)


@cache
def source_of(name: Name) -> str:
    """The definition of a name, without docstrings and lines of comments."""
    module = _module(name[0])
    lines = module.text.splitlines()
    found = []
    for statement in _statements(name):
        left_out: set[int] = set()
        for node in ast.walk(statement):
            if (
                isinstance(node, ast.Expr)
                and isinstance(node.value, ast.Constant)
                and isinstance(node.value.value, str)
            ):
                left_out |= set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
        first = min([statement.lineno, *(own.lineno for own in getattr(statement, "decorator_list", ()))])
        for number in range(first, (statement.end_lineno or first) + 1):
            line = lines[number - 1].rstrip()
            if number not in left_out and line and not line.lstrip().startswith("#"):
                found.append(line)
    return "\n".join(found)


def _statements(name: Name) -> list[ast.stmt]:
    module = _module(name[0])
    if name[1] not in module.defined:
        raise LookupError(f"{name[0]} has no definition of {name[1]} at its top level")
    return [*module.defined[name[1]], *module.beside]


@cache
def _named(name: Name) -> frozenset[Name]:
    """What the definition of a name names in modules of the oracle."""
    module = _module(name[0])
    found: set[Name] = set()
    for node in (node for statement in _statements(name) for node in _running(statement)):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            place, own = module.imported.get(node.value.id, ("", ""))
            if place and own is None:
                found |= _resolved(place, node.attr)
        elif isinstance(node, ast.Name):
            found |= _resolved(name[0], node.id)
    return frozenset(found)


def _running(node: ast.AST) -> Iterator[ast.AST]:
    """A node and all in it but annotations; a module of which an attribute is read is not a name by itself."""
    yield node
    for field, value in ast.iter_fields(node):
        if field in ("annotation", "returns"):
            continue
        for own in value if isinstance(value, list) else [value]:
            if isinstance(own, ast.AST):
                yield from _running(own)


def _resolved(module: str, name: str) -> set[Name]:
    """The definition behind a name of a module, through imports; nothing outside of the oracle."""
    if not module.startswith(_VERIFY):
        return set()
    known = _module(module)
    if name in known.defined:
        return {(module, name)}
    if name in known.imported:
        place, own = known.imported[name]
        if own is not None:
            return _resolved(place, own)
    return set()


@cache
def _module(name: str) -> _Module:
    text = inspect.getsource(import_module(name))
    defined: dict[str, list[ast.stmt]] = {}
    beside: list[ast.stmt] = []
    imported: dict[str, tuple[str, str | None]] = {}
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(_VERIFY):
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                imported[alias.asname or alias.name] = (
                    (full, None) if _is_module(full) else (node.module or "", alias.name)
                )
    for statement in tree.body:
        names = _defines(statement)
        for own in names:
            defined.setdefault(own, []).append(statement)
        if not names and not isinstance(statement, ast.Import | ast.ImportFrom):
            beside.append(statement)
    return _Module(text, defined, beside, imported)


def _defines(statement: ast.stmt) -> list[str]:
    """Names to which a statement gives a meaning, or another one."""
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        return [statement.name]
    targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
    return [node.id for target in targets if target for node in ast.walk(target) if isinstance(node, ast.Name)]


@cache
def _is_module(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:
        return False
