"""Steps with rigid contacts called and differentiated by JAX, beside the module itself and differences."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import symdyn
from symdyn.errors import RequestError

pytestmark = [pytest.mark.peers, pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")]
H = 2e-3
BALL = """
name: ball
links:
  world: {}
  ball: {mass: 1.2, com: [0.01, 0, 0.02], inertia: {xx: 0.02, yy: 0.03, zz: 0.025}, collision: {skin: {sphere: 0.1}}}
  puck: {mass: 0.5, com: [0.02, 0, 0], inertia: {xx: 0.01, yy: 0.01, zz: 0.01}}
joints:
  free: {type: floating, parent: world, child: ball}
  flat: {type: planar, axis: [0, 0, 1], parent: world, child: puck, translation: [3, 0, 0]}
obstacles: {floor: {plane: {normal: [0, 0, 1]}, velocity: [0.05, -0.1, 0]}}
contacts: {skin: {of: ball.skin, with: floor, friction: 0.4, compliance: 1e-5}}
"""
CONVENTIONS = ("pinocchio", "mujoco", "spatial")


@pytest.fixture(autouse=True)
def in_double() -> Iterator[None]:
    with jax.enable_x64(True):
        yield


@cache
def compiled(convention: str, *functions: str) -> Any:
    robot = symdyn.loads(BALL, format="yaml", convention=convention)
    return symdyn.compile(robot, [*functions], steppers=["contacts"], lanes=False, layout="rolled")


def state(convention: str) -> list[np.ndarray]:
    robot = symdyn.loads(BALL, format="yaml", convention=convention)
    q = robot.integrate(robot.neutral(), 0.1 * np.arange(1.0, robot.nv + 1.0))
    q[robot.coordinate_names.index("free.z")] = 0.0995
    v = np.array([0.3, 0.1, -0.2, 0.1, 0.2, 0.3, 0.1, -0.2, 0.3])
    v[robot.velocity_names.index("free.vz")] = -1.0
    return [q, v, 0.1 * np.ones(robot.nv)]


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_derivatives_of_a_step_by_jax(convention: str) -> None:
    """Forward and reverse mode agree, and are differences; values have the bits of the module."""
    module = compiled(convention, "contact_slopes")
    step, given = jax.jit(module.jax("contact_step")), state(convention)
    result, in_c = step(*given, H), module.contact_step(*given, h=H)
    for one, other in zip(result[:4], in_c[:4], strict=True):
        assert np.array_equal(one, other)
    assert int(result.report.code) == 0 and int(result.state[0]) == 2 and result.state.dtype == jnp.int32

    def whole(*inputs: Any) -> Any:
        result = step(*inputs, H)
        return jnp.concatenate([result.q_next, result.v_next, result.impulses])

    backward, forward = jax.jacrev(whole, (0, 1, 2))(*given), jax.jacfwd(whole, (0, 1, 2))(*given)
    for by in range(3):
        assert np.abs(backward[by] - forward[by]).max() < 1e-12
        for place in range(len(given[by])):
            ends = []
            for sign in (1.0, -1.0):
                moved = [array.copy() for array in given]
                moved[by][place] += sign * 1e-6
                ends.append(np.asarray(whole(*moved)))
            assert np.abs((ends[0] - ends[1]) / 2e-6 - forward[by][:, place]).max() < 1e-8


def test_gradient_of_a_rollout_and_batches() -> None:
    """A scan of steps, each from the impulses of the one before: the gradient is a difference; vmap is one by one."""
    module = compiled("pinocchio", "contact_slopes")
    step, (q, v, _) = module.jax("contact_step"), state("pinocchio")

    def cost(forces: Any) -> Any:
        def one(carried: Any, tau: Any) -> Any:
            q, v, impulses = carried
            result = step(q, v, tau, H, impulses)
            return (result.q_next, result.v_next, result.impulses), result.state

        (q_end, v_end, _), states = jax.lax.scan(one, (q, v, np.zeros(3)), forces)
        return jnp.sum(q_end[:3] ** 2) + jnp.sum(v_end**2), states

    forces = 0.1 * np.random.default_rng(0).normal(size=(20, 9))
    slope, states = jax.jit(jax.grad(cost, has_aux=True))(forces)
    assert (np.asarray(states) > 0).any()
    along = np.random.default_rng(1).normal(size=forces.shape)
    difference = (cost(forces + 1e-6 * along)[0] - cost(forces - 1e-6 * along)[0]) / 2e-6
    assert abs(float(difference) - float(np.sum(slope * along))) < 1e-7
    many = np.stack([v, -v, 0.0 * v])
    for row, batch in zip(many, jax.vmap(lambda velocity: step(q, velocity, 0.0 * v, H).v_next)(many), strict=True):
        alone = module.contact_step(q, row, 0.0 * v, h=H).v_next
        assert np.array_equal(batch, alone)


def test_what_is_refused() -> None:
    given = state("pinocchio")
    step = compiled("pinocchio", "contact_slopes").jax("contact_step")
    with pytest.raises(RequestError, match="no derivatives by 'h'"):
        jax.grad(lambda h: step(*given, h).v_next.sum())(H)
    with pytest.raises(RequestError, match="no second derivatives"):
        jax.hessian(lambda v: step(given[0], v, given[2], H).v_next.sum())(given[1])
    bare = compiled("pinocchio", "contact_jacobian").jax("contact_step")
    assert bare(*given, H).v_next.shape == (9,)
    with pytest.raises(RequestError, match="contact_slopes"):
        jax.grad(lambda v: bare(given[0], v, given[2], H).v_next.sum())(given[1])
    nothing = bare(*given, -1.0)
    assert np.isnan(nothing.v_next).all() and int(nothing.report.code) == 3
