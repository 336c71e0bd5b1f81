"""Partial derivatives where loops are closed: against differences, against the oracle, and compiled."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from support.looped_checks import against_oracle, differences, evaluator, layouts_agree, random_robot
from support.robots.looped import five_bar, four_bar, standing
from support.soft_calls import call

import symdyn
from symdyn import api
from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.compiler.tape.evaluate import evaluate_program
from symdyn.description.loops import Coupling
from symdyn.description.robot import Mimic, RobotDescription
from symdyn.robot.robot import Robot
from symdyn.verify.base.dense import SingularMatrixError

pytestmark = pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")
FORWARD, HYBRID = "constrained_forward_dynamics_partials", "constrained_hybrid_dynamics_partials"


def geared() -> RobotDescription:
    """A five-bar with a gear in place of one drive."""
    described = five_bar()
    return replace(described, acting=(*described.acting, Coupling("gear", (("a", 1.0), ("d", 0.5)), 0.2)))


def following() -> RobotDescription:
    """A trunk on its feet, two joints of which follow others."""
    described = standing()
    last = replace(described.joints[-1], mimic=Mimic(described.joints[2].name, 0.7, 0.1))
    return replace(described, joints=(*described.joints[:-1], last))


def compared(own: Robot, held: tuple[str, ...] = (), **options: object) -> None:
    """Partials against differences of the dynamics themselves."""
    rng, nv = np.random.default_rng(4), own.nv
    name, given = ("constrained_hybrid_dynamics", "u") if held else ("constrained_forward_dynamics", "tau")
    more = {**options, **({"prescribed": list(held)} if held else {})}
    q, v = own.random_state(rng)
    u = rng.standard_normal(nv)

    plain = evaluator(own, name, **more)

    def dynamics(q: np.ndarray, v: np.ndarray, u: np.ndarray) -> np.ndarray:
        return np.concatenate(plain(q=q, v=v, **{given: u}))

    found = evaluator(own, f"{name}_partials", **more)(q=q, v=v, **{given: u})
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


@pytest.mark.slow
def test_the_oracle_agrees_on_a_random_tree() -> None:
    robot = random_robot(7)
    assert robot is not None
    against_oracle(robot, FORWARD)


def test_rows_that_depend_everywhere_have_no_partials() -> None:
    """Five rows of a loop move with four coordinates: what opens it has no answer, and the oracle gives none."""
    robot = random_robot(2)
    assert robot is not None
    for state in range(3):
        q, _ = robot.random_state(np.random.default_rng(state))
        A = call(robot, "constraint_jacobian", q=q)[0].reshape(-1, robot.nv)
        values = np.linalg.svd(A, compute_uv=False)
        assert values[-1] < 1e-13 < 1e-2 < values[-2]
    with pytest.raises(SingularMatrixError, match="depend on each other"):
        against_oracle(robot, FORWARD)


def driven(runtime: tuple[str, ...] = ()) -> Robot:
    """A four-bar with two motors and losses."""
    described = four_bar()
    motors = replace(described.actuation, actuators=("input", "output"))
    return api.from_description(replace(described, actuation=motors), joint_losses=True, runtime=list(runtime))


def test_inputs_of_actuators_are_columns_of_forces() -> None:
    own, rng = driven(), np.random.default_rng(3)
    q, v = own.random_state(rng)
    tau = np.array([0.5, 0.0, -0.7])
    by_forces = evaluator(own, FORWARD)(q=q, v=v, tau=tau)
    by_inputs = evaluator(own, FORWARD, inputs="actuators")(q=q, v=v, u=tau[[0, 2]])
    for number, (given, own_rows) in enumerate(zip(by_forces, by_inputs, strict=True)):
        wanted = given[:, [0, 2]] if number in (2, 5) else given
        assert own_rows == pytest.approx(wanted, abs=1e-13 * abs(given).max())
    a = np.array([9.0, 0.3, 9.0])
    by_forces = evaluator(own, HYBRID, prescribed=["elbow"])(q=q, v=v, u=np.where([0, 1, 0], a, tau))
    options = {"prescribed": ["elbow"], "inputs": "actuators"}
    by_inputs = evaluator(own, HYBRID, **options)(q=q, v=v, u=tau[[0, 2]], a=a)
    for first in (0, 3):
        given = by_forces[first + 2]
        by_u, by_a = by_inputs[first // 3 * 4 + 2 : first // 3 * 4 + 4]
        assert by_u == pytest.approx(given[:, [0, 2]], abs=1e-12)
        assert by_a == pytest.approx(given * [0.0, 1.0, 0.0], abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "held"), [(FORWARD, ()), (HYBRID, ("elbow",))])
def test_the_oracle_agrees_of_inputs_and_parameters(name: str, held: tuple[str, ...]) -> None:
    """By inputs of actuators, by a mass, by the length of a link, and by what is prescribed."""
    own = driven(("coupler.mass", "elbow.translation.x"))
    more = {"prescribed": list(held)} if held else {}
    against_oracle(own, name, inputs="actuators", stabilisation=0.5, **more)
    against_oracle(own, name, stabilisation=0.5, **more)
    layouts_agree(own, name, inputs="actuators", **more)


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
@pytest.mark.parametrize(
    ("made", "layout"), [(four_bar, "unrolled"), (five_bar, "split"), (four_bar, "rolled"), (five_bar, "rolled")]
)
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
