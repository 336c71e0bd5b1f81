"""Every function of loops, with every kind of loop, against dense equations and differences in NumPy.

Errors of loops are those of fifty digits. Their slopes are differences of the errors, and dynamics those of the dense
equations M a + b = tau + A^T lambda, A a = -bias. Derivatives are differences of what they are derivatives of, along a
random direction.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from support.looped_checks import against_oracle
from support.robots.loop_chains import KINDS, chain_text
from support.soft_calls import call

from symdyn import api
from symdyn.description.loops import LoopKind
from symdyn.description.yaml.read import parse_yaml
from symdyn.functions.catalogue import CATALOGUE
from symdyn.robot.robot import Robot

Array = NDArray[np.float64]
Given = dict[str, Array]

STEP = 2e-4
"""Of sixth-order differences: rates of seventh order are up to 1e10 here, which leaves 1e-16 of 1e-2."""


@cache
def chain(kind: str) -> Robot:
    return api.from_description(parse_yaml(chain_text(kind).encode(), "chain.yaml"))


@cache
def state(kind: str) -> Given:
    """A random state, where the loop is open, and all else that functions take."""
    robot, rng = chain(kind), np.random.default_rng(3)
    q, v = robot.random_state(rng)
    n, m = robot.nv, len(robot.model.loop_row_names)
    sizes = {"tau": n, "a": n, "u": n, "lambda": n, "kappa": m}
    return {"q": q, "v": v, **{name: rng.standard_normal(size) for name, size in sizes.items()}}


@cache
def dense(kind: str) -> tuple[Array, Array, Array, Array]:
    """M, the forces b of the tree without acceleration, A, and e'' without acceleration."""
    robot, given = chain(kind), state(kind)
    M, A = (call(robot, name, **given)[0] for name in ("mass_matrix", "constraint_jacobian"))
    (b,) = call(robot, "inverse_dynamics", **{**given, "a": np.zeros(robot.nv)})
    (bias,) = call(robot, "constraint_bias", **given)
    return M, b, A, bias


def same(found: Array, wanted: Array, tolerance: float = 1e-11) -> None:
    """To so much of the largest entry; unequal rows of loops cost some digits."""
    assert abs(found - wanted).max() <= tolerance * max(abs(wanted).max(), 1e-3)


def rates(value: Callable[[float], Array]) -> Array:
    """The derivative at 0 by differences of sixth order."""
    weights = {1: 45.0, 2: -9.0, 3: 1.0}
    found: Array = sum(w * (value(k * STEP) - value(-k * STEP)) for k, w in weights.items()) / (60.0 * STEP)
    return found


def moved(kind: str, directions: Given, s: float) -> Given:
    """The state after a share of a move."""
    given = dict(state(kind))
    for name, way in directions.items():
        given[name] = chain(kind).integrate(given[name], s * way) if name == "q" else given[name] + s * way
    return given


def directional(kind: str, function: str, directions: Given, **options: Any) -> list[Array]:
    """The derivatives of a function's outputs along a direction."""

    def outputs(s: float) -> Array:
        found = call(chain(kind), function, **moved(kind, directions, s), **options)
        return np.concatenate([np.ravel(own) for own in found])

    sizes = np.cumsum([own.size for own in call(chain(kind), function, **state(kind), **options)])
    return np.split(rates(outputs), sizes[:-1])


def direction(kind: str, names: str) -> Given:
    robot, rng = chain(kind), np.random.default_rng(5)
    return {name: rng.standard_normal(robot.nv) for name in names.split()}


def errors(kind: str) -> None:
    against_oracle(chain(kind), "constraint_error")


def slopes(kind: str) -> None:
    if kind == "pfaffian":  # has no errors
        against_oracle(chain(kind), "constraint_jacobian")
        return
    way = direction(kind, "q")
    same(dense(kind)[2] @ way["q"], directional(kind, "constraint_error", way)[0], 1e-9)


