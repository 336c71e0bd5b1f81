"""Beams of the oracle against closed forms: rods, cantilevers under load, frequencies, dampers, arcs."""

from __future__ import annotations

from dataclasses import replace

import pytest
from mpmath import mp
from support.robots.flexible_trees import flexible_tree, stepped, uniform

from symdyn.description.flexible import Basis, Direction, Flexible, Modes, Profile
from symdyn.description.robot import Inertial, Joint, JointKind, Link, Placement, RobotDescription
from symdyn.errors import ModelError, VerificationError
from symdyn.interface.signature import Argument
from symdyn.verify.base.matrices import subtract, vector
from symdyn.verify.base.quadrature import settled_rule
from symdyn.verify.harness.states import verification_states
from symdyn.verify.oracle.beam_points import beam_of, beam_points
from symdyn.verify.oracle.beam_shapes import families
from symdyn.verify.oracle.flexure import exponential_series
from symdyn.verify.oracle.setting import Setting
from symdyn.verify.oracle.tree import public_tree
from symdyn.verify.oracle.truth import inverse_dynamics
from symdyn.verify.oracle.truths import TRUTHS

LENGTH, DENSITY, STIFFNESS = 2.0, 0.75, 12.0


def beam(basis: Basis, count: int, direction: Direction = Direction.BEND_Y, **options: object) -> Flexible:
    modes = Modes(direction, basis, count, uniform(LENGTH, STIFFNESS))
    return replace(Flexible(LENGTH, uniform(LENGTH, DENSITY), (modes,)), **options)  # type: ignore[arg-type]


def turning(flexible: Flexible) -> RobotDescription:
    """A beam that turns about z at its root, with no hub and no load."""
    joints = (Joint("turn", JointKind.REVOLUTE, "base", "arm", axis=(0.0, 0.0, 1.0)),)
    return RobotDescription("one", (Link("base"), Link("arm", flexible=flexible)), joints)


def setting_of(robot: RobotDescription) -> Setting:
    return Setting(robot, public_tree(robot), {})


def close(found: object, expected: object, tolerance: float = 1e-40) -> None:
    assert abs(mp.mpf(found) - mp.mpf(expected)) < tolerance * max(1, abs(mp.mpf(expected)))


def test_a_straight_beam_turns_and_weighs_as_a_rod() -> None:
    robot = turning(beam(Basis.CLAMPED_FREE, 2))
    mass = mp.mpf(DENSITY * LENGTH)
    zero = [0.0] * 3
    (tau, *_) = inverse_dynamics(robot, zero, zero, [1.0, 0.0, 0.0], gravity=(0.0, 0.0, 0.0))
    close(tau, mass * LENGTH**2 / 3, 1e-18)
    (tau, *_) = inverse_dynamics(robot, zero, zero, zero, gravity=(0.0, -9.5, 0.0))
    close(tau, mass * mp.mpf(9.5) * LENGTH / 2, 1e-18)


def test_a_cantilever_under_load_bends_into_its_cubic() -> None:
    robot = turning(beam(Basis.POLYNOMIAL, 2))
    load = mp.mpf(0.375)
    deflected = [load * LENGTH**3 / (2 * mp.mpf(STIFFNESS)), -load * LENGTH**3 / (6 * mp.mpf(STIFFNESS))]
    zero, pushed = [0.0] * 3, [[0.0] * 6, [0.0, load, 0.0, 0.0, 0.0, 0.0]]
    tau = inverse_dynamics(
        robot, [0.0, *deflected], zero, zero, gravity=(0.0,) * 3, external_wrenches=pushed, frame="world"
    )
    close(tau[0], -load * LENGTH, 1e-20)
    close(tau[1], 0, 1e-20)
    close(tau[2], 0, 1e-20)
    places = TRUTHS["forward_kinematics"](setting_of(robot), {"q": [0.0, *deflected]}).values[32:]
    close(places[7], load * LENGTH**3 / (3 * mp.mpf(STIFFNESS)), 1e-40)  # P L^3 / 3 E I
    slope = load * LENGTH**2 / (2 * mp.mpf(STIFFNESS))
    close(places[4], mp.sin(slope), 1e-40)


