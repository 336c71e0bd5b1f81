"""Which cases of long tests run without ``--all-cases``."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest
from support.chosen_cases import chosen
from support.thinned import LONG, ONE_OF, late

FUNCTIONS, LAYOUTS = [f"function{n}" for n in range(6)], ["unrolled", "split", "rolled"]
FILES = [f"test_{name}.py" for name in ("arms", "rods", "loops")]
TESTS = [(file, f"test_agrees[{function}-{layout}]") for file, function, layout in product(FILES, FUNCTIONS, LAYOUTS)]

pytestmark = pytest.mark.unit


def test_files_share_what_is_to_be_covered() -> None:
    """Each of three files runs a third of its cases, and together they run each function in each layout."""
    found = [name.split("::") for name in chosen(TESTS, 3)]
    assert {file: sum(own == file for own, _ in found) for file in FILES} == dict.fromkeys(FILES, 6)
    assert {name for _, name in found} == {name for _, name in TESTS}


def test_one_of_each_file_runs_and_the_choice_is_always_the_same() -> None:
    few = [*TESTS[:5], ("test_alone.py", "test_alone")]
    assert "test_alone.py::test_alone" in chosen(few, 16)
    assert len(chosen(few, 16)) == 2
    assert len(chosen(TESTS[:5], 4)) == 2  # a share of five is two
    assert chosen(TESTS, 5) == chosen(list(TESTS), 5)


def test_each_test_function_of_a_file_runs_before_one_runs_twice() -> None:
    own = [("test_own.py", f"test_{name}[{case}]") for name, case in product("abc", ("x-y", "x-z", "u-v"))]
    found = chosen(own, 3)
    assert {name.split("::")[1].split("[")[0] for name in found} == {"test_a", "test_b", "test_c"}


@pytest.mark.parametrize("file", sorted({*LONG, *ONE_OF}))
def test_what_is_left_for_later_is_there(file: str) -> None:
    text = (Path(__file__).resolve().parents[1] / file).read_text("utf-8")
    assert all(f"\ndef {name}(" in text for name in (*LONG.get(file, ()), *ONE_OF.get(file, {})))


def test_a_part_of_a_product_runs_and_what_takes_long_runs_later() -> None:
    (file, names), (other, (name, *_)) = next(iter(ONE_OF.items())), next(iter(LONG.items()))
    product_of, share = next(iter(names.items()))
    parameters = [f"{product_of}[{a}-{b}]" for a, b in product("xyz", "uvw")]
    found = late([*((file, own) for own in parameters), (file, "test_other[x-u]"), (other, name)])
    assert found[other, name]
    assert sum((file, own) not in found for own in parameters) == -(-len(parameters) // share)
    assert (file, "test_other[x-u]") not in found
