"""Identities of robots with closed loops: good functions satisfy each, and each notices a wrong one."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from support.robots.shipped_loops import shipped

import symdyn
from symdyn import api
from symdyn.functions.catalogue import requests
from symdyn.verify.harness.verify import verify_functions
from symdyn.verify.identities.bench import Bench, FlatFunction
from symdyn.verify.identities.identities import LOOP_IDENTITIES, check_identities
from symdyn.verify.oracle.setting import make_setting

NAMES = sorted({name for identity in LOOP_IDENTITIES for name in identity.needs})


@cache
def bench(name: str) -> Bench:
    """The float recursions in the place of a module."""
    robot, calls, signatures = shipped(name), {}, {}
    asked: dict[str, Any] = {"constrained_forward_dynamics": {"stabilisation": 0.5}}
    for function in NAMES:
        options = asked.get(function, {})
        ((entry, request),) = requests(robot.model, [function], **options)
        signatures[function] = entry.signature(robot.model, request)
        calls[function] = flat(
            api.float_recursion(robot, function, **options), [own.name for own in signatures[function].outputs]
        )
    setting = make_setting(robot.description, signatures["inverse_dynamics"], robot.load_options())
    return Bench(setting, signatures, calls, {}, robot.integrate, "float64")


def flat(recursion: Any, names: Sequence[str]) -> FlatFunction:
    return lambda values: [row for rows in [recursion(values)] for name in names for row in rows[name]]


@pytest.mark.parametrize(
    "name", ["four_bar", *(pytest.param(own, marks=pytest.mark.slow) for own in ("five_bar", "quadruped", "bricard"))]
)
def test_good_functions_satisfy_each(name: str) -> None:
    results = check_identities(bench(name), "recursion", {}, states=4)
    assert [result.identity for result in results] == [identity.name for identity in LOOP_IDENTITIES]
    for result in results:
        assert result.passed and 0.0 <= result.worst_residual < result.tolerance / 4, result


@pytest.mark.parametrize(
    ("number", "name", "entry"),
    [
        (0, "constraint_error", -1),
        (0, "constraint_jacobian", -1),
        (1, "constraint_jacobian", -1),
        (1, "constraint_bias", -1),
        (2, "constrained_forward_dynamics", 0),
        (2, "constrained_forward_dynamics", -1),
        (2, "constraint_bias", -1),
        (2, "constraint_jacobian", -1),
        (2, "inverse_dynamics", -1),
        (3, "constrained_forward_dynamics", 0),
        (3, "constrained_inverse_dynamics", 0),
        (4, "constrained_inverse_dynamics", 0),
        (4, "constraint_jacobian", -1),
        (4, "inverse_dynamics", -1),
    ],
)
def test_each_notices_a_wrong_sign(number: int, name: str, entry: int) -> None:
    """Of one entry of a function that it is about."""
    good, identity = bench("four_bar"), LOOP_IDENTITIES[number]
    call = good.calls[name]

    def wrong(values: Mapping[str, Sequence[Any]]) -> list[Any]:
        rows = list(call(values))
        rows[entry] = -rows[entry]
        return rows

    signatures = {own: good.signatures[own] for own in identity.needs}
    worse = replace(good, calls={**good.calls, name: wrong}, signatures=signatures)
    results = {item.identity: item for item in check_identities(worse, "wrong", {}, states=1)}
    assert not results[identity.name].passed, results[identity.name]


@pytest.mark.parametrize(
    ("name", "function", "options"),
    [
        ("four_bar", "constrained_forward_dynamics", {}),
        ("four_bar", "operational_inertia", {}),
        ("five_bar", "constrained_hybrid_dynamics", {"prescribed": ["left_shoulder"]}),
        pytest.param("five_bar", "constrained_inverse_dynamics", {}, marks=pytest.mark.slow),
        pytest.param("four_bar", "constrained_forward_dynamics_partials", {}, marks=pytest.mark.slow),
    ],
)
def test_a_wrong_sign_fails_against_the_oracle(name: str, function: str, options: Any) -> None:
    """One state near a singular one must not tell what counts as small in others."""
    robot = shipped(name)
    ((entry, request),) = requests(robot.model, [function], **options)
    signature = entry.signature(robot.model, request)
    good = flat(api.float_recursion(robot, function, **options), [own.name for own in signature.outputs])
    evaluators: dict[str, Any] = {"good": good}
    first = 0
    for output in signature.outputs:
        rows = range(first, first := first + output.size)

        def wrong(values: Mapping[str, Sequence[Any]], rows: range = rows) -> list[Any]:
            return [-x if row in rows else x for row, x in enumerate(good(values))]

        evaluators[output.name] = wrong
    report = verify_functions(robot.description, [signature], {function: evaluators}, robot.load_options(), states=3)
    for result in report.results:
        assert result.passed == (result.evaluator == "good"), result
        assert math.isfinite(result.worst_error)


@pytest.mark.slow
@pytest.mark.needs_cc
@pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")
def test_verify_checks_them(tmp_path: Path) -> None:
    symdyn.generate(symdyn.load_example("five_bar"), NAMES, out=tmp_path / "arm")
    report = api.verify(tmp_path / "arm", states=4)
    assert report.passed, str(report)
    assert {identity.name for identity in LOOP_IDENTITIES} <= {result.identity for result in report.identities}
