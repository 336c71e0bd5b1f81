"""What holds between the truths on a tree of rigid and flexible links, in both conventions, to some thirty digits.

Forces come from points in motion, masses and energies from sums over points at rest, Coriolis matrices from rates of
partial velocities: a mistake in one breaks a relation to the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from mpmath import mp
from support.oracles import exact_results
from support.oracles.exact_results import matrix, values
from support.oracles.tree_relations import check_frames, christoffels, energies_along
from support.robots.flexible_trees import flexible_tree

from symdyn.description.robot import RobotDescription
from symdyn.errors import VerificationError
from symdyn.interface.signature import Argument
from symdyn.verify.base.dense import matrix_product, matrix_times
from symdyn.verify.base.matrices import add, subtract, unit, vector
from symdyn.verify.harness.states import verification_states
from symdyn.verify.oracle.joint_forces import lost_power
from symdyn.verify.oracle.motion import robot_motion
from symdyn.verify.oracle.setting import Setting
from symdyn.verify.oracle.tangent import along_motion, central_difference
from symdyn.verify.oracle.trajectory import Trajectory
from symdyn.verify.oracle.tree import public_tree
from symdyn.verify.oracle.truth import DIGITS

TIGHT = 1e-23
"""Central differences at fifty digits leave some 1e-32 of the third derivatives, which grow as beams turn."""


def setting_of(robot: RobotDescription, **options: Any) -> Setting:
    return Setting(robot, public_tree(robot, options.get("floating_base")), options)


@pytest.fixture(params=["pinocchio", pytest.param("spatial", marks=pytest.mark.slow)])
def setting(request: pytest.FixtureRequest) -> Setting:
    return setting_of(flexible_tree(), convention=request.param, joint_losses=True)


def drawn(setting: Setting) -> dict[str, list]:
    sizes = {"q": setting.tree.nq, **dict.fromkeys(("v", "a", "tau"), setting.tree.nv)}
    arguments = [Argument(name, (n,), (tuple(map(str, range(n))),), ("",), "") for name, n in sizes.items()]
    states = verification_states(setting.tree, arguments, {}, 1)
    found = {name: vector(rows) for name, rows in states[-1].inputs.items()}
    for row in setting.tree.quaternions:  # unit to all digits, as most relations need
        found["q"][row : row + 4] = unit(found["q"][row : row + 4])
    return found


@pytest.fixture
def inputs(setting: Setting) -> dict[str, list]:
    return drawn(setting)


def agree(found: Sequence, expected: Sequence, tolerance: float = TIGHT) -> None:
    exact_results.agree(found, expected, tolerance)


def test_tips_follow_their_links_and_are_followed_by_what_hangs_on_them() -> None:
    tree = public_tree(flexible_tree())
    assert tree.body_names == (
        *("base", "boom", "boom.tip", "rod", "rod.tip", "hand", "claw"),
        *("wheel", "wing.tip", "fin"),
    )
    assert [(place.joint.child, place.v_row, place.rows) for place in tree.flexures] == [
        ("boom.tip", 7, (6, 6)),
        ("rod.tip", 15, (2, 2)),
        ("wing.tip", 21, (2, 2)),
    ]
    assert (tree.nq, tree.nv, tree.depth) == (26, 24, 13)


def test_mass_matrix_is_the_slope_of_inverse_dynamics(setting: Setting, inputs: dict[str, list]) -> None:
    nv = setting.tree.nv
    M = matrix("mass_matrix", setting, inputs, nv)
    bias = values("bias", setting, inputs)
    agree(values("inverse_dynamics", setting, inputs), add(matrix_times(M, inputs["a"]), bias), 1e-40)
    for column in (*range(6, 17), *range(20, nv)):
        along = [mp.mpf(row == column) for row in range(nv)]
        with mp.workdps(DIGITS):
            pushed = setting.force({**inputs, "a": along})
        agree(subtract(pushed, bias), [row[column] for row in M], 1e-40)
    mp.cholesky(mp.matrix(M))  # fails unless positive definite


def test_forward_dynamics_inverts(setting: Setting, inputs: dict[str, list]) -> None:
    a = values("forward_dynamics", setting, inputs)
    agree(values("inverse_dynamics", setting, {**inputs, "a": a}), inputs["tau"], 1e-38)
    nv = setting.tree.nv
    M, W = (matrix(name, setting, inputs, nv) for name in ("mass_matrix", "mass_matrix_inverse"))
    agree([x for row in matrix_product(M, W) for x in row], [r == c for r in range(nv) for c in range(nv)], 1e-38)


def test_coriolis_matrix(setting: Setting, inputs: dict[str, list]) -> None:
    nv, lossless = setting.tree.nv, replace(setting, load_options={**setting.load_options, "joint_losses": False})
    C = matrix("coriolis_matrix", lossless, inputs, nv)
    M_rate = along_motion(setting, inputs, lambda q: values("mass_matrix", setting, {**inputs, "q": q}))
    rest = [M_rate[row * nv + column] - 2 * C[row][column] for row in range(nv) for column in range(nv)]
    agree([rest[r * nv + c] + rest[c * nv + r] for r in range(nv) for c in range(nv)], [0] * nv**2)
    still = [mp.mpf(0)] * nv
    held = values("inverse_dynamics", lossless, {**inputs, "v": still, "a": still})
    springs = subtract(held, values("gravity", lossless, inputs))
    moving = add(matrix_times(C, inputs["v"]), values("gravity", lossless, inputs))
    damped = [mp.mpf(0)] * nv
    for place in setting.tree.flexures:
        rates = place.velocities(inputs["v"])
        damped[place.v_row : place.v_row + len(rates)] = matrix_times(place.beam.damping, rates)
    motor = next(place.v_row for place in setting.tree.places if place.joint.elastic) + 1
    damped[motor - 1] = (inputs["v"][motor - 1] - inputs["v"][motor]) / 2
    damped[motor] = -damped[motor - 1]
    agree(add(add(moving, springs), damped), values("bias", lossless, inputs))
    with pytest.raises(VerificationError, match="lemma1"):
        values("coriolis_matrix", replace(setting, factorization="lemma1"), inputs)


def test_the_coriolis_matrix_of_simple_joints_is_christoffels() -> None:
    robot = flexible_tree(floating=False)
    locks = {"e_ball": (0.5, 0.5, 0.5, 0.5)}
    setting = Setting(robot, public_tree(robot, None, locks), {"locked_joints": locks})
    inputs = drawn(setting)
    agree(values("coriolis_matrix", setting, inputs), christoffels(setting, inputs))


def test_energies(setting: Setting, inputs: dict[str, list]) -> None:
    v = inputs["v"]
    M = matrix("mass_matrix", setting, inputs, setting.tree.nv)
    (kinetic,) = values("kinetic_energy", setting, inputs)
    agree([kinetic], [mp.fdot(v, matrix_times(M, v)) / 2], 1e-40)
    power = mp.fdot(values("inverse_dynamics", setting, inputs), v) - lost_power(setting, inputs)
    agree([sum(central_difference(energies_along(setting, inputs)))], [power])
    still = [mp.mpf(0)] * setting.tree.nv
    force = values("inverse_dynamics", setting, {**inputs, "v": still, "a": still})
    (slope,) = along_motion(setting, inputs, lambda q: values("potential_energy", setting, {**inputs, "q": q}))
    agree([slope], [mp.fdot(force, v)])


def test_dampers_of_beams_take_power() -> None:
    setting = setting_of(flexible_tree(elastic=False))
    inputs = drawn(setting)
    assert lost_power(setting, inputs) > 0
    for row in {row for place in setting.tree.flexures for row in range(place.v_row, place.v_row + place.rows[1])}:
        inputs["v"][row] = mp.mpf(0)
    assert lost_power(setting, inputs) == 0


def test_centre_of_mass_and_momentum(setting: Setting, inputs: dict[str, list]) -> None:
    nv, v = setting.tree.nv, inputs["v"]
    velocity = values("center_of_mass_velocity", setting, inputs)
    agree(along_motion(setting, inputs, lambda q: values("center_of_mass", setting, {**inputs, "q": q})), velocity)
    momentum = values("centroidal_momentum", setting, inputs)
    agree(matrix_times(matrix("centroidal_momentum_matrix", setting, inputs, nv), v), momentum, 1e-40)
    beams = 1.25 * 0.9 + (0.8 / 2 * (1.5 - 0.2) + 0.4 * 0.5) + 1.1 * 1.1
    total = sum(link.inertial.mass for link in setting.description.links if link.inertial) + beams
    agree(momentum[:3], [total * x for x in velocity], 1e-14)  # the sum of doubles rounds
    # without gravity, nothing but the base's own force and moment changes the momentum
    free = replace(setting, load_options={**setting.load_options, "gravity": (0.0, 0.0, 0.0)})
    tau = values("inverse_dynamics", free, inputs)
    along = Trajectory(free, {**inputs, "V": [*v, *inputs["a"]]})
    grown = along.derivatives(1, lambda state: values("centroidal_momentum", free, dict(state)))[1]
    places = {place.joint.child: place for place in setting.tree.places}
    motion = robot_motion(setting.description, setting.tree, setting.quantities(inputs), inputs["q"], v, inputs["a"])
    turning = motion.links["base"].rotation[0]
    assert places["base"].v_row == 0
    force = tau[3:6] if setting.spatial else matrix_times(turning, tau[:3])
    agree(grown[:3], force)


def test_frames_follow_their_jacobians(setting: Setting, inputs: dict[str, list]) -> None:
    names = ("base", "boom", "boom.tip", "wing", "wing.tip", "rod", "rod.tip", "wheel", "hand", "claw", "cover", "fin")
    check_frames(setting, inputs, names, agree)


def test_frames_at_rest_stand_where_they_are_placed_in_their_links() -> None:
    robot = flexible_tree()
    setting = setting_of(robot)
    inputs = drawn(setting)
    for place in setting.tree.flexures:
        inputs["q"][place.q_row : place.q_row + place.rows[0]] = [mp.mpf(0)] * place.rows[0]
    straight = values("forward_kinematics", setting, inputs)
    rigid = replace(robot, links=tuple(replace(link, flexible=None) for link in robot.links))
    stiff = setting_of(rigid)
    rows = {row for place in setting.tree.flexures for row in range(place.q_row, place.q_row + place.rows[0])}
    fewer = {"q": [value for row, value in enumerate(inputs["q"]) if row not in rows]}
    # in the other order of joints that the rigid robot has, the wheel comes first
    tips = (2, 4, 6)
    kept = [straight[16 * index : 16 * index + 16] for index in range(14) if index not in tips]
    slots = {place.joint.name: place for place in stiff.tree.places}
    before = {place.joint.name: place for place in setting.tree.places}
    q = [mp.mpf(0)] * stiff.tree.nq
    for name, place in slots.items():
        if place.owns_rows:
            size = place.rows[0] + (place.joint.elastic is not None)
            start = before[name].q_row
            q[place.q_row : place.q_row + size] = inputs["q"][start : start + size]
    assert len(fewer["q"]) == len(q)
    agree([x for pose in kept for x in pose], values("forward_kinematics", stiff, {"q": q}), 1e-38)


def test_wrenches_and_regressor_are_inverse_dynamics(setting: Setting, inputs: dict[str, list]) -> None:
    plain = replace(setting, load_options={**setting.load_options, "joint_losses": False})
    tau = values("inverse_dynamics", plain, inputs)
    wrenches = matrix("joint_wrenches", plain, inputs, 6)
    ball = next(place for place in setting.tree.places if place.joint.name == "e_ball")
    moment = wrenches[ball.body][:3] if setting.spatial else wrenches[ball.body][3:]
    agree(tau[ball.v_row : ball.v_row + 3], moment, 1e-40)
    if not setting.spatial:
        agree(tau[:6], wrenches[0])
    # what is not linear in the parameters of rigid links is what remains of tau without them
    Y = matrix("inverse_dynamics_regressor", plain, inputs, 10 * len(setting.tree.body_names))
    hand = setting.tree.body_names.index("hand")
    links = tuple(replace(link, inertial=None) if link.name == "hand" else link for link in plain.description.links)
    lighter = replace(plain, description=replace(plain.description, links=links))
    less = subtract(tau, values("inverse_dynamics", lighter, inputs))
    inertial = next(link.inertial for link in setting.description.links if link.name == "hand")
    assert inertial is not None
    R = mp.matrix(vector(inertial.placement.rotation[0])).T
    for row in inertial.placement.rotation[1:]:
        R = mp.matrix([*R.tolist(), *mp.matrix(vector(row)).T.tolist()])
    xx, xy, xz, yy, yz, zz = vector(inertial.moments)
    c, m = mp.matrix(vector(inertial.placement.translation)), mp.mpf(inertial.mass)
    about = R * mp.matrix([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) * R.T
    about += m * ((c.T * c)[0] * mp.eye(3) - c * c.T)
    parameters = [m, *(m * x for x in c), *(about[at] for at in ((0, 0), (0, 1), (1, 1), (0, 2), (1, 2), (2, 2)))]
    agree([mp.fdot(row[10 * hand : 10 * hand + 10], parameters) for row in Y], less, 1e-14)  # R is of doubles