@pytest.mark.parametrize(
    ("basis", "equation", "start"),
    [
        (Basis.CLAMPED_FREE, lambda b: mp.cos(b) * mp.cosh(b) + 1, (1.8751, 4.6941)),
        (Basis.CLAMPED_CLAMPED, lambda b: mp.cos(b) * mp.cosh(b) - 1, (4.73, 7.8532)),
        (Basis.PINNED_PINNED, mp.sin, (3.1416, 6.2832)),
    ],
)
def test_natural_modes_vibrate_at_their_frequencies_with_their_damping(basis: Basis, equation, start) -> None:
    flexible = beam(basis, 2)
    damped = replace(flexible, modes=(replace(flexible.modes[0], damping_ratios=(0.03, 0.05)),))
    robot = RobotDescription("clamped", (Link("base", flexible=damped),), ())
    setting = setting_of(robot)
    M = TRUTHS["mass_matrix"](setting, {"q": [0.0, 0.0]}).values
    zero = [0.0, 0.0]
    for mode, (guess, ratio) in enumerate(zip(start, (0.03, 0.05), strict=True)):
        root = mp.findroot(equation, guess)
        omega = (root / LENGTH) ** 2 * mp.sqrt(mp.mpf(STIFFNESS) / DENSITY)
        unit = [float(place == mode) for place in range(2)]
        held = inverse_dynamics(robot, unit, zero, zero, gravity=(0.0,) * 3)
        moved = inverse_dynamics(robot, zero, unit, zero, gravity=(0.0,) * 3)
        for row in range(2):
            close(held[row], omega**2 * M[2 * row + mode], 1e-18)
            close(moved[row], 2 * mp.mpf(ratio) * omega * M[2 * row + mode], 1e-18)
        close(M[3 * mode], DENSITY * LENGTH, 1e-18)
    close(M[1], 0, 1e-18)


def test_damping_ratios_of_shapes_that_are_no_modes_are_those_of_the_modes() -> None:
    ratios = (0.02, 0.07)
    flexible = beam(Basis.POLYNOMIAL, 2)
    found = beam_of(replace(flexible, modes=(replace(flexible.modes[0], damping_ratios=ratios),)))
    M = mp.matrix([[mp.mpf(DENSITY) * LENGTH / (5 + k + j) for k in range(2)] for j in range(2)])
    K, D = mp.matrix(found.stiffness), mp.matrix(found.damping)
    # with x' = y and y' = -M^-1 (K x + D y) the pairs of poles are -z w +- w sqrt(z^2 - 1)
    first_order = mp.matrix(4)
    pulled = -(M**-1) * K
    braked = -(M**-1) * D
    for row in range(2):
        first_order[row, 2 + row] = 1
        for column in range(2):
            first_order[2 + row, column], first_order[2 + row, 2 + column] = pulled[row, column], braked[row, column]
    poles = sorted((pole for pole in mp.eig(first_order, right=False) if pole.imag > 0), key=abs)
    for pole, ratio in zip(poles, ratios, strict=True):
        close(-pole.real / abs(pole), mp.mpf(ratio), 1e-20)


def test_a_hub_turns_with_the_root_section() -> None:
    inertia = 0.5
    with_hub = beam(Basis.PINNED_HUB, 2, hub_inertia=(0.0, 0.0, inertia))
    zero = [0.0] * 3
    spin = [1.0, 0.0, 0.0]
    (tau, *rest) = inverse_dynamics(turning(with_hub), zero, zero, spin, gravity=(0.0,) * 3)
    close(tau, mp.mpf(DENSITY) * LENGTH**3 / 3 + inertia, 1e-18)
    M = TRUTHS["mass_matrix"](setting_of(turning(with_hub)), {"q": zero}).values
    # where nothing holds the hub, its modes swing each by itself with the mass of the beam
    left = [[M[3 * k + j] - M[k] * M[j] / M[0] for j in (1, 2)] for k in (1, 2)]
    close(left[0][0], DENSITY * LENGTH, 1e-15)  # the ratio of hub and beam is a double
    close(left[1][1], DENSITY * LENGTH, 1e-15)
    close(left[0][1], 0, 1e-15)
    assert abs(rest[0]) > 0.1  # and turn it as they swing
    ratios = (0.03, 0.05)
    damped = replace(with_hub, modes=(replace(with_hub.modes[0], damping_ratios=ratios),))
    found = beam_of(damped)
    for k, ratio in enumerate(ratios):
        critical = 2 * mp.sqrt(mp.mpf(found.stiffness[k][k]) * DENSITY * LENGTH)
        close(found.damping[k][k], ratio * critical, 1e-14)


