"""The inputs that a motion needs: square, too few, too many and dependent ones, against the pseudo-inverse of NumPy."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from support.robots.driven import SMALL
from support.robots.soft_trees import soft_arm
from support.states import relative_error

import symdyn
from symdyn import api
from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.compiler.tape.evaluate import evaluate_program
from symdyn.description.yaml.read import parse_yaml
from symdyn.errors import ModelError, RequestError
from symdyn.functions.catalogue import requests
from symdyn.interface.options import GenerateOptions
from symdyn.robot.robot import Robot
from symdyn.verify.base.compare import block_floors, error_in_u, limit_in_u, output_blocks
from symdyn.verify.harness.states import verification_states
from symdyn.verify.oracle.setting import make_setting
from symdyn.verify.oracle.truths import find_truth

pytestmark = pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")
SQUARE = '[slant, turn, half, {rest: "arm.curvature_z[1]"}]'
FEW, MANY, DEPENDENT = "[slant]", "[slant, turn, half, left, right, {rest: arm}]", "[left, turn, right, middle]"


@cache
def robot(actuators: str = SQUARE) -> Robot:
    assert SQUARE in SMALL
    return api.from_description(parse_yaml(SMALL.replace(SQUARE, actuators).encode(), "small.yaml"))


def called(own: Robot, function: str, state: dict[str, Any], /, **options: Any) -> dict[str, np.ndarray]:
    found = api.float_recursion(own, function, **options)(
        {name: np.ravel(values).tolist() for name, values in state.items()}
    )
    return {name: np.array(values) for name, values in found.items()}


def state(bent: float = 1.0) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(11)
    return {name: rng.uniform(-0.4, 0.4, 4) * (bent if name == "q" else 3.0) for name in "qva"}


@pytest.mark.parametrize("bent", [0.0, 1.0])
@pytest.mark.parametrize(("actuators", "rank"), [(SQUARE, 4), (FEW, 1), (MANY, 4), (DEPENDENT, 3)])
def test_the_least_inputs_of_least_residual(actuators: str, rank: int, bent: float) -> None:
    """DEPENDENT: parallel tendons, of which any is a sum of two others."""
    own, given = robot(actuators), state(bent)
    found = called(own, "inverse_actuation", given)
    (tau,) = called(own, "inverse_dynamics", given).values()
    (B,) = called(own, "actuation_matrix", {"q": given["q"]}).values()
    B = B.reshape(4, -1)
    assert np.linalg.matrix_rank(B / abs(B).max(axis=0)) == rank
    expected = np.linalg.pinv(B, rcond=1e-13) @ tau
    assert found["u"] == pytest.approx(expected, rel=1e-9, abs=1e-9 * abs(expected).max())
    assert found["residual"] == pytest.approx(tau - B @ expected, abs=1e-12 * abs(tau).max())
    assert B.T @ found["residual"] == pytest.approx(np.zeros(B.shape[1]), abs=1e-12 * abs(tau).max())


@pytest.mark.parametrize("given_at", ["generation", "run time"])
@pytest.mark.parametrize("actuators", [FEW, "[slant, half]", DEPENDENT, MANY])
def test_weights_say_which_errors_count(actuators: str, given_at: str) -> None:
    """Against least squares of NumPy, of rows by the roots of weights."""
    own, given, weights = robot(actuators), state(), np.array([2.0, 1e3, 4e4, 0.01])
    option: Any = tuple(weights) if given_at == "generation" else "input"
    more = {} if given_at == "generation" else {"weights": weights}
    found = called(own, "inverse_actuation", given | more, weights=option)
    (tau,) = called(own, "inverse_dynamics", given).values()
    (B,) = called(own, "actuation_matrix", {"q": given["q"]}).values()
    B, D = B.reshape(4, -1), np.sqrt(weights)[:, None]
    expected = np.linalg.lstsq(D * B, D[:, 0] * tau, rcond=1e-13)[0]
    assert found["u"] == pytest.approx(expected, rel=1e-9, abs=1e-9 * abs(expected).max())
    assert found["residual"] == pytest.approx(tau - B @ expected, abs=1e-11 * abs(tau).max())
    if actuators in (FEW, "[slant, half]"):  # too few to leave nothing
        assert found["u"] != pytest.approx(called(own, "inverse_actuation", given)["u"], rel=1e-2)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1.0, 2.0], "weights has 2 numbers; robot 'small' has 4 rows of v: turn, arm.curvature_z"),
        ([1.0, 0.0, 1.0, 1.0], r"weights are positive numbers, one per row of v, or 'input', got \[1.0, 0.0"),
        ("heavy", "weights are positive numbers, one per row of v, or 'input', got 'heavy'"),
        ([float("nan")] * 4, "weights are positive numbers"),
        (7, "weights has 1 numbers"),
    ],
)
def test_weights_that_are_none_are_refused(weights: Any, message: str) -> None:
    with pytest.raises(RequestError, match=message):
        requests(robot().model, ["inverse_actuation"], weights=weights)


def test_weights_are_written_down_and_read_again() -> None:
    for said, kept in (("1, 2,3,4", ("1.0", "2.0", "3.0", "4.0")), ("input", ("input",))):
        options = GenerateOptions.checked(["inverse_actuation"], weights=said)
        assert options.weights == kept and GenerateOptions.from_record(options.record(), "c") == options
        ((entry, request),) = requests(robot().model, ["inverse_actuation"], weights=said)
        recorded = entry.recorded(entry.signature(robot().model, request).options)
        assert requests(robot().model, ["inverse_actuation"], **recorded) == ((entry, request),)


def test_forward_dynamics_gives_the_motion_back() -> None:
    given = state()
    found = called(robot(), "inverse_actuation", given)
    assert abs(found["residual"]).max() <= 1e-12 * abs(found["u"]).max()
    moved = called(robot(), "forward_dynamics", {"q": given["q"], "v": given["v"], "u": found["u"]}, inputs="actuators")
    assert moved["a"] == pytest.approx(given["a"], rel=1e-9)


def test_a_motor_has_the_force_of_its_row() -> None:
    """The rod's rows are what it cannot give, and no rounding goes in between."""
    own, given = robot("[turn]"), state()
    found, tau = called(own, "inverse_actuation", given), called(own, "inverse_dynamics", given)["tau"]
    assert found["u"].tolist() == tau[:1].tolist() and found["residual"].tolist() == [0.0, *tau[1:].tolist()]


