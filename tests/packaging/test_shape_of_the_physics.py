"""The physics half grows no new places that know kinds of joints or beams, and keeps one order of rows."""

from __future__ import annotations

import ast
import csv
import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

RAILS = Path(__file__).resolve().parents[2] / "benchmarks" / "rails"
HELD = ("joint kinds", "beams")
"""Counts that may fall and not rise."""


@pytest.fixture(scope="module")
def shape() -> ModuleType:
    spec = importlib.util.spec_from_file_location("shape", RAILS / "shape.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("count", HELD)
def test_the_counts_do_not_grow(shape: ModuleType, count: str) -> None:
    with (RAILS / "shape.csv").open(encoding="utf-8") as stream:
        start = {name: int(number) for name, number in csv.reader(stream)}
    assert 0 < len(shape.places(count)) <= start[count]


def test_twists_and_wrenches_have_one_row_order(shape: ModuleType) -> None:
    assert shape.places("angular first") == []
    assert shape.places("linear first")


def test_what_is_counted(shape: ModuleType, tmp_path: Path) -> None:
    source = (
        '"""Text."""\nfrom x import beam_mass\n'
        "def f(kind, angular, linear, force, moment):\n"
        '    """More."""\n'
        "    if kind is MotionKind.FREE or variant.bends:\n"
        "        return {MotionKind.PLANAR: isinstance(kind, Flexure)}\n"
        "    match kind:\n        case Flexure():\n            return beams\n"
    )
    tree = ast.parse(source)

    def found(count: str, file: str = "recursion/some.py") -> list[str]:
        return sorted(what for _, _, what in shape.COUNTS[count](file, tree))

    kinds = ["MotionKind.FREE", "MotionKind.PLANAR", "case Flexure", "isinstance(kind, Flexure)", "variant.bends"]
    assert found("joint kinds") == kinds and found("joint kinds", "model/joints/planar.py") == []
    assert found("beams") == ["Flexure", "Flexure", "beam_mass", "beams", "bends"]
    assert found("beams", "dynamics/elements/beam.py") == []
    assert found("statements") == ["FunctionDef", "If", "ImportFrom", "Match", "Return", "Return"]
    assert found("angular first") == ["(angular, linear)"] and found("linear first") == ["(force, moment)"]
