"""What must hold for the oracle on a robot with every joint kind: energy, equivalent descriptions, projections."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from mpmath import mp

from symdyn.description.quantities.expression import Expression
from symdyn.description.robot import Inertial, Joint, JointKind, Link, Losses, Parameter, Placement, RobotDescription
from symdyn.errors import ModelError, RequestError
from symdyn.interface.signature import Argument
from symdyn.verify.base.matrices import (
    add,
    cross,
    dot,
    product,
    rate,
    rotation_rate,
    scale,
    series_product,
    series_times,
    subtract,
    times,
    transpose,
    vector,
)
from symdyn.verify.harness.states import verification_states
from symdyn.verify.oracle.motion import robot_motion
from symdyn.verify.oracle.quantities import Quantities
from symdyn.verify.oracle.tree import Tree, public_tree
from symdyn.verify.oracle.truth import inverse_dynamics

GRAVITY = (1.5, -2.0, -9.0)


def argument(name: str, size: int) -> Argument:
    return Argument(name, (size,), (tuple(f"{name}{row}" for row in range(size)),), ("",), "")


def state_of(tree: Tree, seed: int = 3) -> tuple[list[float], list[float], list[float]]:
    inputs = (argument("q", tree.nq), argument("v", tree.nv), argument("a", tree.nv))
    drawn = verification_states(tree, inputs, {}, 1, seed)[-1].inputs
    return list(drawn["q"]), list(drawn["v"]), list(drawn["a"])


def agree(found: Sequence, expected: Sequence, tolerance: float = 1e-40) -> None:
    assert len(found) == len(expected)
    assert max(abs(a - b) for a, b in zip(found, expected, strict=True)) < tolerance * max(abs(x) for x in expected)


def rotated(a: Sequence, rows: Sequence[Sequence[float]]) -> list:
    return times([vector(row) for row in rows], vector(a))


@pytest.mark.parametrize("convention", ["pinocchio", "spatial"])
def test_power_is_the_rate_of_energy(mixed: RobotDescription, convention: str) -> None:
    tree = public_tree(mixed)
    q, v, a = state_of(tree)
    tau = inverse_dynamics(mixed, q, v, a, gravity=GRAVITY, convention=convention)
    spatial = convention == "spatial"
    motion = robot_motion(mixed, tree, Quantities(mixed, {}), vector(q), vector(v), vector(a), spatial)
    power = mp.mpf(0)
    for link in mixed.links:
        assert link.inertial is not None
        turning, origin = motion.links[link.name].rotation, motion.links[link.name].origin
        center = [
            add(p, times(R, vector(link.inertial.placement.translation)))  # type: ignore[arg-type]
            for p, R in zip(origin, turning, strict=True)
        ]
        xx, xy, xz, yy, yz, zz = vector(link.inertial.moments)  # type: ignore[arg-type]
        axes = [vector(row) for row in link.inertial.placement.rotation]
        inertia = product(product(axes, [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]), transpose(axes))
        speed, omega = rate(center), rotation_rate(turning)
        carried = series_product([product(R, inertia) for R in turning[:2]], [transpose(R) for R in turning[:2]])
        momentum = series_times(carried, omega)
        mass = mp.mpf(link.inertial.mass)  # type: ignore[arg-type]
        # first-order coefficients of m c'^2 / 2 - m g . c + omega . h / 2
        power += mass * (dot(speed[0], speed[1]) - dot(vector(GRAVITY), speed[0]))
        power += (dot(omega[0], momentum[1]) + dot(omega[1], momentum[0])) / 2
    # placements are orthogonal to rounding only, and the energy above takes them as they are
    assert abs(dot(tau, vector(v)) - power) < 1e-14 * abs(power)


def test_gravity_is_an_external_force_at_each_centre_of_mass(mixed: RobotDescription) -> None:
    tree = public_tree(mixed)
    q, v, a = state_of(tree)
    falling = inverse_dynamics(mixed, q, v, a, gravity=GRAVITY)
    motion = robot_motion(mixed, tree, Quantities(mixed, {}), vector(q), vector(v), vector(a))
    body_of = {place.joint.child: place.body for place in tree.places}
    wrenches = [[mp.mpf(0)] * 6 for _ in tree.body_names]
    for link in mixed.links:
        assert link.inertial is not None
        moving = motion.links[link.name]
        center = add(moving.origin[0], times(moving.rotation[0], vector(link.inertial.placement.translation)))  # type: ignore[arg-type]
        force = scale(mp.mpf(link.inertial.mass), vector(GRAVITY))  # type: ignore[arg-type]
        body = body_of[link.name]
        arm = subtract(center, motion.links[tree.body_names[body]].origin[0])
        wrenches[body] = add(wrenches[body], [*force, *cross(arm, force)])
    weightless = {"gravity": (0.0, 0.0, 0.0)}
    agree(inverse_dynamics(mixed, q, v, a, external_wrenches=wrenches, frame="world", **weightless), falling)  # type: ignore[arg-type]
    turned = []
    for name, wrench in zip(tree.body_names, wrenches, strict=True):
        back = transpose(motion.links[name].rotation[0])
        turned.append([*times(back, wrench[:3]), *times(back, wrench[3:])])
    # a quaternion's matrix is orthogonal as far as its norm is 1, hence not to fifty digits
    agree(inverse_dynamics(mixed, q, v, a, external_wrenches=turned, **weightless), falling, 1e-14)  # type: ignore[arg-type]


def test_spatial_base_is_the_same_motion_about_the_world_origin(mixed: RobotDescription) -> None:
    tree = public_tree(mixed)
    q, v, a = state_of(tree)
    plain = inverse_dynamics(mixed, q, v, a, gravity=GRAVITY)
    motion = robot_motion(mixed, tree, Quantities(mixed, {}), vector(q), vector(v), vector(a)).links["base"]
    omega, velocity, position = rotation_rate(motion.rotation), rate(motion.origin), motion.origin
    twist = [*omega[0], *subtract(velocity[0], cross(omega[0], position[0]))]
    swept = add(cross(omega[1], position[0]), cross(omega[0], velocity[0]))
    twist_rate = [*omega[1], *subtract(velocity[1], swept)]
    spatial = inverse_dynamics(mixed, q, [*twist, *v[6:]], [*twist_rate, *a[6:]], gravity=GRAVITY, convention="spatial")
    force, moment = times(motion.rotation[0], plain[:3]), times(motion.rotation[0], plain[3:6])
    # the drawn quaternion is of unit norm to some 1e-18
    agree(spatial, [*add(moment, cross(position[0], force)), *force, *plain[6:]], 1e-15)


@pytest.mark.parametrize("others", [(), (("c_slide", 0.6), ("f_screw", -0.4))])
def test_mimic_projects_the_unreduced_robot(mixed: RobotDescription, others: tuple[tuple[str, float], ...]) -> None:
    *joints, last = mixed.joints
    assert last.mimic is not None
    mixed = replace(mixed, joints=(*joints, replace(last, mimic=replace(last.mimic, others=others))))
    free = replace(mixed, joints=tuple(replace(joint, mimic=None) for joint in mixed.joints))
    tree, full = public_tree(mixed), public_tree(free)
    q, v, a = state_of(tree)
    assert full.nv == tree.nv + 1
    rows = {place.joint.name: (place.q_row, place.v_row) for place in full.places}
    row_q, row_v = rows["j_follow"]
    mimic = mixed.joints[-1].mimic
    assert mimic is not None and mimic.joint == "b_turn"
    places = {place.joint.name: (place.q_row, place.v_row) for place in tree.places}

    def expanded(values: Sequence[float], row: int, which: int, offset: float) -> list:
        led = mp.fsum(mp.mpf(gain) * values[places[name][which]] for name, gain in mimic.terms)
        return [*values[:row], led + mp.mpf(offset), *values[row:]]

    tau_full = inverse_dynamics(
        free,
        expanded(q, row_q, 0, mimic.offset),
        expanded(v, row_v, 1, 0.0),
        expanded(a, row_v, 1, 0.0),
        gravity=GRAVITY,
        joint_losses=True,
    )
    projected = [value for row, value in enumerate(tau_full) if row != row_v]
    for name, gain in mimic.terms:
        projected[places[name][1]] += mp.mpf(gain) * tau_full[row_v]
    agree(inverse_dynamics(mixed, q, v, a, gravity=GRAVITY, joint_losses=True), projected)


def test_chains_of_mimics_compose(mixed: RobotDescription) -> None:
    follow = mixed.joints[-1]
    assert follow.mimic is not None
    chain = replace(
        mixed,
        links=(*mixed.links, Link("tip", Inertial(0.4, (0.01, 0, 0, 0.02, 0, 0.03), Placement((0.1, 0, 0))))),
        joints=(
            *mixed.joints,
            Joint("k_last", JointKind.REVOLUTE, "finger", "tip", mimic=replace(follow.mimic, joint="j_follow")),
        ),
    )
    direct = replace(follow.mimic, multiplier=(-1.7) ** 2, offset=-1.7 * 0.4 + 0.4)
    short = replace(chain, joints=(*mixed.joints, replace(chain.joints[-1], mimic=direct)))
    q, v, a = state_of(public_tree(chain))
    agree(inverse_dynamics(chain, q, v, a), inverse_dynamics(short, q, v, a), 1e-14)


@pytest.mark.parametrize("locked", [{"b_turn": 0.7}, {"c_slide": -0.3, "h_free": (0.1, 0.2, 0.3, 0.0, 0.6, 0.0, 0.8)}])
def test_locked_joints_are_joints_that_do_not_move(mixed: RobotDescription, locked: dict) -> None:
    tree, full = public_tree(mixed, None, locked), public_tree(mixed)
    q, v, a = state_of(tree)
    small = {place.joint.name: place for place in tree.places if place.locked is None and place.joint.mimic is None}
    q_full, v_full, a_full, kept = [], [], [], []
    for place in full.places:
        if place.joint.mimic is None and place.joint.kind is not JointKind.FIXED:
            own = small.get(place.joint.name)
            zero = [0.0] * len(place.velocities([0.0] * full.nv))
            still = locked.get(place.joint.name)
            q_full += own.coordinates(q) if own else list(still) if isinstance(still, tuple) else [still]
            v_full += own.velocities(v) if own else zero
            a_full += own.velocities(a) if own else zero
            kept += [own is not None] * len(zero)
    tau = inverse_dynamics(mixed, q_full, v_full, a_full, gravity=GRAVITY)
    expected = [value for value, keep in zip(tau, kept, strict=True) if keep]
    # (0, 0.6, 0, 0.8) is a unit quaternion to rounding, and a lock is normalised
    agree(inverse_dynamics(mixed, q, v, a, gravity=GRAVITY, locked_joints=locked), expected, 1e-14)


def test_order_of_joints_bodies_and_rows(mixed: RobotDescription, mixed_fixed: RobotDescription) -> None:
    tree = public_tree(mixed)
    names = [place.joint.name for place in tree.places]
    assert names == [
        "root", "a_flat", "e_weld", "f_screw", "g_cardan",
        "b_turn", "c_slide", "d_ball", "j_follow", "h_free", "i_wheel",
    ]  # fmt: skip
    assert tree.body_names == (
        "base", "plate", "screw", "shaft", "arm", "rail", "ball", "finger", "drone", "wheel"
    )  # fmt: skip
    assert (tree.nq, tree.nv, tree.depth) == (7 + 3 + 1 + 2 + 1 + 1 + 4 + 7 + 1, 6 + 3 + 1 + 2 + 1 + 1 + 3 + 6 + 1, 5)
    assert tree.quaternions == (3, 15, 22)
    assert (public_tree(mixed, False).nv, public_tree(mixed_fixed).nv) == (tree.nv - 6, tree.nv - 6)


def test_siblings_sort_by_bytes() -> None:
    names = ["é", "a10", "a9", "Z", "z"]
    links = (Link("base"), *(Link(f"link {name}") for name in names))
    joints = tuple(Joint(name, JointKind.REVOLUTE, "base", f"link {name}") for name in names)
    tree = public_tree(RobotDescription("names", links, joints))
    assert [place.joint.name for place in tree.places] == ["Z", "a10", "a9", "z", "é"]


def test_losses_act_at_the_joint(mixed: RobotDescription) -> None:
    tree = public_tree(mixed)
    q, v, a = state_of(tree)
    free = inverse_dynamics(mixed, q, v, a)
    lossy = inverse_dynamics(mixed, q, v, a, joint_losses=True)
    row = next(place.v_row for place in tree.places if place.joint.name == "c_slide")
    speed = mp.mpf(v[row])
    expected = mp.mpf(0.3) * speed + mp.mpf(0.2) * mp.tanh(speed / mp.mpf(0.05))
    assert abs(lossy[row] - free[row] - expected) < 1e-40
    assert all(lossy[index] == free[index] for index in range(6))
    dry = replace(mixed, joints=tuple(replace(joint, losses=Losses(0.0, 0.2, 0.0)) for joint in mixed.joints))
    hard = inverse_dynamics(dry, q, v, a, joint_losses=True)
    assert abs(hard[row] - free[row] - mp.mpf(0.2) * mp.sign(speed)) < 1e-40


def test_parameters_and_expressions() -> None:
    arm = Inertial(Expression("rho*length"), (Expression("rho*length**3/12"), 0.0, 0.0, 0.5, 0.0, 0.5),
                   Placement((Expression("length/2"), 0.0, 0.0)))  # fmt: skip
    robot = RobotDescription(
        "rod",
        (Link("base"), Link("arm", arm)),
        (Joint("swing", JointKind.REVOLUTE, "base", "arm", axis=(0.0, 1.0, 0.0)),),
        parameters=(
            Parameter("rho", None, runtime=True),
            Parameter("length", Expression("2*half")),
            Parameter("half", 0.25),
        ),
        gravity=(0.0, 0.0, -10.0),
    )
    (tau,) = inverse_dynamics(robot, [0.0], [0.0], [0.0], parameters={"rho": 3.0})
    assert tau == mp.mpf(-1.5) * 10 / 4
    (heavier,) = inverse_dynamics(robot, [0.0], [0.0], [0.0], parameters={"rho": 3.0, "arm.mass": 6.0})
    assert heavier == 4 * tau
    (floating_away,) = inverse_dynamics(robot, [0.0], [0.0], [0.0], parameters={"rho": 3.0, "gravity.z": 5.0})
    assert floating_away == -tau / 2
    with pytest.raises(ModelError, match="parameter 'rho' has no value"):
        inverse_dynamics(robot, [0.0], [0.0], [0.0])


def test_refusals(mixed: RobotDescription) -> None:
    tree = public_tree(mixed)
    q, v, a = state_of(tree)
    with pytest.raises(RequestError, match="v has 1 rows, expected 24"):
        inverse_dynamics(mixed, q, [0.0], a)
    with pytest.raises(RequestError, match="got 'paper', 'body'"):
        inverse_dynamics(mixed, q, v, a, convention="paper")
    with pytest.raises(RequestError, match="expected 10 rows of six"):
        inverse_dynamics(mixed, q, v, a, external_wrenches=[[0.0] * 6])
    with pytest.raises(ModelError, match="'nose' is not a joint of robot 'mixed'"):
        public_tree(mixed, None, {"nose": 0.0})
    with pytest.raises(ModelError, match=r"'h_free': expected 7 number\(s\), got 1"):
        public_tree(mixed, None, {"h_free": 0.0})


def test_a_follower_needs_a_leader_that_moves(mixed: RobotDescription) -> None:
    weld = replace(mixed.joints[0], kind=JointKind.FIXED)
    with pytest.raises(ModelError, match="'j_follow' mimics 'b_turn', which owns no coordinate"):
        public_tree(replace(mixed, joints=(weld, *mixed.joints[1:])))
