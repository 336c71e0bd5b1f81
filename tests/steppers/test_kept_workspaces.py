"""Steps of a mast on a ball joint, without and with a linkage on it, several states after each other in one workspace.

Workspaces hold NaN before and lie between zones that must stay. What is right comes from a dense KKT system in NumPy,
which SciPy integrates, and from projections by pseudo-inverses.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from support.oracles.steppers import dop853_step, normalised, rates, rk4_step, slope_of
from support.raw_calls import RawCalls
from support.robots.mast import built, built_with_a_prescribed_crank, mast

from symdyn.model.coordinates import coordinate_rows
from symdyn.toolchain.steppers import StepCode

pytestmark = [pytest.mark.needs_cc, pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")]

Array = np.ndarray
GA = "generalised-alpha"
TIMES = [0.3, 0.3, 0.311, 0.36, 0.4]
SEEDS = (1, 2)
LOOPED = pytest.mark.parametrize("looped", [False, True])
TWINS: dict[str, Callable[..., Array]] = {"rk4": rk4_step, "dop853": dop853_step}


@cache
def calls(looped: bool) -> RawCalls:
    return RawCalls(mast(looped), built(looped))


def state(looped: bool, seed: int) -> tuple[Array, Array, Array]:
    """A turned mast that swings, closed where it has a loop, and forces on it."""
    rng, robot = np.random.default_rng(seed), mast(looped)
    turn = rng.standard_normal(4)
    q = np.array([*turn / np.linalg.norm(turn), 0.5, -1.0, -1.0])[: robot.nq]
    v = rng.uniform(-1.5, 1.5, robot.nv)
    if looped:
        q, v = closed(q, np.zeros(6))[0], v
        slopes = built(True).constraint_jacobian(q)
        v = v - np.linalg.pinv(slopes) @ (slopes @ v)
    return q, v, rng.uniform(-1.0, 1.0, robot.nv)


def turned(q: Array, move: Array) -> Array:
    """q after a move of v for unit time: the quaternion times that of a rotation vector; hinges add."""
    angle = np.linalg.norm(move[:3])
    u = np.array([*np.sinc(angle / (2.0 * np.pi)) / 2.0 * move[:3], np.cos(angle / 2.0)])
    vector = q[3] * u[:3] + u[3] * q[:3] + np.cross(q[:3], u[:3])
    ball = np.array([*vector, q[3] * u[3] - q[:3] @ u[:3]])
    return np.concatenate([ball / np.linalg.norm(ball), q[4:] + move[3:]])


def closed(
    q: Array, v: Array, inertia: Callable[[Array], Array] | None = None, gap: Sequence[float] = (0.0, 0.0)
) -> tuple[Array, Array]:
    """Newton's method on the loop by the least moves, by unit weights or the mass matrix, and then the nearest v.

    With a gap the loop is open by that instead.
    """
    module = built(True)

    def back(q: Array) -> tuple[Array, Array]:
        slopes = module.constraint_jacobian(q)
        weights = np.eye(6) if inertia is None else np.linalg.inv(inertia(q))
        return slopes, weights @ slopes.T @ np.linalg.inv(slopes @ weights @ slopes.T)

    for _ in range(30):
        error = module.constraint_error(q) - gap
        if np.abs(error).max() < 1e-14:
            break
        q = turned(q, -back(q)[1] @ error)
    slopes, inverse = back(q)
    return q, v - inverse @ (slopes @ v)


def kkt(looped: bool, q: Array, v: Array, tau: Array, crank: float | None = None) -> Array:
    """Accelerations by a dense system, with A' v by differences of four places; the crank's may be given."""
    module, robot = built(looped), mast(looped)
    size, still = robot.nv, np.zeros(robot.nv)
    loop = [np.zeros(2)] if looped else []
    force = -(module if crank is None else built_with_a_prescribed_crank()).implicit_residual(q, v, still, tau, *loop)
    rows, right = np.zeros((0, size)), np.zeros(0)
    if looped:
        rows, way, d = module.constraint_jacobian(q), rates(coordinate_rows(robot.model), q, v), 1e-3
        places = ((1.0, 8.0), (-1.0, -8.0), (2.0, -1.0), (-2.0, 1.0))
        right = -sum(w * module.constraint_jacobian(q + p * d * way) for p, w in places) @ v / (12.0 * d)
    if crank is not None:
        rows, right = np.vstack([rows, np.eye(size)[3]]), np.append(right, crank)
    count = len(rows)
    matrix = np.block([[module.mass_matrix(q), rows.T], [rows, np.zeros((count, count))]])
    return np.linalg.solve(matrix, np.concatenate([force, right]))[:size]


@cache
def motion(looped: bool, seed: int) -> Array:
    """States at ``TIMES`` by SciPy."""
    robot = mast(looped)
    q, v, tau = state(looped, seed)
    entries = coordinate_rows(robot.model)

    def slope(t: float, y: Array) -> Array:
        own = normalised(entries, y)
        q, v = own[: robot.nq], own[robot.nq :]
        return np.concatenate([rates(entries, q, v), kkt(looped, q, v, tau)])

    span = (TIMES[0], TIMES[-1])
    found = solve_ivp(slope, span, np.concatenate([q, v]), method="DOP853", t_eval=TIMES[1:], rtol=1e-10, atol=1e-11)
    return np.vstack([found.y.T[:1], found.y.T])


def given(method: str, looped: bool, seed: int) -> list[Array]:
    q, v, tau = state(looped, seed)
    return [q, v, np.vstack([tau, np.zeros((6, len(tau)))]) if method == "taylor" else tau]


@LOOPED
@pytest.mark.parametrize(
    ("method", "settings", "within"),
    [("rk4", [2e-3], 1e-6), ("dop853", [1e-9, 1e-9], 1e-7), ("taylor", [1e-9, 1e-9], 1e-7), (GA, [1e-3], 2e-4)],
)
def test_motions(looped: bool, method: str, settings: list[float], within: float) -> None:
    """Times before the first step, between steps, and at the end; errors by the method's order and tolerance."""
    own = calls(looped)
    own.forget()
    for seed in (*SEEDS, SEEDS[0]):
        code, q, v, counts = own.advance(method, *given(method, looped, seed), times=TIMES, settings=settings)
        assert (code, counts[2]) == (StepCode.DONE, len(TIMES))
        exact = motion(looped, seed)
        np.testing.assert_allclose(np.hstack([q, v]), exact, rtol=0.0, atol=within * np.abs(exact).max())
        if len(settings) == 1:
            pieces = sum(int(np.ceil(span / settings[0] - 1e-9)) for span in np.diff(TIMES))
            assert counts[:2] == [pieces, 0]
        if looped:
            assert np.abs(built(True).constraint_error(q)).max() < 1e-12


