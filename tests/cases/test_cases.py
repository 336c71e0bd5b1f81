"""Each row of the tables against its truth, as float recursion and as Program."""

from __future__ import annotations

import pytest
from support.cases import Case, check_program, check_recursion
from support.parts import DEAR, DEAREST, without
from support.tables.loops import ROWS as LOOPED
from support.tables.table import CASES, STEEP
from support.truths import TRUTHS, StaleTruthError, forget, keys_of

WITH_LOOPS = {case.robot for case in LOOPED}
ALSO = {"rod": ("dynamics_partials", "coriolis", "regressor", "rate_terms"), "small": ("",), "geared": ("",)}
"""Parts of names of functions that are Programs of a soft arm, and of robots with inputs of actuators, always."""


def in_turn(case: Case) -> bool:
    """Whether the case is a Program in one layout at each change."""
    parts = () if without([case.function], *DEAREST) == () else ALSO.get(case.robot, ())
    return case.robot in WITH_LOOPS or any(part in case.function for part in parts)


def _programs() -> list[object]:
    """Cases of loops, and some others, in one layout, in turn for each function; each function in each layout.

    Derivatives of loops run with the slow tests, each of them, but for the first of each function and layout, and the
    dearest but for the first of each function: tracing them took as long as half of all other tests. All other layouts
    of all cases run where time is.
    """
    turns: dict[str, int] = {}
    met: set[tuple[str, str]] = set()
    functions: set[str] = set()
    found: list[object] = []
    for case in CASES:
        turn = turns[case.function] = turns.get(case.function, -1) + 1
        for place, layout in enumerate(case.layouts):
            own = place == turn % len(case.layouts)
            first = own and (case.function, layout) not in met
            dearest = without([case.function], *DEAREST) == ()
            always = first and not (dearest and case.function in functions)
            met |= {(case.function, layout)} if own else set()
            functions |= {case.function}
            cheap = without([case.function], *DEAR) != ()
            if always or (own and in_turn(case) and cheap):
                marks: tuple[pytest.MarkDecorator, ...] = ()
            else:
                marks = (pytest.mark.slow, *[pytest.mark.every_case] * (first or (own and in_turn(case))))
            found.append(pytest.param(case, layout, marks=marks, id=f"{case}-{layout}"))
    return found


@pytest.mark.parametrize("case", CASES, ids=str)
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


def test_a_stale_truth_says_how_to_mend_it() -> None:
    other = Case("tree", "inverse_dynamics", {"external_wrenches": "world"})
    with pytest.raises(StaleTruthError, match=r"in tree\.json is stale: there is none; compute it by 'pytest tests/ca"):
        check_recursion(other)
