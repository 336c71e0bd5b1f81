"""MuJoCo's convention beside the default one: the same robot by other rows of q, v and tau."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

import symdyn
from symdyn import api
from symdyn.errors import ModelError, RequestError

Array = NDArray[np.float64]
TEXT = """
name: mixed
floating_base: true
links:
  base: {mass: 3.0, com: [0.02, 0.1, 0.01], inertia: {xx: 0.2, yy: 0.3, zz: 0.4}}
  arm: {mass: 1.0, com: [0, 0.1, -0.2], inertia: {xx: 0.014, yy: 0.014, zz: 0.001}}
  ball: {mass: 0.7, com: [0.1, 0, 0], inertia: {xx: 0.02, yy: 0.03, zz: 0.04}}
  kite: {mass: 0.2, com: [0, 0.1, 0], inertia: {xx: 0.002, yy: 0.003, zz: 0.004}}
joints:
  hinge: {type: revolute, parent: base, child: arm, translation: [0.1, 0, 0], axis: [0, 1, 0]}
  socket: {type: spherical, parent: arm, child: ball, translation: [0, 0.1, 0]}
  tether: {type: floating, parent: ball, child: kite, translation: [0, 0.1, 0.2], rpy: [0.1, 0.2, 0.3]}
"""
FREE = ("root", "tether")


def both() -> tuple[symdyn.Robot, symdyn.Robot]:
    """In MuJoCo's convention, and in the default one."""
    return symdyn.loads(TEXT, "yaml", convention="mujoco"), symdyn.loads(TEXT, "yaml")


def rows(robot: symdyn.Robot, joint: str, suffixes: tuple[str, ...], names: str = "velocity_names") -> list[int]:
    return [getattr(robot, names).index(f"{joint}.{suffix}") for suffix in suffixes]


def matched(own: symdyn.Robot, other: symdyn.Robot, q: Array) -> Array:
    """The default coordinates of a position."""
    found = dict(zip(own.coordinate_names, q, strict=True))
    return np.array([found[name] for name in other.coordinate_names])


def slopes(own: symdyn.Robot, q: Array) -> Array:
    """T in v = T v_default: linear rows of free joints are turned."""
    T = np.eye(own.nv)
    for joint in FREE:
        w, x, y, z = q[rows(own, joint, ("qw", "qx", "qy", "qz"), "coordinate_names")]
        skew = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
        linear = rows(own, joint, ("vx", "vy", "vz"))
        T[np.ix_(linear, linear)] = np.eye(3) + 2 * w * skew + 2 * skew @ skew
    return T


def bias(own: symdyn.Robot, T: Array, v: Array) -> Array:
    """T' v_default."""
    found = np.zeros(own.nv)
    for joint in FREE:
        linear, angular = rows(own, joint, ("vx", "vy", "vz")), rows(own, joint, ("wx", "wy", "wz"))
        found[linear] = T[np.ix_(linear, linear)] @ np.cross(v[angular], v[linear])
    return found


def value(robot: symdyn.Robot, function: str, **inputs: Array) -> Array:
    call = api.float_recursion(robot, function)
    found = call({name: np.asarray(given).tolist() for name, given in inputs.items()})
    return np.array([entry for part in found.values() for entry in np.ravel(part)], dtype=float)


@pytest.fixture
def state() -> tuple[symdyn.Robot, symdyn.Robot, Array, Array, Array, Array]:
    own, other = both()
    q, _ = own.random_state(4)
    v, a = np.random.default_rng(5).standard_normal((2, own.nv))  # of the default convention
    return own, other, q, matched(own, other, q), v, a


def test_forces_and_masses_are_those_of_other_rows(state) -> None:  # type: ignore[no-untyped-def]
    own, other, q, q_other, v, a = state
    T = slopes(own, q)
    tau = value(own, "inverse_dynamics", q=q, v=T @ v, a=T @ a + bias(own, T, v))
    assert T.T @ tau == pytest.approx(value(other, "inverse_dynamics", q=q_other, v=v, a=a), rel=1e-11, abs=1e-11)
    M = value(own, "mass_matrix", q=q).reshape(own.nv, own.nv)
    expected = value(other, "mass_matrix", q=q_other).reshape(own.nv, own.nv)
    assert pytest.approx(expected, rel=1e-11, abs=1e-11) == T.T @ M @ T
    assert value(own, "mass_matrix_inverse", q=q).reshape(own.nv, own.nv) @ M == pytest.approx(
        np.eye(own.nv), rel=1e-9, abs=1e-9
    )
    assert value(own, "forward_dynamics", q=q, v=T @ v, tau=tau) == pytest.approx(
        T @ a + bias(own, T, v), rel=1e-8, abs=1e-8
    )
    assert value(own, "forward_kinematics", q=q) == pytest.approx(value(other, "forward_kinematics", q=q_other))
    J = value(own, "jacobians", q=q).reshape(-1, own.nv)
    assert pytest.approx(value(other, "jacobians", q=q_other).reshape(-1, own.nv), rel=1e-11, abs=1e-11) == J @ T


