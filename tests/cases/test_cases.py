"""Each row of the tables against its truth, as float recursion and as Program."""

from __future__ import annotations

import pytest
from support.cases import Case, check_program, check_recursion
from support.parts import DEAR, without
from support.tables.chosen import DEAR_TRACED, IN_C, RUN, TRACED, WITH_LOOPS
from support.tables.table import CASES, STEEP
from support.truths import TRUTHS, StaleTruthError, forget, keys_of

AGAIN = {(str(case), layout) for case, layout in IN_C}
"""Programs that are compared with the truth where they are compiled, in test_code.py."""
AT_EACH_CHANGE = {(str(case), layout) for case, layout in TRACED}
WITH_SLOW_TESTS = {(str(case), layout) for case, layout in DEAR_TRACED}
RECURSIONS = {str(case) for case in RUN}
SLOW = pytest.mark.slow
ALWAYS_SLOW = (SLOW, pytest.mark.every_case)
"""Loops all run with the slow tests, because each of them is there for what no other covers."""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Recursions of all cases; at each change those that no Program of the same change runs, and all to be updated."""
    if metafunc.definition.originalname == "test_the_recursion_is_the_truth":
        all_of_them = metafunc.config.getoption("--update-truths")
        metafunc.parametrize("case", [_recursion(case, all_of_them) for case in sorted(CASES, key=_robot)])


def _robot(case: Case) -> str:
    """What is known of a robot serves its next case."""
    return case.robot


def _recursion(case: Case, always: bool) -> object:
    marks = () if always or str(case) in RECURSIONS else ALWAYS_SLOW if case.robot in WITH_LOOPS else (SLOW,)
    return pytest.param(case, id=str(case), marks=marks)


def _programs() -> list[object]:
    """All cases in all layouts, but what is compiled at each change.

    With the slow tests runs each case of loops in one layout, in turn for each function, but for what takes longest, of
    which each function runs once; and where time is all layouts of all cases.
    """
    turns: dict[str, int] = {}
    found: list[tuple[str, object]] = []
    for case in CASES:
        turn = turns[case.function] = turns.get(case.function, -1) + 1
        own = case.layouts[turn % len(case.layouts)]
        in_turn = case.robot in WITH_LOOPS and without([case.function], *DEAR) != ()
        for layout in case.layouts:
            if (str(case), layout) in AGAIN:
                continue
            marks: tuple[pytest.MarkDecorator, ...] = ALWAYS_SLOW if in_turn and layout == own else (SLOW,)
            marks = ALWAYS_SLOW if (str(case), layout) in WITH_SLOW_TESTS else marks
            marks = () if (str(case), layout) in AT_EACH_CHANGE else marks
            found.append((_robot(case), pytest.param(case, layout, marks=marks, id=f"{case}-{layout}")))
    return [own for _, own in sorted(found, key=lambda each: each[0])]


def test_the_recursion_is_the_truth(case: Case, request: pytest.FixtureRequest) -> None:
    check_recursion(case, request.config.getoption("--update-truths"))


@pytest.mark.parametrize(("case", "layout"), _programs())
def test_the_program_is_the_truth(case: Case, layout: str) -> None:
    check_program(case, layout)


def test_there_are_no_other_truths(request: pytest.FixtureRequest) -> None:
    wanted: dict[str, set[str]] = {}
    for case in CASES:
        wanted.setdefault(case.file, set()).add(case.key)
    if request.config.getoption("--update-truths"):
        forget(wanted)
    assert {path.stem for path in TRUTHS.glob("*.json")} == set(wanted)
    assert {name: keys_of(name) for name in wanted} == wanted
    assert {str(case) for case in CASES} >= STEEP


@pytest.mark.slow
@pytest.mark.every_case
def test_no_truth_is_stale() -> None:
    for case in CASES:
        case.truth()


def test_a_stale_truth_says_how_to_mend_it() -> None:
    other = Case("tree", "inverse_dynamics", {"external_wrenches": "world"})
    with pytest.raises(StaleTruthError, match=r"in tree\.json is stale: there is none; compute it by 'pytest tests/ca"):
        check_recursion(other)
