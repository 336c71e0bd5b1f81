"""``check=True``: inputs that generated code would take as they are, and give forces without a meaning, are refused."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symdyn
from symdyn.errors import ModelError, RequestError, VerificationError
from symdyn.toolchain.module import Module

ROBOT = """
format: 1
name: bench
floating_base: true
links:
  base: {mass: 2.0, com: [0.1, 0, 0.05], inertia: {xx: 0.03, yy: 0.04, zz: 0.05}}
  arm: {mass: 0.5, com: [0, 0.1, -0.2], inertia: {xx: 0.02, yy: 0.02, zz: 0.01}}
  hand: {mass: 0.5, com: [0, 0.1, -0.2], inertia: {xx: 0.02, yy: 0.02, zz: 0.01}}
joints:
  hip: {type: revolute, parent: base, child: arm, axis: [0, 1, 0],
        limits: {lower: -1, upper: 2, velocity: 3, effort: 4}}
  wrist: {type: spherical, parent: arm, child: hand, translation: [0, 0, -0.4]}
"""
FUNCTIONS = ["inverse_dynamics", "forward_dynamics", "inverse_dynamics_partials", "inverse_dynamics_time_derivatives"]
CONVENTIONS = {"pinocchio": 6, "mujoco": 3}
"""Place of qw of the base."""


@pytest.fixture(scope="module", params=CONVENTIONS)
def modules(request: pytest.FixtureRequest) -> tuple[symdyn.Robot, Module, Module]:
    robot = symdyn.loads(ROBOT, "yaml", convention=request.param)
    plain, checked = (symdyn.compile(robot, FUNCTIONS, target="python", check=own) for own in (False, True))
    return robot, plain, checked


def state(robot: symdyn.Robot, count: int = 3) -> dict[str, Any]:
    rng = np.random.default_rng(0)
    q, v = zip(*(robot.random_state(rng) for _ in range(count)), strict=True)
    return {"q": np.array(q), "v": np.clip(v, -2.0, 2.0), "a": rng.standard_normal((count, robot.nv))}


def test_what_is_right_gives_what_the_module_gives(modules: tuple[symdyn.Robot, Module, Module]) -> None:
    robot, plain, checked = modules
    given = state(robot)
    np.testing.assert_array_equal(checked.inverse_dynamics(**given), plain.inverse_dynamics(**given))
    q, v, a = (own[0] for own in given.values())
    out = np.empty(robot.nv)
    assert checked.inverse_dynamics(q, v, a=a, out=out) is out
    for found, true in zip(
        checked.inverse_dynamics_partials(q, v, a), plain.inverse_dynamics_partials(q, v, a), strict=True
    ):
        np.testing.assert_array_equal(found, true)
    assert checked.signature("inverse_dynamics") == plain.signature("inverse_dynamics")
    assert "checked" in repr(checked) and "checked" not in repr(plain)
    with pytest.raises(AttributeError, match="has no function 'gravity'"):
        checked.gravity
    V = np.stack([given["v"], given["a"]], axis=-2)
    tau = checked.inverse_dynamics_time_derivatives(given["q"], V)
    np.testing.assert_array_equal(tau, plain.inverse_dynamics_time_derivatives(given["q"], V))


def test_what_breaks_a_rule_is_refused(modules: tuple[symdyn.Robot, Module, Module]) -> None:
    robot, plain, checked = modules
    hip, rate = robot.coordinate_names.index("hip"), robot.velocity_names.index("hip")

    def refused(words: str, function: str = "inverse_dynamics", **changes: tuple[tuple[int, ...], float]) -> None:
        given = state(robot)
        if function == "forward_dynamics":
            given["tau"] = given.pop("a")
        for name, (place, value) in changes.items():
            given[name][place] = value
        getattr(plain, function)(**given)  # nothing is said
        with pytest.raises(RequestError, match=words):
            getattr(checked, function)(**given)

    qw = CONVENTIONS[robot.options.convention]
    refused(
        "inverse_dynamics: q of state 1: the quaternion of joint 'root' has length .*, expected 1", q=((1, qw), 3.0)
    )
    refused("q of state 2: the quaternion of joint 'wrist' has length", q=((2, -1), 1.7))
    refused("q of state 0: 'hip' is 2.5, beyond its limits -1 and 2", q=((0, hip), 2.5))
    refused("v of state 2: 'hip' is -3.5, beyond its limits -3 and 3", v=((2, rate), -3.5))
    refused("a of state 1: 'hip' is nan; expected a finite number", a=((1, rate), np.nan))
    refused("v of state 1: '.*' is inf; expected a finite number", v=((1, 0), np.inf))
    refused("tau of state 0: 'hip' is 4.5, beyond its limits -4 and 4", "forward_dynamics", tau=((0, rate), 4.5))
    q, v, a = (own[0] for own in state(robot).values())
    with pytest.raises(RequestError, match=r"^inverse_dynamics: q: the quaternion of joint 'wrist'"):
        checked.inverse_dynamics(np.append(q[:-4], 2 * q[-4:]), v, a)
    with pytest.raises(ValueError, match="expected"):
        checked.inverse_dynamics(q[:-1], v, a)


def test_the_same_of_an_opened_folder(tmp_path: Path) -> None:
    robot = symdyn.loads(ROBOT, "yaml")
    folder = symdyn.generate(robot, ["gravity"], target="python", out=tmp_path / "out")
    checked = symdyn.open(folder, check=True)
    q = robot.neutral()
    np.testing.assert_array_equal(checked.gravity(q), symdyn.open(folder).gravity(q))
    for module in (checked, pickle.loads(pickle.dumps(checked))):
        with pytest.raises(RequestError, match="gravity: q: the quaternion of joint 'root' has length 0, expected 1"):
            module.gravity(np.zeros(robot.nq))
    assert np.isfinite(symdyn.open(folder).gravity(np.zeros(robot.nq))).all()
    (folder / "robot.yaml").write_text(ROBOT)
    with pytest.warns(symdyn.SymdynWarning), pytest.raises(VerificationError, match="lacks the robot"):
        symdyn.open(folder, trust=True, check=True)


@pytest.mark.needs_cc
def test_the_same_of_compiled_code() -> None:
    robot = symdyn.loads(ROBOT, "yaml")
    plain, checked = (symdyn.compile(robot, ["gravity"], check=own) for own in (False, True))
    assert type(plain) is Module and plain is not checked
    q = np.stack([robot.neutral()] * 2)
    np.testing.assert_array_equal(checked.gravity(q), plain.gravity(q))
    q[1, 6] = 0.9
    with pytest.raises(RequestError, match=r"q of state 1: the quaternion of joint 'root' has length 0\.9"):
        checked.gravity(q)


def test_the_flag_is_one() -> None:
    with pytest.raises(ModelError, match="check"):
        symdyn.compile(symdyn.load_example("pendulum"), ["gravity"], check="yes")  # type: ignore[arg-type]
