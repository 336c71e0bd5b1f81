"""Compiled C of some rows gives the bits of the evaluator; emitted Python and single precision give the truth.

Of loops each pair of layout, problem, operator and robot is met where time is. At each change each function is met, and
each operator and each kind of robot in each layout, in Python too; with the slow tests each robot.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pytest
from support.cases import Case, check_code, check_narrow, check_python
from support.tables.chosen import DEAR, IN_C, IN_PYTHON, MORE, Placed
from support.tables.table import CASES

from symdyn.functions.catalogue import CATALOGUE

pytestmark = pytest.mark.needs_cc


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


@pytest.mark.parametrize(
    ("cases", "layout"),
    [
        *groups(IN_C),
        *groups(DEAR, pytest.mark.slow, pytest.mark.every_case),
        *groups(MORE, pytest.mark.slow),
    ],
)
def test_code_gives_the_bits_of_the_evaluator(cases: list[Case], layout: str) -> None:
    check_code(cases, layout)


@pytest.mark.parametrize(
    ("cases", "layout"),
    [
        *groups(IN_PYTHON),
        *groups((own for own in (*IN_C, *DEAR, *MORE) if own not in IN_PYTHON), pytest.mark.slow),
    ],
)
def test_python_gives_the_truth(cases: list[Case], layout: str) -> None:
    check_python(cases, layout)


@pytest.mark.parametrize("case", [case for case in CASES if "float32" in case.dtypes], ids=str)
def test_single_precision_is_as_good_as_it_can_be(case: Case) -> None:
    check_narrow(case, "float32")
