"""Steps and rollouts in JAX and PyTorch: values and derivatives are those of the compiled rollout and step adjoint."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import symdyn
from symdyn.errors import RequestError
from symdyn.robot.robot import Robot

torch: Any = pytest.importorskip("torch")
pytestmark = [
    pytest.mark.peers,
    pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning"),
    pytest.mark.filterwarnings("ignore:.*:FutureWarning"),
]
H, N = 0.005, 4
BALL = """
name: ball
links:
  world: {}
  ball: {mass: 1.2, com: [0.01, 0, 0.02], inertia: {xx: 0.02, yy: 0.03, zz: 0.025}}
  puck: {mass: 0.5, com: [0.02, 0, 0], inertia: {xx: 0.01, yy: 0.01, zz: 0.01}}
joints:
  free: {type: floating, parent: world, child: ball}
  flat: {type: planar, axis: [0, 0, 1], parent: ball, child: puck}
"""
CASES: dict[str, tuple[Callable[[], Robot], str]] = {
    "arm": (lambda: symdyn.load_example("double_pendulum", runtime=["upper.mass", "lower.mass"]), "implicit_euler"),
    "free": (lambda: symdyn.loads(BALL, format="yaml"), "semi_implicit_euler"),
}


@pytest.fixture(autouse=True)
def in_double() -> Iterator[None]:
    with jax.enable_x64(True):
        yield


@cache
def compiled(name: str) -> tuple[Robot, Any, list[Any]]:
    """A robot, its module, and q, v, u and p."""
    make, method = CASES[name]
    robot = make()
    rng = np.random.default_rng(2)
    q, v = robot.random_state(rng)
    given = [q, 0.2 * v, rng.standard_normal((N, robot.nv)), np.asarray(robot.runtime_defaults, float)]
    module = symdyn.compile(robot, ["step", "step_adjoint"], rollout=method, step=method, lanes=False)
    return robot, module, given if len(given[3]) else given[:3]


def relative(found: Any, wanted: Any) -> float:
    return float(np.abs(np.asarray(found) - np.asarray(wanted)).max() / max(1.0, np.abs(np.asarray(wanted)).max()))


@pytest.mark.parametrize("name", CASES)
def test_rollouts_in_jax_and_torch_are_those_of_the_module(name: str) -> None:
    """Reverse mode is the adjoint rollout of the module to 1e-12, forward mode its transpose, and PyTorch the same."""
    robot, module, given = compiled(name)
    rolled, own = module.jax("rollout"), module.rollout(*given, h=H)
    rng = np.random.default_rng(3)
    by_q, by_v = rng.standard_normal(own.q.shape), rng.standard_normal(own.v.shape)

    def cost(*given: Any) -> Any:
        found = rolled(*given, h=H)
        return (by_q * found.q).sum() + (by_v * found.v).sum()

    found = jax.jit(rolled)(*given, H)
    assert relative(found.q, own.q) < 1e-15 and relative(found.v, own.v) < 1e-15 and int(found.code) == 0
    every = tuple(range(len(given)))
    backward, forward = jax.jit(jax.grad(cost, every))(*given), jax.jacfwd(cost, every)(*given)
    for one, other in zip(backward, forward, strict=True):
        assert relative(one, other) < 1e-12
    if robot.nq == robot.nv:
        wanted = module.rollout_gradient(own, *given[2:], h=H, l_x=np.hstack([by_q, by_v]))
        for one, other in zip(backward, (wanted.q, wanted.v, wanted.u, wanted.p), strict=False):
            assert relative(one, other) < 1e-12
    two = [np.stack([array, 1.01 * array]) for array in given]
    mapped = jax.vmap(jax.grad(cost, every))(*two)
    assert max(relative(own[0], one) for own, one in zip(mapped, backward, strict=True)) < 1e-12
    tensors = [torch.tensor(array, requires_grad=True) for array in given]
    states = module.torch("rollout")(*tensors, h=H)
    total = (torch.tensor(by_q) * states.q).sum() + (torch.tensor(by_v) * states.v).sum()
    for one, other in zip(torch.autograd.grad(total, tensors), backward, strict=True):
        assert relative(one, other) < 1e-12
    many = module.torch("rollout")(*(torch.tensor(array) for array in two), h=H)
    assert relative(many.q[0], own.q) < 1e-15 and many.code.tolist() == [0, 0]


@pytest.mark.parametrize("name", ["arm", "free"])
def test_a_step_is_pulled_back_by_its_adjoint(name: str) -> None:
    """Of an implicit step too, at the acceleration that it finds; forward mode by the matrices of the step."""
    robot, module, (q, v, u, *p) = compiled(name)
    memory = module.rollout(q, v, u, *p, h=H).memory[0]
    guess = [memory] if len(memory) else []
    step, rng = module.jax("step"), np.random.default_rng(4)
    after = module.step(q, v, u[0], H, *guess, *p)
    weights = [rng.standard_normal(array.shape) for array in after]

    def weighted(q: Any, v: Any, tau: Any, *p: Any) -> Any:
        return sum((own * array).sum() for own, array in zip(weights, step(q, v, tau, H, *guess, *p), strict=True))

    every = tuple(range(3 + len(p)))
    backward = jax.grad(weighted, every)(q, v, u[0], *p)
    forward = jax.jacfwd(weighted, every)(q, v, u[0], *p)
    assert max(map(relative, backward, forward)) < 1e-12
    if guess:
        shift = weights[2] / H  # v_next = v + h a
        pulled = np.concatenate([weights[0], weights[1] + shift])
        adjoint = symdyn.compile(
            robot, ["step_adjoint"], step=CASES[name][1], gradient="parameters", lanes=False
        ).step_adjoint(q, v, u[0], H, after[2], pulled, *p)
        wanted = [adjoint[0], adjoint[1] - shift, *adjoint[2:]]
        assert max(map(relative, backward, wanted)) < 1e-12
    tensors = [torch.tensor(array, requires_grad=True) for array in (q, v, u[0], *p)]
    moved = module.torch("step")(*tensors[:3], H, *guess, *tensors[3:])
    total = sum((torch.tensor(own) * array).sum() for own, array in zip(weights, moved, strict=True))
    assert max(map(relative, torch.autograd.grad(total, tensors), backward)) < 1e-12


def test_an_explicit_step_has_second_derivatives() -> None:
    """By symdyn's code over JAX, beside differences of the adjoint."""
    step = symdyn.compile(symdyn.load_example("pendulum"), ["step"], lanes=False).jax("step")
    slope = jax.grad(lambda v: step(np.array([0.4]), v, np.zeros(1), 0.1).q_next.sum())
    ends = [slope(np.array([0.3 + sign * 1e-5])) for sign in (1.0, -1.0)]
    np.testing.assert_allclose(jax.jacfwd(slope)(np.array([0.3])), (ends[0] - ends[1])[None] / 2e-5, atol=1e-9)


def test_what_rollouts_refuse() -> None:
    _, module, given = compiled("arm")
    rolled = module.jax("rollout")
    with pytest.raises(RequestError, match="there are no derivatives by 'h'; those by q, v, tau, p exist"):
        jax.grad(lambda h: rolled(*given, h=h).q.sum())(H)
    with pytest.raises(RequestError, match="rollouts have no second derivatives; differentiate once"):
        jax.hessian(lambda q: rolled(q, *given[1:], h=H).q.sum())(given[0])
    with pytest.raises(RequestError, match=r"has a row per step, \(\.\., n, 2\), got shape \(2,\)"):
        rolled(given[0], given[1], given[2][0], given[3], H)
    with pytest.raises(RequestError, match="there are no derivatives by 'h' in PyTorch"):
        module.torch("rollout")(*given, h=torch.tensor(H, dtype=torch.float64, requires_grad=True)).q.sum().backward()
    failed = jax.jit(rolled)(*given, -1.0)
    assert int(failed.code) == 3 and bool(jnp.isnan(failed.q[1:]).all())
    plain = symdyn.compile(symdyn.load_example("pendulum"), ["gravity"], lanes=False)
    with pytest.raises(RequestError, match="has no function 'rollout'"):
        plain.jax("rollout")