@LOOPED
def test_order_two(looped: bool) -> None:
    """Errors of half the step are a quarter, from the first row on; what is extrapolated is right to 1e-6."""
    own, exact, errors, found = calls(looped), motion(looped, 1), [], []
    for h in (1e-3, 5e-4):
        _, q, v, _ = own.advance(GA, *given(GA, looped, 1), times=TIMES, settings=[h])
        found.append(np.hstack([q, v]))
        errors.append(np.abs(found[-1] - exact)[1:].max(axis=1)[-1])
    assert 3.7 < errors[0] / errors[1] < 4.3
    best = (4.0 * found[1] - found[0]) / 3.0
    np.testing.assert_allclose(best[-1], exact[-1], rtol=0.0, atol=1e-6 * np.abs(exact).max())


@LOOPED
@pytest.mark.parametrize("method", TWINS)
def test_single_steps_from_open_starts(looped: bool, method: str) -> None:
    """The method's arithmetic in NumPy, then the nearest closed state, also where the start is open by centimetres."""
    own, robot, module = calls(looped), mast(looped), built(looped)
    own.forget()
    entries = coordinate_rows(robot.model)
    dynamics = module.constrained_forward_dynamics if looped else module.forward_dynamics
    for seed in SEEDS:
        q, v, tau = state(looped, seed)
        q[4:] += 0.02 * np.arange(1.0, robot.nq - 3)
        v[3:] += 0.1
        start = np.concatenate([1.5 * q[:4], q[4:], v])  # a quaternion may come with another length
        twin = TWINS[method](slope_of(robot, entries, dynamics, tau), normalised(entries, np.concatenate([q, v])), 0.01)
        wanted = normalised(entries, twin)
        if looped:
            wanted = np.concatenate(closed(wanted[:7], wanted[7:]))
        code, *end = own.step(method, start[: robot.nq], v, tau, h=0.01)
        assert code is StepCode.DONE
        np.testing.assert_allclose(np.concatenate(end), wanted, rtol=0.0, atol=1e-11 * np.abs(wanted).max())


