"""Every joint against its own pose: motion, columns, force, rates, bracket and coordinates follow from it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.errors import ModelError
from symdyn.model.joints import JOINTS, Flexure, JointModel, Rest
from symdyn.model.joints.bending import Turning
from symdyn.model.joints.following import Following
from symdyn.model.joints.helical import HELICAL
from symdyn.model.joints.prismatic import PRISMATIC

STEP = 1e-5
"""Of central differences, whose error is its square and rounding over it: some 1e-10; LIMIT leaves a hundred of it."""
LIMIT = 1e-8
NUMBERS = {"pitch": 0.3}
BENT = Flexure(("a", "b"), ("1", "1"), ((0, 1),), Turning.ALL)
BENT_NUMBERS = {name: 0.2 + 0.07 * place for place, name in enumerate(BENT.number_names)}
LED_NUMBERS = {**NUMBERS, "multiplier0": -0.7, "multiplier1": 0.4, "multiplier2": 1.3, "offset": 0.2}
LED = [(Following(PRISMATIC, 1), LED_NUMBERS), (Following(HELICAL, 3), LED_NUMBERS)]
EVERY = [*((joint, NUMBERS) for joint in JOINTS), (BENT, BENT_NUMBERS), *LED]
by_name = pytest.mark.parametrize(("joint", "numbers"), EVERY, ids=lambda item: getattr(item, "value", ""))
MOVING = [(joint, numbers) for joint, numbers in EVERY if joint.has_frame]
moving = pytest.mark.parametrize(("joint", "numbers"), MOVING, ids=lambda item: getattr(item, "value", ""))


def state(joint: JointModel, numbers: dict[str, float]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(5)
    q = np.array(joint.random(rng, None, numbers, 0.4))
    return q, *rng.uniform(-1.0, 1.0, (2, len(joint.coordinates.v)))


def homogeneous(joint: JointModel, q: Any, numbers: dict[str, float]) -> np.ndarray:
    pose = joint.placed(joint.pose(FloatAlgebra(), list(q), numbers))
    found = np.eye(4)
    found[:3, :3] = pose.rotation.matrix()
    found[:3, 3] = 0.0 if pose.translation is None else pose.translation
    return found


def body_twist(joint: JointModel, q: Any, v: Any, numbers: dict[str, float]) -> tuple[np.ndarray, np.ndarray]:
    """Velocity and angular velocity of the child in its axes, by differences along ``integrate``."""
    ahead, behind = (homogeneous(joint, joint.integrate(q, sign * STEP * v), numbers) for sign in (1.0, -1.0))
    rate = np.linalg.inv(homogeneous(joint, q, numbers)) @ (ahead - behind) / (2.0 * STEP)
    return rate[:3, 3], np.array([rate[2, 1], rate[0, 2], rate[1, 0]])


def motion(joint: JointModel, q: Any, v: Any, a: Any, numbers: dict[str, float]) -> list[np.ndarray]:
    pose = joint.placed(joint.pose(FloatAlgebra(), list(q), numbers))
    found = joint.motion(pose, list(v), list(a), numbers)
    parts = (found.linear, found.angular, found.linear_rate, found.angular_rate)
    return [np.zeros(3) if part is None else np.array(part) for part in parts]


@moving
def test_velocity_is_the_derivative_of_the_pose(joint: JointModel, numbers: dict[str, float]) -> None:
    q, v, a = state(joint, numbers)
    for found, expected in zip(motion(joint, q, v, a, numbers), body_twist(joint, q, v, numbers), strict=False):
        np.testing.assert_allclose(found, expected, atol=LIMIT)


@moving
def test_acceleration_is_the_derivative_of_velocity(joint: JointModel, numbers: dict[str, float]) -> None:
    q, v, a = state(joint, numbers)

    def at(time: float) -> list[np.ndarray]:
        return motion(joint, joint.integrate(q, time * v + 0.5 * time**2 * a), v + time * a, a, numbers)

    ahead, here, behind = at(STEP), at(0.0), at(-STEP)
    for place in range(2):
        np.testing.assert_allclose(here[2 + place], (ahead[place] - behind[place]) / (2.0 * STEP), atol=LIMIT)


@moving
def test_columns_are_velocities_and_force_is_their_dual(joint: JointModel, numbers: dict[str, float]) -> None:
    q, v, a = state(joint, numbers)
    pose = joint.placed(joint.pose(FloatAlgebra(), list(q), numbers))
    columns = joint.columns(pose, numbers)
    twist = np.concatenate(motion(joint, q, v, a, numbers)[:2])
    np.testing.assert_allclose(np.transpose(columns) @ v, twist, atol=1e-14)
    wrench = np.random.default_rng(6).uniform(-1.0, 1.0, 6)
    np.testing.assert_allclose(joint.force(pose, list(wrench), numbers), np.array(columns) @ wrench, atol=1e-14)


@moving
def test_unit_axes_and_rest_are_true(joint: JointModel, numbers: dict[str, float]) -> None:
    q, v, _ = state(joint, numbers)
    poses = [
        joint.placed(joint.pose(FloatAlgebra(), list(joint.integrate(q, time * v)), numbers)) for time in (0.0, 1.0)
    ]
    seen = [joint.columns(pose, numbers) for pose in poses]
    if joint.unit_axes is not None:
        np.testing.assert_array_equal(seen[0], np.eye(6)[list(joint.unit_axes)])
    assert joint.posed == (not np.allclose(seen[0], seen[1]))
    world = [
        [np.concatenate([R @ s[:3] + np.cross(t, R @ s[3:]), R @ s[3:]]) for s in joint.columns(pose, numbers)]
        for pose in poses
        for R, t in [(np.array(pose.rotation.matrix()), np.array(pose.translation or [0.0] * 3))]
    ]
    assert np.allclose(world[0], world[1]) == (joint.rest in (Rest.AXIS, Rest.WORLD))
    if joint.rest is Rest.NOWHERE:

        def moved(time: float) -> Any:
            return joint.integrate(q, time * v) if len(q) != len(v) else q + time * v

        changes = joint.column_changes(poses[0], list(v), numbers)
        assert changes is not None
        ahead, behind = (
            joint.columns(joint.placed(joint.pose(FloatAlgebra(), list(moved(sign * STEP)), numbers)), numbers)
            for sign in (1.0, -1.0)
        )
        expected = (np.array(ahead) - np.array(behind)) / (2.0 * STEP)
        np.testing.assert_allclose(np.array(changes), expected, atol=LIMIT)


@by_name
def test_difference_takes_back_what_integrate_does(joint: JointModel, numbers: dict[str, float]) -> None:
    q, v, _ = state(joint, numbers)
    np.testing.assert_allclose(joint.difference(q, joint.integrate(q, v)), v, atol=1e-13)


@by_name
def test_rates_are_the_derivative_of_integrating(joint: JointModel, numbers: dict[str, float]) -> None:
    q, v, _ = state(joint, numbers)
    slope = (joint.integrate(q, STEP * v) - joint.integrate(q, -STEP * v)) / (2.0 * STEP)
    np.testing.assert_allclose(np.array(joint.rates(FloatAlgebra(), list(q))) @ v, slope, atol=LIMIT)


@by_name
def test_changes_of_coordinates_are_moves(joint: JointModel, numbers: dict[str, float]) -> None:
    """E N = 1."""
    q, _, _ = state(joint, numbers)
    rates = np.array(joint.rates(FloatAlgebra(), list(q)))
    scaled = rates.copy()
    if joint.quaternion:
        scaled[-4:] *= 4.0
    found = np.array(joint.moves_by_coordinates(scaled.tolist()), dtype=float)
    np.testing.assert_allclose(found @ rates, np.eye(rates.shape[1]), atol=1e-14)


@by_name
def test_brackets_are_those_of_the_fields(joint: JointModel, numbers: dict[str, float]) -> None:
    """[X, Y] q = (dY) X - (dX) Y of the fields q' that constant rows of v make, by differences."""
    q, a, b = state(joint, numbers)

    def field(at: np.ndarray, rows: np.ndarray) -> np.ndarray:
        return (joint.integrate(at, STEP * rows) - joint.integrate(at, -STEP * rows)) / (2.0 * STEP)

    def slope(of: np.ndarray, along: np.ndarray) -> np.ndarray:
        wide = 1e-3
        return (field(joint.integrate(q, wide * along), of) - field(joint.integrate(q, -wide * along), of)) / (
            2.0 * wide
        )

    expected = slope(b, a) - slope(a, b)
    np.testing.assert_allclose(field(q, np.array(joint.bracket(list(a), list(b)))), expected, atol=1e-5)
    assert joint.commutes == (joint.bracket(list(a), list(b)) == [0.0] * len(a))