def test_partials_are_slopes_along_the_rows_of_v(state) -> None:  # type: ignore[no-untyped-def]
    own, _, q, _, v, a = state
    found = value(own, "inverse_dynamics_partials", q=q, v=v, a=a)[: own.nv**2].reshape(own.nv, own.nv)
    h = 1e-5

    def tau(step: Array) -> Array:
        return value(own, "inverse_dynamics", q=own.integrate(q, step), v=v, a=a)

    numeric = np.array([(tau(h * row) - tau(-h * row)) / (2 * h) for row in np.eye(own.nv)]).T
    assert found == pytest.approx(numeric, rel=1e-6, abs=1e-6 * np.abs(numeric).max())


def test_moving_is_that_of_places_and_rotations() -> None:
    own, _ = both()
    q, dv = own.random_state(1)
    dv = 0.3 * dv  # turns by less than half a turn
    moved = own.integrate(q, dv)
    assert own.difference(q, moved) == pytest.approx(dv)
    places = rows(own, "root", ("x", "y", "z"), "coordinate_names")
    linear = rows(own, "root", ("vx", "vy", "vz"))
    assert moved[places] == pytest.approx(q[places] + dv[linear])
    assert own.neutral()[rows(own, "socket", ("qw",), "coordinate_names")] == 1.0


def test_locks_are_in_this_convention() -> None:
    w, x, y, z = 0.5, 0.1, -0.7, 0.5
    own, other = both()
    lengths = float(np.linalg.norm([w, x, y, z]))
    first = tuple(entry / lengths for entry in (w, x, y, z))
    held = symdyn.loads(TEXT, "yaml", convention="mujoco", locked_joints={"socket": first})
    also = symdyn.loads(TEXT, "yaml", locked_joints={"socket": (*first[1:], first[0])})
    q, _ = held.random_state(2)
    assert value(held, "forward_kinematics", q=q) == pytest.approx(
        value(also, "forward_kinematics", q=matched(held, also, q))
    )
    with pytest.raises(ModelError, match="expected 4 finite number"):
        symdyn.loads(TEXT, "yaml", convention="mujoco", locked_joints={"socket": 1.0})
    assert own.nq == other.nq


def test_locks_of_a_file_are_turned_to_the_convention_asked_for() -> None:
    own = symdyn.loads(TEXT, "yaml", convention="mujoco", locked_joints={"socket": (0.1, 0.5, -0.7, 0.5)})
    for convention, order in (("pinocchio", (0.5, -0.7, 0.5, 0.1)), ("mujoco", (0.1, 0.5, -0.7, 0.5))):
        again = symdyn.loads(own.to_yaml(), "yaml", convention=convention)
        assert again.options.locked_joints == {"socket": order}
        back = symdyn.loads(again.to_yaml(), "yaml", convention="mujoco")
        assert back.options.locked_joints == own.options.locked_joints
        assert back.model == own.model


def test_siblings_keep_the_order_of_the_file() -> None:
    text = TEXT + "  a_late: {type: revolute, parent: base, child: late, axis: [1, 0, 0]}\n"
    text = text.replace("joints:", "  late: {mass: 1.0}\njoints:")
    assert symdyn.loads(text, "yaml", convention="mujoco").velocity_names[-1] == "a_late"
    assert symdyn.loads(text, "yaml").velocity_names[6] == "a_late"


def test_what_has_no_form_is_refused() -> None:
    own, _ = both()
    for option in ({"formulation": "spatial"}, {"factorization": "lemma1"}):
        function = "inverse_dynamics_time_derivatives" if "formulation" in option else "coriolis_matrix"
        with pytest.raises(RequestError, match="has no form in convention 'mujoco'"):
            api.float_recursion(own, function, **option)  # type: ignore[arg-type]