@pytest.mark.parametrize("gap", [(0.02, -0.01), (0.01, 0.0), (0.0, 0.01)])
def test_open_starts_of_the_others(gap: tuple[float, float]) -> None:
    """A series ends at the nearest closed state; the implicit method begins at that of the least kinetic energy.

    The loop is open along both of its rows, or along one alone.
    """
    own, module = calls(True), built(True)
    own.forget()
    for seed in SEEDS:
        q, v, tau = state(True, seed)
        q, v = closed(q, v, gap=gap)[0], v + 0.1
        assert own.start(GA, q, v, tau) is StepCode.DONE
        code, q_end, v_end, counts = own.advance(GA, q, v, tau, times=[0.0, 0.01], settings=[0.01])
        assert (code, counts) == (StepCode.DONE, [1, 0, 2])
        wanted = closed(q, v, module.mass_matrix)
        np.testing.assert_allclose(q_end[0], wanted[0], rtol=0.0, atol=1e-11)
        np.testing.assert_allclose(v_end[0], wanted[1], rtol=0.0, atol=1e-10)
        code, q_end, v_end = own.step("taylor", q, v, given("taylor", True, seed)[2], h=1e-3)
        assert code is StepCode.DONE
        assert np.abs(module.constraint_error(q_end)).max() < 1e-12
        assert np.abs(module.constraint_jacobian(q_end) @ v_end).max() < 1e-12


@LOOPED
@pytest.mark.parametrize("method", ["rk4", "dop853", "taylor", GA])
def test_what_was_in_a_workspace_does_not_matter(method: str, looped: bool) -> None:
    """Bit by bit the same from NaN and after other states; single steps are those of a row.

    These once more bring quaternions back to length 1, so the last digits may differ.
    """
    own, h = calls(looped), 2.0**-7
    first, other = (given(method, looped, seed) for seed in SEEDS)
    own.forget()
    runs = []
    for inputs in (first, other, first):
        if method == GA:
            assert own.start(method, *inputs) is StepCode.DONE
        runs.append(np.concatenate(own.step(method, *inputs, h=h)[1:]))
    np.testing.assert_array_equal(runs[0], runs[2])
    assert np.abs(runs[0] - runs[1]).max() > 0.1
    settings = [1e-6, 1e-6] if method in ("dop853", "taylor") else [h]
    codes = []
    for inputs in (first, other, first):
        code, q, v, _ = own.advance(method, *inputs, times=[0.0, h, 3 * h], settings=settings)
        codes.append((code, np.hstack([q, v])))
    np.testing.assert_array_equal(codes[0][1], codes[2][1])
    if len(settings) == 1:
        np.testing.assert_allclose(codes[0][1][1], runs[0], rtol=0.0, atol=1e-13)
        q, v, *rest = first
        _, q, v = own.step(method, q, v, *rest, h=h) if method != GA else (own.start(method, *first), q, v)
        for _ in range(3 if method == GA else 2):
            _, q, v = own.step(method, q, v, *rest, h=h)
        np.testing.assert_allclose(np.concatenate([q, v]), codes[0][1][2], rtol=0.0, atol=1e-13)


