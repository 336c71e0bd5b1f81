"""Steps with rigid contacts called and differentiated by PyTorch, beside the module itself and differences."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import symdyn
from symdyn.errors import RequestError

torch: Any = pytest.importorskip("torch")

pytestmark = [
    pytest.mark.peers,
    pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning"),
    pytest.mark.filterwarnings("ignore:.*torch.*:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:.*:FutureWarning"),
]
H = 2e-3
BALL = """
name: ball
links:
  world: {}
  ball: {mass: 1.2, com: [0.01, 0, 0.02], inertia: {xx: 0.02, yy: 0.03, zz: 0.025}, collision: {skin: {sphere: 0.1}}}
joints: {free: {type: floating, parent: world, child: ball}}
obstacles: {floor: {plane: {normal: [0, 0, 1]}, velocity: [0.05, -0.1, 0]}}
contacts: {skin: {of: ball.skin, with: floor, friction: 0.4, compliance: 1e-5}}
"""


@cache
def compiled(function: str = "contact_slopes") -> Any:
    return symdyn.compile(
        symdyn.loads(BALL, format="yaml"), [function], steppers=["contacts"], layout="rolled", lanes=False
    )


def state() -> list[np.ndarray]:
    robot = symdyn.loads(BALL, format="yaml")
    q = robot.integrate(robot.neutral(), 0.1 * np.arange(1.0, 7.0))
    q[2] = 0.0995
    return [q, np.array([0.3, 0.1, -1.0, 0.1, 0.2, 0.3]), 0.1 * np.ones(6)]


def test_gradients_of_a_step_and_batches() -> None:
    """Values have the bits of the module; gradients of q_next, v_next and impulses are differences."""
    module = compiled()
    step, plain = module.torch("contact_step"), state()
    given = [torch.tensor(array, requires_grad=True) for array in plain]
    result, in_c = step(*given, H), module.contact_step(*plain, h=H)
    for one, other in zip(result[:4], in_c[:4], strict=True):
        assert np.array_equal(one.detach().numpy(), other)
    assert int(result.report.code) == 0 and result.state.tolist() == [2] and result.state.dtype == torch.int32

    def whole(*inputs: Any) -> Any:
        result = step(*inputs, H)
        return torch.concatenate([result.q_next, result.v_next, result.impulses], -1)

    assert torch.autograd.gradcheck(whole, tuple(given), eps=1e-6, atol=1e-6)
    many = torch.tensor(np.stack([plain[1], -plain[1], 0.0 * plain[1]]), requires_grad=True)
    batch = step(given[0], many, given[2], H).v_next
    mapped = torch.vmap(lambda v: step(given[0], v, given[2], H).v_next)(many)
    for row, one, other in zip(many, batch, mapped, strict=True):
        alone = module.contact_step(plain[0], row.detach().numpy(), plain[2], h=H).v_next
        assert np.array_equal(one.detach().numpy(), alone) and np.array_equal(other.detach().numpy(), alone)
    (all_rows,) = torch.autograd.grad(batch.sum(), many)
    by_row = [torch.autograd.grad(step(given[0], row, given[2], H).v_next.sum(), row)[0] for row in many.unbind()]
    assert torch.allclose(all_rows, torch.stack(by_row), rtol=0.0, atol=1e-13)


def test_gradient_of_a_rollout() -> None:
    """Each step starts from the impulses of the one before, which do not count: a difference along a direction."""
    step, (q, v, _) = compiled().torch("contact_step"), state()
    forces = 0.1 * np.random.default_rng(0).normal(size=(8, 6))

    def cost(asked: Any) -> Any:
        q_now, v_now, impulses = torch.tensor(q), torch.tensor(v), torch.zeros(3, dtype=torch.float64)
        for tau in asked:
            result = step(q_now, v_now, tau, H, impulses)
            q_now, v_now, impulses = result.q_next, result.v_next, result.impulses
        return (q_now[:3] ** 2).sum() + (v_now**2).sum()

    asked = torch.tensor(forces, requires_grad=True)
    (slope,) = torch.autograd.grad(cost(asked), asked)
    along = torch.tensor(np.random.default_rng(1).normal(size=forces.shape))
    difference = (cost(asked.detach() + 1e-6 * along) - cost(asked.detach() - 1e-6 * along)) / 2e-6
    assert abs(float(difference) - float((slope * along).sum())) < 1e-7


def test_what_is_refused() -> None:
    given = [torch.tensor(array) for array in state()]
    step = compiled().torch("contact_step")
    with pytest.raises(RequestError, match="no derivatives by 'h'"):
        h = torch.tensor(H, dtype=torch.float64, requires_grad=True)
        torch.autograd.grad(step(*given, h).v_next.sum(), h)
    v = given[1].clone().requires_grad_()
    (slope,) = torch.autograd.grad(step(given[0], v, given[2], H).v_next.sum(), v, create_graph=True)
    with pytest.raises(RequestError, match="no second derivatives"):
        torch.autograd.grad(slope.sum(), v)
    bare = compiled("contact_jacobian").torch("contact_step")
    with pytest.raises(RequestError, match="contact_slopes"):
        torch.autograd.grad(bare(given[0], v, given[2], H).v_next.sum(), v)
    nothing = bare(*given, -1.0)
    assert torch.isnan(nothing.v_next).all() and int(nothing.report.code) == 3 and nothing.state.tolist() == [0]
