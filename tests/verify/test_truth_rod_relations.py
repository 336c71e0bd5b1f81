"""What holds between the truths on a tree of rigid, flexible and soft links, in both conventions, to thirty digits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from mpmath import mp
from support.oracles import exact_results
from support.oracles.exact_results import matrix, values
from support.robots.soft_trees import soft_arm, soft_tree

from symdyn.description.robot import RobotDescription
from symdyn.errors import ModelError, VerificationError
from symdyn.signature import Argument
from symdyn.verify.base.dense import matrix_product, matrix_times
from symdyn.verify.base.matrices import add, rate, rotation_rate, subtract, unit, vector
from symdyn.verify.harness.states import verification_states
from symdyn.verify.oracle.joint_forces import lost_power
from symdyn.verify.oracle.motion import robot_motion
from symdyn.verify.oracle.rod_springs import rod_matrices
from symdyn.verify.oracle.setting import Setting
from symdyn.verify.oracle.tangent import along_motion, central_difference, moved
from symdyn.verify.oracle.trajectory import Trajectory
from symdyn.verify.oracle.tree import public_tree
from symdyn.verify.oracle.truth import DIGITS

TIGHT = 1e-22
"""Central differences at fifty digits leave some 1e-32 of the third derivatives, which grow as rods turn."""


def setting_of(robot: RobotDescription, **options: Any) -> Setting:
    return Setting(robot, public_tree(robot), options)


@pytest.fixture(params=["pinocchio", pytest.param("spatial", marks=pytest.mark.slow)])
def setting(request: pytest.FixtureRequest) -> Setting:
    return setting_of(soft_tree(), convention=request.param, joint_losses=True)


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


def force_of(setting: Setting, inputs: dict[str, list]) -> list:
    """``tau`` without the sizes of its terms, which take longer."""
    with mp.workdps(DIGITS):
        return setting.force(inputs)


def test_tips_of_rods_follow_their_links_as_those_of_beams_do() -> None:
    tree = public_tree(soft_tree())
    names = ("base", "arm", "arm.tip", "thumb", "thumb.tip", "finger", "finger.tip", "fin", "fin.tip")
    assert tree.body_names == names
    assert [(place.joint.child, place.v_row, place.rows) for place in tree.rods] == [
        ("arm.tip", 7, (4, 4)),
        ("thumb.tip", 11, (1, 1)),
        ("finger.tip", 14, (3, 3)),
    ]
    assert (tree.nq, tree.nv) == (21, 20)
    assert tree.depth == 1 + 1 + 3 + 1 + 6  # the steps of the arm, and of the thumb
    assert [place.joint.child for place in tree.flexures] == ["fin.tip"]
    with pytest.raises(ModelError, match="'turn' is no soft link"):
        next(place for place in tree.places if place.joint.name == "turn").rod
    place = tree.rods[0]
    assert place.soft is not None
    with pytest.raises(ModelError, match="soft link 'arm': expected its number of stations"):
        replace(place, soft=replace(place.soft, stations=None)).rod


def test_mass_matrix_is_the_slope_of_inverse_dynamics(setting: Setting, inputs: dict[str, list]) -> None:
    nv = setting.tree.nv
    M = matrix("mass_matrix", setting, inputs, nv)
    bias = values("bias", setting, inputs)
    agree(values("inverse_dynamics", setting, inputs), add(matrix_times(M, inputs["a"]), bias), 1e-40)
    for column in (6, 8, 10, 11, 15):
        pushed = force_of(setting, {**inputs, "a": [mp.mpf(row == column) for row in range(nv)]})
        agree(subtract(pushed, bias), [row[column] for row in M], 1e-40)
    mp.cholesky(mp.matrix(M))  # fails unless positive definite


def test_forward_dynamics_inverts(setting: Setting, inputs: dict[str, list]) -> None:
    a = values("forward_dynamics", setting, inputs)
    agree(force_of(setting, {**inputs, "a": a}), inputs["tau"], 1e-36)


def test_coriolis_matrix(setting: Setting, inputs: dict[str, list]) -> None:
    nv, lossless = setting.tree.nv, replace(setting, load_options={**setting.load_options, "joint_losses": False})
    C = matrix("coriolis_matrix", lossless, inputs, nv)
    M_rate = along_motion(setting, inputs, lambda q: values("mass_matrix", setting, {**inputs, "q": q}))
    rest = [M_rate[row * nv + column] - 2 * C[row][column] for row in range(nv) for column in range(nv)]
    agree([rest[r * nv + c] + rest[c * nv + r] for r in range(nv) for c in range(nv)], [0] * nv**2)
    still = [mp.mpf(0)] * nv
    held = force_of(lossless, {**inputs, "v": still, "a": still})
    springs = subtract(held, values("gravity", lossless, inputs))
    moving = add(matrix_times(C, inputs["v"]), values("gravity", lossless, inputs))
    damped = [mp.mpf(0)] * nv
    for place in setting.tree.rods:
        rates = place.velocities(inputs["v"])
        damping = rod_matrices(place, setting.quantities(inputs))[1]
        damped[place.v_row : place.v_row + len(rates)] = matrix_times(damping, rates)
    motor = next(place.v_row for place in setting.tree.places if place.joint.elastic) + 1
    damped[motor - 1] = (inputs["v"][motor - 1] - inputs["v"][motor]) / 2
    damped[motor] = -damped[motor - 1]
    agree(add(add(moving, springs), damped), values("bias", lossless, inputs))
    with pytest.raises(VerificationError, match="lemma1"):
        values("coriolis_matrix", replace(setting, factorization="lemma1"), inputs)


def test_the_coriolis_matrix_of_simple_joints_is_christoffels() -> None:
    setting = setting_of(soft_tree(floating=False, elastic=False, flexible=False))
    nv, inputs = setting.tree.nv, drawn(setting)
    slopes = []
    for row in range(nv):
        direction = [mp.mpf(row == other) for other in range(nv)]
        slopes.append(
            central_difference(
                lambda h, d=direction: values(  # type: ignore[misc]
                    "mass_matrix", setting, {"q": moved(setting, inputs["q"], d, h, body=True)}
                )
            )
        )

    def symbol(i: int, j: int, k: int) -> Any:
        return (slopes[k][i * nv + j] + slopes[j][i * nv + k] - slopes[i][j * nv + k]) / 2

    expected = [sum(symbol(i, j, k) * inputs["v"][k] for k in range(nv)) for i in range(nv) for j in range(nv)]
    agree(values("coriolis_matrix", setting, inputs), expected)


def test_energies(setting: Setting, inputs: dict[str, list]) -> None:
    v = inputs["v"]
    M = matrix("mass_matrix", setting, inputs, setting.tree.nv)
    (kinetic,) = values("kinetic_energy", setting, inputs)
    agree([kinetic], [mp.fdot(v, matrix_times(M, v)) / 2], 1e-40)

    def energies(h: Any) -> list:
        q = moved(setting, inputs["q"], v, h, body=False)
        later = {**inputs, "q": q, "v": [x + h * y for x, y in zip(v, inputs["a"], strict=True)]}
        return values("kinetic_energy", setting, later) + values("potential_energy", setting, later)

    lost = lost_power(setting, inputs)
    power = mp.fdot(force_of(setting, inputs), v) - lost
    agree([sum(central_difference(energies))], [power])
    held = dict(inputs, v=[mp.mpf(0) if 7 <= row < 11 else x for row, x in enumerate(v)])
    assert lost > lost_power(setting, held) > 0


def test_centre_of_mass_and_momentum(setting: Setting, inputs: dict[str, list]) -> None:
    nv, v = setting.tree.nv, inputs["v"]
    velocity = values("center_of_mass_velocity", setting, inputs)
    agree(along_motion(setting, inputs, lambda q: values("center_of_mass", setting, {**inputs, "q": q})), velocity)
    momentum = values("centroidal_momentum", setting, inputs)
    agree(matrix_times(matrix("centroidal_momentum_matrix", setting, inputs, nv), v), momentum, 1e-40)
    # without gravity, nothing but the base's own force and moment changes the momentum
    free = replace(setting, load_options={**setting.load_options, "gravity": (0.0, 0.0, 0.0)})
    tau = force_of(free, inputs)
    along = Trajectory(free, {**inputs, "V": [*v, *inputs["a"]]})
    grown = along.derivatives(1, lambda state: values("centroidal_momentum", free, dict(state)))[1]
    motion = robot_motion(setting.description, setting.tree, setting.quantities(inputs), inputs["q"], v, inputs["a"])
    force = tau[3:6] if setting.spatial else matrix_times(motion.links["base"].rotation[0], tau[:3])
    agree(grown[:3], force)


def test_frames_follow_their_jacobians(setting: Setting, inputs: dict[str, list]) -> None:
    nv = setting.tree.nv
    q, v, a = (inputs[name] for name in ("q", "v", "a"))
    motion = robot_motion(setting.description, setting.tree, setting.quantities(inputs), q, v, a, setting.spatial)
    J, J_rate = (matrix(name, setting, inputs, nv) for name in ("jacobians", "jacobians_time_derivative"))
    X = values("forward_kinematics", setting, inputs)
    names = ("base", "arm", "arm.tip", "finger", "finger.tip", "thumb", "thumb.tip", "nail", "fin", "fin.tip")
    assert len(J) == 6 * (len(names) + 2) and len(X) == 16 * (len(names) + 2)
    for index, name in enumerate(names):
        moving = motion.links[name]
        pose = X[16 * index : 16 * index + 16]
        agree(pose[3:12:4], moving.origin[0], 1e-40)
        turned = [pose[4 * row + column] for row in range(3) for column in range(3)]
        agree(turned, [x for row in moving.rotation[0] for x in row], 1e-40)
        speed, turning = rate(moving.origin), rotation_rate(moving.rotation)
        rows, rates = J[6 * index : 6 * index + 6], J_rate[6 * index : 6 * index + 6]
        agree(matrix_times(rows, v), [*speed[0], *turning[0]])
        agree(add(matrix_times(rows, a), matrix_times(rates, v)), [*speed[1], *turning[1]])


def test_frames_at_rest_stand_where_they_are_placed_in_their_links() -> None:
    robot = soft_tree(elastic=False, flexible=False)
    setting, stiff = setting_of(robot), setting_of(replace(robot, links=tuple(map(stiffened, robot.links))))
    q = {place.joint.name: mp.mpf(place.v_row) / 7 for place in setting.tree.places}
    poses = []
    for own in (setting, stiff):
        state = [mp.mpf(0)] * own.tree.nq
        state[6] = mp.mpf(1)
        for place in own.tree.places:
            if place.rows == (1, 1) and place.owns_rows and not place.bends:
                state[place.q_row] = q[place.joint.name]
        poses.append(values("forward_kinematics", own, {"q": state}))
    tips = (2, 4, 6)  # parallel to their links, at the tip of the curved rod
    kept = [poses[0][16 * index : 16 * index + 16] for index in range(len(poses[0]) // 16) if index not in tips]
    agree([x for pose in kept for x in pose], poses[1], 1e-40)
    for tip in tips:
        agree(
            *([poses[0][16 * at + 4 * row + k] for row in range(3) for k in range(3)] for at in (tip, tip - 1)), 1e-48
        )


def stiffened(link: Any) -> Any:
    return replace(link, soft=None)


def test_wrenches_and_regressor_are_inverse_dynamics(setting: Setting, inputs: dict[str, list]) -> None:
    plain = replace(setting, load_options={**setting.load_options, "joint_losses": False})
    tree, tau = setting.tree, force_of(plain, inputs)
    wrenches = matrix("joint_wrenches", plain, inputs, 6)
    slide = next(place for place in tree.places if place.joint.name == "slide")
    force = wrenches[slide.body][3:] if setting.spatial else wrenches[slide.body][:3]
    agree([tau[slide.v_row]], [mp.fdot(slide.joint.axis, force)], 1e-15)  # the axis is of doubles
    if not setting.spatial:
        agree(tau[:6], wrenches[0])
    # what pulls at a tip is felt through its Jacobian
    pull, frame = vector((1, -2, 3, 0.5, 0.25, -1)), 2
    wrench = [*pull[3:], *pull[:3]] if setting.spatial else pull
    J = matrix("jacobians", plain, inputs, tree.nv)[6 * frame : 6 * frame + 6]
    f_ext = [wrench if name == "arm.tip" else [mp.mpf(0)] * 6 for name in tree.body_names]
    loaded = force_of(replace(plain, external="world"), {**inputs, "f_ext": [x for row in f_ext for x in row]})
    agree(subtract(tau, loaded), [mp.fdot(pull, column) for column in zip(*J, strict=True)], 1e-40)
    # tau is linear in the density of a rod
    Y = matrix("inverse_dynamics_regressor", plain, inputs, 10 * len(tree.body_names) + 3)
    soft = replace(setting, parameter_names=("arm.material.density",), load_options=plain.load_options)
    for column, name in enumerate(("arm", "thumb", "finger")):
        denser = replace(soft, parameter_names=(f"{name}.material.density",))
        low, high = (force_of(denser, {**inputs, "p": [p]}) for p in (500.0, 1500.0))
        agree([x / 1000 for x in subtract(high, low)], [row[10 * len(tree.body_names) + column] for row in Y], 1e-40)
    bodies = sum(abs(x) for row in Y for x in row[10 * tree.body_names.index("arm.tip") :][:10])
    assert bodies > 0


def test_stiffness_and_viscosity_are_run_time_parameters() -> None:
    setting = setting_of(soft_arm())
    names = ("arm.material.youngs_modulus", "arm.material.viscosity", "arm.material.retardation_time")
    asked, inputs = replace(setting, parameter_names=names), drawn(setting)
    (place,) = setting.tree.rods
    K, R = rod_matrices(place, setting.quantities({}))
    d, rates = place.coordinates(inputs["q"]), place.velocities(inputs["v"])
    tau = force_of(setting, inputs)
    changed = force_of(asked, {**inputs, "p": [6e5, 600.0, 0.125]})
    expected = [mp.mpf(0)] * setting.tree.nv
    more = add(matrix_times(K, d), [2 * x for x in matrix_times(R, rates)])
    expected[1:3] = add(more, [x / 4 for x in matrix_times(K, rates)])
    agree(subtract(changed, tau), expected, 1e-45)


def test_partial_derivatives_of_both_dynamics_belong_together() -> None:
    setting = setting_of(soft_arm())
    inputs, nv = drawn(setting), setting.tree.nv
    a = values("forward_dynamics", setting, inputs)
    by_tau = values("inverse_dynamics_partials", setting, {**inputs, "a": a})
    by_a = values("forward_dynamics_partials", setting, inputs)
    size = nv * nv
    blocks = [[part[first + row * nv :][:nv] for row in range(nv)] for part in (by_tau, by_a) for first in (0, size)]
    M = matrix("mass_matrix", setting, inputs, nv)
    agree([x for row in M for x in row], by_tau[2 * size :], 1e-28)
    for force, acceleration in ((blocks[0], blocks[2]), (blocks[1], blocks[3])):
        pushed = matrix_product(M, acceleration)
        agree([x + y for rows in zip(pushed, force, strict=True) for x, y in zip(*rows, strict=True)], [0] * size)


def test_time_derivatives_of_both_dynamics_are_inverse() -> None:
    setting = replace(setting_of(soft_arm(), joint_losses=True), order=2)
    inputs, nv = drawn(setting), setting.tree.nv
    V = [mp.sin(3 * row + 1) for row in range(4 * nv)]
    T = values("inverse_dynamics_time_derivatives", setting, {"q": inputs["q"], "V": V})
    found = values("forward_dynamics_time_derivatives", setting, {"q": inputs["q"], "v": V[:nv], "T": T})
    agree(found, V[nv:], 1e-16)
    at = Trajectory(setting, {"q": inputs["q"], "V": V}).at
    first = central_difference(lambda h: force_of(setting, dict(at(h))))
    agree(T[nv : 2 * nv], first, 1e-18)


def test_drawn_states_keep_rods_within_their_steps() -> None:
    tree = public_tree(soft_tree())
    argument = Argument("q", (tree.nq,), (tuple(map(str, range(tree.nq))),), ("",), "")
    states = [state.inputs["q"] for state in verification_states(tree, [argument], {}, 30)]
    for place in tree.rods:
        most = [mp.mpf(0)] * place.rows[0]
        for q in states:
            own = [abs(x) for x in place.coordinates(q)]
            most = [max(pair) for pair in zip(most, own, strict=True)]
            turn = mp.fdot(own, place.rod.sharpest) + place.rod.bent
            assert place.soft is not None and turn <= place.soft.max_turn_per_step
        turns = [value * steepest for value, steepest in zip(most, place.steepest, strict=True)]
        assert all(turn > 0.3 or not steepest for turn, steepest in zip(turns, place.steepest, strict=True))
        assert all(
            0.01 < value * longest <= 0.4 for value, longest in zip(most, place.rod.longest, strict=True) if longest
        )
