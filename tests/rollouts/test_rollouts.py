"""Rollouts: C against the same steps in NumPy, gradients against forward mode and differences, what is refused."""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import symdyn
from symdyn.errors import RequestError
from symdyn.interface.rollouts import RolloutCode
from symdyn.robot.robot import Robot

pytestmark = pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")
Array = NDArray[np.float64]
SWINGING = """
name: swinging
parameters: {load: {value: 0.8, runtime: true}}
links:
  ground: {}
  arm: {mass: 1, com: [0, 0.1, 0], inertia: {xx: 0.02, yy: 0.03, zz: 0.02}}
  hand: {mass: load, com: [0, 0.1, 0.02], inertia: {xx: 0.02, yy: 0.03, zz: 0.02}}
joints:
  shoulder: {type: revolute, parent: ground, child: arm, axis: [1, 0, 0]}
  wrist: {type: spherical, parent: arm, child: hand, translation: [0, 0.3, 0]}
"""
"""A hand of a weight that is not known, on a ball joint."""
FALLING = """
name: falling
parameters: {load: {value: 0.8, runtime: true}, radius: {value: 0.05, runtime: true}}
links:
  ground: {}
  arm: {mass: 1, com: [0, 0.1, 0], inertia: {xx: 0.02, yy: 0.03, zz: 0.02}}
  hand:
    mass: load
    com: [0, 0.1, 0.02]
    inertia: {xx: 0.02, yy: 0.03, zz: 0.02}
    collision: {tip: {sphere: radius, at: [0, 0.15, 0]}}
joints:
  shoulder: {type: revolute, parent: ground, child: arm, axis: [1, 0, 0], limits: {lower: -1, upper: 1}}
  wrist: {type: revolute, parent: arm, child: hand, translation: [0, 0.3, 0], axis: [1, 0, 0.3]}
obstacles: {floor: {plane: {point: [0, 0, -0.07]}}}
contacts: {tip: {of: hand.tip, with: floor, friction: 0.5}}
limits: {rigid: true}
"""
"""A hand that falls on the floor."""
H, STEPS = 2e-3, 100
SLOW = pytest.mark.slow
METHODS = (
    pytest.param("semi_implicit_euler"),
    pytest.param("implicit_euler", marks=SLOW),
    pytest.param("implicit_midpoint", marks=SLOW),
    pytest.param("contacts", marks=SLOW),
)


@cache
def swinging() -> Robot:
    return symdyn.loads(SWINGING, format="yaml")


@cache
def falling() -> Robot:
    return symdyn.loads(FALLING, format="yaml")


def given(robot: Robot, steps: int) -> tuple[Array, Array, Array]:
    rng = np.random.default_rng(4)
    return robot.neutral(), 0.5 * rng.normal(size=robot.nv), 0.1 * rng.normal(size=(steps, robot.nv))


def weights(robot: Robot, u: Array) -> tuple[Array, Array]:
    rng = np.random.default_rng(5)
    return rng.normal(size=(len(u) + 1, 2 * robot.nv)), rng.normal(size=u.shape)


def close(found: Array, wanted: Array, tolerance: float = 1e-10) -> bool:
    return bool(np.abs(found - wanted).max(initial=0.0) <= tolerance * np.abs(wanted).max(initial=1e-300))


@pytest.mark.parametrize("method", METHODS)
def test_the_steps_and_the_gradient_in_c_are_those_in_numpy(method: str) -> None:
    robot = falling() if method == "contacts" else swinging()
    q, v, u = given(robot, 12)
    l_x, l_u = weights(robot, u)
    own, twin = (symdyn.rollout(robot, q, v, u, h=H, method=method, target=target) for target in ("c", "python"))
    assert own.code is twin.code is RolloutCode.DONE
    for name in ("q", "v", "memory"):
        assert close(getattr(own, name), getattr(twin, name), 1e-9), name
    found, wanted = own.gradient(l_x, l_u), twin.gradient(l_x, l_u)
    for name in ("q", "v", "u", "p"):
        assert close(getattr(found, name), getattr(wanted, name), 1e-9), name
    assert found.h == (None if method == "contacts" else pytest.approx(wanted.h, rel=1e-9))


