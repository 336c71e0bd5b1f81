"""What plans and their transforms make of visits born with lanes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from support.born_lanes import INPUTS, LIMBS, MANY, STATIONS, born_plan

from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.algebra.scalars.taylor import Series
from symdyn.plan.compose import cleared
from symdyn.plan.plan import Access, Field, FieldKind, Mode, Plan, Port, Step, Sweep, Visit, lane_spacing, runs_of
from symdyn.plan.run import run_plan
from symdyn.plan.transforms.order_by_order import Stepwise, at_order, coefficient_fields
from symdyn.plan.transforms.taylor import lifted
from symdyn.tracing.lanes.limbs_in_lanes import limbs_in_lanes


def run(plan: Plan) -> list[float]:
    return run_plan(plan, FloatAlgebra(), {"x": np.random.default_rng(2).uniform(-1.0, 1.0, INPUTS).tolist()})["y"]


def one_by_one(plan: Plan) -> Plan:
    """The same without a visit in lanes."""
    sweeps = [
        replace(sweep, visits=tuple(run for visit in sweep.visits for run in runs_of(visit))) for sweep in plan.sweeps
    ]
    return replace(plan, sweeps=tuple(sweeps))


def test_lanes_mean_one_run_after_the_other() -> None:
    assert run(born_plan()) == run(one_by_one(born_plan()))


def test_vectors_are_filled_up() -> None:
    assert [lane_spacing(lanes) for lanes in (1, 2, 3, 5, 8, 9, 16, 17, 24, 25)] == [1, 2, 4, 8, 8, 16, 16, 24, 24, 32]


def test_limbs_beside_them_go_into_lanes() -> None:
    plan = born_plan()
    laned = limbs_in_lanes(plan)
    assert laned is not None
    np.testing.assert_allclose(run(laned), run(plan), rtol=1e-14)
    lanes = [[visit.lanes for visit in sweep.visits] for sweep in laned.sweeps if sweep.step.name != "clear"]
    assert lanes == [[STATIONS, STATIONS], [1] * STATIONS, [STATIONS], [MANY], [MANY], [LIMBS], [LIMBS]]
    kept = {field.name: field for field in plan.fields}
    assert all(field == kept[field.name] for field in laned.fields if field.name in kept and field.name != "limb")
    assert laned.field("limb_lanes").lanes == 8  # as those born, so that one length of vectors fits all


def test_what_all_lanes_add_to_begins_at_zero() -> None:
    plan = cleared(born_plan(limbs=False))
    begun = [visit.bindings["entries"] for sweep in plan.sweeps for visit in sweep.visits if sweep.step.name == "clear"]
    assert {(access.field, access.offset) for access in begun if isinstance(access, Access)} >= {("sum", 0), ("sum", 1)}
    assert cleared(plan) == plan


def _square(_: Any, __: Any, ___: Any, reads: Mapping[str, Sequence[Any]]) -> dict[str, list[Any]]:
    first, second = reads["x"]
    return {"own": [first * second, second], "sum": [first]}


def _read(_: Any, __: Any, ___: Any, reads: Mapping[str, Sequence[Any]]) -> dict[str, list[Any]]:
    return {"out": [reads["own"][0] + reads["own"][1] * reads["sum"][0]]}


SQUARE = Step("square", _square, (Port("x", Mode.READ), Port("own", Mode.WRITE), Port("sum", Mode.ADD)))
READ = Step("read", _read, (Port("own", Mode.READ), Port("sum", Mode.READ), Port("out", Mode.WRITE)))
LANES, ORDER = 3, 2
FIELDS = [
    Field("series", FieldKind.STATE, 2, LANES),
    Field("own", FieldKind.STATE, 2, lanes=4),
    Field("sum", FieldKind.STATE, 1),
    Field("out", FieldKind.STATE, 1, LANES),
]
SWEEPS = [
    Sweep(
        SQUARE,
        (
            Visit(
                0,
                None,
                {},
                {
                    "x": Access("series", 0, 2, lane=2),
                    "own": Access("own", 0, 2, 4, 1),
                    "sum": Access("sum", 0, 1),
                },
                LANES,
            ),
        ),
    ),
    Sweep(
        READ,
        (
            Visit(
                0,
                None,
                {},
                {"own": Access("own", 0, 2, 4, 1), "sum": Access("sum", 0, 1), "out": Access("out", 0, 1, lane=1)},
                LANES,
            ),
        ),
    ),
]


def _coefficients(x: np.ndarray) -> np.ndarray:
    """Of the result, (LANES, ORDER + 1), from those of the inputs, (LANES, 2, ORDER + 1)."""
    total = x[:, 0].sum(axis=0)
    return np.array(
        [
            (np.convolve(first, second) + np.convolve(second, total))[: ORDER + 1]
            for first, second in zip(x[:, 0], x[:, 1], strict=True)
        ]
    )


def _given(names: Sequence[str], numbers: Sequence[float]) -> tuple[list[Field], Sweep]:
    """An input that a step copies into a field, so that this field is a state of the plan."""

    def copy(_: Any, __: Any, ___: Any, reads: Mapping[str, Sequence[Any]]) -> dict[str, list[Any]]:
        return {"to": list(reads["given"])}

    step = Step("copy", copy, (Port("given", Mode.READ), Port("to", Mode.WRITE)))
    width = len(numbers) // len(names)
    visits = [
        Visit(0, None, {}, {"given": Access("x", width * at, width), "to": Access(name, 0, width)})
        for at, name in enumerate(names)
    ]
    return [Field("x", FieldKind.INPUT, len(numbers))], Sweep(step, tuple(visits))


def _start(_: Any, __: Any, ___: Any, reads: Mapping[str, Sequence[Any]]) -> dict[str, list[Any]]:
    return {"own": [Series(reads["x"][: ORDER + 1]), Series(reads["x"][ORDER + 1 :])]}


START = Step("start", _start, (Port("x", Mode.READ), Port("own", Mode.WRITE)))


def test_series_of_all_orders_at_once() -> None:
    x = np.random.default_rng(1).normal(size=(LANES, 2, ORDER + 1))
    width = 2 * (ORDER + 1)
    bindings = {"x": Access("x", 0, width, lane=width), "own": Access("series", 0, 2, lane=2)}
    start = Sweep(START, (Visit(0, None, {}, bindings, LANES),))
    inputs = Field("x", FieldKind.INPUT, x.size)
    fields, sweeps = lifted([inputs, *FIELDS], [start, *SWEEPS], ORDER, ["x"], {})
    assert {field.name: (field.width, field.lanes) for field in fields}["own"] == (width, 4)
    made = [
        replace(field, kind=FieldKind.OUTPUT, width=field.size, rows=1) if field.name == "out" else field
        for field in fields
    ]
    plan = Plan("series", tuple(made), tuple(sweeps), ("body",), (-1,))
    found = run_plan(plan, FloatAlgebra(), {"x": x.ravel().tolist()})
    np.testing.assert_allclose(np.reshape(found["out"], (LANES, -1)), _coefficients(x), rtol=1e-13)


def test_series_order_by_order() -> None:
    x = np.random.default_rng(3).normal(size=(LANES, 2, ORDER + 1))
    names = [f"series_order{k}" for k in range(ORDER + 1)]
    numbers = np.moveaxis(x, 2, 0).ravel().tolist()
    given, copied = _given(names, numbers)
    carried = {field.name: Stepwise() for field in FIELDS}
    fields = coefficient_fields(FIELDS, carried, ORDER)
    made = [
        replace(field, kind=FieldKind.OUTPUT, width=LANES, rows=1) if field.name.startswith("out") else field
        for field in fields
    ]
    sweeps = [sweep for k in range(ORDER + 1) for sweep in at_order(SWEEPS, carried, k)]
    plan = Plan("series", (*given, *made), (copied, *sweeps), ("body",), (-1,))
    found = run_plan(plan, FloatAlgebra(), {"x": numbers})
    columns = [found[f"out_order{k}"] for k in range(ORDER + 1)]
    np.testing.assert_allclose(np.transpose(columns), _coefficients(x), rtol=1e-13)
