"""The package grows no new places that know kinds of joints, beams, rods or loops, no circles, no retired words."""

from __future__ import annotations

import ast
import csv
import sys
from pathlib import Path
from types import ModuleType

import pytest

RAILS = Path(__file__).resolve().parents[2] / "benchmarks" / "rails"


@pytest.fixture(scope="module")
def shape() -> ModuleType:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(RAILS))
        import shape
    return sys.modules[shape.__name__]


@pytest.mark.slow
def test_the_counts_do_not_grow(shape: ModuleType) -> None:
    with (RAILS / "shape.csv").open(encoding="utf-8") as stream:
        start = {name: int(number) for name, number in csv.reader(stream)}
    found = shape.house.places()
    number = shape.counts(found)
    assert {name: (start[name], number[name]) for name in shape.HELD if number[name] > start[name]} == {}
    assert min(number["joint kinds"], number["root modules"], number["files"]) > 0
    # Twists and wrenches have one order of rows.
    assert found["angular first"] == [] and found["linear first"]
    assert [item for item, *_ in shape.items(found)] == sorted(item for item, *_ in shape.items(found))
    assert {item for item, *_ in shape.items(found)} == set(range(1, 10))


def test_circles_of_imports(shape: ModuleType) -> None:
    graph = {"a": {"b"}, "b": {"c"}, "c": {"a", "d"}, "d": {"e"}, "e": set(), "f": {"g"}, "g": {"f"}}
    assert sorted(map(sorted, shape.house.circles(graph))) == [["a", "b", "c"], ["f", "g"]]


def test_words_that_are_retired(shape: ModuleType) -> None:
    tree = ast.parse('class HeldTree:\n    limp = 1\n\n\nfield = "held"\nchange = Step("begin_half", 3)\n')
    module = shape.house.Module("symdyn.dynamics.pressed", "dynamics/pressed.py", tree)
    inside = {module.name: module}

    def found(kind: str) -> list[str]:
        return [text.partition(":")[0] for _, _, text in shape.house.retired(inside, kind)]

    assert found("module") == ["pressed"] and found("name") == ["HeldTree", "held", "limp"]
    assert found("kernel") == ["begin_half"]  # a variable that is called change is no kernel
    other = shape.house.Module("symdyn.analysis.view.pressed", "view/pressed.py", ast.parse(""))
    assert list(shape.house.retired({other.name: other}, "module")) == []


def test_what_is_counted(shape: ModuleType) -> None:
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
        return sorted(what for _, _, what in shape.house.physics.COUNTS[count](file, tree))

    kinds = ["MotionKind.FREE", "MotionKind.PLANAR", "case Flexure", "isinstance(kind, Flexure)", "variant.bends"]
    assert found("joint kinds") == kinds and found("joint kinds", "model/joints/planar.py") == []
    assert found("beams") == ["Flexure", "Flexure", "beam_mass", "beams", "bends"]
    assert found("beams", "dynamics/elements/beam.py") == []
    assert shape.house.Module("symdyn.some", "some.py", tree).statements == 6
    assert found("angular first") == ["(angular, linear)"] and found("linear first") == ["(force, moment)"]
