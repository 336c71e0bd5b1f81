"""Linear steps over time series: once per coefficient, with the same results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.dynamics.kinematics.series_coordinates import input_sweeps, output_sweeps
from symdyn.plan.plan import Access, Mode, Plan, Port, Step, Sweep, Visit
from symdyn.plan.run import run_plan
from symdyn.plan.transforms.series_places import Form
from symdyn.plan.transforms.taylor import lifted

pytestmark = pytest.mark.unit

ROWS, ORDER = 3, 3
MATRIX = np.arange(1.0, 10.0).reshape(ROWS, ROWS)


def times(_: Any, __: Any, ___: Any, reads: Mapping[str, Sequence[Any]]) -> dict[str, list[Any]]:
    """A matrix times a vector."""
    return {"force": [sum((k * x for k, x in zip(row, reads["q"], strict=True)), 0.0) for row in MATRIX.tolist()]}


TIMES = Step("times", times, (Port("q", Mode.READ), Port("force", Mode.ADD)), linear=True)


def plan(step: Step, forms: Mapping[str, Sequence[Form]] | None = None) -> Plan:
    """Force' .. of q' .., all of ORDER + 1 rows."""
    first, into = input_sweeps("q", [0] * ROWS, ORDER + 1)
    last, out_of = output_sweeps("tau", [0] * ROWS, ORDER + 1)
    visit = Visit(0, None, {}, {"q": Access("q_series", 0, ROWS), "force": Access("tau_series", 0, ROWS)})
    fields, sweeps = lifted(
        [*first, *last],
        [*into, Sweep(step, (visit,)), *out_of],
        ORDER,
        ["q"],
        {"tau_series": (Form(ORDER + 1),) * ROWS, **(forms or {})},
    )
    return Plan("times", tuple(fields), tuple(sweeps), ("body",), (-1,))


def visits(of: Plan) -> int:
    """How often the step is done."""
    return sum(len(sweep.visits) for sweep in of.sweeps if sweep.step.name == "times")


def test_each_coefficient_has_a_visit_of_its_own() -> None:
    given = np.random.default_rng(0).standard_normal((ORDER + 1, ROWS))
    inputs = {"q": given.ravel().tolist()}
    apart, together = plan(TIMES), plan(replace(TIMES, linear=False))
    assert (visits(apart), visits(together)) == (ORDER + 1, 1)
    found = np.reshape(run_plan(apart, FloatAlgebra(), inputs)["tau"], given.shape)
    np.testing.assert_allclose(found, given @ MATRIX.T, rtol=1e-14)
    np.testing.assert_array_equal(found.ravel(), run_plan(together, FloatAlgebra(), inputs)["tau"])


def test_series_that_are_told_by_their_rates_stay_whole() -> None:
    assert visits(plan(TIMES, {"q_series": (Form(ORDER + 1, by_rate=True),) * ROWS})) == 1
