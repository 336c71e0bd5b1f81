"""Plans differentiated along an input: places of slopes hold what is true now, whoever has read them before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.plan.plan import Access, Field, FieldKind, Mode, Plan, Port, Step, Sweep, Visit
from symdyn.plan.run import run_plan
from symdyn.plan.transforms.directions import FEW_DIRECTIONS
from symdyn.plan.transforms.tangent import tangent_sweeps

X, S, SIDE, Y = "x", "s", "side", "y"


def kernel(variant: str, _: Any, __: Any, reads: Mapping[str, Sequence[Any]]) -> Mapping[str, Sequence[Any]]:
    """Copies what it reads, sets it to a number, or adds it up."""
    if variant == "number":
        return {"out": [7.0]}
    return {"out": list(reads["in"]) if variant == "copy" else [sum(reads["in"][1:], reads["in"][0])]}


STEP = Step("step", kernel, (Port("in", Mode.READ), Port("out", Mode.WRITE)))


def visit(variant: str, target: Access, source: Access | None = None) -> Visit:
    return Visit(-1, variant, {}, {"out": target} | ({} if source is None else {"in": source}))


def jacobian(visits: Sequence[Visit], directions: int, x: Sequence[float]) -> list[float]:
    """The derivatives of y, one scalar, by x, where others may read s and write what nobody asked for."""
    inputs = Field(X, FieldKind.INPUT, directions)
    outputs = [Field(name, FieldKind.OUTPUT, 1) for name in (SIDE, Y)]
    plan = Plan("plan", (inputs, Field(S, FieldKind.STATE, 2), *outputs), (Sweep(STEP, tuple(visits)),), (), ())
    fields, sweeps = tangent_sweeps(plan, X, {Y: "dy_dx"})
    made = Plan("made", (inputs, Field("dy_dx", FieldKind.OUTPUT, directions), *fields), tuple(sweeps), (), ())
    return run_plan(made, FloatAlgebra(), {X: x})["dy_dx"]


def signed(_: str, algebra: Any, __: Any, reads: Mapping[str, Sequence[Any]]) -> Mapping[str, Sequence[Any]]:
    """The size of a scalar, by a choice between two numbers."""
    (x,) = reads["in"]
    return {"out": [algebra.select(algebra.compare("less", x, 0.0), -1.0, 1.0) * x]}


@pytest.mark.parametrize("directions", [2, FEW_DIRECTIONS + 1], ids=["one by one", "in lanes"])
def test_chosen_numbers_keep_slopes_of_what_they_multiply(directions: int) -> None:
    step = Step("signed", signed, (Port("in", Mode.READ), Port("out", Mode.WRITE)))
    fields = (Field(X, FieldKind.INPUT, directions), Field(Y, FieldKind.OUTPUT, 1))
    plan = Plan("plan", fields, (Sweep(step, (visit("", Access(Y, 0, 1), Access(X, 1, 1)),)),), (), ())
    more, sweeps = tangent_sweeps(plan, X, {Y: "dy_dx"})
    made = Plan("made", (fields[0], Field("dy_dx", FieldKind.OUTPUT, directions), *more), tuple(sweeps), (), ())
    for x, slope in ((0.5, 1.0), (-0.5, -1.0)):
        wanted = [0.0, slope] + [0.0] * (directions - 2)
        assert run_plan(made, FloatAlgebra(), {X: [x] * directions})["dy_dx"] == wanted


@pytest.mark.parametrize("directions", [2, FEW_DIRECTIONS + 1], ids=["one by one", "in lanes"])
def test_a_reader_whose_results_nobody_wants_leaves_no_old_slope_behind(directions: int) -> None:
    both = Access(S, 0, 2)
    visits = [
        visit("copy", both, Access(X, 0, 2)),
        visit("copy", Access(S, 1, 1), Access(X, 0, 1)),
        visit("number", Access(S, 0, 1)),
        visit("sum", Access(SIDE, 0, 1), both),
        visit("sum", Access(Y, 0, 1), both),
    ]
    assert jacobian(visits, directions, [0.5] * directions) == [1.0] + [0.0] * (directions - 1)
