"""The modules of the package: syntax trees, statements, and which imports which."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ROOT_ROOM = "(root)"
INSTALLED = {"symdyn": "symdyn", "cli": "symdyn/cli", "templates": "symdyn/templates"}
"""Folders of the checkout, and where they are in the package."""


@dataclass(frozen=True, slots=True)
class Module:
    """A file of the package; ``file`` is its path below ``symdyn``."""

    name: str
    file: str
    tree: ast.Module

    @property
    def folder(self) -> str:
        """The package that holds it."""
        return self.name if self.file.endswith("__init__.py") else self.name.rpartition(".")[0]

    @property
    def room(self) -> str:
        """The top-level package below ``symdyn``."""
        first, inside, _ = self.file.partition("/")
        return first if inside else ROOT_ROOM

    @property
    def stem(self) -> str:
        """The file's name without its ending."""
        return self.file.rpartition("/")[2].removesuffix(".py")

    @property
    def statements(self) -> int:
        """Statements but docstrings."""
        return sum(isinstance(node, ast.stmt) and not _is_text(node) for node in ast.walk(self.tree))


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


@cache
def package(root: Path = ROOT) -> dict[str, Module]:
    """All modules by their dotted name."""
    found = {}
    for folder, place in INSTALLED.items():
        for path in sorted((root / folder).rglob("*.py")):
            file = f"{place}/{path.relative_to(root / folder).as_posix()}"
            name = file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
            tree = ast.parse(path.read_text(encoding="utf-8"))
            found[name] = Module(name, file.removeprefix("symdyn/"), tree)
    return found


def imports(module: Module, modules: Mapping[str, Module]) -> set[str]:
    """Names of the package's modules that one imports anywhere, for types too."""
    return set(_imports(module, modules)) - {module.name}


def _imports(module: Module, modules: Mapping[str, Module]) -> Iterator[str]:
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in modules)
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                yield from [name for name in (whole, node.module) if name in modules][:1]


def circles(graph: Mapping[str, set[str]]) -> list[set[str]]:
    """Groups of at least two modules that import one another, by way of others or not."""
    ahead = {name: _reached(name, graph) for name in graph}
    groups = {frozenset(other for other in ahead[name] if name in ahead[other]) | {name} for name in graph}
    return [set(group) for group in groups if len(group) > 1]


def _reached(start: str, graph: Mapping[str, set[str]]) -> set[str]:
    found: set[str] = set()
    ahead = list(graph[start])
    while ahead:
        name = ahead.pop()
        if name not in found:
            found.add(name)
            ahead += graph[name]
    return found