def test_wrenches_from_outside_count() -> None:
    own, given = robot(FEW), state()
    pushed = given | {"f_ext": np.random.default_rng(12).uniform(-1, 1, (len(own.body_names), 6))}
    found = called(own, "inverse_actuation", pushed, external_wrenches="world")
    (tau,) = called(own, "inverse_dynamics", pushed, external_wrenches="world").values()
    (B,) = called(own, "actuation_matrix", {"q": given["q"]}).values()
    assert found["residual"] + B * found["u"] == pytest.approx(tau, rel=1e-13)
    assert tau[1:] != pytest.approx(called(own, "inverse_dynamics", given)["tau"][1:], rel=1e-3)


@pytest.mark.parametrize(
    ("actuators", "options"),
    [
        (FEW, {}),
        (FEW, {"weights": "input"}),
        pytest.param(MANY, {}, marks=pytest.mark.slow),
        (DEPENDENT, {}),
        pytest.param(DEPENDENT, {"weights": (0.5, 4.0, 1.0, 30.0)}, marks=pytest.mark.slow),
    ],
)
def test_the_recursion_is_right(actuators: str, options: Any) -> None:
    own = robot(actuators)
    ((entry, request),) = requests(own.model, ["inverse_actuation"], **options)
    signature = entry.signature(own.model, request)
    setting = make_setting(own.description, signature, own.load_options())
    blocks = output_blocks(signature.outputs)
    states = verification_states(setting.tree, signature.inputs, {}, 1)
    for own_state in (states[1], states[-1]):
        truth = find_truth("inverse_actuation")(setting, own_state.inputs)
        found = api.float_recursion(own, "inverse_actuation", **options)(own_state.inputs)
        floors = block_floors([truth.scales], blocks)
        rows = [*found["u"], *found["residual"]]
        assert error_in_u(rows, truth.values, blocks, floors, scales=truth.scales) <= limit_in_u(setting.tree.depth)


@pytest.mark.parametrize("layout", [pytest.param("split", marks=pytest.mark.slow), "rolled"])
def test_programs_agree_with_the_recursion(layout: str) -> None:
    own, given = robot(DEPENDENT), {name: values.tolist() for name, values in state().items()}
    expected = api.float_recursion(own, "inverse_actuation")(given)
    (program,) = api.programs(own, ["inverse_actuation"], layout=layout)
    found = evaluate_program(program, FloatAlgebra(), given)
    for name, values in expected.items():
        assert found[name] == pytest.approx(values, abs=1e-11 * max(map(abs, expected["u"]))), name


@pytest.mark.slow
@pytest.mark.needs_cc
@pytest.mark.parametrize("layout", ["auto", "rolled"])
def test_compiled_code_agrees(layout: str) -> None:
    module = symdyn.compile(robot(MANY), ["inverse_actuation"], layout=layout, lanes=layout == "rolled")
    given = state()
    expected = called(robot(MANY), "inverse_actuation", given)
    u, residual = module.inverse_actuation(*given.values())
    assert relative_error(u.tolist(), expected["u"].tolist()) <= 1e-11
    assert residual == pytest.approx(expected["residual"], abs=1e-11)


def test_robots_without_actuators_are_refused() -> None:
    with pytest.raises(ModelError, match="'inverse_actuation' needs actuators, and robot 'arm' has none"):
        api.float_recursion(api.from_description(soft_arm()), "inverse_actuation")