def test_a_beam_that_keeps_its_length_ends_on_its_arc() -> None:
    """A deflection d (x / L)^2 takes 2 d^2 / (3 L) from the x of the tip, to second order."""
    flexible = beam(Basis.POLYNOMIAL, 1, stiffening=True)
    d = mp.mpf(0.125)
    tip = beam_of(flexible).tip.positions([[d]])[0]
    close(tip[0], LENGTH - 2 * d**2 / (3 * mp.mpf(LENGTH)), 1e-40)
    close(tip[1], d, 1e-40)


def test_steps_and_tapers_are_integrated_stretch_by_stretch() -> None:
    flexible = beam(Basis.POLYNOMIAL, 1, mass_per_length=stepped(LENGTH, "1.5 - x", "0.25"))
    bent = replace(flexible.modes[0], stiffness=stepped(LENGTH, "12.0", "3.0 + x"))
    found = beam_of(replace(flexible, modes=(bent,)))
    mass = mp.fsum(point.mass for point in found.points)
    close(mass, mp.mpf(1.5) - 0.5 + 0.25, 1e-40)
    # (2 / L^2)^2 times the integral of E I
    close(found.stiffness[0][0], (12 + 3 + mp.mpf(3) / 2) * 4 / mp.mpf(LENGTH) ** 4, 1e-40)


def test_a_beam_as_stiff_as_one_likes_moves_as_a_rigid_link() -> None:
    """The force on a rigid robot accelerates a stiff one as much, but for what is left of the order of 1 / E I."""
    joint = Joint("turn", JointKind.REVOLUTE, "base", "arm", axis=(0.0, 0.0, 1.0))
    grip = Joint("grip", JointKind.REVOLUTE, "arm", "hand", Placement((LENGTH, 0.25, 0.0)), (0.0, 0.0, 1.0))
    hand = Link("hand", Inertial(0.5, (0.01, 0.0, 0.0, 0.02, 0.0, 0.03), Placement((0.25, 0.0, 0.0))))
    rod = DENSITY * LENGTH**3 / 12
    weight = Inertial(DENSITY * LENGTH, (0.0, 0.0, 0.0, rod, 0.0, rod), Placement((LENGTH / 2, 0.0, 0.0)))
    rigid = RobotDescription("stiff", (Link("base"), Link("arm", weight), hand), (joint, grip))
    v, a = [0.75, -0.5], [0.25, 1.5]
    tau = inverse_dynamics(rigid, [0.3, 0.6], v, a)
    off = []
    for stiffness in (1e6, 1e9):
        modes = Modes(Direction.BEND_Y, Basis.POLYNOMIAL, 2, uniform(LENGTH, stiffness))
        bending = replace(rigid.links[1], inertial=None, flexible=replace(beam(Basis.POLYNOMIAL, 2), modes=(modes,)))
        soft = replace(rigid, links=(rigid.links[0], bending, hand))
        setting = setting_of(soft)

        def rest(d: list, at: RobotDescription = soft) -> list:  # of the equations of a beam that is held still
            return inverse_dynamics(at, [0.3, *d, 0.6], [v[0], 0, 0, v[1]], [a[0], 0, 0, a[1]])[1:3]

        K = mp.matrix(setting.tree.flexures[0].beam.stiffness)
        d = mp.matrix([0, 0])
        for _ in range(12):
            d -= K**-1 * mp.matrix(rest(list(d)))
        inputs = {"q": [0.3, *d, 0.6], "v": [v[0], 0, 0, v[1]], "tau": [tau[0], 0, 0, tau[1]]}
        found = TRUTHS["forward_dynamics"](setting, inputs).values
        off.append(max(abs(found[0] - a[0]), abs(found[3] - a[1])))
    assert 0 < off[0] < 1e-3
    assert 500 < off[0] / off[1] < 2000


