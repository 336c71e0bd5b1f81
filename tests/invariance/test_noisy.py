"""What rounding moves a result by: the terms that cancel count, and what a proximal method corrects does not."""

from __future__ import annotations

import numpy as np
from support.invariance.noisy import ROUNDOFF, rounding
from support.invariance.relations import RELATIONS
from support.invariance.robots import robot, state
from support.invariance.twins import float_evaluator


def test_terms_that_cancel_count() -> None:
    """Gravity along the axes of an arm has no moment. On a turned root it is 1e4 N m less 1e4 N m."""
    own = robot("canadarm_rigid")
    q, _ = state("canadarm_rigid", 3)
    twin = RELATIONS["root moved"](own, 5, q)
    assert twin is not None
    left = rounding(twin.robot, "gravity", {}, {"q": q})["tau"]
    assert 1e2 * ROUNDOFF < np.max(left) < 1e6 * ROUNDOFF
    assert np.max(rounding(own, "gravity", {}, {"q": q})["tau"]) == 0.0


def test_corrections_take_errors_away() -> None:
    """A row of the linkage follows from others. Its first solution has errors of 1e9 roundoffs, its last one of few."""
    own = robot("bricard")
    q, v = state("bricard", 3)
    given = {"q": q, "v": v, "tau": np.linspace(1.0, 2.0, own.nv)}
    found = float_evaluator(own, "constrained_forward_dynamics", {})({key: list(x) for key, x in given.items()})
    left = rounding(own, "constrained_forward_dynamics", {}, given)["a"]
    assert 0.0 < np.max(left) < 1e4 * ROUNDOFF * np.max(np.abs(found["a"]))
