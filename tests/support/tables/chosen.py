"""Which rows are checked at each change, and how: few that together meet what all of them meet.

A new function meets one robot of each table here, each of its options, and C and each layout once; all its rows are
checked with the slow tests.
"""

from __future__ import annotations

from collections.abc import Hashable
from itertools import combinations
from zlib import crc32

from support.cases import Case
from support.pairwise import cover
from support.parts import DEAREST, without
from support.tables.loops import ROWS as LOOPED
from support.tables.soft import ROWS as SOFT
from support.tables.table import CASES, OPERATORS, TABLE_OF, operator

WITH_LOOPS = {case.robot for case in LOOPED}
DEFORMABLE = {case.robot for case in SOFT}
Placed = tuple[Case, str]
"""A case in a layout."""


def is_dear(case: Case) -> bool:
    """Whether it is of what takes longest."""
    return without([case.function], *DEAREST) == ()


def _pairs(placed: Placed) -> set[Hashable]:
    """Those of layout, problem, operator and robot."""
    (case, layout), own = placed, operator(placed[0])
    return {*combinations((layout, case.function.removesuffix(own), own, case.robot), 2)}


def _compiled(placed: Placed) -> set[Hashable]:
    """The function; the operator, and the table, in this layout."""
    return {placed[0].function, *_written(placed)}


def _compiled_robots(placed: Placed) -> set[Hashable]:
    """The robot."""
    return {placed[0].robot}


def _in_turn(placed: Placed) -> bool:
    """Whether the layout is the one that this robot has where one is enough."""
    case, layout = placed
    return layout == case.layouts[crc32(case.robot.encode()) % len(case.layouts)]


def _written(placed: Placed) -> set[Hashable]:
    """The operator, and the table, in this layout."""
    case, layout = placed
    return {(layout, operator(case)), (layout, TABLE_OF[str(case)])}


def _traced(placed: Placed) -> set[Hashable]:
    """The function, and in this layout if that takes little; the operator in this layout; the table in this layout."""
    case, layout = placed
    own = case.function if operator(case) else (case.function, layout)
    return {own, (layout, operator(case)), (layout, TABLE_OF[str(case)])}


def _run(case: Case) -> set[Hashable]:
    """The function with this table, and if it takes little with each option; the operator with this robot likewise."""
    own = (case.function, TABLE_OF[str(case)])
    if is_dear(case):
        return {own}
    return {own, (operator(case), case.robot), *((case.function, name) for name in case.options)}


def _expense(case: Case) -> tuple[bool, int, bool, bool]:
    """Orders cases by what they take: bodies that deform are met by functions that take little."""
    order = ("", *OPERATORS).index(operator(case))
    dear = any(part in case.function for part in ("coriolis", "rate_terms", "_jacobian", "_system"))
    return case.function.startswith("constraint_"), order, dear, (case.robot in DEFORMABLE) == (order > 0 or dear)


_PLACED = [
    (case, layout)
    for case in sorted(CASES, key=_expense)
    for layout in (
        case.layouts[::-1] if case.robot in DEFORMABLE else case.layouts
    )  # long bodies unrolled are long code
]
_ALWAYS = cover(_PLACED, _compiled)
IN_C = [own for own in _ALWAYS if not is_dear(own[0])]
"""Compiled at each change, and their Programs compared with the truth."""
DEAR = [own for own in _ALWAYS if is_dear(own[0])]
DEAR += cover(
    [own for own in _PLACED if own not in _ALWAYS and _in_turn(own)],
    _compiled_robots,
    {item for own in _ALWAYS for item in _compiled_robots(own)},
)
"""Compiled with the slow tests, all of it."""
MORE = [own for own in cover([own for own in _PLACED if own[0].robot in WITH_LOOPS], _pairs) if own not in IN_C + DEAR]
"""Compiled where time is."""
IN_PYTHON = cover(IN_C, _written)
"""Written in Python at each change."""
_TRACED = cover(_PLACED, _traced, {item for own in IN_C for item in _traced(own)})
TRACED = [own for own in _TRACED if not is_dear(own[0])]
"""Compared with the truth as Programs at each change, beside IN_C."""
DEAR_TRACED = [own for own in _TRACED if is_dear(own[0])]
"""And with the slow tests."""
RUN = cover(CASES, _run, {item for case, _ in (*IN_C, *TRACED) for item in _run(case)})
"""Compared with the truth as recursions at each change, beside those that the Programs of the change run."""