@moving
def test_own_axes_take_the_same_motion(joint: JointModel, numbers: dict[str, float]) -> None:
    q, v, a = state(joint, numbers)
    pose = joint.placed(joint.pose(FloatAlgebra(), list(q), numbers))
    own = joint.own_axes
    rates = joint.from_own_axes(pose, list(v))
    for found, expected in zip(motion(joint, q, rates, a, numbers)[:2], motion(own, q, v, a, numbers)[:2], strict=True):
        np.testing.assert_allclose(found, expected, atol=1e-14)
    forces = joint.to_own_axes(pose, list(v))
    assert np.dot(forces, a) == pytest.approx(np.dot(v, joint.from_own_axes(pose, list(a))), abs=1e-14)


def test_tips_of_flexible_links_follow_no_screws() -> None:
    with pytest.raises(ModelError, match="use formulation='body'"):
        BENT.displacement(FloatAlgebra(), [], None, [0.1, 0.2])


def test_followers_are_displaced_by_their_own_coordinate() -> None:
    with pytest.raises(ModelError, match="ask 'moving'"):
        LED[0][0].displacement(FloatAlgebra(), [], None, [0.1])


@pytest.mark.parametrize("leaders", [1, 3])
def test_a_coordinate_map_gives_back_what_it_takes(leaders: int) -> None:
    """Work is the same by own coordinates and by rows: f . G v = (G^T f) . v, and likewise for blocks and columns."""
    joint, rng = Following(HELICAL, leaders), np.random.default_rng(3)
    led = joint.coordinate_map
    v, a = rng.uniform(-1.0, 1.0, (2, leaders)).tolist()
    (rate,), (other,) = led.rates(v, LED_NUMBERS), led.rates(a, LED_NUMBERS)
    assert np.dot(led.forces([0.6], LED_NUMBERS), v) == pytest.approx(0.6 * rate, abs=1e-15)
    for block in (led.block([[0.6]], LED_NUMBERS), led.entries([0.6], LED_NUMBERS)):
        assert np.array(v) @ np.array(block) @ np.array(a) == pytest.approx(0.6 * rate * other, abs=1e-15)
    columns = led.columns([[1.0, -2.0]], LED_NUMBERS)
    np.testing.assert_allclose(np.transpose(columns) @ v, [rate, -2.0 * rate], atol=1e-15)
    assert led.coordinates(v, LED_NUMBERS) == pytest.approx([rate + 0.2])
    assert set(joint.constants) == {*joint.column_constants, "offset"}
