"""Places of the physics half that will cost the next joint, body or load something, counted on its syntax trees.

joint kinds     places that name a kind of joint, or ask a predicate for one, outside the files of joints
beams           places that know beams, flexures or strains of rods, outside the files of elements, of rods and of maps
angular first   parameters and fields in which the angular part comes first; linear first: the linear part
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator

ROOMS = ("dynamics", "plan", "model", "algebra", "functions")
JOINT_FILES = re.compile(r"model/joints(\.py|/)|model/(flexure|tip_motion)\.py")
ELEMENT_FILES = re.compile(
    r"/elements/|/actuation[/.]|/[^/]*(beam|bend|flex|bent|tip_motion|rod|soft|(?<!con)strain|magnus|exponent|station|map)[^/]*\.py$"
)
KINDS = {"MotionKind", "JointKind"}
JOINTS = {"REVOLUTE", "PRISMATIC", "HELICAL", "PLANAR", "SPHERICAL", "FREE", "FREE_SPATIAL", "ROTOR"}
PREDICATES = {"bends", "is_free_base", "_is_spatial", "_is_motor", "has_frame", "about_ground", "restless"}
RESTS = {"Rest.WORLD", "Rest.NOWHERE"}
"""Traits that one joint alone has."""
BEAM = re.compile(r"beam|flexure|flexible|bends|bent|bending|(?<!con)strain", re.IGNORECASE)
ANGULAR = re.compile(r"angular\w*|omega\w*|moments?|spin|turn\w*|alpha")
LINEAR = re.compile(r"linear\w*|v|velocity|forces?|speed|push\w*|acceleration")

Place = tuple[str, int, str]
"""File, line, and what stands there."""


def joint_kinds(file: str, tree: ast.Module) -> Iterator[Place]:
    """Joints by name, members of enumerations of them, and predicates that stand for them."""
    if JOINT_FILES.search(file):
        return
    imported = {
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("symdyn.model.joints")
        for alias in node.names
    }
    for node in ast.walk(tree):
        text = ast.unparse(node) if isinstance(node, ast.Attribute) else ""
        if text in RESTS or text.rpartition(".")[0] in KINDS:
            yield file, node.lineno, text
        elif isinstance(node, ast.Name) and node.id in JOINTS & imported:
            yield file, node.lineno, node.id
        elif isinstance(node, ast.Call) and _name(node.func) == "isinstance" and "Flexure" in ast.dump(node):
            yield file, node.lineno, ast.unparse(node)
        elif isinstance(node, ast.MatchClass) and _name(node.cls) == "Flexure":
            yield file, node.lineno, "case Flexure"
        elif isinstance(node, ast.Attribute | ast.Name) and _name(node) in PREDICATES:
            yield file, node.lineno, ast.unparse(node)


def beams(file: str, tree: ast.Module) -> Iterator[Place]:
    """Names that speak of beams."""
    if ELEMENT_FILES.search(file):
        return
    for node in ast.walk(tree):
        name = _own_name(node)
        if name is not None and BEAM.search(name):
            yield file, getattr(node, "lineno", 0), name


def angular_first(file: str, tree: ast.Module) -> Iterator[Place]:
    """Pairs of neighbours of which the first is angular and the second linear."""
    yield from (place for place, leads in _pairs(file, tree) if leads)


def linear_first(file: str, tree: ast.Module) -> Iterator[Place]:
    """Pairs of neighbours of which the first is linear and the second angular."""
    yield from (place for place, leads in _pairs(file, tree) if not leads)


def _pairs(file: str, tree: ast.Module) -> Iterator[tuple[Place, bool]]:
    """Pairs of an angular and a linear part, and whether the angular one leads."""
    for node in ast.walk(tree):
        names: list[str] = []
        if isinstance(node, ast.ClassDef):
            fields = (item.target for item in node.body if isinstance(item, ast.AnnAssign))
            names = [item.id for item in fields if isinstance(item, ast.Name)]
        elif isinstance(node, ast.FunctionDef):
            names = [argument.arg for argument in node.args.args]
        elif isinstance(node, ast.Tuple):
            names = [item.id for item in node.elts if isinstance(item, ast.Name)]
        rest = iter(names)
        before = next(rest, "")
        for name in rest:
            leads = bool(ANGULAR.fullmatch(before) and LINEAR.fullmatch(name))
            if leads or (LINEAR.fullmatch(before) and ANGULAR.fullmatch(name)):
                yield (file, getattr(node, "lineno", 0), f"({before}, {name})"), leads
                name = next(rest, "")  # each name stands in one pair
            before = name


def _name(node: ast.expr) -> str | None:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else None


def name_of(node: ast.AST, kernels: bool) -> str | None:
    """The name that a node defines or reads, or that a text is; of kernels those alone that are functions or texts."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    return _own_name(node) if not kernels or isinstance(node, ast.FunctionDef) else None


def _own_name(node: ast.AST) -> str | None:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name) | ast.arg(arg=name) | ast.keyword(arg=name):
            return name
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name) | ast.alias(name=name):
            return name
        case ast.ImportFrom(module=name):
            return name
    return None


COUNTS: dict[str, Callable[[str, ast.Module], Iterator[Place]]] = {
    "joint kinds": joint_kinds,
    "beams": beams,
    "angular first": angular_first,
    "linear first": linear_first,
}
