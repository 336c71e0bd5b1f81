"""What several tests need stands in one place: packages of helpers, names of joint kinds, the clock of timed C."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
CHECKOUT = TESTS.parent


def named_kinds(tree: ast.Module) -> Iterator[str]:
    """Module-level names for members of JointKind."""
    for node in tree.body:
        match node:
            case ast.Assign(targets=[target], value=value) | ast.AnnAssign(target=target, value=ast.expr() as value):
                parts = value.elts if isinstance(value, ast.Tuple) else [value]
                ours = [ast.unparse(part).startswith("JointKind.") for part in parts]
                if ours and all(ours):
                    yield ast.unparse(target)


def test_helpers_are_imported_from_their_package() -> None:
    settings = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))
    assert settings["tool"]["pytest"]["ini_options"]["pythonpath"] == ["tests"]
    loose = [path for path in TESTS.glob("*.py") if path.name != "conftest.py"]
    assert loose == []


def test_kinds_of_joints_are_named_once() -> None:
    found = {
        str(path.relative_to(TESTS)): names
        for path in TESTS.rglob("*.py")
        if (names := list(named_kinds(ast.parse(path.read_text(encoding="utf-8")))))
    }
    assert list(found) == ["support/robots/kinds.py"]


def test_named_kinds_are_found() -> None:
    text = "A = JointKind.FIXED\nB, C = JointKind.A, JointKind.B\nD: K = (JointKind.A,)\nE = (JointKind.A, 1)\n"
    assert list(named_kinds(ast.parse(text))) == ["A", "(B, C)", "D"]


def test_c_reads_the_clock_in_one_text_of_the_package_and_one_of_benchmarks() -> None:
    rooms = ("symdyn", "templates", "cli", "benchmarks", "tests/support")
    found = [
        str(path.relative_to(CHECKOUT))
        for room in rooms
        for path in (CHECKOUT / room).rglob("*.*")
        if path.suffix in (".c", ".cpp", ".h", ".hpp", ".jinja", ".py") and "clock_gettime(" in path.read_text("utf-8")
    ]
    assert sorted(found) == ["benchmarks/peers/thread_clock.h", "templates/timing/HARNESS.c.jinja"]
