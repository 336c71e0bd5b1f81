"""MuJoCo's convention beside the default one: the same robot by other rows of q, v and tau."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

import symdyn
from symdyn import api
from symdyn.errors import ModelError, RequestError
from symdyn.functions.catalogue import requests

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


def cross(x: Array) -> Array:
    return np.array([[0, -x[2], x[1]], [x[2], 0, -x[0]], [-x[1], x[0], 0]])


class Turn:
    """T in v = T v_default: linear rows of free joints are turned. Its rates are those of a motion v_default, .."""

    def __init__(self, own: symdyn.Robot, q: Array, v: Array, a: Array) -> None:
        self.nv = own.nv
        self.blocks = []
        self.T, self.rate, self.second = np.eye(own.nv), np.zeros((own.nv, own.nv)), np.zeros((own.nv, own.nv))
        for joint in FREE:
            w, *x = q[rows(own, joint, ("qw", "qx", "qy", "qz"), "coordinate_names")]
            R = np.eye(3) + 2 * w * cross(np.array(x)) + 2 * cross(np.array(x)) @ cross(np.array(x))
            linear, angular = rows(own, joint, ("vx", "vy", "vz")), rows(own, joint, ("wx", "wy", "wz"))
            self.blocks.append((linear, angular, R))
            W = cross(v[angular])
            for matrix, block in ((self.T, R), (self.rate, R @ W), (self.second, R @ (W @ W + cross(a[angular])))):
                matrix[np.ix_(linear, linear)] = block
        self.bias = self.rate @ v

    def _placed(self, *parts: Array) -> Array:
        """Three columns of linear rows per free joint, by its angular ones."""
        found = np.zeros((self.nv, self.nv))
        for (linear, angular, _), part in zip(self.blocks, parts, strict=True):
            found[np.ix_(linear, angular)] = part
        return found

    def moved(self, x: Array) -> Array:
        """The derivative of T x along default moves."""
        return self._placed(*(-R @ cross(x[linear]) for linear, _, R in self.blocks))

    def moved_back(self, y: Array) -> Array:
        """The derivative of T' y along default moves."""
        return self._placed(*(cross(R.T @ y[linear]) for linear, _, R in self.blocks))

    def bias_by_v(self, v: Array) -> Array:
        return self.rate + self._placed(*(-R @ cross(v[linear]) for linear, _, R in self.blocks))


def value(robot: symdyn.Robot, function: str, order: int = 0, **inputs: Array) -> Array:
    call = api.float_recursion(robot, function, order=order)
    found = call({name: np.ravel(given).tolist() for name, given in inputs.items()})
    return np.array([entry for part in found.values() for entry in np.ravel(part)], dtype=float)