@pytest.mark.slow
def test_with_contacts_it_is_that_of_forward_mode_over_a_hundred_steps() -> None:
    """Products of the partial derivatives of each step, from the first on; the hand strikes the floor on the way."""
    robot, nv = falling(), falling().nv
    q, v, u = given(robot, STEPS)
    l_x, l_u = weights(robot, u)
    own = symdyn.rollout(robot, q, v, u, h=H, method="contacts")
    states = own.memory[:-1, -2:]  # of the tip and of the limit
    assert own.code is RolloutCode.DONE
    assert {0.0, 1.0} <= set(states[:, 0])
    columns = STEPS * nv + 2
    along, by_given = np.eye(2 * nv), np.zeros((2 * nv, columns))
    by_x, by_rest = l_x[0].copy(), np.zeros(columns)
    impulses = own.memory.shape[1] - 2
    for k in range(STEPS):
        row = own.memory[k]
        at: dict[str, Any] = {"impulses": row[:impulses], "state": row[impulses:].astype(int)}
        D = symdyn.contact_step_partials(robot, own.q[k], own.v[k], u[k], h=H, **at)
        A = np.block([[D.dq_next_dq, D.dq_next_dv], [D.dv_next_dq, D.dv_next_dv]])
        along, by_given = A @ along, A @ by_given
        by_given[:, k * nv : (k + 1) * nv] += np.vstack([D.dq_next_dtau, D.dv_next_dtau])
        assert D.dq_next_dp is not None
        assert D.dv_next_dp is not None
        by_given[:, -2:] += np.vstack([D.dq_next_dp, D.dv_next_dp])
        by_x += along.T @ l_x[k + 1]
        by_rest += by_given.T @ l_x[k + 1]
    found = own.gradient(l_x, l_u)
    assert close(np.concatenate([found.q, found.v]), by_x)
    assert close(found.u.ravel(), by_rest[:-2] + l_u.ravel())
    assert close(found.p, by_rest[-2:])


@pytest.mark.parametrize("method", METHODS[::2])
def test_it_is_that_of_differences(method: str) -> None:
    """Central differences with 1e-5 of J: errors of 1e-10 by curvature, and of rounding 1e-16 / 1e-5."""
    robot, nv = swinging(), swinging().nv
    q, v, u = given(robot, 12)
    l_x, l_u = weights(robot, u)
    p, rng = np.array(robot.runtime_defaults), np.random.default_rng(6)
    own = symdyn.rollout(robot, q, v, u, h=H, method=method)

    def cost(shift: float) -> float:
        moved = symdyn.rollout(
            robot, robot.integrate(q, shift * dx[:nv]), v + shift * dx[nv:], u + shift * du, h=H + shift * dh,
            method=method, p=p + shift * dp,
        )  # fmt: skip
        moves = [robot.difference(before, after) for before, after in zip(own.q, moved.q, strict=True)]
        return float((l_x[:, :nv] * moves).sum() + (l_x[:, nv:] * moved.v).sum() + (l_u * (u + shift * du)).sum())

    dx, du, dp, dh = rng.normal(size=2 * nv), rng.normal(size=u.shape), rng.normal(size=len(p)) * p, H
    found = own.gradient(l_x, l_u)
    slope = float(found.q @ dx[:nv] + found.v @ dx[nv:] + (found.u * du).sum() + found.p @ dp + found.h * dh)
    assert abs((cost(1e-5) - cost(-1e-5)) / 2e-5 - slope) <= 1e-7 * abs(slope)
    assert min(abs(found.p @ dp), abs(found.h * dh)) > 1e-4 * abs(slope)


def test_the_cost_of_a_problem() -> None:
    """J by stages and the end, and its gradient by inputs against differences."""
    arm = symdyn.load_example("double_pendulum").with_control(
        symdyn.OptimalControlProblem(
            [
                symdyn.InputCost(weight=1e-2),
                symdyn.StateCost(q=[0.5, -0.2], v=0.0, weights={"q": 1.0, "v": 0.1}, end={"q": 10.0, "v": 1.0}),
            ],
            horizon={"steps": 5, "step": 0.02},
        )
    )
    u = np.random.default_rng(1).normal(size=(5, 2))
    own = symdyn.rollout(arm, [0.1, 0.2], [0.3, -0.1], u, h=0.02)
    cost = own.cost()
    found = own.gradient(cost)
    shift = np.random.default_rng(2).normal(size=u.shape)
    ends = [symdyn.rollout(arm, [0.1, 0.2], [0.3, -0.1], u + s * shift, h=0.02).cost().value for s in (1e-5, -1e-5)]
    assert abs((ends[0] - ends[1]) / 2e-5 - (found.u * shift).sum()) <= 1e-7 * abs((found.u * shift).sum())
    with pytest.raises(RequestError, match=r"steps of 0\.02 s"):
        symdyn.rollout(arm, [0.1, 0.2], [0.3, -0.1], u, h=0.01).cost()
    with pytest.raises(RequestError, match="has no problem"):
        symdyn.rollout(symdyn.load_example("double_pendulum"), [0.1, 0.2], [0, 0], u, h=0.01, target="python").cost()