def biases(kind: str) -> None:
    v = state(kind)["v"]
    found = directional(kind, "constraint_jacobian", {"q": v})[0].reshape(-1, len(v)) @ v
    same(dense(kind)[3], found, 1e-9)


def forward(kind: str) -> None:
    (M, b, A, bias), tau = dense(kind), state(kind)["tau"]
    a, multipliers = call(chain(kind), "constrained_forward_dynamics", **state(kind))
    same(M @ a + b - A.T @ multipliers, tau, 1e-9)
    same(A @ a, -bias, 1e-9)


def hybrid(kind: str) -> None:
    (M, b, A, bias), u = dense(kind), state(kind)["u"]
    robot = chain(kind)
    given = np.array([name == "wrist" for name in robot.velocity_names])
    w, multipliers = call(robot, "constrained_hybrid_dynamics", **state(kind), prescribed=["wrist"])
    same(M @ np.where(given, u, w) + b - A.T @ multipliers, np.where(given, w, u), 1e-9)
    same(A @ np.where(given, u, w), -bias, 1e-9)


def inverse(kind: str) -> None:
    (M, b, A, _), a = dense(kind), state(kind)["a"]
    tau, multipliers = call(chain(kind), "constrained_inverse_dynamics", **state(kind))
    needed = M @ a + b
    wanted = np.linalg.lstsq(A.T, needed, rcond=None)[0]
    same(multipliers, wanted, 1e-9)
    same(tau, needed - A.T @ wanted, 1e-9)


def delassus(kind: str) -> None:
    M, _, A, _ = dense(kind)
    found, inertia = call(chain(kind), "operational_inertia", **state(kind))
    wanted = A @ np.linalg.solve(M, A.T)
    same(found, wanted)
    same(inertia @ wanted, np.eye(len(A)), 1e-9)


def impulses(kind: str) -> None:
    (M, _, A, _), v = dense(kind), state(kind)["v"]
    after, found = call(chain(kind), "impulse_dynamics", **state(kind))
    same(M @ (after - v), A.T @ found, 1e-9)
    assert abs(A @ after).max() <= 1e-11 * abs(A).max() * abs(v).max()


def partials(kind: str, function: str, names: str, **options: Any) -> None:
    """d outputs = sum of d output / d input times the moves of inputs."""
    way = direction(kind, names)
    found = call(chain(kind), f"{function}_partials", **state(kind), **options)
    count = len(way)
    for place, wanted in enumerate(directional(kind, function, way, **options)):
        blocks = found[place * count : (place + 1) * count]
        same(sum(own @ move for own, move in zip(blocks, way.values(), strict=True)), wanted, 1e-8)


def gradients(kind: str, function: str, names: str, **options: Any) -> None:
    """The gradient times the moves of inputs is the derivative of the weighted sum."""
    way, given = direction(kind, names), state(kind)
    found = call(chain(kind), f"{function}_adjoint", **given, **options)
    solution, exerted = directional(kind, function, way, **options)
    wanted = given["lambda"] @ solution + given["kappa"] @ exerted
    same(np.array([sum(own @ move for own, move in zip(found, way.values(), strict=True))]), np.array([wanted]), 1e-8)


def orders(kind: str, function: str, given: Given, rates_of: Given, **options: Any) -> None:
    """Order one is the derivative of order zero along the motion."""
    found = call(chain(kind), f"{function}_time_derivatives", **{**state(kind), **given}, order=1, **options)
    for own, plain, wanted in zip(
        found,
        call(chain(kind), function, **state(kind), **options),
        directional(kind, function, rates_of, **options),
        strict=True,
    ):
        same(own[0], plain, 1e-10)
        same(own[1], wanted, 1e-8)


def forward_orders(kind: str) -> None:
    given, more = state(kind), np.full(chain(kind).nv, 0.3)
    (a, _) = call(chain(kind), "constrained_forward_dynamics", **given)
    trajectory = {"T": np.stack([given["tau"], more])}
    orders(kind, "constrained_forward_dynamics", trajectory, {"q": given["v"], "v": a, "tau": more})


