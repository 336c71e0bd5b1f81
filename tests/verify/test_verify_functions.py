"""Verification as a whole: good evaluators pass, and each kind of bad one fails."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import pytest
from mpmath import mp

from symdyn.description.robot import RobotDescription
from symdyn.errors import VerificationError
from symdyn.functions.catalogue import requests
from symdyn.model.build import build_model
from symdyn.model.load_options import LoadOptions
from symdyn.plan import run_plan
from symdyn.scalars.floats import FloatAlgebra
from symdyn.signature import Signature
from symdyn.verify.compare import limit_in_u
from symdyn.verify.report import EvaluatorResult, VerificationReport
from symdyn.verify.states import State
from symdyn.verify.tree import public_tree
from symdyn.verify.verify import Evaluator, verify_functions, verify_states


def recursion(robot: RobotDescription, options: LoadOptions, wrenches: str = "") -> tuple[Signature, Evaluator]:
    """Inverse dynamics as the physics half computes it in floats."""
    model = build_model(robot, options)
    ((entry, request),) = requests(model, ["inverse_dynamics"], external_wrenches=wrenches or None)
    plan = entry.plan(model, request)

    def evaluate(inputs: Mapping[str, Sequence[float]]) -> Sequence[float]:
        return run_plan(plan, FloatAlgebra(), {name: list(values) for name, values in inputs.items()})["tau"]

    return entry.signature(model, request), evaluate


@pytest.mark.parametrize("convention", ["pinocchio", "spatial"])
@pytest.mark.parametrize("wrenches", ["", "body", "world"])
def test_every_joint_kind_agrees_with_the_recursion(mixed: RobotDescription, convention: str, wrenches: str) -> None:
    options = {"convention": convention, "joint_losses": True, "gravity": [0.5, -1.0, -9.0]}
    signature, evaluate = recursion(mixed, LoadOptions(**options), wrenches)  # type: ignore[arg-type]
    told: list[tuple[int, int]] = []
    report = verify_functions(
        mixed,
        [signature],
        {"inverse_dynamics": {"recursion": evaluate}},
        options,
        states=3,
        progress=lambda done, total: told.append((done, total)),
    )
    (result,) = report.results
    assert report.passed and result.worst_error <= result.limit == limit_in_u(public_tree(mixed).depth)
    assert result.states == 13 and told == [(done, 13) for done in range(1, 14)]


def test_locks_mimics_and_run_time_parameters_agree(mixed_fixed: RobotDescription) -> None:
    options = {"locked_joints": {"b_turn": 0.3, "h_free": [0.1, 0.2, 0.3, 0.5, 0.5, 0.5, 0.5]}, "floating_base": True}
    runtime = ("ball.mass", "shaft.com.y", "f_screw.translation.x", "gravity.z", "arm.inertia.xy")
    signature, evaluate = recursion(mixed_fixed, LoadOptions(runtime=runtime, **options))  # type: ignore[arg-type]
    report = verify_functions(
        mixed_fixed,
        [signature],
        {"inverse_dynamics": {"recursion": evaluate}},
        options,
        nominal={"gravity.z": -9.81, "arm.inertia.xy": 0.0, "shaft.com.y": 0.1},
        states=3,
    )
    assert report.passed


def test_a_wrong_evaluator_fails_and_its_worst_state_is_named(mixed: RobotDescription) -> None:
    signature, evaluate = recursion(mixed, LoadOptions())

    def drifting(inputs: Mapping[str, Sequence[float]]) -> list[float]:
        return [value * (1.0 + 1e-12 * (inputs["q"][6] == 1.0)) for value in evaluate(inputs)]

    def broken(inputs: Mapping[str, Sequence[float]]) -> list[float]:
        return [math.nan, *evaluate(inputs)[1:]]

    evaluators = {"inverse_dynamics": {"good": evaluate, "drifting": drifting, "broken": broken}}
    report = verify_functions(mixed, [signature], evaluators, {}, states=2)
    good, drifts, breaks = report.results
    assert (good.passed, drifts.passed, breaks.passed, report.passed) == (True, False, False, False)
    assert drifts.worst_state.startswith(("neutral pose", "angles near zero"))  # where qw is 1
    assert drifts.worst_error == pytest.approx(1e-12 * 2**53, rel=0.01)
    assert breaks.worst_error == math.inf


def test_float32_is_judged_by_its_own_roundoff() -> None:
    def rounded(inputs: Mapping[str, Sequence[float]]) -> list[float]:
        return [inputs["q"][0] * (1.0 + 3 * 2.0**-24)]

    states = [State("one", {"q": (2.0,)})]
    (double,) = verify_states("f", lambda i: [mp.mpf(i["q"][0])], {"x": rounded}, states, ((0,),), limit=10.0)
    (single,) = verify_states(
        "f", lambda i: [mp.mpf(i["q"][0])], {"x": rounded}, states, ((0,),), limit=10.0, dtype="float32"
    )
    assert single.worst_error == 3.0 and single.passed
    assert double.worst_error == 3.0 * 2**29 and not double.passed


def test_what_cannot_be_verified_is_refused(mixed: RobotDescription) -> None:
    signature, evaluate = recursion(mixed, LoadOptions())
    with pytest.raises(VerificationError, match="robot 'mixed' has no generated functions"):
        verify_functions(mixed, [], {}, {})
    other = Signature("mixed", "mass_matrix", signature.inputs, signature.outputs, "")
    with pytest.raises(VerificationError, match="'mass_matrix': no independent truth"):
        verify_functions(mixed, [other], {"mass_matrix": {"recursion": evaluate}}, {})


def test_nothing_checked_is_not_a_pass() -> None:
    assert not VerificationReport("none", "float64", ()).passed
    assert not EvaluatorResult("f", "x", 1, math.nan, "", 100.0).passed
