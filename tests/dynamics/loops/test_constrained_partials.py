"""Partial derivatives where loops are closed: against differences, against the oracle, and compiled."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from support.looped_checks import random_robot
from support.robots.looped import five_bar, four_bar, standing
from support.soft_calls import call

import symdyn
from symdyn import api
from symdyn.description.loops import Coupling
from symdyn.description.robot import Mimic, RobotDescription
from symdyn.functions.catalogue import requests
from symdyn.robot import Robot
from symdyn.scalars.floats import FloatAlgebra
from symdyn.tape.evaluate import evaluate_program
from symdyn.verify.oracle.setting import make_setting
from symdyn.verify.oracle.truths import find_truth

pytestmark = pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")
STEP = 1e-3
"""Of sixth-order differences: their error is 1e-18 of the seventh derivative, and that of rounding 1e-13."""


def geared() -> RobotDescription:
    """A five-bar with a gear in place of one drive."""
    described = five_bar()
    return replace(described, acting=(*described.acting, Coupling("gear", (("a", 1.0), ("d", 0.5)), 0.2)))


def following() -> RobotDescription:
    """A trunk on its feet, two joints of which follow others."""
    described = standing()
    last = replace(described.joints[-1], mimic=Mimic(described.joints[2].name, 0.7, 0.1))
    return replace(described, joints=(*described.joints[:-1], last))


def differences(value: Callable[[np.ndarray], np.ndarray], count: int) -> np.ndarray:
    """The Jacobian of a function of moves, at none."""
    weights = {1: 45.0, 2: -9.0, 3: 1.0}
    columns = [
        sum(w * (value(k * STEP * move) - value(-k * STEP * move)) for k, w in weights.items()) / (60.0 * STEP)
        for move in np.eye(count)
    ]
    return np.array(columns).T


def compared(own: Robot, held: tuple[str, ...] = (), **options: object) -> None:
    """Partials against differences of the dynamics themselves."""
    rng, nv = np.random.default_rng(4), own.nv
    name, given = ("constrained_hybrid_dynamics", "u") if held else ("constrained_forward_dynamics", "tau")
    more = {**options, **({"prescribed": list(held)} if held else {})}
    q, v = own.random_state(rng)
    u = rng.standard_normal(nv)

    def dynamics(q: np.ndarray, v: np.ndarray, u: np.ndarray) -> np.ndarray:
        return np.concatenate(call(own, name, q=q, v=v, **{given: u}, **more))

    found = call(own, f"{name}_partials", q=q, v=v, **{given: u}, **more)
    half = len(found) // 2
    by_q = differences(lambda move: dynamics(own.integrate(q, move), v, u), nv)
    by_v = differences(lambda move: dynamics(q, v + move, u), nv)
    by_u = differences(lambda move: dynamics(q, v, u + move), nv)
    for place, wanted in enumerate((by_q, by_v, by_u)):
        whole = np.vstack([found[place], found[place + half]])
        assert whole == pytest.approx(wanted, abs=1e-9 * abs(wanted).max())


@pytest.mark.parametrize(
    ("made", "held", "options"),
    [
        (four_bar, (), {}),
        (five_bar, ("a", "c"), {"stabilisation": 0.5}),
        pytest.param(five_bar, ("b",), {}, marks=pytest.mark.slow),
        pytest.param(geared, (), {"stabilisation": 0.2}, marks=pytest.mark.slow),
        pytest.param(geared, ("a",), {}, marks=pytest.mark.slow),
        pytest.param(standing, (), {"stabilisation": 0.5}, marks=pytest.mark.slow),
        pytest.param(standing, ("left0_joint", "right1_joint"), {}, marks=pytest.mark.slow),
        pytest.param(following, (), {}, marks=pytest.mark.slow),
    ],
)
def test_differences_agree(
    made: Callable[[], RobotDescription], held: tuple[str, ...], options: dict[str, object]
) -> None:
    compared(api.from_description(made()), held, **options)


def test_equations_hold_differentiated() -> None:
    """M da - A^T dlambda = dtau and A da = 0 along given forces."""
    own = api.from_description(five_bar())
    rng = np.random.default_rng(5)
    q, v = own.random_state(rng)
    found = call(own, "constrained_forward_dynamics_partials", q=q, v=v, tau=rng.standard_normal(own.nv))
    by_tau, multipliers = found[2], found[5]
    A = call(own, "constraint_jacobian", q=q)[0].reshape(-1, own.nv)
    M = call(own, "mass_matrix", q=q)[0].reshape(own.nv, own.nv)
    assert M @ by_tau - A.T @ multipliers == pytest.approx(np.eye(own.nv), abs=1e-12 * abs(multipliers).max())
    assert A @ by_tau == pytest.approx(np.zeros((2, own.nv)), abs=1e-13 * abs(by_tau).max())
    assert by_tau == pytest.approx(by_tau.T, abs=1e-13 * abs(by_tau).max())


def against_oracle(own: Robot, **options: float) -> None:
    """Partials against fifty digits at a random state."""
    name, rng = "constrained_forward_dynamics_partials", np.random.default_rng(8)
    ((entry, request),) = requests(own.model, [name], **options)
    signature = entry.signature(own.model, request)
    q, v = own.random_state(rng)
    given = {"q": q, "v": v, "tau": rng.standard_normal(own.nv)}
    setting = make_setting(own.description, signature, own.load_options())
    exact = find_truth(name)(setting, {key: list(map(float, values)) for key, values in given.items()})
    start = 0
    for found in call(own, name, **given, **options):
        wanted = np.array([float(x) for x in exact.values[start : start + found.size]])
        assert found.ravel() == pytest.approx(wanted, abs=1e-11 * abs(wanted).max())
        start += found.size
    assert start == len(exact.values)


@pytest.mark.parametrize(
    "made", [four_bar, *(pytest.param(made, marks=pytest.mark.slow) for made in (five_bar, geared, standing))]
)
def test_the_oracle_agrees(made: Callable[[], RobotDescription]) -> None:
    against_oracle(api.from_description(made()), stabilisation=0.5)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 4])
def test_the_oracle_agrees_on_random_trees(seed: int) -> None:
    robot = random_robot(seed)
    assert robot is not None
    against_oracle(robot)


@pytest.mark.slow
def test_derivatives_by_parameters() -> None:
    """By central differences of the dynamics at other masses."""
    own = api.from_description(four_bar(), runtime=["coupler.mass"])
    rng = np.random.default_rng(6)
    q, v = own.random_state(rng)
    given = {"q": q, "v": v, "tau": rng.standard_normal(3)}
    found = call(own, "constrained_forward_dynamics_partials", p=np.array([1.5]), **given)
    wanted = differences(
        lambda move: np.concatenate(call(own, "constrained_forward_dynamics", p=np.array([1.5]) + move, **given)), 1
    )
    assert np.vstack([found[3], found[7]]) == pytest.approx(wanted, abs=1e-9 * abs(wanted).max())


@pytest.mark.slow
@pytest.mark.parametrize("layout", ["unrolled", "split", "rolled"])
@pytest.mark.parametrize("made", [four_bar, five_bar])
def test_compiled_code_agrees(made: Callable[[], RobotDescription], layout: str) -> None:
    own, name = api.from_description(made()), "constrained_forward_dynamics_partials"
    q, v = own.random_state(np.random.default_rng(7))
    tau = np.ones(own.nv)
    wanted = call(own, name, q=q, v=v, tau=tau)
    compiled = getattr(symdyn.compile(own, [name], layout=layout), name)(q, v, tau)
    (program,) = api.programs(own, [name], layout=layout)
    evaluated = evaluate_program(program, FloatAlgebra(), {"q": list(q), "v": list(v), "tau": list(tau)})
    outputs = symdyn.compile(own, [name], layout=layout).signature(name).outputs
    for argument, own_result, expected in zip(outputs, compiled, wanted, strict=True):
        tolerance = 1e-12 * abs(expected).max()
        assert own_result == pytest.approx(expected, abs=tolerance)
        assert np.reshape(evaluated[argument.name], argument.shape) == pytest.approx(expected, abs=tolerance)