@LOOPED
@pytest.mark.parametrize("method", ["rk4", "dop853", "taylor", GA])
def test_bounds_on_steps_and_infinities(method: str, looped: bool) -> None:
    own, inputs = calls(looped), given(method, looped, 1)
    settings, end = ([1e-8, 1e-8], 5.0) if method in ("dop853", "taylor") else ([1e-3], 6e-3)
    code, q, _, counts = own.advance(method, *inputs, times=[0.0, 2e-3, end], settings=settings, most=5)
    assert (code, counts[2]) == (StepCode.TOO_MANY_STEPS, 2)
    assert len(settings) == 2 or counts[:2] == [2, 0], "four steps and the two before are too many: none is begun"
    assert counts[0] + counts[1] <= 5 and np.all(np.isfinite(q[:2])) and np.all(np.isnan(q[2]))
    start = np.concatenate(inputs[:2])
    for times in ([1.0], [1.0, 1.0, 1.0]):
        code, q, v, counts = own.advance(method, *inputs, times=times, settings=settings, most=0)
        assert (code, counts) == (StepCode.DONE, [0, 0, len(times)])
        np.testing.assert_allclose(np.hstack([q, v]), np.tile(start, (len(times), 1)), rtol=0.0, atol=1e-13)
    assert own.advance(method, *inputs, times=[], settings=settings)[3] == [0, 0, 0]
    broken = [inputs[0], inputs[1], inputs[2] + np.inf]
    code = own.advance(method, *broken, times=[0.0, 1e-3], settings=settings)[0]
    assert code in (StepCode.NOT_FINITE, StepCode.NO_CONVERGENCE, StepCode.TOO_SMALL)
    assert own.advance(method, *inputs, times=[0.0, 1e-3], settings=settings)[0] is StepCode.DONE


@LOOPED
def test_a_first_step_from_zeros(looped: bool) -> None:
    """A workspace of zeros is a start; a state that is given later counts, not the one that the workspace holds."""
    own, first = calls(looped), given(GA, looped, 1)
    own.forget()
    assert own.start(GA, *first) is StepCode.DONE
    wanted = [own.step(GA, *first, h=2.0**-7)[1:] for _ in range(2)]
    own.work(GA).array[...] = 0.0
    for end in wanted:
        code, *found = own.step(GA, *first, h=2.0**-7)
        assert code is StepCode.DONE
        np.testing.assert_array_equal(np.concatenate(found), np.concatenate(end))
    assert np.abs(wanted[0][0] - wanted[1][0]).max() < 1e-2


def quintic(t: float) -> Array:
    """A crank's angle, velocity and acceleration, from 0.5 rad."""
    return np.array([0.5 + t + t**2 - 9 * t**5, 1.0 + 2.0 * t - 45.0 * t**4, 2.0 - 180.0 * t**3])


def test_a_prescribed_crank() -> None:
    """The crank goes as told, between given times too; all else as by a dense system with its acceleration."""
    robot = mast(True, True)
    own = RawCalls(robot, built_with_a_prescribed_crank())
    entries = coordinate_rows(robot.model)
    times = [0.0, 0.02, 0.021, 0.1]
    told = np.array([quintic(t) for t in times])
    for seed in SEEDS:
        q, v, tau = state(True, seed)
        q[4], v[3] = told[0, :2]
        best = np.zeros((len(times), 13))
        for h, weight in ((1e-3, -1.0 / 3.0), (5e-4, 4.0 / 3.0)):
            code, q_at, v_at, counts = own.advance(GA, q, v, tau, told, times=times, settings=[h])
            assert (code, counts[2]) == (StepCode.DONE, len(times))
            np.testing.assert_array_equal(q_at[:, 4], told[:, 0])
            np.testing.assert_array_equal(v_at[:, 3], told[:, 1])
            best += weight * np.hstack([q_at, v_at])

        def slope(t: float, y: Array, tau: Array = tau) -> Array:
            y = normalised(entries, y)
            y[4], y[10] = quintic(t)[:2]
            a = kkt(True, y[:7], y[7:], tau, quintic(t)[2])
            return np.concatenate([rates(entries, y[:7], y[7:]), a])

        first = np.concatenate([q_at[0], v_at[0]])
        exact = solve_ivp(slope, (0.0, 0.1), first, method="DOP853", t_eval=times, rtol=1e-9, atol=1e-10)
        np.testing.assert_allclose(best, exact.y.T, rtol=0.0, atol=2e-6 * np.abs(exact.y).max())
