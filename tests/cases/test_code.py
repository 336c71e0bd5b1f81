"""Compiled C of some rows gives the bits of the evaluator; emitted Python and single precision give the truth.

Of loops each pair of layout, problem, operator and robot is met where time is. Always met are each function of all
robots, and each robot and each operator in each layout.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from itertools import combinations

import pytest
from support.cases import Case, check_code, check_narrow
from support.pairwise import cover
from support.parts import DEAREST, without
from support.tables.loops import ROWS as LOOPED
from support.tables.soft import ROWS as SOFT
from support.tables.table import CASES

from symdyn.functions.catalogue import CATALOGUE

pytestmark = pytest.mark.needs_cc
OPERATORS = ("_time_derivatives_partials", "_time_derivatives", "_partials", "_adjoint", "_weighted_hessian")
WITH_LOOPS = {case.robot for case in LOOPED}
DEFORMABLE = {case.robot for case in SOFT}
Placed = tuple[Case, str]
"""A case in a layout."""


def operator(case: Case) -> str:
    return next((name for name in OPERATORS if case.function.endswith(name)), "")


def pairs(placed: Placed) -> set[Hashable]:
    """Those of layout, problem, operator and robot."""
    (case, layout), own = placed, operator(placed[0])
    return {*combinations((layout, case.function.removesuffix(own), own, case.robot), 2)}


def each(placed: Placed) -> set[Hashable]:
    """The function; the operator in this layout; the robot, and among robots with loops the layout that it has."""
    case, layout = placed
    return {case.function, (layout, operator(case)), (layout if case.robot in WITH_LOOPS else "", case.robot)}


def _expense(case: Case) -> tuple[bool, int, bool, bool]:
    """Orders cases by what they take: bodies that deform are met by functions that take little."""
    order = ("", *OPERATORS).index(operator(case))
    dear = any(part in case.function for part in ("coriolis", "rate_terms", "_jacobian", "_system"))
    return case.function.startswith("constraint_"), order, dear, (case.robot in DEFORMABLE) == (order > 0 or dear)


def chosen() -> tuple[list[Placed], list[Placed]]:
    """What is compiled always, and what is compiled beside it where time is."""
    light = sorted(CASES, key=_expense)
    placed = [(case, layout) for case in light for layout in case.layouts]
    always = cover(placed, each)
    pairwise = cover([own for own in placed if own[0].robot in WITH_LOOPS], pairs)
    return always, [own for own in pairwise if own not in always]


def groups(placed: Iterable[Placed], *marks: pytest.MarkDecorator) -> list[object]:
    """What is compiled together: cases of one robot and layout whose options do not contradict each other."""
    found: list[tuple[str, list[Case]]] = []
    for case, layout in placed:
        own = next(
            (cases for name, cases in found if name == f"{case.robot} {layout}" and together([*cases, case])), None
        )
        if own is None:
            found.append((f"{case.robot} {layout}", [case]))
        else:
            own.append(case)
    return [pytest.param(cases, name.split()[-1], id=name.replace(" ", "_"), marks=marks) for name, cases in found]


def together(cases: Sequence[Case]) -> bool:
    """Whether each function, with the options of all, has its own."""
    said = {name: value for case in cases for name, value in case.options.items()}
    functions = {case.function for case in cases}
    return len(functions) == len(cases) and all(
        {name: value for name, value in said.items() if name in CATALOGUE[case.function].takes} == dict(case.options)
        for case in cases
    )


ALWAYS, MORE = chosen()


DEAR = [own for own in ALWAYS if without([own[0].function], *DEAREST) == ()]
"""What takes longest runs with the slow tests, all of it."""


@pytest.mark.parametrize(
    ("cases", "layout"),
    [
        *groups(own for own in ALWAYS if own not in DEAR),
        *groups(DEAR, pytest.mark.slow, pytest.mark.every_case),
        *groups(MORE, pytest.mark.slow),
    ],
)
def test_code_gives_the_bits_of_the_evaluator(cases: list[Case], layout: str) -> None:
    check_code(cases, layout)


@pytest.mark.parametrize("case", [case for case in CASES if "float32" in case.dtypes], ids=str)
def test_single_precision_is_as_good_as_it_can_be(case: Case) -> None:
    check_narrow(case, "float32")
