"""Plans with their limbs in lanes: what moves, what stays, and what keeps its order; the results are the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.plan.plan import Access, Constant, Field, FieldKind, Given, Mode, Plan, Port, Step, Sweep, Visit
from symdyn.plan.run import run_plan
from symdyn.tracing.lanes.limb_order import OrderMatters, Touched, check_order
from symdyn.tracing.lanes.limbs_in_lanes import NUMBERS, limbs_in_lanes

LIMBS = 3
INPUT = Field("x", FieldKind.INPUT, 2 * LIMBS + 1)


def _kernel(_: Any, __: Any, constants: Mapping[str, Any], reads: Mapping[str, Sequence[Any]]) -> dict[str, Any]:
    total = constants["k"] * reads["x"][0] + sum((1.0 + place) * x for place, x in enumerate(reads.get("above", ())))
    return {name: [total] for name in constants if name in ("own", "sum", "other")}


class Writer:
    """Visits that compute k x + above_0 + 2 above_1 + ... and write it to some ports."""

    step = Step(
        "combine",
        _kernel,
        (
            Port("x", Mode.READ),
            Port("above", Mode.READ),
            Port("own", Mode.WRITE),
            Port("other", Mode.WRITE),
            Port("sum", Mode.ADD),
        ),
    )

    def visit(self, body: int, k: Constant = 2.0, x: int | None = None, **ports: Access | Given) -> Visit:
        """A visit of a body; the variant tells which ports it has, so that the kernel looks at no scalar."""
        bindings = {"x": Access("x", body if x is None else x, 1), **ports}
        written = {name: 0.0 for name in ports if name in ("own", "sum", "other")}
        return Visit(body, tuple(ports), {"k": k, **written}, bindings)


visit = Writer().visit


def two_bodies_each(*sweeps: Sequence[Visit], fields: Sequence[Field], vector: bool = False) -> Plan:
    """A base with LIMBS limbs of two bodies, 2 l + 1 and 2 l + 2."""
    parent = [-1]
    for _ in range(LIMBS):
        parent += [0, len(parent)]
    made = tuple(Sweep(Writer.step, tuple(visits), vector) for visits in sweeps)
    return Plan("made", (INPUT, *fields), made, tuple(f"body{body}" for body in range(len(parent))), tuple(parent))


def state(name: str, size: int) -> Field:
    return Field(name, FieldKind.STATE, size)


def output(size: int) -> Field:
    return Field("y", FieldKind.OUTPUT, size)


def y(place: int) -> Access:
    return Access("y", place, 1)


def roots() -> list[int]:
    return [2 * limb + 1 for limb in range(LIMBS)]


def checked(plan: Plan) -> Plan:
    """The plan in lanes, which gives what the plan gives."""
    laned = limbs_in_lanes(plan)
    assert laned is not None
    inputs = {"x": [0.5, -1.0, 3.0, 0.25, 7.0, -2.0, 1.5]}
    assert run_plan(laned, FloatAlgebra(), inputs) == run_plan(plan, FloatAlgebra(), inputs)
    return laned


def lanes_of(plan: Plan) -> list[list[int]]:
    """Per sweep, the lanes of its visits."""
    return [[item.lanes for item in sweep.visits] for sweep in plan.sweeps]


def sizes(plan: Plan, kind: FieldKind = FieldKind.STATE) -> dict[str, tuple[int, int]]:
    """Scalars of a lane, and lanes, per field."""
    return {field.name: (field.width * field.rows, field.lanes) for field in plan.fields_of(kind)}


def test_scratch_that_limbs_share_is_made_private() -> None:
    visits = []
    for root in roots():
        visits.append(visit(root, own=Access("scratch", 0, 1)))
        visits.append(visit(root + 1, above=Access("scratch", 0, 1), own=y(root // 2)))
    laned = checked(two_bodies_each(visits, fields=[state("scratch", 1), output(LIMBS)]))
    assert lanes_of(laned) == [[LIMBS, LIMBS]]
    assert sizes(laned) == {"scratch_lanes": (1, 4)}
    first, second = laned.sweeps[0].visits
    assert first.bindings["own"] == second.bindings["above"] == Access("scratch_lanes", 0, 1, stride=4, lane=1)
    assert second.bindings["own"] == Access("y", 0, 1, lane=1)
    assert first.bindings["x"] == Access("x", 1, 1, lane=2)


def test_a_field_of_trunk_and_limbs_is_divided() -> None:
    base = [visit(0, own=Access("own", 0, 1))]
    limbs = [visit(root, above=Access("own", 0, 1), own=Access("own", root, 1)) for root in roots()]
    tips = [visit(root + 1, above=Access("own", root, 1), own=y(root // 2)) for root in roots()]
    laned = checked(two_bodies_each(base, limbs, tips, fields=[state("own", 7), output(LIMBS)]))
    assert lanes_of(laned) == [[1], [LIMBS], [LIMBS]]
    assert sizes(laned) == {"own": (1, 1), "own_lanes": (1, 4)}
    assert laned.sweeps[1].visits[0].bindings["above"] == Access("own", 0, 1)  # one place for all lanes


def test_order_that_matters_keeps_a_sweep_apart() -> None:
    """Each limb begins with what the limb before has left in one place; the sweep after it goes into lanes."""
    start = [visit(0, own=Access("last", 0, 1))]
    chained = [
        visit(root, above=Access("last", 0, 1), own=Access("last", 0, 1), other=y(root // 2)) for root in roots()
    ]
    free = [visit(root + 1, own=y(LIMBS + root // 2)) for root in roots()]
    laned = checked(two_bodies_each(start, chained, free, fields=[state("last", 1), output(2 * LIMBS)]))
    assert lanes_of(laned) == [[1], [1] * LIMBS, [LIMBS]]
    assert sizes(laned) == {"last": (1, 1)}


def test_what_is_read_across_limbs_stays_where_it_is() -> None:
    """Two scalars that a visit of the base reads at once lie in different lanes, unless they are not moved."""
    limbs = [visit(root, own=Access("read", root // 2, 1), other=Access("kept", root // 2, 1)) for root in roots()]
    tips = [visit(root + 1, above=Access("kept", root // 2, 1), own=y(root // 2)) for root in roots()]
    base = [visit(0, above=Access("read", 0, LIMBS), own=y(LIMBS))]
    fields = [state("read", LIMBS), state("kept", LIMBS), output(LIMBS + 1)]
    laned = checked(two_bodies_each(limbs, tips, base, fields=fields))
    assert lanes_of(laned) == [[LIMBS], [LIMBS], [1]]
    assert sizes(laned) == {"read": (LIMBS, 1), "kept_lanes": (1, 4)}


def test_a_read_of_limb_and_trunk_at_once_stays_where_it_is() -> None:
    start = [visit(0, own=Access("both", 0, 1))]
    limbs = [visit(root, own=Access("both", 1 + root // 2, 1)) for root in roots()]
    base = [visit(0, above=Access("both", 0, 2), own=y(0))]
    laned = checked(two_bodies_each(start, limbs, base, fields=[state("both", 1 + LIMBS), output(1)]))
    assert sizes(laned) == {"both": (1 + LIMBS, 1)} and lanes_of(laned) == [[1], [LIMBS], [1]]


def test_scalars_that_are_not_evenly_spaced_in_a_lane_stay_where_they_are() -> None:
    """Three neighbours of the second limb have places of the first one that are none."""

    def places(first: int, spacing: int) -> list[Access]:
        return [Access("uneven", first + limb * spacing, 1) for limb in range(LIMBS)]

    middle = [visit(root, own=place) for root, place in zip(roots(), places(5, 8), strict=True)]
    around = [
        visit(root, own=left, other=right)
        for root, left, right in zip(roots(), places(0, 12), places(2, 12), strict=True)
    ]
    base = [visit(0, above=Access("uneven", 12, 3), own=y(0))]
    laned = checked(two_bodies_each(middle, around, base, fields=[state("uneven", 27), output(1)]))
    assert sizes(laned) == {"uneven": (27, 1)} and lanes_of(laned) == [[LIMBS], [LIMBS], [1]]


def test_numbers_that_differ_come_from_a_table() -> None:
    places = [0.5, 0.5, -0.5]
    visits = [visit(root, k=1.0 + root, own=y(root // 2)) for root in roots()]
    tips = [visit(root + 1, k=4.0, above=Given((3.0, places[root // 2])), own=y(LIMBS + root // 2)) for root in roots()]
    ends = [visit(root + 1, k=1.0 + root, above=Given((3.0,)), other=y(2 * LIMBS + root // 2)) for root in roots()]
    laned = checked(two_bodies_each(visits, tips, ends, fields=[output(3 * LIMBS)]))
    table = laned.field(NUMBERS)
    assert (table.kind, table.lanes) == (FieldKind.TABLE, 4)
    filled = (2.0, 4.0, 6.0, 6.0), (3.0, 3.0, 3.0, 3.0), (0.5, 0.5, -0.5, -0.5)
    assert table.values == tuple(number for row in filled for number in row)  # each once, with copies of the last
    (first,), (second,), (third,) = (sweep.visits for sweep in laned.sweeps)
    assert first.constants["k"] == third.constants["k"] == Access(NUMBERS, 0, 1, lane=1)
    assert second.constants["k"] == 4.0
    assert second.bindings["above"] == Access(NUMBERS, 4, 2, stride=4, lane=1)
    assert third.bindings["above"] == Given((3.0,))


def test_numbers_that_a_step_has_computed_move_with_their_limb() -> None:
    limbs = [visit(root, own=Access("factor", root // 2, 1)) for root in roots()]
    tips = [visit(root + 1, k=Access("factor", root // 2, 1), own=y(root // 2)) for root in roots()]
    laned = checked(two_bodies_each(limbs, tips, fields=[state("factor", LIMBS), output(LIMBS)]))
    assert laned.sweeps[1].visits[0].constants["k"] == Access("factor_lanes", 0, 1, stride=4, lane=1)
    assert [field.name for field in laned.fields] == ["x", "factor_lanes", "y"]


@pytest.mark.parametrize("moves", [False, True])
def test_what_limbs_add_to_one_place_begins_at_zero(moves: bool) -> None:
    """The first limb to come set it before; later visits of the limbs add to places of their own."""
    start = [[visit(0, own=Access("sum", 0, 1))]] if moves else []
    limbs = [visit(root, sum=Access("sum", 0, 1)) for root in roots()]
    end = [visit(0, above=Access("sum", 0, 1), own=y(0))]
    laned = checked(two_bodies_each(*start, limbs, end, fields=[state("sum", 1), output(1)]))
    assert lanes_of(laned) == [[1], [LIMBS], [1]]
    assert laned.sweeps[0].step.name == ("combine" if moves else "clear")
    assert sizes(laned) == {"sum": (1, 1)}


def test_what_limbs_add_to_their_own_places_moves() -> None:
    first = [visit(root, sum=Access("sum", root // 2, 1)) for root in roots()]
    second = [visit(root + 1, sum=Access("sum", root // 2, 1)) for root in roots()]
    end = [visit(root, above=Access("sum", root // 2, 1), own=y(root // 2)) for root in roots()]
    laned = checked(two_bodies_each(first, second, end, fields=[state("sum", LIMBS), output(LIMBS)]))
    assert lanes_of(laned) == [[LIMBS]] * 3 and sizes(laned) == {"sum_lanes": (1, 4)}


def test_single_entries_of_matrices_stay_as_they_are() -> None:
    limbs = [visit(root, own=y(root // 2)) for root in roots()]
    assert limbs_in_lanes(two_bodies_each(limbs, fields=[output(LIMBS)], vector=True)) is None


def test_a_sweep_that_takes_one_limb_the_other_way_round_stays_as_it_is() -> None:
    limbs = [visit(root, own=y(root // 2)) for root in roots()]
    ways = [visit(body, own=y(LIMBS - 1 + body)) for body in (1, 2, 4, 3, 5, 6)]
    laned = checked(two_bodies_each(limbs, ways, fields=[output(3 * LIMBS)]))
    assert lanes_of(laned) == [[LIMBS], [1] * 6]


def test_a_sweep_in_which_one_limb_uses_another_field_stays_as_it_is() -> None:
    fields = [state("a", LIMBS), state("b", 1), output(LIMBS + 2)]
    limbs = [visit(root, own=Access("b", 0, 1) if root == 3 else Access("a", root // 2, 1)) for root in roots()]
    tips = [visit(root + 1, own=y(root // 2)) for root in roots()]
    base = [visit(0, above=Access(name, 0, 1), own=y(LIMBS + place)) for place, name in enumerate("ab")]
    laned = checked(two_bodies_each(limbs, tips, base, fields=fields))
    assert lanes_of(laned) == [[1] * LIMBS, [LIMBS], [1, 1]]


def test_limbs_whose_arguments_are_not_evenly_spaced_stay_as_they_are() -> None:
    limbs = [visit(root, x=place, own=y(root // 2)) for root, place in zip(roots(), (0, 1, 3), strict=True)]
    assert limbs_in_lanes(two_bodies_each(limbs, fields=[output(LIMBS)])) is None


def test_a_place_that_one_limb_after_another_writes_keeps_a_sweep_apart() -> None:
    """Nobody reads it within the plan, and what remains is the last limb's value."""
    limbs = [visit(root, own=y(0)) for root in roots()]
    tips = [visit(root + 1, own=y(root // 2 + 1)) for root in roots()]
    laned = checked(two_bodies_each(limbs, tips, fields=[output(1 + LIMBS)]))
    assert lanes_of(laned) == [[1] * LIMBS, [LIMBS]]


def test_outputs_that_would_end_as_others_keep_the_plan_as_it_is() -> None:
    """A place that the base writes between two limbs comes after both where these go side by side."""
    limbs = [visit(root, own=y(root // 2)) for root in roots()]
    between = [limbs[0], visit(0, own=y(1)), *limbs[1:]]
    assert limbs_in_lanes(two_bodies_each(between, fields=[output(LIMBS)])) is None


def test_a_chain_has_no_limbs() -> None:
    plan = Plan("chain", (INPUT, output(1)), (Sweep(Writer.step, (visit(0, own=y(0)),)),), ("a", "b"), (-1, 0))
    assert limbs_in_lanes(plan) is None


@pytest.mark.parametrize(
    ("first", "second", "alike"), [((0, 1), (2, 3), True), ((0, 0), (1, 1), True), ((0, 1), (1, 0), False)]
)
def test_lanes_add_in_turn(first: tuple[int, int], second: tuple[int, int], alike: bool) -> None:
    """Two ports of two lanes add to places of y: side by side, both lanes of the first port would come first."""
    lanes = [Touched((), tuple((y(place), Mode.ADD) for place in places)) for places in zip(first, second, strict=True)]
    if alike:
        check_order([output(4)], lanes, [[(0, 1)]])
        return
    with pytest.raises(OrderMatters):
        check_order([output(4)], lanes, [[(0, 1)]])
