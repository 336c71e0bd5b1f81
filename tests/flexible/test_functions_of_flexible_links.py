"""The other functions of robots with flexible links, against derivatives of the positions of their points."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from support.looped_checks import against_oracle
from support.oracles.flexible_jets import Jet, stack
from support.oracles.flexible_lagrangian import LagrangeRobot
from support.robots.flexible import branched, cantilever, two_links
from support.robots.small import loaded

from symdyn import api
from symdyn.description.flexible import Basis
from symdyn.robot.robot import Robot

Array = NDArray[np.float64]
TOLERANCE = 1e-9
GRAVITY = (1.0, -2.0, -9.0)
MADE = {"two_links": two_links, "two_links_stiffened": lambda: two_links(True), "branched": branched}
EACH = pytest.mark.parametrize("name", MADE)


@cache
def robot(name: str) -> Robot:
    return loaded(MADE[name](), gravity=GRAVITY)


@cache
def lagrange(name: str) -> LagrangeRobot:
    return LagrangeRobot(MADE[name](), robot(name).velocity_names, GRAVITY)


def state(name: str, count: int) -> Any:
    """q, and so many vectors like v."""
    rng = np.random.default_rng(29)
    small = np.array([0.1 if "[" in row else 1.0 for row in robot(name).velocity_names])
    return rng.standard_normal(robot(name).nv) * small, *rng.standard_normal((count, robot(name).nv))


def called(name: str, function: str, *, options: Any = None, **inputs: Any) -> dict[str, Array]:
    flat = {key: np.asarray(value, dtype=float).ravel() for key, value in inputs.items()}
    found = api.float_recursion(robot(name), function, **(options or {}))(flat)
    return {key: np.array(value) for key, value in found.items()}


def close(found: Any, expected: Any, tolerance: float = TOLERANCE) -> None:
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance * np.abs(expected).max())


def motion(name: str, q: Array, v: Array) -> Jet:
    """Constant velocity from q."""
    return lagrange(name).motion([[x, y, 0.0] for x, y in zip(q, v, strict=True)])


@EACH
def test_jacobians_of_all_frames_and_their_rates(name: str) -> None:
    q, v = state(name, 1)
    shape = (len(robot(name).frame_names), 6, robot(name).nv)
    found = called(name, "jacobians", q=q)["J"].reshape(shape)
    rates = called(name, "jacobians_time_derivative", q=q, v=v)
    moved = next(iter(rates.values())).reshape(shape)
    path = motion(name, q, v)
    for frame, J, J_rate in zip(robot(name).frame_names, found, moved, strict=True):
        R, x = lagrange(name).frame(frame, path)
        turn, turns = R.value, R.slopes  # (3, 3, terms), (3, 3, n, terms)
        # [omega] by q_i is R_i R^T, as a function of time
        spin = np.einsum("xyi,zy->xzi", turns[..., 0], turn[..., 0])
        spin_rate = np.einsum("xyi,zy->xzi", turns[..., 1], turn[..., 0])
        spin_rate += np.einsum("xyi,zy->xzi", turns[..., 0], turn[..., 1])
        for ours, linear, skew in ((J, x.slopes[..., 0], spin), (J_rate, x.slopes[..., 1], spin_rate)):
            expected = np.concatenate([linear, [skew[2, 1], skew[0, 2], skew[1, 0]]])
            np.testing.assert_allclose(ours, expected, rtol=TOLERANCE, atol=TOLERANCE, err_msg=frame)


@EACH
def test_centre_of_mass_and_its_velocity(name: str) -> None:
    q, v = state(name, 1)
    masses = lagrange(name).masses(motion(name, q, v), None)
    weights = np.array(masses.weights) * masses.falls
    places = stack(masses.places).value
    # A fixed root link does not count.
    root = lagrange(name).description.links[0].inertial
    center = np.einsum("p,pct->ct", weights, places)
    total = weights.sum()
    if root is not None:
        center[:, 0] -= float(root.mass) * np.array(root.placement.translation, dtype=float)
        total -= float(root.mass)
    close(next(iter(called(name, "center_of_mass", q=q).values())), center[:, 0] / total)
    close(next(iter(called(name, "center_of_mass_velocity", q=q, v=v).values())), center[:, 1] / total)


@EACH
def test_coriolis_matrix(name: str) -> None:
    q, v = state(name, 1)
    nv = robot(name).nv
    C = called(name, "coriolis_matrix", q=q, v=v)["C"].reshape(nv, nv)
    masses = lagrange(name).masses(motion(name, q, v), None)
    by_q = stack(masses.places).slopes
    # M' = C + C^T makes M' - 2 C skew; C v is what is quadratic in v.
    half = np.einsum("p,pci,pcj->ij", np.array(masses.weights), by_q[..., 0], by_q[..., 1])
    close(C + C.T, half + half.T)
    still = np.zeros(nv)
    damping = [lagrange(name).inverse_dynamics(q, sign * v, still) for sign in (1.0, -1.0)]
    held = lagrange(name).inverse_dynamics(q, still, still)
    close(C @ v, (damping[0] + damping[1]) / 2 - held)


@EACH
def test_partial_derivatives_of_inverse_dynamics(name: str) -> None:
    q, v, a = state(name, 2)
    nv = robot(name).nv
    found = called(name, "inverse_dynamics_partials", q=q, v=v, a=a)
    reference = lagrange(name).inverse_dynamics
    step = 1e-4

    def slope(at: Any) -> Array:
        """Fourth-order differences, column by column."""
        columns = []
        for row in np.eye(nv) * step:
            near, far = (at(k * row) - at(-k * row) for k in (1, 2))
            columns.append((8 * near - far) / (12 * step))
        return np.transpose(columns)

    close(found["dtau_dq"].reshape(nv, nv), slope(lambda d: reference(q + d, v, a)), 1e-7)
    close(found["dtau_dv"].reshape(nv, nv), slope(lambda d: reference(q, v + d, a)), 1e-7)
    close(found["dtau_da"].reshape(nv, nv), lagrange(name).mass_matrix(q))


@EACH
def test_shapes_move_freely_while_joints_are_prescribed(name: str) -> None:
    q, v, a = state(name, 2)
    names = robot(name).velocity_names
    given = [row for row in names if "[" not in row]
    rows = np.array([row in given for row in names])
    tau = lagrange(name).inverse_dynamics(q, v, a)
    found = called(name, "hybrid_dynamics", options={"prescribed": given}, q=q, v=v, u=np.where(rows, a, tau))
    close(next(iter(found.values())), np.where(rows, tau, a), 1e-8)


@EACH
def test_forward_time_derivatives_undo_inverse_ones(name: str) -> None:
    order = 2
    q, *rates = state(name, order + 2)
    series = [[x, *(row[k] / math.factorial(p + 1) for p, row in enumerate(rates))] for k, x in enumerate(q)]
    tau = lagrange(name).forces(lagrange(name).motion(series)) * [math.factorial(p) for p in range(order + 1)]
    found = called(name, "forward_dynamics_time_derivatives", options={"order": order}, q=q, v=rates[0], T=tau.T)
    # a'' holds -K/M a, so that two orders further rounding is larger by a frequency squared, 1e6 here.
    orders = next(iter(found.values())).reshape(order + 1, -1)
    for tolerance, ours, expected in zip((1e-9, 1e-7, 1e-5), orders, rates[1:], strict=True):
        close(ours, expected, tolerance)


@pytest.mark.parametrize(
    "function", ["center_of_mass", "center_of_mass_velocity", "centroidal_momentum", "potential_energy"]
)
def test_a_link_that_bends_on_the_ground_has_its_part(function: str) -> None:
    against_oracle(loaded(cantilever(Basis.CLAMPED_FREE, 3)), function)
