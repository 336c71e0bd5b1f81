"""What holds between masses, forces and energies of a tree of rigid, flexible and soft links, to some thirty digits."""

from __future__ import annotations

from dataclasses import replace

import pytest
from mpmath import mp
from support.oracles.exact_results import matrix, values
from support.oracles.soft_states import agree, drawn, force_of, setting_of
from support.oracles.tree_relations import christoffels, energies_along
from support.robots.soft_trees import soft_arm, soft_tree

from symdyn.errors import ModelError, VerificationError
from symdyn.verify.base.dense import matrix_product, matrix_times
from symdyn.verify.base.matrices import add, subtract
from symdyn.verify.oracle.joint_forces import lost_power
from symdyn.verify.oracle.rod_springs import rod_matrices
from symdyn.verify.oracle.setting import Setting
from symdyn.verify.oracle.tangent import along_motion, central_difference
from symdyn.verify.oracle.trajectory import Trajectory
from symdyn.verify.oracle.tree import public_tree


@pytest.fixture(params=["pinocchio", pytest.param("spatial", marks=pytest.mark.slow)])
def setting(request: pytest.FixtureRequest) -> Setting:
    return setting_of(soft_tree(), convention=request.param, joint_losses=True)


@pytest.fixture
def inputs(setting: Setting) -> dict[str, list]:
    return drawn(setting)


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
    inputs = drawn(setting)
    agree(values("coriolis_matrix", setting, inputs), christoffels(setting, inputs))


def test_energies(setting: Setting, inputs: dict[str, list]) -> None:
    v = inputs["v"]
    M = matrix("mass_matrix", setting, inputs, setting.tree.nv)
    (kinetic,) = values("kinetic_energy", setting, inputs)
    agree([kinetic], [mp.fdot(v, matrix_times(M, v)) / 2], 1e-40)
    lost = lost_power(setting, inputs)
    power = mp.fdot(force_of(setting, inputs), v) - lost
    agree([sum(central_difference(energies_along(setting, inputs)))], [power])
    held = dict(inputs, v=[mp.mpf(0) if 7 <= row < 11 else x for row, x in enumerate(v)])
    assert lost > lost_power(setting, held) > 0


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