def test_what_is_refused() -> None:
    robot = swinging()
    q, v, u = given(robot, 3)
    module = symdyn.compile(robot, ["gravity"], rollout="semi_implicit_euler", lanes=False)
    p = robot.runtime_defaults
    own = module.rollout(q, v, u, p, h=H)
    with pytest.raises(RequestError, match="expected q, v, u, p, got 0 arrays"):
        module.rollout(q, v, u, h=H)
    with pytest.raises(RequestError, match="h is a number above 0, got -1"):
        module.rollout(q, v, u, p, h=-1)
    with pytest.raises(RequestError, match="l_x"):
        module.rollout_gradient(own, u, p, h=H, l_x=np.zeros((3, 2 * robot.nv)))
    with pytest.raises(RequestError, match="a row per step"):
        symdyn.rollout(robot, q, v, u[0], h=H, target="python")
    with pytest.raises(RequestError, match="method"):
        symdyn.rollout(robot, q, v, u, h=H, method="euler")
    with pytest.raises(RequestError, match="written in C"):
        symdyn.generate(robot, ["gravity"], out="no", rollout="contacts", target="python")
    with pytest.raises(RequestError, match="leave step="):
        symdyn.generate(robot, ["gravity"], out="no", rollout="implicit_euler", step="implicit_midpoint")
    with pytest.raises(RequestError, match="actuators"):
        symdyn.rollout(robot, q, v, u, h=H, method="contacts", inputs="actuators", target="python")
    failed = module.rollout(q, v, np.where(np.arange(3)[:, None] == 1, 1e308, u), p, h=1e10)
    assert failed.code is RolloutCode.NOT_FINITE
    assert np.isfinite(failed.q[0]).all()
    assert np.isnan(failed.q[-1]).all()
    with pytest.raises(RequestError, match="NOT_FINITE"):
        module.rollout_gradient(failed, u, p, h=H, l_x=np.zeros((4, 2 * robot.nv)))


def test_with_contacts_derivatives_by_the_length_of_a_step_leave_the_gradient_as_it_is() -> None:
    """The C of contact_slopes has a column more, which rollouts do not ask for: bits may not change."""
    robot = falling()
    q, v, u = given(robot, 12)
    p = robot.runtime_defaults
    l_x, l_u = weights(robot, u)
    gradients = []
    for by in ("parameters", "step"):
        module = symdyn.compile(robot, ["gravity"], rollout="contacts", gradient=by, lanes=False)
        gradients.append(module.rollout_gradient(module.rollout(q, v, u, p, h=H), u, p, h=H, l_x=l_x, l_u=l_u))
    plain, by_length = gradients
    for name in ("q", "v", "u", "p"):
        assert (getattr(plain, name) == getattr(by_length, name)).all(), name
    assert np.abs(plain.u).max() > 0.0
    assert by_length.h is None


def test_no_step_at_all_and_inputs_without_costs() -> None:
    robot = swinging()
    q, v, u = given(robot, 0)
    module = symdyn.compile(robot, ["gravity"], rollout="semi_implicit_euler", lanes=False)
    own = module.rollout(q, v, u, robot.runtime_defaults, h=H)
    l_x = weights(robot, u)[0]
    found = module.rollout_gradient(own, u, robot.runtime_defaults, h=H, l_x=l_x)
    assert own.q.tolist() == [list(q)]
    assert (np.concatenate([found.q, found.v]) == l_x[0]).all()
    assert found.u.shape == u.shape
    assert not found.p.any()


def test_c_writes_nowhere_else() -> None:
    """As C calls it: costs of inputs that are not there, and arrays between numbers that stay."""
    robot = symdyn.load_example("double_pendulum")
    module = symdyn.compile(robot, ["gravity"], rollout="implicit_midpoint", lanes=False)
    (entry,) = module.manifest.solvers
    library, mark, n = ctypes.CDLL(str(module.path)), 1.25e67, 4
    double, size, row = ctypes.c_double, ctypes.c_size_t, 2 + 2 + 2
    arrays = {
        "q": 2,
        "v": 2,
        "u": 2 * n,
        "X": row * (n + 1),
        "lx": 4 * (n + 1),
        "x": 4,
        "g": 2 * n,
        "w": entry.work_size,
    }
    rng = np.random.default_rng(3)
    places = {name: np.full(count + 16, mark) for name, count in arrays.items()}
    for name in ("q", "v", "u", "lx"):
        places[name][8:-8] = rng.normal(size=arrays[name])
    at = {name: ctypes.c_void_p(own.ctypes.data + 64) for name, own in places.items()}
    run, back = library[entry.c_name], library[f"{entry.c_name}_gradient"]
    code = run(size(n), at["q"], at["v"], at["u"], double(H), at["X"], at["w"])
    assert code == 0
    assert back(size(n), at["X"], at["u"], double(H), at["lx"], None, at["x"], at["g"], at["w"]) == 0
    assert run(size(n), at["q"], at["v"], at["u"], double(0.0), at["X"], at["w"]) == RolloutCode.BAD_SETTINGS
    for name, own in places.items():
        assert (own[:8] == mark).all(), name
        assert (own[-8:] == mark).all(), name
    inner = {name: own[8:-8] for name, own in places.items()}
    found = symdyn.rollout(robot, inner["q"], inner["v"], inner["u"].reshape(n, 2), h=H, method="implicit_midpoint")
    assert (found.gradient(inner["lx"].reshape(n + 1, 4)).u.ravel() == inner["g"]).all()