def hybrid_orders(kind: str) -> None:
    given, more, robot = state(kind), np.full(chain(kind).nv, 0.3), chain(kind)
    held = np.array([name == "wrist" for name in robot.velocity_names])
    (w, _) = call(robot, "constrained_hybrid_dynamics", **given, prescribed=["wrist"])
    along = {"q": given["v"], "v": np.where(held, given["u"], w), "u": more}
    orders(kind, "constrained_hybrid_dynamics", {"U": np.stack([given["u"], more])}, along, prescribed=["wrist"])


def inverse_orders(kind: str) -> None:
    given, more = state(kind), np.full(chain(kind).nv, 0.3)
    trajectory = {"V": np.stack([given["v"], given["a"], more])}
    orders(kind, "constrained_inverse_dynamics", trajectory, {"q": given["v"], "v": given["a"], "a": more})


def order_slopes(kind: str, dynamics: str, names: str, **options: Any) -> None:
    """The derivatives times moves of the trajectory are those of its time derivatives, of solution and multipliers."""
    robot, name, options = chain(kind), f"{dynamics}_time_derivatives", {"order": 1, **options}
    given, ways = state(kind), {**direction(kind, "v"), **direction(kind, "q")}
    push, more = ways["v"], np.full(robot.nv, 0.3)
    given |= {"V": np.stack([given["v"], given["a"], more])} | {
        series: np.stack([given[own], more]) for series, own in (("T", "tau"), ("U", "u"))
    }
    ways |= {"V": np.stack([push, 0.5 * push[::-1], -push]), **dict.fromkeys("TU", np.stack([push, 0.5 * push[::-1]]))}
    found = call(robot, f"{name}_partials", **{x: given[x] for x in ("q", *names)}, **options)

    def at(s: float, which: int) -> Array:
        moving = {x: given[x] + s * ways[x] for x in names}
        return call(robot, name, q=robot.integrate(given["q"], s * ways["q"]), **moving, **options)[which]

    count = len(names) + 1
    for which in range(2):
        by_q, *others = found[which * count : (which + 1) * count]
        total = by_q @ ways["q"]
        for by, way in zip(others, map(ways.__getitem__, names), strict=True):
            total = total + (by @ way if by.ndim == 3 else np.einsum("kjrc,jc->kr", by, way))
        same(total, rates(lambda s, of=which: at(s, of)), 1e-7)  # type: ignore[misc]


def hessians(kind: str, dynamics: str, third: str = "", **options: Any) -> None:
    """Blocks times a move are differences of weighted partials; those by q are along moves that do not commute."""
    given, way = state(kind), direction(kind, f"v {third}".strip())
    _, by_qv, *others = call(chain(kind), f"{dynamics}_weighted_hessian", **given, **options)
    n = chain(kind).nv
    found = directional(kind, f"{dynamics}_partials", way, **options)
    weights, inputs = (given["lambda"], given["kappa"]), 3 if third else 2
    by_q, by_v = (
        sum(own @ found[place + inputs * row].reshape(-1, n) for row, own in enumerate(weights)) for place in range(2)
    )
    if not third:  # the solution is linear in v
        same(by_qv @ way["v"], by_q, 1e-8)
        return
    by_vv, by_given = others
    same(by_qv @ way["v"] + by_given @ way[third], by_q, 1e-8)
    same(by_vv @ way["v"], by_v, 1e-8)


def states(kind: str) -> None:
    """The rates of q and v."""
    given, robot = state(kind), chain(kind)
    a, _ = call(robot, "constrained_forward_dynamics", **given)
    (found,) = call(robot, "state_derivative", y=np.concatenate([given["q"], given["v"]]), tau=given["tau"])
    same(found[: robot.nq], rates(lambda s: robot.integrate(given["q"], s * given["v"])), 1e-9)
    same(found[robot.nq :], a, 1e-10)


