"""What holds between the truths on a robot with every joint kind, in both conventions, to some thirty digits.

Each truth is formed from positions in its own way; a mistake in one breaks a relation to the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from mpmath import mp
from support.oracles import exact_results
from support.oracles.exact_results import matrix, values

from symdyn.description.robot import Actuator, Elastic, RobotDescription, Spring
from symdyn.interface.signature import Argument
from symdyn.verify.base.dense import matrix_product, matrix_times
from symdyn.verify.base.matrices import add, nearest_rotation, rate, rotation_rate, unit, vector
from symdyn.verify.harness.states import verification_states
from symdyn.verify.oracle.joint_forces import lost_power
from symdyn.verify.oracle.motion import robot_motion
from symdyn.verify.oracle.setting import Setting
from symdyn.verify.oracle.tangent import along_motion, central_difference, moved
from symdyn.verify.oracle.tree import public_tree

TIGHT = 1e-26
"""Central differences at fifty digits leave some 1e-30."""


def driven(description: RobotDescription) -> RobotDescription:
    """The robot with rotors, one of them behind a spring, and with springs between links."""
    drives: dict[str, dict[str, Any]] = {
        "b_turn": {"actuator": Actuator(0.002, 10.0), "loads": (Spring(12.5, -0.75),)},
        "c_slide": {"loads": (Spring(50.0, 0.25),)},
        "i_wheel": {"elastic": Elastic(40.0, 0.5, Actuator(armature=0.25)), "loads": (Spring(7.5),)},
        "j_follow": {"loads": (Spring(3.25, 1.5),)},
    }
    joints = tuple(replace(item, **drives.get(item.name, {})) for item in description.joints)
    return replace(description, joints=joints, gravity=(0.5, -1.0, -9.25))


@pytest.fixture(params=["pinocchio", "spatial"])
def setting(request: pytest.FixtureRequest, mixed: RobotDescription) -> Setting:
    robot = driven(mixed)
    return Setting(robot, public_tree(robot), {"convention": request.param, "joint_losses": True}, ("rail.mass",))


@pytest.fixture
def inputs(setting: Setting) -> dict[str, list]:
    sizes = {"q": setting.tree.nq, **dict.fromkeys(("v", "a", "tau", "u"), setting.tree.nv)}
    arguments = [Argument(name, (n,), (tuple(map(str, range(n))),), ("",), "") for name, n in sizes.items()]
    drawn = {
        name: vector(rows) for name, rows in verification_states(setting.tree, arguments, {}, 1)[-1].inputs.items()
    }
    for row in setting.tree.quaternions:  # unit to all digits, as most relations need
        drawn["q"][row : row + 4] = unit(drawn["q"][row : row + 4])
    return {"p": [mp.mpf(1.75)], **drawn}


def agree(found: Sequence, expected: Sequence, tolerance: float = TIGHT) -> None:
    exact_results.agree(found, expected, tolerance)


def test_mass_matrix_is_the_slope_of_inverse_dynamics(setting: Setting, inputs: dict[str, list]) -> None:
    M = matrix("mass_matrix", setting, inputs, setting.tree.nv)
    bias = values("bias", setting, inputs)
    agree(values("inverse_dynamics", setting, inputs), add(matrix_times(M, vector(inputs["a"])), bias), 1e-40)
    for column in (4, 8, setting.tree.nv - 1):
        along = [mp.mpf(row == column) for row in range(setting.tree.nv)]
        pushed = values("inverse_dynamics", setting, {**inputs, "a": along})
        agree([x - y for x, y in zip(pushed, bias, strict=True)], [row[column] for row in M], 1e-40)


def test_forward_dynamics_inverts(setting: Setting, inputs: dict[str, list]) -> None:
    a = values("forward_dynamics", setting, inputs)
    agree(values("inverse_dynamics", setting, {**inputs, "a": a}), vector(inputs["tau"]), 1e-40)
    M, W = (matrix(name, setting, inputs, setting.tree.nv) for name in ("mass_matrix", "mass_matrix_inverse"))
    product = matrix_product(M, W)
    agree([x for row in product for x in row], [float(r == c) for r in range(len(M)) for c in range(len(M))], 1e-40)
    held = replace(setting, prescribed=(1, 2, 7, setting.tree.nv - 1))
    w = values("hybrid_dynamics", held, inputs)
    u = vector(inputs["u"])
    a = [u[row] if row in held.prescribed else w[row] for row in range(len(w))]
    tau = [w[row] if row in held.prescribed else u[row] for row in range(len(w))]
    agree(values("inverse_dynamics", setting, {**inputs, "a": a}), tau, 1e-40)


@pytest.mark.parametrize("factorization", ["christoffel", "lemma1"])
def test_coriolis_matrices(setting: Setting, inputs: dict[str, list], factorization: str) -> None:
    nv = setting.tree.nv
    chosen = replace(setting, factorization=factorization)
    C = matrix("coriolis_matrix", chosen, inputs, nv)
    M_rate = along_motion(setting, inputs, lambda q: values("mass_matrix", setting, {**inputs, "q": q}))
    rest = [M_rate[row * nv + column] - 2 * C[row][column] for row in range(nv) for column in range(nv)]
    agree([rest[r * nv + c] + rest[c * nv + r] for r in range(nv) for c in range(nv)], [0] * nv**2)
    # without losses, dampers and springs, what v adds to the bias is C v
    joints = tuple(replace(item, elastic=None, loads=()) for item in setting.description.joints)
    robot = replace(setting.description, joints=joints)
    plain = Setting(robot, public_tree(robot), {**setting.load_options, "joint_losses": False}, ("rail.mass",))
    motor = next(place.v_row for place in setting.tree.places if place.joint.elastic) + 1
    fewer = {"q": inputs["q"][:-1], "p": inputs["p"], **{name: inputs[name][: plain.tree.nv] for name in ("v", "a")}}
    assert motor == nv - 1 == plain.tree.nv
    C = matrix("coriolis_matrix", replace(plain, factorization=factorization), fewer, plain.tree.nv)
    expected = add(matrix_times(C, vector(fewer["v"])), values("gravity", plain, fewer))
    agree(expected, values("bias", plain, fewer))


def test_the_christoffel_factorisation_is_christoffels(mixed_fixed: RobotDescription) -> None:
    locks = {"d_ball": (0.5, 0.5, 0.5, 0.5), "a_flat": (0.1, 0.2, 0.3), "h_free": (0.1, 0.2, 0.3, 0.5, 0.5, 0.5, 0.5)}
    setting = Setting(mixed_fixed, public_tree(mixed_fixed, None, locks), {"locked_joints": locks})
    nv = setting.tree.nv
    inputs = {"q": [0.4, -0.3, 0.8, 0.2, -0.6, 1.1][:nv], "v": [1.5, -0.75, 0.5, 2.0, -1.25, 0.25][:nv]}
    slopes = []
    for row in range(nv):
        direction = [mp.mpf(row == other) for other in range(nv)]
        slopes.append(
            central_difference(
                lambda h, d=direction: values(  # type: ignore[misc]
                    "mass_matrix", setting, {"q": moved(setting, vector(inputs["q"]), d, h)}
                )
            )
        )

    def symbol(i: int, j: int, k: int) -> Any:
        return (slopes[k][i * nv + j] + slopes[j][i * nv + k] - slopes[i][j * nv + k]) / 2

    expected = [sum(symbol(i, j, k) * mp.mpf(inputs["v"][k]) for k in range(nv)) for i in range(nv) for j in range(nv)]
    agree(values("coriolis_matrix", setting, inputs), expected)


def test_energies(setting: Setting, inputs: dict[str, list]) -> None:
    v = vector(inputs["v"])
    M = matrix("mass_matrix", setting, inputs, setting.tree.nv)
    (kinetic,) = values("kinetic_energy", setting, inputs)
    agree([kinetic], [mp.fdot(v, matrix_times(M, v)) / 2], 1e-40)

    def energies(h: Any) -> list:
        q = moved(setting, vector(inputs["q"]), v, h)
        later = {**inputs, "q": q, "v": [x + h * y for x, y in zip(v, inputs["a"], strict=True)]}
        return values("kinetic_energy", setting, later) + values("potential_energy", setting, later)

    power = mp.fdot(values("inverse_dynamics", setting, inputs), v) - lost_power(setting, inputs)
    agree([sum(central_difference(energies))], [power])
    assert lost_power(setting, inputs) > 0
    # springs aside, gravity is the slope of the potential
    joints = tuple(replace(item, elastic=None, loads=()) for item in setting.description.joints)
    robot = replace(setting.description, joints=joints)
    plain = Setting(robot, public_tree(robot), setting.load_options, ("rail.mass",))
    fewer = {"q": inputs["q"][:-1], "v": inputs["v"][:-1], "p": inputs["p"]}
    (slope,) = along_motion(plain, fewer, lambda q: values("potential_energy", plain, {**fewer, "q": q}))
    agree([slope], [mp.fdot(values("gravity", plain, fewer), fewer["v"])])


def test_centre_of_mass_and_momentum(setting: Setting, inputs: dict[str, list]) -> None:
    nv, v = setting.tree.nv, vector(inputs["v"])
    velocity = values("center_of_mass_velocity", setting, inputs)
    agree(along_motion(setting, inputs, lambda q: values("center_of_mass", setting, {**inputs, "q": q})), velocity)
    momentum = values("centroidal_momentum", setting, inputs)
    agree(matrix_times(matrix("centroidal_momentum_matrix", setting, inputs, nv), v), momentum, 1e-40)
    total = sum(link.inertial.mass for link in setting.description.links if link.inertial and link.name != "rail")
    agree(momentum[:3], [(total + mp.mpf(1.75)) * x for x in velocity], 1e-15)  # the sum of doubles rounds


def test_frames_follow_their_jacobians(setting: Setting, inputs: dict[str, list]) -> None:
    nv, count = setting.tree.nv, len(setting.description.links)
    q, v, a = (vector(inputs[name]) for name in ("q", "v", "a"))
    motion = robot_motion(setting.description, setting.tree, setting.quantities(inputs), q, v, a, setting.spatial)
    J, J_rate = (matrix(name, setting, inputs, nv) for name in ("jacobians", "jacobians_time_derivative"))
    X = values("forward_kinematics", setting, inputs)
    assert len(J) == 6 * count and len(X) == 16 * count
    for index, link in enumerate(setting.description.links):
        moving = motion.links[link.name]
        pose = X[16 * index : 16 * index + 16]
        agree(pose[3:12:4], moving.origin[0], 1e-40)
        agree(
            [pose[4 * row + column] for row in range(3) for column in range(3)],
            [x for row in moving.rotation[0] for x in row],
            1e-40,
        )
        assert pose[12:] == [0, 0, 0, 1]
        speed, turning = rate(moving.origin), rotation_rate(moving.rotation)
        rows, rates = J[6 * index : 6 * index + 6], J_rate[6 * index : 6 * index + 6]
        agree(matrix_times(rows, v), [*speed[0], *turning[0]])
        agree(add(matrix_times(rows, a), matrix_times(rates, v)), [*speed[1], *turning[1]])


def test_wrenches_and_regressor_are_inverse_dynamics(setting: Setting, inputs: dict[str, list]) -> None:
    lossless = replace(setting, load_options={**setting.load_options, "joint_losses": False})
    tau = values("inverse_dynamics", lossless, inputs)
    wrenches = matrix("joint_wrenches", lossless, inputs, 6)
    places = {place.joint.name: place for place in setting.tree.places}
    ball = places["d_ball"]
    moment = wrenches[ball.body][:3] if setting.spatial else wrenches[ball.body][3:]
    agree(tau[ball.v_row : ball.v_row + 3], moment, 1e-40)
    if not setting.spatial:
        agree(tau[:6], wrenches[0])
    rows = matrix("inverse_dynamics_regressor", lossless, inputs, 10 * len(setting.tree.body_names))
    joints = tuple(replace(item, actuator=None, elastic=None, loads=()) for item in setting.description.joints)
    bare = replace(setting.description, joints=joints)
    plain = Setting(bare, public_tree(bare), lossless.load_options, ("rail.mass",))
    fewer = {"q": inputs["q"][:-1], "p": inputs["p"], **{name: inputs[name][:-1] for name in ("v", "a")}}
    parameters = [value for name in setting.tree.body_names for value in body_parameters(plain, name, inputs["p"][0])]
    expected = values("inverse_dynamics", plain, fewer)
    agree(matrix_times(rows, parameters)[:-1], expected)
    assert not any(rows[-1])


def body_parameters(setting: Setting, body: str, rail_mass: float) -> list:
    """m, m c, and moments xx, xy, yy, xz, yz, zz about the frame's origin, of a body's links, in the body's axes."""
    index = setting.tree.body_names.index(body)
    names = [place.joint.child for place in setting.tree.places if place.body == index]
    inputs = {"p": [rail_mass]}
    given = setting.given(inputs)
    rest = [mp.mpf(0)] * setting.tree.nv
    q = [mp.mpf(0)] * setting.tree.nq
    for row in setting.tree.quaternions:
        q[row + 3] = mp.mpf(1)
    motion = robot_motion(setting.description, setting.tree, setting.quantities(inputs), q, rest, rest)
    found = [mp.mpf(0)] * 10
    base = motion.links[body]
    for link in setting.description.links:
        if link.name in names and link.inertial is not None:
            mass = mp.mpf(given.get(f"{link.name}.mass", link.inertial.mass))
            R = mp.matrix(base.rotation[0]).T * mp.matrix(motion.links[link.name].rotation[0])
            p = mp.matrix(base.rotation[0]).T * (
                mp.matrix(motion.links[link.name].origin[0]) - mp.matrix(base.origin[0])
            )
            c = p + R * mp.matrix(vector(link.inertial.placement.translation))
            xx, xy, xz, yy, yz, zz = vector(link.inertial.moments)
            turned = R * mp.matrix(nearest_rotation([vector(row) for row in link.inertial.placement.rotation]))
            inertia = turned * mp.matrix([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) * turned.T
            inertia += mass * ((c.T * c)[0] * mp.eye(3) - c * c.T)
            places = ((0, 0), (0, 1), (1, 1), (0, 2), (1, 2), (2, 2))
            found = add(found, [mass, *(mass * x for x in c), *(inertia[place] for place in places)])
    return found
