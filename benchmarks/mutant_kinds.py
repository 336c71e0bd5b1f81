"""The small faults of which ``mutants.py`` makes mutants: on single lines of C in templates, and of Python."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Mutant:
    """A piece of a line of a file, and what takes its place."""

    path: str
    line: int
    column: int
    operator: str
    before: str
    after: str


_TEMPLATE = [
    ("compare", r"(?<=\s)(<=|>=|<|>)(?=\s)", {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}),
    ("arithmetic", r"(?<=[\w\]\)\}] )([+-])(?= [\w\({])", {"+": "-", "-": "+"}),
    ("update", r"(?<= )(\+=|-=|\*=|/=)(?= )", {"+=": "-=", "-=": "+=", "*=": "/=", "/=": "*="}),
    ("logic", r"&&|\|\|", {"&&": "||", "||": "&&"}),
    ("sign", r"(?<=FMA\()-|(?<== )-(?=[\w{(])|(?<=\* )-(?=[\w{(])", {"-": ""}),
    ("constant", r"(?<=[ \[(])\d+(?=[;)\],])", None),
    ("condition", r"(?<=if \()!(?=\w)|(?<=if \()!(?=\()", {"!": ""}),
]
_SIZE = re.compile(r"\{\{ ([^{}]+) \}\}(?= \* sizeof)")
_BOUND = re.compile(r"(?<= < )\{\{ ([^{}]+) \}\}(?=;)")
_INDEX = re.compile(r"(?<=\* )([a-z]) \+ ([a-z])(?=\])")
_DROPPED = re.compile(r"^\s+(?!return|const|break|\(void\)|enum|size_t|bool|struct|\{\{ scalar \}\}|\{%)\S.*;\s*$")


def of_template(path: str, text: str) -> Iterator[Mutant]:
    """Mutants of the C in a template, line by line; statements of Jinja and comments stay."""
    comment = False
    for number, line in enumerate(text.splitlines(), 1):
        comment = comment or line.lstrip().startswith("/*")
        if comment or "{%" in line or line.startswith("#"):
            comment = comment and "*/" not in line
            continue
        code = line.split("/*", maxsplit=1)[0]
        for operator, pattern, table in _TEMPLATE:
            for found in re.finditer(pattern, code):
                if code.count("{{", 0, found.start()) > code.count("}}", 0, found.start()):
                    continue  # within an expression of Jinja
                old = found[0]
                for new in [table[old]] if table else [str(int(old) + 1), *([str(int(old) - 1)] if old != "0" else [])]:
                    yield Mutant(path, number, found.start(), operator, old, new)
        for found in _SIZE.finditer(code):
            for change in ("- 1", "+ 1"):
                yield Mutant(path, number, found.start(), "size", found[0], f"({found[0]} {change})")
        for found in _BOUND.finditer(code):
            yield Mutant(path, number, found.start(), "bound", found[0], f"{found[0]} - 1")
        for found in _INDEX.finditer(code):
            if found[1] != found[2]:
                yield Mutant(path, number, found.start(), "index", found[0], f"{found[2]} + {found[1]}")
        if _DROPPED.match(code) and code.count("(") == code.count(")"):
            yield Mutant(path, number, 0, "drop", code, ";")


_COMPARED: dict[type[ast.cmpop], str] = {
    ast.Lt: "<=",
    ast.LtE: "<",
    ast.Gt: ">=",
    ast.GtE: ">",
    ast.Eq: "!=",
    ast.NotEq: "==",
}
_COUNTED: dict[type[ast.operator], str] = {ast.Add: "-", ast.Sub: "+", ast.Mult: "/", ast.Div: "*"}


def of_python(path: str, text: str) -> Iterator[Mutant]:
    """Mutants of a module, on single lines, by its syntax tree."""
    lines = text.splitlines()

    def piece(own: ast.expr | ast.stmt) -> str | None:
        if own.lineno != own.end_lineno or not lines[own.lineno - 1].isascii():
            return None
        return lines[own.lineno - 1][own.col_offset : own.end_col_offset]

    def replaced(own: ast.expr | ast.stmt, operator: str, after: str) -> Iterator[Mutant]:
        before = piece(own)
        if before is not None:
            yield Mutant(path, own.lineno, own.col_offset, operator, before, after)

    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in _COMPARED:
            pair = piece(node.left), piece(node.comparators[0])
            yield from replaced(node, "compare", f"{pair[0]} {_COMPARED[type(node.ops[0])]} {pair[1]}")
        elif isinstance(node, ast.BinOp) and type(node.op) in _COUNTED:
            pair = piece(node.left), piece(node.right)
            yield from replaced(node, "arithmetic", f"({pair[0]}) {_COUNTED[type(node.op)]} ({pair[1]})")
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            yield from replaced(node, "sign", f"({piece(node.operand)})")
        elif isinstance(node, ast.Constant) and type(node.value) is int:
            for value in (node.value + 1, node.value - 1):
                yield from replaced(node, "constant", f"({value})")
        elif isinstance(node, ast.BoolOp) and len(node.values) == 2:
            word = "or" if isinstance(node.op, ast.And) else "and"
            yield from replaced(node, "logic", f"({piece(node.values[0])}) {word} ({piece(node.values[1])})")
        elif isinstance(node, ast.AugAssign) or (
            isinstance(node, ast.Expr) and isinstance(node.value, ast.Call | ast.YieldFrom | ast.Yield)
        ):
            yield from replaced(node, "drop", "pass")
