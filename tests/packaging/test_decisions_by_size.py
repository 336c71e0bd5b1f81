"""The table of tolerances in docs/conventions.md against the source: the same numbers, and none left out."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import symdyn

PACKAGE = Path(symdyn.__file__).parent
PAGE = Path(__file__).resolve().parents[2] / "docs" / "conventions.md"
ROW = re.compile(r"\| `([\w/]+\.py)` `(\w+)` \| ([^|]+) \| [^|]{3,} \| [^|]{3,} \|$", re.MULTILINE)
LARGEST = 1e-3
"""Numbers up to this are tolerances, but for the tables below."""
NO_DECISIONS = {
    "interface/sine_cosine.py",  # coefficients
    "compiler/emit/steppers/dop853_table.py",
    "compiler/emit/steppers/alpha.py _NUMBERS",  # of the method's control of steps
    "compiler/emit/steppers/spelling.py _NUMBERS",
    "robot/shipped/aerial_tree.py",  # a robot
    "verify/harness/states.py",  # states
    "description/checks/map_values.py",  # steps of complex differences
    "description/quantities/beam_expression.py",
    "shapes/section_energy.py",
    "shapes/elasticity.py _SLOWEST",  # numbers that keep away from overflow
    "analysis/identification/excitation.py _TINY",
    "analysis/simulation/given_motions.py _STEPS",  # steps of differences
    "analysis/statics/slopes.py _STEP",
    "description/checks/units.py _PREFIXES",  # of units
}
NO_ROOMS = ("cli/", "toolchain/", "analysis/view/", "analysis/compare/")
"""They show and call what others have decided."""


def numbers(node: ast.AST) -> list[float]:
    """The small numbers of an expression, also as text for fifty digits."""
    found = []
    for own in ast.walk(node):
        if isinstance(own, ast.Constant) and isinstance(own.value, float | str):
            try:
                found.append(abs(float(own.value)))
            except ValueError:
                continue
    return [own for own in found if 0.0 < own <= LARGEST]


def constants() -> dict[str, list[float]]:
    """Small numbers of all constants of modules, by file and name; of several in one statement, each its own."""
    found = {}
    for file in sorted(PACKAGE.rglob("*.py")):
        place = file.relative_to(PACKAGE).as_posix()
        for node in ast.parse(file.read_text("utf-8")).body:
            if not isinstance(node, ast.Assign | ast.AnnAssign) or node.value is None:
                continue
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            pairs = [(target, node.value)]
            if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                pairs = list(zip(target.elts, node.value.elts, strict=True))
            for name, value in pairs:
                if small := numbers(value):
                    found[f"{place} {ast.unparse(name)}"] = small
    return found


def test_every_tolerance_is_in_the_table_with_its_number() -> None:
    listed = {
        f"{file} {name}": [float(own) for own in values.split(",")]
        for file, name, values in ROW.findall(PAGE.read_text("utf-8"))
    }
    known = {
        name: values
        for name, values in constants().items()
        if not NO_DECISIONS & {name, name.split()[0]} and not name.startswith(NO_ROOMS)
    }
    assert len(listed) > 100
    assert sorted(set(known) - set(listed)) == [], "list them in docs/conventions.md, under decisions by size"
    assert sorted(set(listed) - set(known)) == [], "the source has no such constant any more"
    for name, values in listed.items():
        assert set(values) <= set(known[name]), (name, known[name])
