"""Counts of the whole package: rooms, files, statements, circles of imports, words that are retired."""

from __future__ import annotations

import ast
import csv
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import physics
from sources import ROOT, ROOT_ROOM, Module, circles, imports, package

HERE = Path(__file__).resolve().parent
BASIS = ("model.rods", "model.loops")
SMALL = 60
"""Statements below which a module with one importer beside it belongs into that."""
EQUATIONS = "dynamics/equations"
"""Where operators on the residual of a problem stand; those of steps, frames and actuation are of other equations."""
OPERATORS = {
    "partials": re.compile(r"\w*partials\w*_plan"),
    "orders": re.compile(r"(?!\w*partials)\w*(time_derivatives|orders)\w*_plan"),
    "adjoint": re.compile(r"\w*(adjoint|gradient)\w*_plan"),
    "hessian": re.compile(r"\w*hessian\w*_plan"),
}
"""Plans of an operator; partials of orders count as partials."""
HOMES = {"partials": "implicit", "orders": "solution_orders", "adjoint": "adjoint", "hessian": "hessian"}
"""The file of each operator."""
FAMILIES = re.compile(r"(\w+_)?(inverse|forward|hybrid|impulse)_dynamics(_\w+)?")
NO_FAMILY = ("inverse_dynamics_regressor", "inverse_dynamics_rate_terms", "elastic_joint_inverse_dynamics")
KEYS = ("acting", "actuation", "flexible", "joint", "loops", "mapped", "slender", "soft")
"""Parts of a robot file whose schema and record are to be one."""

Places = dict[str, list[tuple[str, int, str]]]


def places() -> Places:
    """What is counted place by place: file, line, what stands there."""
    modules = package()
    found: Places = {}
    for name, count in physics.COUNTS.items():
        inside = [module for module in modules.values() if module.room in physics.ROOMS]
        found[name] = [place for module in inside for place in count(module.file, module.tree)]
    found |= {name: list(_each(modules, finder)) for name, finder in _FINDERS.items()}
    for kind in ("module", "name", "kernel"):
        found[f"retired {kind}s"] = list(retired(modules, kind))
    graph = {name: imports(module, modules) for name, module in modules.items()}
    found |= {f"plans of {name}": list(_operators(modules, graph, name)) for name in OPERATORS}
    found["circles"] = [(", ".join(sorted(group)), 1, f"{len(group)} modules") for group in circles(graph)]
    found["modules in circles"] = [(name, 1, "") for group in circles(graph) for name in sorted(group)]
    found["small siblings"] = list(_siblings(modules, graph))
    return found


def sizes() -> tuple[Counter[str], Counter[str]]:
    """Files and statements of each room."""
    files: Counter[str] = Counter()
    statements: Counter[str] = Counter()
    for module in package().values():
        files[module.room] += 1
        statements[module.room] += module.statements
    return files, statements


def _each(modules: Mapping[str, Module], finder: Callable[[Module], Iterator[tuple[int, str]]]) -> Iterator:
    for module in modules.values():
        yield from ((module.file, line, what) for line, what in finder(module))


def _root_modules(module: Module) -> Iterator[tuple[int, str]]:
    if module.room == ROOT_ROOM:
        yield 1, module.stem


def _rooms(module: Module) -> Iterator[tuple[int, str]]:
    if module.file == f"{module.room}/__init__.py" and module.room not in ("cli", "templates"):
        yield 1, module.room


def _lines_with(basis: str, rooms: tuple[str, ...]) -> Callable[[Module], Iterator[tuple[int, str]]]:
    def lines(module: Module) -> Iterator[tuple[int, str]]:
        if module.room in rooms:
            texts = (ROOT / "symdyn" / module.file).read_text(encoding="utf-8").splitlines()
            yield from ((number, text.strip()) for number, text in enumerate(texts, 1) if basis in text)

    return lines


