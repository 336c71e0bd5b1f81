"""Identities between the functions of a module: good functions satisfy each, and each notices a wrong one."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from symdyn import api
from symdyn.description.robot import Actuator, Elastic, RobotDescription, Spring
from symdyn.errors import SymdynWarning
from symdyn.functions.catalogue import CATALOGUE, requests
from symdyn.plan.plan import FieldKind
from symdyn.plan.run import run_plan
from symdyn.robot.robot import Robot
from symdyn.verify.base.complex_numbers import ComplexAlgebra
from symdyn.verify.identities.bench import Bench, FlatFunction, relative, relative_by_unit
from symdyn.verify.identities.identities import IDENTITIES, check_identities
from symdyn.verify.oracle.setting import make_setting

NAMES = sorted({name for identity in IDENTITIES for name in identity.needs})
DYNAMICS = ("inverse_dynamics", "forward_dynamics", "hybrid_dynamics")


def asked_of(name: str, robot: Robot) -> dict[str, Any]:
    entry = CATALOGUE[name]
    asked: dict[str, Any] = {"external_wrenches": "world"} if "external_wrenches" in entry.takes else {}
    if "prescribed" in entry.takes:
        asked["prescribed"] = (robot.velocity_names[0], robot.velocity_names[-2])
    return asked


def make_bench(description: RobotDescription, **options: Any) -> Bench:
    """The float recursions in the place of a module."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SymdynWarning)
        robot = api.from_description(description, **options)
    calls: dict[str, FlatFunction] = {}
    signatures, complex_calls = {}, {}
    for name in NAMES:
        ((entry, request),) = requests(robot.model, [name], **asked_of(name, robot))
        signature = signatures[name] = entry.signature(robot.model, request)
        recursion = api.float_recursion(robot, name, **asked_of(name, robot))
        calls[name] = flat(recursion, [output.name for output in signature.outputs])
        if name in DYNAMICS:
            plan = entry.plan(robot.model, request)
            inputs = [field.name for field in plan.fields_of(FieldKind.INPUT)]
            complex_calls[name] = flat(
                lambda values, plan=plan, inputs=inputs: run_plan(  # type: ignore[misc]
                    plan, ComplexAlgebra(), {item: values[item] for item in inputs}
                ),
                [output.name for output in signature.outputs],
            )
    settings = [make_setting(description, signature, robot.load_options()) for signature in signatures.values()]
    setting = replace(
        settings[0],
        external="world",
        prescribed=next(item.prescribed for item in settings if item.prescribed),
        parameter_names=robot.model.slots.names,
    )
    return Bench(setting, signatures, calls, complex_calls, robot.integrate, "float64")


def flat(call: Callable[[Mapping[str, Any]], Mapping[str, Sequence[Any]]], names: Sequence[str]) -> FlatFunction:
    def evaluate(values: Mapping[str, Sequence[Any]]) -> list[Any]:
        found = call(values)
        return [row for name in names for row in found[name]]

    return evaluate


def small(description: RobotDescription) -> tuple[RobotDescription, dict[str, Any]]:
    """The mixed tree with its largest joints locked, rotors and springs."""
    drives: dict[str, dict[str, Any]] = {
        "b_turn": {"actuator": Actuator(0.002, 10.0)},
        "f_screw": {"elastic": Elastic(40.0, 0.5, Actuator(armature=0.25)), "loads": (Spring(7.5, 0.25),)},
        "j_follow": {"loads": (Spring(3.25, 1.5),)},
    }
    joints = tuple(replace(item, **drives.get(item.name, {})) for item in description.joints)
    locks = {"h_free": [0.1, 0.2, 0.3, 0.5, 0.5, 0.5, 0.5], "a_flat": [0.1, 0.2, 0.3]}
    return replace(description, joints=joints), {"locked_joints": locks}


@pytest.fixture
def bench(mixed: RobotDescription) -> Bench:
    description, options = small(mixed)
    return make_bench(description, joint_losses=True, runtime=("rail.mass",), **options)


