"""Which branches of a tree are limbs: alike, of one parent, as many as fit into lanes, and worth it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from symdyn.plan.plan import Access, Field, FieldKind, Mode, Plan, Port, Step, Sweep, Visit
from symdyn.tracing.lanes.limbs import MOST_LANES, Limbs, find_limbs, places_of


def _move(_: Any, __: Any, ___: Mapping[str, Any], reads: Mapping[str, Sequence[Any]]) -> dict[str, Any]:
    return {"y": [2.0 * reads["x"][0]]}


MOVE = Step("move", _move, (Port("x", Mode.READ), Port("y", Mode.WRITE), Port("z", Mode.WRITE)))


def tree(parent: Sequence[int], variants: Mapping[int, str] | None = None, without: Sequence[int] = ()) -> Plan:
    """One visit per body but those ``without``; a body has the variant "joint" unless another is named."""
    count = len(parent)
    visits = [
        Visit(body, (variants or {}).get(body, "joint"), {}, {"x": Access("x", body, 1), "y": Access("y", body, 1)})
        for body in range(count)
        if body not in without
    ]
    visits.append(Visit(-1, "ground", {}, {"x": Access("x", 0, 1), "y": Access("ground", 0, 1)}))
    fields = (
        Field("x", FieldKind.INPUT, count),
        Field("y", FieldKind.OUTPUT, count),
        Field("ground", FieldKind.STATE, 1),
    )
    names = tuple(f"body{body}" for body in range(count))
    return Plan("moved", fields, (Sweep(MOVE, tuple(visits)),), names, tuple(parent))


def test_branches_with_branches_go_as_a_whole() -> None:
    """Two arms of three fingers each: three lanes of fingers would leave the arms to scalars."""
    parent = [-1, 0, 1, 2, 2, 2, 0, 6, 7, 7, 7]
    assert find_limbs(tree(parent)) == Limbs(2, (((1, 2, 3, 4, 5), (6, 7, 8, 9, 10)),))


def test_inner_branches_are_found_where_more_of_them_are_alike() -> None:
    """The arms are unlike at their roots, their fingers are alike hand by hand."""
    parent = [-1, 0, 1, 2, 1, 4, 1, 6, 0, 8, 9, 8, 11, 8, 13]
    found = find_limbs(tree(parent, {1: "other"}))
    assert found == Limbs(3, (((2, 3), (4, 5), (6, 7)), ((9, 10), (11, 12), (13, 14))))


def test_a_group_inside_of_another_one_is_not_counted_twice() -> None:
    """Pairs of pairs: the outer pair stands for all."""
    assert find_limbs(tree([-1, 0, 1, 1, 0, 4, 4])) == Limbs(2, (((1, 2, 3), (4, 5, 6)),))


def test_bodies_of_a_branch_stay_in_order() -> None:
    """Also where limbs take turns in the numbering."""
    found = find_limbs(tree([-1, 0, 0, 1, 2, 3, 4]))
    assert found == Limbs(2, (((1, 3, 5), (2, 4, 6)),))
    assert places_of(found) == {1: (0, 0, 0), 3: (0, 0, 1), 5: (0, 0, 2), 2: (0, 1, 0), 4: (0, 1, 1), 6: (0, 1, 2)}


@pytest.mark.parametrize(
    ("count", "lanes", "groups"), [(8, 8, 1), (9, 4, 2), (16, 8, 2), (17, 5, 3), (20, 6, 3)], ids=str
)
def test_more_than_eight_go_in_groups(count: int, lanes: int, groups: int) -> None:
    """As few groups as can be, of one size; a branch or two may be left over."""
    found = find_limbs(tree([-1, *[0] * count]))
    assert found is not None and (found.lanes, len(found.groups)) == (lanes, groups)
    assert found.lanes <= MOST_LANES
    bodies = [body for group in found.groups for branch in group for body in branch]
    assert bodies == list(range(1, 1 + lanes * groups))


@pytest.mark.parametrize(("lanes", "spacing"), [(2, 2), (3, 4), (4, 4), (5, 8), (8, 8)])
def test_lanes_fill_up_to_a_vector(lanes: int, spacing: int) -> None:
    found = find_limbs(tree([-1, *[0] * lanes]))
    assert found is not None and found.spacing == spacing


def test_all_groups_of_one_number_are_taken() -> None:
    """Two arms of two joints, two legs of three."""
    found = find_limbs(tree([-1, 0, 1, 0, 3, 0, 5, 6, 0, 8, 9]))
    assert found == Limbs(2, (((5, 6, 7), (8, 9, 10)), ((1, 2), (3, 4))))


def test_the_number_that_saves_most_wins() -> None:
    """Four legs of two joints save six bodies, two arms of five save five."""
    legs, arms = [0, 1, 0, 3, 0, 5, 0, 7], [0, 9, 10, 11, 12, 0, 14, 15, 16, 17]
    found = find_limbs(tree([-1, *legs, *arms]))
    assert found == Limbs(4, (((1, 2), (3, 4), (5, 6), (7, 8)),))


@pytest.mark.parametrize(
    ("parent", "variants", "without"),
    [
        ([-1, 0, 1, 2, 3], {}, ()),  # a chain
        ([-1, 0, 1, 0], {}, ()),  # of unequal depth
        ([-1, 0, 1, 0, 3], {2: "slide"}, ()),  # with another joint
        ([-1, 0, 1, 0, 3], {}, (4,)),  # where a step leaves a body out
        ([-1, -1, 0, 1], {0: "slide"}, ()),  # alike, but of two parents that are not
    ],
)
def test_what_is_not_alike_is_no_limb(parent: list[int], variants: dict[int, str], without: tuple[int, ...]) -> None:
    assert find_limbs(tree(parent, variants, without)) is None


def test_branches_of_the_ground_are_limbs() -> None:
    assert find_limbs(tree([-1, 0, -1, 2])) == Limbs(2, (((0, 1), (2, 3)),))


@pytest.mark.parametrize(("length", "found"), [(3, True), (4, False)])
def test_few_bodies_are_not_worth_it(length: int, found: bool) -> None:
    """A chain with two fingers: one body in five or more is saved, or none is."""
    parent = [*range(-1, length - 1), length - 1, length - 1]
    assert (find_limbs(tree(parent)) is not None) == found