def _operators(modules: Mapping[str, Module], graph: Mapping[str, set[str]], operator: str) -> Iterator:
    """Plans of an operator on problems that neither rest on its file nor are what it rests on.

    A thin caller uses more of the file than its records: it builds on a plan or on a class of systems there. The
    derivatives of R itself, from which the operator is made, stand in files that its own file imports.
    """
    home, pattern = f"{EQUATIONS}/{HOMES[operator]}.py", OPERATORS[operator]
    name = next(name for name, module in modules.items() if module.file == home)
    own = [module for module in modules.values() if module.file.startswith(EQUATIONS)]
    later = {module.stem for module in own if module.stem in HOMES.values() and _builds_on(module, HOMES[operator])}
    for other, module in modules.items():
        thin = any(_builds_on(module, stem) for stem in (HOMES[operator], *later))
        if module not in own or other in graph[name] or thin:
            continue
        for node in module.tree.body:
            if isinstance(node, ast.FunctionDef) and pattern.fullmatch(node.name):
                yield module.file, node.lineno, node.name


def _builds_on(module: Module, stem: str) -> bool:
    """Whether a module imports more of another of its folder than records: a plan, a class of systems."""
    imported = (
        alias.name
        for node in module.tree.body
        if isinstance(node, ast.ImportFrom) and (node.module or "").endswith(f"equations.{stem}")
        for alias in node.names
    )
    return any(name.endswith(("_plan", "System")) for name in imported)


def _entries(module: Module) -> Iterator[tuple[int, str]]:
    """Entries of the catalogue whose name is one of the five families', each a call that is written out."""
    if module.room != "functions":
        return
    named = {
        target.id: node.value
        for node in module.tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "CatalogueEntry":
            first = node.args[0]
            value = named.get(first.id) if isinstance(first, ast.Name) else first
            text = str(value.value) if isinstance(value, ast.Constant) else ""
            if FAMILIES.fullmatch(text) and not text.startswith(NO_FAMILY):
                yield node.lineno, text


def _schemas(module: Module) -> Iterator[tuple[int, str]]:
    """Classes that repeat a record of the description as a schema of its keys."""
    if module.stem.removesuffix("_schema") in KEYS and module.stem.endswith("_schema"):
        yield from ((node.lineno, node.name) for node in module.tree.body if isinstance(node, ast.ClassDef))


_FINDERS: dict[str, Callable[[Module], Iterator[tuple[int, str]]]] = {
    "root modules": _root_modules,
    "rooms": _rooms,
    "model.rods": _lines_with("model.rods", ("dynamics",)),
    "model.loops": _lines_with("model.loops", ("dynamics", "functions")),
    "entries of families": _entries,
    "schemas": _schemas,
}


def retired(modules: Mapping[str, Module], kind: str) -> Iterator[tuple[str, int, str]]:
    """The first place in which each retired word of a kind is in use."""
    with (HERE / "retired.csv").open(newline="", encoding="utf-8") as stream:
        words = [line for line in csv.DictReader(stream) if line["kind"] == kind]
    rooms = {room: _words(modules, room, kind) for room in {line["room"] for line in words}}
    for line in words:
        place = rooms[line["room"]].get(line["old"])
        if place:
            yield *place, f"{line['old']}: now {line['new']}"


def _words(modules: Mapping[str, Module], room: str, kind: str) -> dict[str, tuple[str, int]]:
    """Names of modules, or of what they define and the texts that name fields and kernels: where each is first."""
    found: dict[str, tuple[str, int]] = {}
    for module in modules.values():
        if room and module.room != room:
            continue
        if kind == "module":
            found.setdefault(module.stem, (module.file, 1))
            continue
        for node in ast.walk(module.tree):
            word = physics.name_of(node, kind == "kernel")
            if word is not None:
                found.setdefault(word, (module.file, getattr(node, "lineno", 1)))
    return found


def _siblings(modules: Mapping[str, Module], graph: Mapping[str, set[str]]) -> Iterator[tuple[str, int, str]]:
    importers: dict[str, list[str]] = {}
    for name, targets in graph.items():
        for target in targets:
            importers.setdefault(target, []).append(name)
    for name, module in modules.items():
        by = [modules[one] for one in importers.get(name, ())]
        beside = len(by) == 1 and by[0].folder == module.folder and module.stem != "__init__"
        if beside and module.statements < SMALL:
            yield module.file, 1, f"{module.statements} statements, only for {by[0].stem}"