def state_slopes(kind: str) -> None:
    given, rng, robot = state(kind), np.random.default_rng(6), chain(kind)
    y, tau = np.concatenate([given["q"], given["v"]]), given["tau"]
    way, push = rng.standard_normal(len(y)), rng.standard_normal(robot.nv)
    by_y, by_tau = call(robot, "state_jacobian", y=y, tau=tau)
    wanted = rates(lambda s: call(robot, "state_derivative", y=y + s * way, tau=tau + s * push)[0])
    same(by_y @ way + by_tau @ push, wanted, 1e-8)


def residuals(kind: str) -> None:
    (M, b, A, _), given = dense(kind), state(kind)
    (found,) = call(chain(kind), "implicit_residual", **{**given, "lambda": given["kappa"]})
    same(found, M @ given["a"] + b - given["tau"] - A.T @ given["kappa"])


def residual_slopes(kind: str) -> None:
    """S has c_0 dR/dq + c_1 dR/dv + c_2 M, and the rows and columns of loops."""
    given, way, c, n = state(kind), direction(kind, "q")["q"], np.array([0.7, 0.4, 1.1]), chain(kind).nv
    multipliers = {"lambda": given["kappa"]}
    (found,) = call(chain(kind), "implicit_jacobian", **{**given, **multipliers}, c=c)

    def residual(s: float) -> Array:
        ways = {"q": c[0] * way, "v": c[1] * way, "a": c[2] * way}
        own = {**moved(kind, ways, s), **multipliers}
        return call(chain(kind), "implicit_residual", **own)[0]

    same(found[:n, :n] @ way, rates(residual), 1e-8)
    same(found[n:, :n], dense(kind)[2])
    same(found[:n, n:], -dense(kind)[2].T)


def residual_partials(kind: str) -> None:
    """R, and its slopes along moves of q, v and a, with multipliers that stay."""
    given, multipliers = state(kind), {"lambda": state(kind)["kappa"]}
    value, *slopes = call(chain(kind), "implicit_residual_partials", **{**given, **multipliers})
    same(value, call(chain(kind), "implicit_residual", **{**given, **multipliers})[0])
    for name, found in zip("qva", slopes, strict=True):
        way = direction(kind, "q")["q"]

        def residual(s: float, along: dict[str, Array]) -> Array:
            return call(chain(kind), "implicit_residual", **{**moved(kind, along, s), **multipliers})[0]

        same(found @ way, rates(lambda s, own={name: way}: residual(s, own)), 1e-8)  # type: ignore[misc]


def rests(kind: str) -> None:
    given, A = {**state(kind), "v": np.zeros(chain(kind).nv)}, dense(kind)[2]
    still = {**given, "a": np.zeros(chain(kind).nv)}
    r, e = call(chain(kind), "statics_residual", **{**given, "lambda": given["kappa"]})
    same(r, call(chain(kind), "inverse_dynamics", **still)[0] - given["tau"] - A.T @ given["kappa"])
    same(e, call(chain(kind), "constraint_error", **given)[0])


def rest_slopes(kind: str) -> None:
    given, way = {**state(kind), "lambda": state(kind)["kappa"]}, direction(kind, "q")
    by_x, by_lambda, slope = call(chain(kind), "statics_jacobian", **given)

    def residual(s: float) -> Array:
        return call(chain(kind), "statics_residual", **{**moved(kind, way, s), "lambda": given["kappa"]})[0]

    same(by_x @ way["q"], rates(residual), 1e-8)
    same(by_lambda, -dense(kind)[2].T)
    same(slope, 0.0 * dense(kind)[2] if kind == "pfaffian" else dense(kind)[2])