class Motion:
    """A state in both conventions, and results of MuJoCo's that are turned to the default one."""

    def __init__(self) -> None:
        self.own, self.other = both()
        q, _ = self.own.random_state(4)
        v, a, more = np.random.default_rng(5).standard_normal((3, self.own.nv))
        turn = self.turn = Turn(self.own, q, v, a)
        q_other = matched(self.own, self.other, q)
        tau = value(self.other, "inverse_dynamics", q=q_other, v=v, a=a)
        series = [turn.T @ v, turn.T @ a + turn.bias, turn.T @ more + 2 * turn.rate @ a + turn.second @ v]
        forces = [turn.T @ tau, turn.rate @ tau + turn.T @ more]
        self.given = {"q": q, "v": series[0], "a": series[1], "tau": forces[0], "y": np.concatenate([q, series[0]])}
        self.given |= {"V": np.array(series), "T": np.array(forces)}
        self.plain = {"q": q_other, "v": v, "a": a, "tau": tau, "y": np.concatenate([q_other, v])}
        self.plain |= {"V": np.array([v, a, more]), "T": np.array([tau, more])}

    def found(self, function: str) -> Array:
        return self._value(self.own, function, self.given)

    def expected(self, function: str) -> Array:
        return self._value(self.other, function, self.plain)

    @staticmethod
    def _value(robot: symdyn.Robot, function: str, given: dict[str, Array]) -> Array:
        order = int("_time_derivatives" in function)
        ((entry, request),) = requests(robot.model, [function], order=order)
        names = [own.name for own in entry.signature(robot.model, request).inputs]
        held = {name: given[name] for name in names}
        if "V" in held:
            held["V"] = held["V"][: 3 if function.startswith("inverse") else 2]
        return value(robot, function, order, **held)

    def by_default_rows(self, function: str) -> Array:
        """The results of MuJoCo's convention as those of the default one."""
        found, turn = self.found(function), self.turn
        T, n = turn.T, self.own.nv
        match function:
            case "inverse_dynamics" | "gravity":
                return T.T @ found
            case "bias":  # of the accelerations that are zero in the default rows
                return T.T @ (found + self.found("mass_matrix").reshape(n, n) @ turn.bias)
            case "forward_dynamics":
                return T.T @ (found - turn.bias)
            case "state_derivative":
                q = matched(self.own, self.other, found[: self.own.nq])
                return np.concatenate([q, T.T @ (found[self.own.nq :] - turn.bias)])
            case "mass_matrix" | "mass_matrix_inverse":
                return T.T @ found.reshape(n, n) @ T
            case "inverse_dynamics_regressor":
                return T.T @ found.reshape(n, -1)
            case "jacobians" | "centroidal_momentum_matrix":
                return found.reshape(-1, n) @ T
            case "jacobians_time_derivative":
                return found.reshape(-1, n) @ T + self.found("jacobians").reshape(-1, n) @ turn.rate
            case "inverse_dynamics_partials":
                return self._partials(*found.reshape(3, n, n))
            case "forward_dynamics_partials":
                return self._forward_partials(*found.reshape(3, n, n))
            case "inverse_dynamics_time_derivatives":
                tau, rate = found.reshape(2, n)
                return np.array([T.T @ tau, T.T @ rate + turn.rate.T @ tau])
            case "forward_dynamics_time_derivatives":
                a, rate = found.reshape(2, n)
                own = T.T @ (a - turn.bias)
                return np.array([own, T.T @ (rate - 2 * turn.rate @ own - turn.second @ self.plain["v"])])
            case _:
                return found

    def _partials(self, by_q: Array, by_v: Array, by_a: Array) -> Array:
        turn, v, a = self.turn, self.plain["v"], self.plain["a"]
        bias = turn.moved(turn.T.T @ turn.bias)
        by_moves = by_q @ turn.T + by_v @ turn.moved(v) + by_a @ (turn.moved(a) + bias)
        own = turn.T.T @ by_moves + turn.moved_back(self.given["tau"])
        return np.array([own, turn.T.T @ (by_v @ turn.T + by_a @ turn.bias_by_v(v)), turn.T.T @ by_a @ turn.T])

    def _forward_partials(self, by_q: Array, by_v: Array, by_tau: Array) -> Array:
        turn, v = self.turn, self.plain["v"]
        by_moves = by_q @ turn.T + by_v @ turn.moved(v) + by_tau @ turn.moved(self.plain["tau"])
        own = turn.T.T @ (by_moves - turn.moved(turn.T.T @ turn.bias)) + turn.moved_back(turn.T @ self.plain["a"])
        return np.array([own, turn.T.T @ (by_v @ turn.T - turn.bias_by_v(v)), turn.T.T @ by_tau @ turn.T])


@pytest.fixture(scope="module")
def motion() -> Motion:
    return Motion()


TURNED = [
    *("inverse_dynamics", "forward_dynamics", "gravity", "bias", "mass_matrix", "mass_matrix_inverse"),
    *("inverse_dynamics_partials", "forward_dynamics_partials", "inverse_dynamics_regressor", "state_derivative"),
    *("jacobians", "jacobians_time_derivative", "centroidal_momentum_matrix"),
    *("inverse_dynamics_time_derivatives", "forward_dynamics_time_derivatives"),
]
SAME = [
    *("kinetic_energy", "potential_energy", "center_of_mass", "center_of_mass_velocity", "centroidal_momentum"),
    *("forward_kinematics", "joint_wrenches", "forward_kinematics_time_derivatives"),
]


@pytest.mark.parametrize("function", [*TURNED, *SAME])
def test_functions_are_those_of_other_rows(motion: Motion, function: str) -> None:
    found, expected = np.ravel(motion.by_default_rows(function)), motion.expected(function)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9 * max(1.0, float(np.abs(expected).max())))
    # These rows differ indeed.
    same = np.allclose(motion.found(function), expected)
    assert same is (function in SAME)


def test_partials_are_slopes_along_the_rows_of_v(motion: Motion) -> None:
    own, q, v, a = motion.own, *(motion.given[name] for name in ("q", "v", "a"))
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
