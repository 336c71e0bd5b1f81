"""What holds between the motion, the momentum and the wrenches of a tree with soft links, to some thirty digits."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from mpmath import mp
from support.oracles.exact_results import matrix, values
from support.oracles.soft_states import agree, drawn, force_of, setting_of
from support.oracles.tree_relations import check_frames
from support.robots.soft_trees import soft_tree

from symdyn.interface.signature import Argument
from symdyn.verify.base.dense import matrix_times
from symdyn.verify.base.matrices import subtract, vector
from symdyn.verify.harness.states import verification_states
from symdyn.verify.oracle.motion import robot_motion
from symdyn.verify.oracle.setting import Setting
from symdyn.verify.oracle.tangent import along_motion
from symdyn.verify.oracle.trajectory import Trajectory
from symdyn.verify.oracle.tree import public_tree


@pytest.fixture(params=["pinocchio", pytest.param("spatial", marks=pytest.mark.slow)])
def setting(request: pytest.FixtureRequest) -> Setting:
    return setting_of(soft_tree(), convention=request.param, joint_losses=True)


@pytest.fixture
def inputs(setting: Setting) -> dict[str, list]:
    return drawn(setting)


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
    names = ("base", "arm", "arm.tip", "finger", "finger.tip", "thumb", "thumb.tip", "nail", "fin", "fin.tip")
    check_frames(setting, inputs, names, agree)


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
