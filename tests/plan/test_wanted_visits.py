"""Plans without what no output rests on: places that are added to together are begun together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.plan.compose import wanted
from symdyn.plan.plan import Access, Field, FieldKind, Mode, Plan, Port, Step, Sweep, Visit
from symdyn.plan.run import run_plan
from symdyn.plan.transforms.tangent import KnownSlopes


def kernel(variant: str, _: Any, __: Any, reads: Mapping[str, Sequence[Any]]) -> Mapping[str, Sequence[Any]]:
    """Zero, or what is read."""
    return {"out": [0.0] if variant == "zero" else list(reads["in"])}


IN = Port("in", Mode.READ)
SET, ADD = Step("set", kernel, (IN, Port("out", Mode.WRITE))), Step("add", kernel, (IN, Port("out", Mode.ADD)))


def visit(variant: str, target: Access, source: Access | None = None) -> Visit:
    return Visit(-1, variant, {}, {"out": target} | ({} if source is None else {"in": source}))


def test_places_that_one_visit_adds_to_are_set_all_or_none() -> None:
    """Only the first of two sums is read; were the second not set, one visit would add to one and set the other."""
    sums = Access("s", 0, 2)
    sweeps = (
        Sweep(SET, (visit("zero", Access("s", 0, 1)), visit("zero", Access("s", 1, 1)))),
        Sweep(ADD, (visit("read", sums, Access("x", 0, 2)),)),
        Sweep(SET, (visit("read", Access("y", 0, 1), Access("s", 0, 1)), visit("zero", Access("other", 0, 1)))),
    )
    fields = (
        Field("x", FieldKind.INPUT, 2),
        Field("s", FieldKind.STATE, 2),
        Field("other", FieldKind.STATE, 1),
        Field("y", FieldKind.OUTPUT, 1),
    )
    kept = wanted(Plan("plan", fields, sweeps, (), ()))
    assert [len(sweep.visits) for sweep in kept.sweeps] == [2, 1, 1]
    assert "other" not in [field.name for field in kept.fields]
    assert run_plan(kept, FloatAlgebra(), {"x": [3.0, 4.0]})["y"] == [3.0]


def test_slopes_that_one_visit_adds_to_are_cleared_where_others_hold_something() -> None:
    known = KnownSlopes(2)
    along = frozenset((0,))
    assert not known.written(Access("s", 0, 1), [along], adds=True)
    assert known.written(Access("s", 0, 3), [along] * 3, adds=True) == [
        (0, Access("s", 1, 1)),
        (0, Access("s", 2, 1)),
    ]
    assert not known.written(Access("s", 0, 3), [along] * 3, adds=True)
    assert not known.written(Access("fresh", 0, 3), [along] * 3, adds=True)