def test_good_functions_satisfy_every_identity(bench: Bench) -> None:
    results = check_identities(bench, "recursion", {"rail.mass": 1.5}, states=1)
    assert [result.identity for result in results] == [identity.name for identity in IDENTITIES]
    for result in results:
        assert result.passed and 0.0 <= result.worst_residual < result.tolerance / 4, result
        assert (result.evaluator, result.states) == ("recursion", 1) and result.worst_state.startswith("random state")


def test_they_hold_in_the_spatial_convention(mixed: RobotDescription) -> None:
    description, options = small(mixed)
    spatial = make_bench(description, convention="spatial", **options)
    assert all(result.passed for result in check_identities(spatial, "recursion", {}, states=1))


@pytest.mark.parametrize("identity", IDENTITIES, ids=lambda identity: identity.name.replace(" ", "_"))
def test_each_identity_notices_one_wrong_entry(mixed_fixed: RobotDescription, identity: Any) -> None:
    """In turn, an entry of every function that the identity needs is off by a millionth of the largest."""
    locks = {"d_ball": [0.5, 0.5, 0.5, 0.5], "h_free": [0.1, 0.2, 0.3, 0.5, 0.5, 0.5, 0.5], "a_flat": [0.1, 0.2, 0.3]}
    good = make_bench(mixed_fixed, locked_joints=locks)
    for name in identity.needs:
        call = good.calls[name]

        def wrong(values: Mapping[str, Sequence[Any]], call: FlatFunction = call) -> list[Any]:
            rows = list(call(values))
            first = values["q" if "q" in values else "y"][0]
            rows[1 if len(rows) > 1 else 0] += 1e-6 * max(abs(row) for row in rows) * (1.5 + math.sin(first))
            return rows

        worse = replace(
            good, calls={**good.calls, name: wrong}, signatures={n: good.signatures[n] for n in identity.needs}
        )
        results = {item.identity: item for item in check_identities(worse, "wrong", {}, states=1)}
        assert not results[identity.name].passed, (name, results[identity.name])


def test_only_what_the_module_has_is_asked(bench: Bench) -> None:
    few = replace(bench, signatures={name: bench.signatures[name] for name in ("mass_matrix", "inverse_dynamics")})
    found = [result.identity for result in check_identities(few, "recursion", {}, states=1)]
    assert found == ["M symmetric, positive definite", "inverse_dynamics(a) = M a + inverse_dynamics(0)"]
    none = replace(bench, signatures={"inverse_dynamics": bench.signatures["inverse_dynamics"]})
    assert check_identities(none, "recursion", {}, states=1) == ()


def test_numbers_that_are_none_fail(bench: Bench) -> None:
    broken = {**bench.calls, "mass_matrix": lambda values: [math.nan] * bench.nv**2}
    few = replace(bench, calls=broken, signatures={"mass_matrix": bench.signatures["mass_matrix"]})
    (result,) = check_identities(few, "recursion", {}, states=2)
    assert result.worst_residual == math.inf and not result.passed


def test_an_indefinite_mass_matrix_fails(bench: Bench) -> None:
    def indefinite(values: Mapping[str, Sequence[Any]]) -> list[float]:
        rows = [float(row == column) for row in range(bench.nv) for column in range(bench.nv)]
        rows[1] = rows[bench.nv] = 1.0 + 1e-9
        return rows

    few = replace(
        bench,
        calls={**bench.calls, "mass_matrix": indefinite},
        signatures={"mass_matrix": bench.signatures["mass_matrix"]},
    )
    (result,) = check_identities(few, "recursion", {}, states=1)
    assert not result.passed and result.worst_residual == pytest.approx(1e-9 * 2**53, rel=1e-3)


def test_relative_residuals() -> None:
    import numpy as np

    assert relative(np.array([1.0, -3.0]), np.array([2.0, 6.0])) == 0.5
    assert relative(np.zeros(2), np.zeros(2)) == 0.0
    assert relative(np.array([1e-300]), np.zeros(1)) == math.inf
    assert relative(np.array([math.nan]), np.ones(1)) == math.inf
    assert relative_by_unit(np.array([1.0, 1.0]), np.array([10.0, 2.0]), ("N", "m")) == 0.5
