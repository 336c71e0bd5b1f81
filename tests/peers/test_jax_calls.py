"""Compiled functions called and differentiated by JAX, beside the module itself and symdyn's code over JAX."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import diffrax
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.test_util import check_grads
from support.robots.turning import turning, turns
from support.rods import functions, holding, rod

import symdyn
from symdyn.description.soft import Strain
from symdyn.errors import RequestError
from symdyn.robot.robot import Robot

pytestmark = pytest.mark.peers

ROBOTS: dict[str, Callable[[], Robot]] = {
    "arm": lambda: symdyn.load_example("seven_dof_arm"),
    "canadarm": lambda: symdyn.load_example("canadarm"),
    "elastic_arm": lambda: symdyn.load_example("elastic_arm"),
    "soft": lambda: symdyn.from_description(holding(rod(functions(Strain.CURVATURE_Z, 2), stations=3))),
    "free": turning,
    "spatial": lambda: turning("spatial"),
    "mujoco": lambda: turning("mujoco"),
}
LEFT_OUT = "ignore:.*follow from others in all positions"
"""What a planar loop in space is told."""
BOTH = ["forward_dynamics", "inverse_dynamics"]


@cache
def robot_of(name: str) -> Robot:
    return ROBOTS[name]()


@pytest.fixture(autouse=True)
def in_double() -> Iterator[None]:
    with jax.enable_x64(True):
        yield


def compiled(name: str, *functions: str, **asked: Any) -> Any:
    return symdyn.compile(robot_of(name), list(functions), lanes=False, **asked)


def state(robot: Robot, seed: int = 0) -> tuple[Any, ...]:
    rng = np.random.default_rng(seed)
    return (*robot.random_state(rng), rng.standard_normal(robot.nv))


@pytest.mark.parametrize("name", ROBOTS)
def test_values_and_derivatives_are_those_of_the_module(name: str) -> None:
    robot, module = robot_of(name), compiled(name, *BOTH)
    given = state(robot)
    for function in BOTH:
        called = module.jax(function)
        assert called is module.jax(function)
        scale = max(1.0, float(np.abs(getattr(module, function)(*given)).max()))
        np.testing.assert_allclose(called(*given), getattr(module, function)(*given), atol=1e-12 * scale)
        matrices = getattr(compiled(name, f"{function}_partials"), f"{function}_partials")(*given)
        forward, reverse = (jax.jit(way(called, (0, 1, 2)))(*given) for way in (jax.jacfwd, jax.jacrev))
        for by, (one, other, wanted) in enumerate(zip(forward, reverse, matrices, strict=True)):
            size = max(1.0, float(np.abs(wanted).max()))
            np.testing.assert_allclose(one, other, atol=1e-12 * size)
            if by or robot.nq == robot.nv:
                np.testing.assert_allclose(one, wanted, atol=1e-12 * size)
        if robot.nq != robot.nv:
            check_grads(called, given, order=1, modes=("fwd", "rev"))


@pytest.mark.parametrize("name", ["arm", "elastic_arm", "soft"])
def test_gradients_are_differences(name: str) -> None:
    module, given = compiled(name, *BOTH), state(robot_of(name), 4)
    for function in BOTH:
        check_grads(module.jax(function), given, order=1, modes=("fwd", "rev"), rtol=1e-4)


@pytest.mark.parametrize("name", ["free", "spatial", "mujoco"])
def test_quaternions_of_any_length(name: str) -> None:
    robot, module = robot_of(name), compiled(name, *BOTH)
    q, v, tau = state(robot)
    longer = q.copy()
    for first, length in zip(turns(name), (1.7, 0.4), strict=True):
        longer[first : first + 4] *= length
    called = module.jax("forward_dynamics")
    np.testing.assert_allclose(called(longer, v, tau), module.forward_dynamics(q, v, tau), rtol=1e-11, atol=1e-11)
    slope = jax.jacfwd(called)(longer, v, tau)
    for first in turns(name):  # nothing changes along a quaternion
        along = np.zeros_like(longer)
        along[first : first + 4] = longer[first : first + 4]
        np.testing.assert_allclose(slope @ along, 0.0, atol=1e-9 * float(np.abs(slope).max()))
    # Along the motion of the robot it is the derivative that the module has.
    move, step = np.random.default_rng(5).standard_normal(robot.nv), 1e-6
    ends = [module.forward_dynamics(robot.integrate(q, sign * step * move), v, tau) for sign in (1.0, -1.0)]
    rows = (robot.integrate(q, step * move) - robot.integrate(q, -step * move)) / (2.0 * step)
    np.testing.assert_allclose(
        jax.jvp(lambda q: called(q, v, tau), (q,), (rows,))[1], (ends[0] - ends[1]) / (2.0 * step), rtol=1e-5, atol=1e-6
    )


def test_maps_nest_and_leave_inputs_out() -> None:
    module = compiled("arm", *BOTH)
    rng = np.random.default_rng(1)
    q, v, tau = rng.standard_normal((2, 3, 7)), rng.standard_normal((3, 7)), rng.standard_normal(7)
    called = module.jax("forward_dynamics")
    twice = jax.jit(jax.vmap(jax.vmap(called, (0, 0, None)), (0, None, None)))
    np.testing.assert_array_equal(twice(q, v, tau), module.forward_dynamics(q, v, tau))
    np.testing.assert_array_equal(called(q, v, tau), module.forward_dynamics(q, v, tau))
    gradient = jax.vmap(jax.grad(lambda q, v: called(q, v, tau).sum()), (0, None))(q[0], v[0])
    single = np.stack([jax.grad(lambda q: called(q, v[0], tau).sum())(own) for own in q[0]])
    np.testing.assert_allclose(gradient, single, rtol=1e-12)
    # Inputs that broadcast collect what all states say.
    shared = jax.grad(lambda tau: called(q, v, tau).sum())(tau)
    each = jax.grad(lambda tau: called(q, v, tau).sum())(np.broadcast_to(tau, (2, 3, 7)))
    np.testing.assert_allclose(shared, each.sum((0, 1)), rtol=1e-12)
    many = rng.standard_normal((3000, 7))
    for threads in (1, 3):
        module.set_threads(threads)
        np.testing.assert_array_equal(called(many, v[0], tau), module.forward_dynamics(many, v[0], tau))


def rollout(called: Any, over: Any, steps: int) -> Any:
    def loss(forces: Any, q: Any, v: Any) -> Any:
        def step(carried: Any, tau: Any) -> Any:
            q, v = carried
            v = v + 0.01 * called(q, v, tau)
            q = over(q, 0.01 * v)
            return (q, v), (q**2).sum()

        return jax.lax.scan(step, (q, v), forces)[1].sum()

    return jax.jit(jax.grad(loss, (0, 1, 2)))


@pytest.mark.parametrize("name", ["elastic_arm", "soft", "free"])
def test_gradient_of_a_rollout_is_that_of_code_over_jax(name: str) -> None:
    robot = robot_of(name)
    module = compiled(name, "forward_dynamics")
    plain = symdyn.compile(robot, ["forward_dynamics"], target="jax").forward_dynamics
    q, v, _ = state(robot, 2)
    forces = 0.1 * np.random.default_rng(3).standard_normal((100, robot.nv))

    def over(q: Any, dv: Any) -> Any:
        return q + dv if robot.nq == robot.nv else q + jnp.concatenate([dv[:6], dv[:1], dv[6:], dv[:1]])

    def of_unit(q: Any, v: Any, tau: Any) -> Any:
        for first in turns() if robot.nq != robot.nv else ():
            turn = q[first : first + 4]
            q = q.at[first : first + 4].set(turn / jnp.linalg.norm(turn))
        return plain(q, v, tau)

    found, wanted = (rollout(one, over, 100)(forces, q, 0.1 * v) for one in (module.jax("forward_dynamics"), of_unit))
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-10 * max(1.0, float(np.abs(other).max())))


def test_gradient_through_a_solver_of_diffrax_is_that_of_code_over_jax() -> None:
    robot = symdyn.load_example("double_pendulum")
    called = symdyn.compile(robot, ["forward_dynamics"], lanes=False).jax("forward_dynamics")
    plain = symdyn.compile(robot, ["forward_dynamics"], target="jax").forward_dynamics
    q, v, tau = state(robot, 7)

    def slopes(dynamics: Any) -> Any:
        def rate(t: Any, y: Any, tau: Any) -> Any:
            return y[1], dynamics(*y, jnp.cos(t) * tau)

        def end(y: Any, tau: Any) -> Any:
            control = diffrax.PIDController(rtol=1e-8, atol=1e-8)
            found = diffrax.diffeqsolve(
                diffrax.ODETerm(rate), diffrax.Tsit5(), 0.0, 1.0, 0.01, y, tau, stepsize_controller=control
            )
            return sum((own**2).sum() for own in found.ys)

        return jax.jit(jax.value_and_grad(end, (0, 1)))((q, v), tau)

    found, wanted = (jax.tree.leaves(slopes(own)) for own in (called, plain))
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-10 * max(1.0, float(np.abs(other).max())))


@pytest.mark.parametrize("name", ["elastic_arm", "free"])
def test_second_derivatives(name: str) -> None:
    robot, module = robot_of(name), compiled(name, *BOTH)
    given = state(robot, 6)
    for function in BOTH:
        check_grads(module.jax(function), given, order=2, modes=("fwd", "rev"), rtol=1e-4, eps=1e-5)


def test_functions_without_compiled_derivatives_and_inputs_without() -> None:
    robot = robot_of("elastic_arm")
    module = compiled("elastic_arm", "mass_matrix", "kinetic_energy")
    q, v, _ = state(robot)
    check_grads(module.jax("mass_matrix"), (q,), order=2, modes=("fwd", "rev"))
    gradient = jax.grad(module.jax("kinetic_energy"), 1)(q, v)
    np.testing.assert_allclose(gradient, module.mass_matrix(q) @ v, rtol=1e-12)
    pushed = compiled("elastic_arm", "inverse_dynamics", external_wrenches="body")
    wrenches = np.random.default_rng(2).standard_normal((len(robot.body_names), 6))
    check_grads(pushed.jax("inverse_dynamics"), (q, v, v, wrenches), order=1, modes=("fwd", "rev"))


def test_parameters_of_all_states_and_of_each() -> None:
    robot = symdyn.load_example("double_pendulum", runtime=["upper.mass"])
    module = symdyn.compile(robot, ["forward_dynamics"])
    called, rng = module.jax("forward_dynamics"), np.random.default_rng(1)
    q, v, tau = rng.standard_normal((3, 100, 2))
    p = robot.runtime_defaults
    np.testing.assert_array_equal(called(q, v, tau, p), module.forward_dynamics(q, v, tau, p))
    np.testing.assert_array_equal(
        jax.vmap(called, (0, 0, 0, None))(q, v, tau, p), module.forward_dynamics(q, v, tau, p)
    )
    heavier = p * rng.uniform(0.5, 2.0, (100, 1))
    np.testing.assert_array_equal(jax.vmap(called)(q, v, tau, heavier), module.forward_dynamics(q, v, tau, heavier))
    check_grads(called, (q[0], v[0], tau[0], p), order=2, modes=("fwd", "rev"))
    gradient = jax.grad(lambda p: called(q, v, tau, p).sum())(p)
    each = [jax.grad(lambda p, given=given: called(*given, p).sum())(p) for given in zip(q, v, tau, strict=True)]
    np.testing.assert_allclose(gradient, sum(each), rtol=1e-11)


def test_maps_of_some_inputs_beside_parameters() -> None:
    robot = symdyn.load_example("double_pendulum", runtime=["upper.mass"])
    module = symdyn.compile(robot, ["inverse_dynamics"], lanes=False)
    called, rng = module.jax("inverse_dynamics"), np.random.default_rng(2)
    q, v, p = rng.standard_normal((4, 3, 2)), rng.standard_normal(2), robot.runtime_defaults
    wanted = module.inverse_dynamics(q, v, v, p)
    np.testing.assert_array_equal(jax.vmap(lambda q: called(q, v, v, p))(q), wanted)
    np.testing.assert_array_equal(jax.vmap(jax.vmap(lambda q: called(q, v, v, p)))(q), wanted)
    each = p * rng.uniform(0.5, 2.0, (4, 1))
    found = jax.vmap(lambda q, p: called(q, v, v, p))(q, each)
    np.testing.assert_array_equal(found, module.inverse_dynamics(q, v, v, each[:, None]))
    gradient = jax.vmap(jax.grad(lambda q: called(q, v, v, p).sum()))(q)
    np.testing.assert_allclose(gradient, jax.grad(lambda q: called(q, v, v, p).sum())(q), rtol=1e-12)


@pytest.mark.filterwarnings(LEFT_OUT)
def test_loops_and_states() -> None:
    robot = symdyn.load_example("four_bar")
    module = symdyn.compile(robot, ["constrained_forward_dynamics", "state_derivative"], lanes=False)
    q, v, tau = state(robot)
    found = module.jax("constrained_forward_dynamics")(q, v, tau)
    assert type(found).__name__ == "ConstrainedForwardDynamics"
    for one, other in zip(found, module.constrained_forward_dynamics(q, v, tau), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)
    check_grads(module.jax("constrained_forward_dynamics"), (q, v, tau), order=1, modes=("fwd", "rev"), rtol=1e-4)
    y = np.concatenate([q, v])
    check_grads(module.jax("state_derivative"), (y, tau), order=1, modes=("fwd", "rev"), rtol=1e-4)


def test_an_opened_folder_knows_its_robot(tmp_path: Path) -> None:
    robot = symdyn.load_example("pendulum")
    symdyn.generate(robot, ["forward_dynamics"], out=tmp_path / "pendulum")
    from symdyn.toolchain.compile_and_load import build_into

    build_into(tmp_path / "pendulum")
    module = symdyn.open(tmp_path / "pendulum")
    q, v, tau = (np.array([value]) for value in (0.3, -0.2, 0.1))
    check_grads(module.jax("forward_dynamics"), (q, v, tau), order=2, modes=("fwd", "rev"))
    module.maker = None
    module._in_frameworks.clear()
    with pytest.raises(RequestError, match=r"knows its functions and not its robot, and needs .* by symdyn.compile"):
        module.jax("forward_dynamics")


def test_single_precision() -> None:
    module = compiled("elastic_arm", "forward_dynamics", dtype="float32")
    q, v, tau = (np.float32(own) for own in state(robot_of("elastic_arm")))
    called = module.jax("forward_dynamics")
    with jax.enable_x64(False):
        found = called(q, v, tau)
        assert found.dtype == jnp.float32
        np.testing.assert_array_equal(found, module.forward_dynamics(q, v, tau))
        assert jax.jacrev(called)(q, v, tau).dtype == jnp.float32
    with pytest.raises(
        RequestError, match="'q' has dtype float64, and this module computes in float32; pass float32, or"
    ):
        called(np.float64(q), v, tau)
    double = compiled("elastic_arm", "forward_dynamics").jax("forward_dynamics")
    with pytest.raises(RequestError, match="'tau' has dtype float32, and this module computes in float64"):
        double(*map(np.float64, (q, v)), tau)
    with jax.enable_x64(False), pytest.raises(RequestError, match=r"jax\.config\.update\('jax_enable_x64', True\)"):
        double(q, v, tau)


def test_wrong_arrays_are_refused() -> None:
    called = compiled("arm", *BOTH).jax("forward_dynamics")
    zeros = np.zeros(7)
    for call, message in (
        (lambda: called(zeros[:6], zeros, zeros), r"argument 'q' has shape \(6,\), expected \(\.\.\., 7\)"),
        (lambda: called(zeros, zeros), "argument 'tau' is missing; it takes q, v, tau"),
        (lambda: called(zeros, zeros, zeros, zeros), "expected at most 3 arrays"),
        (lambda: called(zeros, zeros, zeros, a=zeros), "unknown argument 'a'"),
        (lambda: called(zeros, zeros, ["heavy"] * 7), "argument 'tau' is not an array of numbers"),
        (lambda: called(np.zeros((2, 7)), np.zeros((3, 7)), zeros), "leading dimensions do not broadcast"),
        (lambda: called(zeros, zeros, 1j * zeros), "argument 'tau' has dtype complex128, expected float64"),
    ):
        with pytest.raises(RequestError, match=message):
            call()