def test_exponentials_of_any_size() -> None:
    for angle in (0.0, 1e-20, 0.5, 3.0, 40.0):
        axis = [mp.mpf(2) / 7, mp.mpf(-3) / 7, mp.mpf(6) / 7]
        phi = [mp.mpf(angle) * x for x in axis]
        found = exponential_series([phi, [mp.mpf(3) * x for x in axis], [mp.mpf(0)] * 3])
        expected = mp.expm(mp.matrix([[0, -phi[2], phi[1]], [phi[2], 0, -phi[0]], [-phi[1], phi[0], 0]]))
        turn = mp.matrix([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
        for order, matrix in enumerate((expected, 3 * turn * expected, 4.5 * turn * turn * expected)):
            for row in range(3):
                for column in range(3):
                    close(found[order][row][column], matrix[row, column], 1e-40)


def test_rules_integrate_what_is_smooth_and_refuse_kinks() -> None:
    rule = settled_rule(mp.mpf(0), mp.mpf(2), lambda x: [mp.exp(x), mp.cos(9 * x) ** 2], "waves")
    close(mp.fsum(weight * mp.exp(x) for x, weight in rule), mp.exp(2) - 1, 1e-19)
    with pytest.raises(VerificationError, match=r"arch: not smooth enough between x = 0\.0 m and 2\.0 m"):
        settled_rule(mp.mpf(0), mp.mpf(2), lambda x: [mp.sqrt(x)], "arch")
    kinked = beam(Basis.POLYNOMIAL, 1, mass_per_length=Profile((LENGTH,), ("sqrt((x - 0.6) ** 2) + 0.1",)))
    with pytest.raises(VerificationError, match="divide the beam"):
        beam_points(kinked, families(beam(Basis.POLYNOMIAL, 1)))


def test_random_states_bend_beams_as_far_as_beams_bend() -> None:
    tree = public_tree(flexible_tree())
    argument = Argument("q", (tree.nq,), (tuple(map(str, range(tree.nq))),), ("",), "")
    drawn = [state.inputs["q"] for state in verification_states(tree, [argument], {}, 40)[-40:]]
    for place in tree.flexures:
        beam, rows = place.beam, range(place.q_row, place.q_row + place.rows[0])
        largest = [max(abs(q[row]) for q in drawn) for row in rows]
        turns = [value * steepest for value, steepest in zip(largest, beam.steepest, strict=True)]
        moves = [value * far / beam.length for value, far in zip(largest, beam.farthest, strict=True)]
        assert max(turns) <= 0.2001 and max(moves) <= 0.0501
        assert all(turn > 0.1 or move > 0.03 for turn, move in zip(turns, moves, strict=True))
    neutral = verification_states(tree, [argument], {}, 1)[0].inputs["q"]
    assert not any(neutral[row] for place in tree.flexures for row in range(place.q_row, place.q_row + place.rows[0]))


def test_only_flexible_links_have_beams() -> None:
    place = public_tree(flexible_tree(floating=False)).places[0]
    with pytest.raises(ModelError, match="'b_turn' is no flexible link"):
        place.beam


def test_links_on_a_tip_are_placed_with_the_beam_at_rest() -> None:
    hand = Joint("grip", JointKind.FIXED, "arm", "hand", Placement((1.5, 0.25, -0.5)))
    robot = turning(beam(Basis.POLYNOMIAL, 1))
    robot = replace(robot, links=(*robot.links, Link("hand")), joints=(*robot.joints, hand))
    X = TRUTHS["forward_kinematics"](setting_of(robot), {"q": [0.0, 0.1]}).values
    tip, at_hand = vector(X[32 + 3 : 48 : 4][:3]), vector(X[48 + 3 : 64 : 4][:3])
    slope = mp.mpf(0.1)  # 2 d / L
    arm = subtract(at_hand, tip)
    expected = [
        mp.mpf(-0.5) * mp.cos(slope) - mp.mpf(0.25) * mp.sin(slope),
        mp.mpf(-0.5) * mp.sin(slope) + mp.mpf(0.25) * mp.cos(slope),
        mp.mpf(-0.5),
    ]
    for found, value in zip(arm, expected, strict=True):
        close(found, value, 1e-40)
