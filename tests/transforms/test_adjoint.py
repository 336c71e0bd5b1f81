"""Plans walked back: gradients by all inputs, what is added up, lanes, and plans that change what was read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.errors import InternalError
from symdyn.plan.plan import Access, Field, FieldKind, Given, Mode, Plan, Port, Step, Sweep, Visit
from symdyn.plan.run import run_plan
from symdyn.plan.transforms.adjoint import adjoint_sweeps


def kernel(variant: str, _: Any, constants: Mapping[str, Any], reads: Mapping[str, Sequence[Any]]) -> Any:
    """The product of all scalars, times a constant."""
    found = constants.get("gain", 1.0)
    for value in reads["in"]:
        found = found * value
    return {"out": [found]}


def step(mode: Mode) -> Step:
    return Step(f"product_{mode.value}", kernel, (Port("in", Mode.READ), Port("out", mode)))


def visit(target: Access, source: Access | Given, gain: Any = 1.0, lanes: int = 1) -> Visit:
    return Visit(-1, "product", {"gain": gain}, {"in": source, "out": target}, lanes)


def gradient(sweeps: Sequence[Sweep], x: Sequence[float], weights: Sequence[float]) -> list[float]:
    """That of the weighted outputs y by x."""
    inputs = (Field("x", FieldKind.INPUT, len(x)),)
    own = (Field("s", FieldKind.STATE, 3), Field("y", FieldKind.OUTPUT, len(weights)))
    plan = Plan("plan", (*inputs, *own), tuple(sweeps), (), ())
    fields, made = adjoint_sweeps(plan, {"y": "w"}, {"x": "g"})
    weighed = Field("w", FieldKind.INPUT, len(weights))
    whole = Plan("whole", (*inputs, weighed, Field("g", FieldKind.OUTPUT, len(x)), *fields), tuple(made), (), ())
    return run_plan(whole, FloatAlgebra(), {"x": x, "w": weights})["g"]


def test_products_of_products() -> None:
    sweeps = [
        Sweep(step(Mode.WRITE), (visit(Access("s", 0, 1), Access("x", 0, 2)),)),
        Sweep(step(Mode.WRITE), (visit(Access("y", 0, 1), Access("s", 0, 1), 3.0),)),
    ]
    assert gradient(sweeps, [2.0, 5.0, 7.0], [10.0]) == [150.0, 60.0, 0.0]


def test_what_adds_to_a_place_is_owed_what_the_place_is() -> None:
    sums = tuple(visit(Access("y", 0, 1), Access("x", k, 1), float(k + 1)) for k in range(3))
    assert gradient([Sweep(step(Mode.ADD), sums)], [1.0, 1.0, 1.0], [10.0]) == [10.0, 20.0, 30.0]


def test_a_scalar_that_many_read_is_owed_the_sum() -> None:
    sweeps = [Sweep(step(Mode.WRITE), tuple(visit(Access("y", k, 1), Access("x", 0, 2)) for k in range(2)))]
    assert gradient(sweeps, [2.0, 3.0], [1.0, 10.0]) == [33.0, 22.0]


def test_lanes_that_read_one_scalar_add_up_what_they_owe() -> None:
    lanes = visit(Access("y", 0, 1, lane=1), Access("x", 0, 2, lane=0), lanes=3)
    assert gradient([Sweep(step(Mode.WRITE), (lanes,))], [2.0, 3.0], [1.0, 10.0, 100.0]) == [333.0, 222.0]


def test_constants_that_rest_on_inputs_are_owed_their_share() -> None:
    sweeps = [
        Sweep(step(Mode.WRITE), (visit(Access("s", 0, 1), Access("x", 0, 1)),)),
        Sweep(step(Mode.WRITE), (visit(Access("y", 0, 1), Access("x", 1, 1), Access("s", 0, 1)),)),
    ]
    assert gradient(sweeps, [2.0, 5.0], [10.0]) == [50.0, 20.0]


def test_numbers_are_owed_nothing() -> None:
    sweeps = [
        Sweep(step(Mode.ADD), (visit(Access("y", 0, 1), Given((2.0,))), visit(Access("y", 0, 1), Access("x", 0, 1))))
    ]
    assert gradient(sweeps, [4.0], [3.0]) == [3.0]


@pytest.mark.parametrize("again", [Mode.WRITE, Mode.ADD])
def test_a_plan_that_changes_what_was_read_is_refused(again: Mode) -> None:
    sweeps = [
        Sweep(
            step(Mode.WRITE), (visit(Access("s", 0, 1), Access("x", 0, 1)), visit(Access("y", 0, 1), Access("s", 0, 1)))
        ),
        Sweep(step(again), (visit(Access("s", 0, 1), Access("x", 1, 1)),)),
    ]
    with pytest.raises(InternalError, match="changes plan_s after it was read or written"):
        gradient(sweeps, [1.0, 2.0], [1.0])