CHECKS: dict[str, Callable[[str], None]] = {
    "constraint_error": errors,
    "constraint_jacobian": slopes,
    "constraint_bias": biases,
    "constrained_forward_dynamics": forward,
    "constrained_hybrid_dynamics": hybrid,
    "constrained_inverse_dynamics": inverse,
    "operational_inertia": delassus,
    "impulse_dynamics": impulses,
    "constrained_forward_dynamics_partials": lambda kind: partials(kind, "constrained_forward_dynamics", "q v tau"),
    "constrained_hybrid_dynamics_partials": lambda kind: partials(
        kind, "constrained_hybrid_dynamics", "q v u", prescribed=["wrist"]
    ),
    "constrained_inverse_dynamics_partials": lambda kind: partials(kind, "constrained_inverse_dynamics", "q v a"),
    "impulse_dynamics_partials": lambda kind: partials(kind, "impulse_dynamics", "q v"),
    "constrained_forward_dynamics_adjoint": lambda kind: gradients(kind, "constrained_forward_dynamics", "q v tau"),
    "constrained_hybrid_dynamics_adjoint": lambda kind: gradients(
        kind, "constrained_hybrid_dynamics", "q v u", prescribed=["wrist"]
    ),
    "constrained_inverse_dynamics_adjoint": lambda kind: gradients(kind, "constrained_inverse_dynamics", "q v a"),
    "impulse_dynamics_adjoint": lambda kind: gradients(kind, "impulse_dynamics", "q v"),
    "constrained_forward_dynamics_time_derivatives": forward_orders,
    "constrained_hybrid_dynamics_time_derivatives": hybrid_orders,
    "constrained_inverse_dynamics_time_derivatives": inverse_orders,
    "constrained_inverse_dynamics_time_derivatives_partials": lambda kind: order_slopes(
        kind, "constrained_inverse_dynamics", "V"
    ),
    "constrained_forward_dynamics_time_derivatives_partials": lambda kind: order_slopes(
        kind, "constrained_forward_dynamics", "vT"
    ),
    "constrained_hybrid_dynamics_time_derivatives_partials": lambda kind: order_slopes(
        kind, "constrained_hybrid_dynamics", "vU", prescribed=["wrist"]
    ),
    "constrained_forward_dynamics_weighted_hessian": lambda kind: hessians(kind, "constrained_forward_dynamics", "tau"),
    "constrained_hybrid_dynamics_weighted_hessian": lambda kind: hessians(
        kind, "constrained_hybrid_dynamics", "u", prescribed=["wrist"]
    ),
    "constrained_inverse_dynamics_weighted_hessian": lambda kind: hessians(kind, "constrained_inverse_dynamics", "a"),
    "impulse_dynamics_weighted_hessian": lambda kind: hessians(kind, "impulse_dynamics"),
    "state_derivative": states,
    "state_jacobian": state_slopes,
    "implicit_residual": residuals,
    "implicit_jacobian": residual_slopes,
    "implicit_residual_partials": residual_partials,
    "statics_residual": rests,
    "statics_jacobian": rest_slopes,
}


@pytest.mark.slow
@pytest.mark.parametrize("function", CHECKS)
@pytest.mark.parametrize("kind", KINDS)
def test_functions_agree(kind: str, function: str) -> None:
    CHECKS[function](kind)


@pytest.mark.parametrize("kind", ["fixed", "universal", "distance"])
def test_errors_fade_with_stabilisation(kind: str) -> None:
    """e'' + 2 e' / T + e / T^2 = 0, with e' = A v: rows that shift and rows that turn."""
    (_, _, A, bias), given, T = dense(kind), state(kind), 0.3
    a, _ = call(chain(kind), "constrained_forward_dynamics", **given, stabilisation=T)
    (error,) = call(chain(kind), "constraint_error", **given)
    same(A @ a, -bias - 2.0 / T * (A @ given["v"]) - error / T**2, 1e-9)


def test_no_function_of_loops_is_left_out() -> None:
    known = {
        name
        for name in CATALOGUE
        if name.startswith(("constrain", "impulse", "operational_inertia", "state_", "implicit"))
    }
    assert {*known, "statics_residual", "statics_jacobian"} == set(CHECKS)
    assert set(KINDS) == {*(kind.value for kind in LoopKind), "coupling", "pfaffian"}
