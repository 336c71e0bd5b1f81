"""Compiled functions as operators of PyTorch, where it is installed."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from support.robots.turning import turning

import symdyn
from symdyn.errors import RequestError
from symdyn.robot.robot import Robot

# These tests run where torch is installed. `.ci/run` installs it where pip finds a wheel without CUDA.
torch: Any = pytest.importorskip("torch")

pytestmark = [
    pytest.mark.peers,
    pytest.mark.filterwarnings("ignore:.*torch.*:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:.*:FutureWarning"),
    pytest.mark.filterwarnings("ignore:.*not a leaf Tensor:UserWarning"),  # of opcheck's own copies
]

BOTH = ["forward_dynamics", "inverse_dynamics"]


def states(robot: Robot, count: int) -> list[Any]:
    rng = np.random.default_rng(0)
    drawn = [(*robot.random_state(rng), rng.standard_normal(robot.nv)) for _ in range(count)]
    return [torch.tensor(np.stack(rows), requires_grad=True) for rows in zip(*drawn, strict=True)]


@pytest.mark.parametrize("name", ["elastic_arm", "turning"])
def test_values_gradients_and_rules(name: str) -> None:
    robot = turning() if name == "turning" else symdyn.load_example(name)
    module = symdyn.compile(robot, BOTH, lanes=False)
    given = states(robot, 3)
    plain = [tensor.detach().numpy() for tensor in given]
    for function in BOTH:
        called = module.torch(function)
        assert called is module.torch(function)
        wanted = getattr(module, function)(*plain)
        np.testing.assert_allclose(called(*given).detach(), wanted, rtol=1e-11, atol=1e-11)
        assert torch.autograd.gradcheck(called, tuple(given))
        one = (given[0][0], given[1], given[2][0])  # inputs that broadcast
        assert torch.autograd.gradcheck(called, one)
        mapped = torch.vmap(called, (0, None, 0))(given[0], given[1][0], given[2])
        np.testing.assert_allclose(mapped.detach(), called(given[0], given[1][0], given[2]).detach(), rtol=1e-12)


def test_the_operator_keeps_the_rules_of_pytorch() -> None:
    robot = symdyn.load_example("elastic_arm")
    module = symdyn.compile(robot, BOTH, lanes=False)
    module.torch("forward_dynamics")
    from symdyn.toolchain.frameworks.torch_calls import _OPERATORS

    operator = _OPERATORS[f"symdyn::elastic_arm_forward_dynamics_{module.manifest.content_hash[:16]}_with_maker"]
    found = torch.library.opcheck(operator, tuple(states(robot, 3)))
    assert set(found.values()) == {"SUCCESS"}


def test_what_cannot_be_differentiated_is_told() -> None:
    robot = symdyn.load_example("elastic_arm")
    module = symdyn.compile(robot, ["mass_matrix", "forward_dynamics"], lanes=False)
    q, v, tau = (tensor[0].detach().requires_grad_(True) for tensor in states(robot, 1))
    np.testing.assert_array_equal(module.torch("mass_matrix")(q).detach(), module.mass_matrix(q.detach().numpy()))
    with pytest.raises(
        RequestError, match=r"mass_matrix has no compiled derivatives by 'q'; PyTorch differentiates inver"
    ):
        module.torch("mass_matrix")(q).sum().backward()
    (slope,) = torch.autograd.grad(module.torch("forward_dynamics")(q, v, tau).sum(), q, create_graph=True)
    with pytest.raises(RequestError, match="forward_dynamics_partials has no compiled derivatives"):
        slope.sum().backward()
    with pytest.raises(RequestError, match="'tau' has dtype float32, and this module computes in float64"):
        module.torch("forward_dynamics")(q, v, tau.float())


def test_a_module_without_its_robot_leaves_others_their_derivatives() -> None:
    robot = symdyn.load_example("pendulum")
    module = symdyn.compile(robot, ["state_derivative"], lanes=False)
    bare = pickle.loads(pickle.dumps(module))
    y, tau = torch.tensor([0.3, 0.1], dtype=torch.float64, requires_grad=True), torch.zeros(1, dtype=torch.float64)
    with pytest.raises(RequestError, match="knows its functions and not its robot"):
        bare.torch("state_derivative")(y, tau).sum().backward()
    assert torch.autograd.gradcheck(module.torch("state_derivative"), (y, tau))
