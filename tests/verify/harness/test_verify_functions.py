"""Verification as a whole: good evaluators pass, and each kind of bad one fails."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import pytest
from mpmath import mp

from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.description.robot import RobotDescription
from symdyn.errors import VerificationError
from symdyn.functions.catalogue import requests
from symdyn.interface.signature import Signature
from symdyn.model.build import build_model
from symdyn.model.load_options import LoadOptions
from symdyn.plan.run import run_plan
from symdyn.verify.base.compare import limit_in_u
from symdyn.verify.base.dense import SingularMatrixError, inverse
from symdyn.verify.harness.report import EvaluatorResult, IdentityResult, VerificationReport
from symdyn.verify.harness.states import State, states_per_check, verification_states
from symdyn.verify.harness.verify import Evaluator, verify_functions, verify_states
from symdyn.verify.oracle.dependence import refuse_dependent, refuse_vanishing, unit_matrix
from symdyn.verify.oracle.exact import Exact, forwards
from symdyn.verify.oracle.tree import public_tree


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
    report = verify_functions(mixed, [signature], evaluators, {}, states=1)
    good, drifts, breaks = report.results
    assert (good.passed, drifts.passed, breaks.passed, report.passed) == (True, False, False, False)
    assert drifts.worst_state.startswith(("neutral pose", "angles near zero"))  # where qw is 1
    assert drifts.worst_error == pytest.approx(1e-12 * 2**53, rel=0.01)
    assert breaks.worst_error == math.inf


def test_float32_is_judged_by_its_own_roundoff() -> None:
    def rounded(inputs: Mapping[str, Sequence[float]]) -> list[float]:
        return [inputs["q"][0] * (1.0 + 3 * 2.0**-24)]

    def oracle(inputs: Mapping[str, Sequence[float]]) -> Exact:
        return forwards([mp.mpf(inputs["q"][0])])

    states = [State("one", {"q": (2.0,)})]
    (double,) = verify_states("f", oracle, {"x": rounded}, states, ((0,),), limit=10.0)
    (single,) = verify_states("f", oracle, {"x": rounded}, states, ((0,),), limit=10.0, dtype="float32")
    assert single.worst_error == 3.0 and single.passed
    assert double.worst_error == 3.0 * 2**29 and not double.passed


def test_terms_that_cancel_count_where_an_error_is_too_large() -> None:
    def oracle(inputs: Mapping[str, Sequence[float]]) -> Exact:
        return Exact([mp.mpf("0.01")], [mp.mpf("0.01")], lambda: [mp.mpf(inputs["q"][0])])

    def off(u: float) -> Callable[[object], list[float]]:
        return lambda _: [0.01 + u * 2.0**-53]

    states = [State("one", {"q": (1.0,)})]
    evaluators = {"near": off(0.05), "rounded": off(4.0), "wrong": off(40.0)}
    near, rounded, wrong = verify_states("f", oracle, evaluators, states, ((0,),), limit=10.0)
    assert (near.passed, rounded.passed, wrong.passed) == (True, True, False)
    assert near.worst_error == pytest.approx(5.0, abs=1.0), "measured against itself"
    assert rounded.worst_error == pytest.approx(4.0, abs=0.1) and wrong.worst_error == pytest.approx(40.0, abs=0.1)


def test_what_cannot_be_verified_is_refused(mixed: RobotDescription) -> None:
    signature, evaluate = recursion(mixed, LoadOptions())
    with pytest.raises(VerificationError, match="robot 'mixed' has no generated functions"):
        verify_functions(mixed, [], {}, {})
    other = Signature("mixed", "horoscope", signature.inputs, signature.outputs, "")
    with pytest.raises(VerificationError, match="'horoscope': no independent truth; this version verifies inverse_dyn"):
        verify_functions(mixed, [other], {"horoscope": {"recursion": evaluate}}, {})
    held = replace(signature, options={**signature.options, "prescribed": "nose"})
    with pytest.raises(VerificationError, match="prescribes 'nose', which is no row of v"):
        verify_functions(mixed, [held], {"inverse_dynamics": {"recursion": evaluate}}, {})


def test_singular_states_are_left_out() -> None:
    def oracle(inputs: Mapping[str, Sequence[float]]) -> Exact:
        inverse([[mp.mpf(inputs["q"][0])]])
        return forwards([mp.mpf(1)])

    states = [State(str(value), {"q": (value,)}) for value in (0.0, 1.0, 2.0)]
    (result,) = verify_states("f", oracle, {"x": lambda _: [1.0]}, states, ((0,),), limit=10.0)
    assert (result.states, result.worst_error) == (2, 0.0)
    with pytest.raises(VerificationError, match="function 'f': the mass matrix is singular in every state"):
        verify_states("f", oracle, {"x": lambda _: [1.0]}, states[:1], ((0,),), limit=10.0)


def test_rows_of_loops_that_nothing_moves_are_named() -> None:
    with mp.workdps(50):
        names, one = ("pin.x", "pin.z"), mp.mpf(1)
        with pytest.raises(SingularMatrixError, match=r"row 'pin\.z' of the loops is zero but for rounding"):
            refuse_vanishing([[one], [mp.mpf("1e-17")]], [[one], [one]], names)

    def oracle(inputs: Mapping[str, Sequence[float]]) -> Exact:
        refuse_dependent(unit_matrix(2), [[one, 0 * one], [2 * one, 0 * one]], names)
        return forwards([one])

    words = (
        r"function 'f': rows 'pin\.x', 'pin\.z' of the loops depend on each other in every state, so its multipliers"
    )
    with pytest.raises(VerificationError, match=words):
        verify_states("f", oracle, {"x": lambda _: [1.0]}, [State("0", {"q": (0.0,)})], ((0,),), limit=10.0)


def test_progress_counts_all_functions_and_slow_truths_get_fewer_states(mixed: RobotDescription) -> None:
    model = build_model(mixed, LoadOptions())
    names = ["potential_energy", "gravity"]
    signatures, evaluators = [], {}
    for (entry, request), name in zip(requests(model, names), names, strict=True):
        signature, plan = entry.signature(model, request), entry.plan(model, request)
        signatures.append(signature)
        output = signature.outputs[0].name
        evaluators[name] = {
            "recursion": lambda inputs, plan=plan, output=output: run_plan(plan, FloatAlgebra(), inputs)[output]  # type: ignore[misc]
        }
    told: list[tuple[int, int]] = []
    report = verify_functions(
        mixed, signatures, evaluators, {}, states=1, progress=lambda done, total: told.append((done, total))
    )
    assert report.passed and told == [(done, 22) for done in range(1, 23)]
    assert (states_per_check(3), states_per_check(9), states_per_check(48)) == (1, 1, 9)
    drawn = verification_states(public_tree(mixed), signatures[0].inputs, {}, 50, every=4)
    assert len(drawn) == 2 + 12 and drawn[0].label == "angles of pi/2 at rest" and drawn[-1].label == "random state 11"
    rarely = verification_states(public_tree(mixed), signatures[0].inputs, {}, 2, every=100)
    assert [state.label for state in rarely] == ["angles of pi", "random state 0", "random state 1"]


def test_nothing_checked_is_not_a_pass() -> None:
    assert not VerificationReport("none", "float64", ()).passed
    assert not EvaluatorResult("f", "x", 1, math.nan, "", 100.0).passed
    good = EvaluatorResult("f", "x", 1, 1.0, "", 100.0)
    assert VerificationReport("one", "float64", (good,), (IdentityResult("i", "x", 1, 1.0, "", 2.0),)).passed
    assert not VerificationReport("one", "float64", (good,), (IdentityResult("i", "x", 1, 3.0, "", 2.0),)).passed
    assert not IdentityResult("i", "x", 1, math.nan, "", 2.0).passed
