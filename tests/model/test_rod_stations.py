"""Moments of rods' functions, the rod held at its root, and how many stations it needs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from support.rod_reference import (
    gravity_force,
    legendre_rod,
    mass_matrix,
    node_poses,
    papers_rod,
    pose_by_series,
    static_force,
)

from symdyn.algebra.spatial.magnus import strain_moments
from symdyn.description.soft import CoupledStrains, Section, Soft, Strain
from symdyn.errors import ModelError
from symdyn.model.clamped_rod import clamped_rod
from symdyn.model.rod_moments import rod_moments
from symdyn.model.rod_stations import ENOUGH, assessed, rod_stations, usual_states
from symdyn.shapes.rod import rod_tables

FIELD = np.array((1.0, -2.0, 9.0))
HELIX = CoupledStrains("helix", ((Strain.TWIST, "cos(20 * x)"), (Strain.CURVATURE_Z, "sin(20 * x)")))
BENT = ((Strain.CURVATURE_Y, "1 + 2 * x"), (Strain.STRETCH, "1.1"))


@pytest.mark.parametrize("order", [2, 4, 6])
@pytest.mark.parametrize("soft", [papers_rod(), replace(papers_rod(), coupled=(HELIX,), reference=BENT, substeps=2)])
def test_a_rod_held_at_its_root(soft: Soft, order: int) -> None:
    """Mass matrix, weight and tip against matrix exponentials and steps into the complex plane."""
    tables = rod_tables(replace(soft, magnus=order), 3)
    states = usual_states(soft)[1:3]
    found = clamped_rod(tables, states)
    for number, q in enumerate(states):
        true = mass_matrix(tables, q)
        scale = np.sqrt(np.diag(true))
        assert np.max(np.abs(found.mass[number] - true) / np.outer(scale, scale)) < 2e-14
        weight = gravity_force(tables, q, FIELD)
        assert np.max(np.abs(-found.weight[number] @ FIELD - weight) / scale) < 1e-13
        tip = node_poses(tables, q)[-1]
        np.testing.assert_allclose(found.rotation[number], tip[:3, :3], atol=2e-15)
        np.testing.assert_allclose(found.position[number], tip[:3, 3], atol=2e-15)


@pytest.mark.parametrize("order", [2, 4, 6])
def test_moments_are_those_of_the_strains(order: int) -> None:
    tables = rod_tables(legendre_rod({"curvature_y": 4, "stretch": 2}, magnus=order, reference=BENT), 3)
    for step, moments in zip(tables.steps, rod_moments(tables), strict=True):
        for i, rows in enumerate(tables.moved):
            strains = [[point[i][0] if row == rows[0] else 0.0 for row in range(6)] for point in step.functions]
            for own, true in zip(moments.functions, strain_moments(strains, step.length), strict=True):
                assert own[i][0] == pytest.approx(true[rows[0]], rel=1e-13, abs=1e-15)
        for own, true in zip(moments.reference, strain_moments(step.reference, step.length), strict=True):
            assert own == pytest.approx(true, rel=1e-13, abs=1e-16)
        constant, linear = ([bool(own[i][0]) for own in moments.functions] for i in (0, 1))
        assert constant == [True, False, False][: order // 2]
        assert linear[1:] == [True, False][: order // 2 - 1]


def test_a_circle() -> None:
    """A tip moment of 2 pi E I / L closes a rod, whatever functions it has (degree 0 is exact)."""
    soft = legendre_rod({"twist": 2, "curvature_y": 1, "curvature_z": 4, "stretch": 3, "shear_y": 2})
    tables = rod_tables(soft, 8)
    q = np.zeros(soft.coordinates)
    q[3] = 2.0 * np.pi
    second = np.pi * 0.02**4 / 4
    moment = 2.0 * np.pi * soft.material.youngs_modulus * second / soft.length
    residual = static_force(tables, q, np.zeros(3), np.array((0.0, 0.0, 0.0, 0.0, 0.0, moment)))
    assert np.max(np.abs(residual)) < 1e-13 * moment
    tip = clamped_rod(tables, q[None])
    assert np.max(np.abs(tip.position)) < 1e-14 and np.max(np.abs(tip.rotation - np.eye(3))) < 1e-14


@pytest.mark.parametrize(("order", "slope"), [(4, 4.0), (6, 6.0)])
def test_tips_converge_with_the_order_of_steps(order: int, slope: float) -> None:
    """Tips of a strongly bent rod, from 16 steps on, against the solution of its equation by series."""
    soft = legendre_rod({one.value: 3 for one in Strain}, magnus=order)
    rng = np.random.default_rng(2)
    q = rng.normal(size=soft.coordinates) * np.array([2.0] * 9 + [0.1] * 9)
    powers = np.zeros((3, 6))
    for place, (row, weight) in enumerate([(3, 2.0), (4, 2.0), (5, 2.0), (0, 1.0), (1, 1.0), (2, 1.0)]):
        own = np.polynomial.Legendre(q[3 * place : 3 * place + 3], domain=(0.0, 0.5))
        powers[:, row] = weight * own.convert(kind=np.polynomial.Polynomial, domain=(-1.0, 1.0)).coef
    powers[0, 0] += 1.0
    true = pose_by_series(powers, 0.5)
    errors = []
    for substeps in (16, 32):
        tip = clamped_rod(rod_tables(replace(soft, substeps=substeps), 1), q[None])
        errors.append(np.max(np.abs(np.column_stack([tip.rotation[0], tip.position[0]]) - true[:3])))
    assert errors[1] > 1e-12
    assert abs(np.log2(errors[0] / errors[1]) - slope) < 0.1


@pytest.mark.parametrize(
    ("soft", "number"),
    [
        (legendre_rod({"curvature_z": 3}), 8),
        (legendre_rod({"curvature_y": 1, "curvature_z": 1}), 5),
        (papers_rod(), 16),
        (legendre_rod({"curvature_z": 3}, magnus=4), 24),
        (replace(legendre_rod({"curvature_z": 2}), reference=((Strain.CURVATURE_Z, "60"), (Strain.TWIST, "20"))), 64),
    ],
    ids=["plane", "arc", "24 coordinates", "order 4", "coil"],
)
def test_stations_that_are_enough(soft: Soft, number: int) -> None:
    """As few as may be: the next smaller number changes by more, or turns its steps too far."""
    found = rod_stations(soft)
    assert found.number == number
    assert found.error <= ENOUGH and found.turn <= soft.max_turn_per_step and 1.0 <= found.mass_condition < 1e6
    fewer = assessed(soft, {5: 4, 8: 6, 16: 12, 24: 20, 64: 48}[number])
    assert fewer.error > ENOUGH or fewer.turn > soft.max_turn_per_step


def test_states_are_usual() -> None:
    """Strains of usual states turn the rod by a quarter turn at most, and stretch it by a tenth."""
    soft = papers_rod()
    states, tables = usual_states(soft), rod_tables(soft, 8)
    assert states.shape == (21, 24) and not states[0].any()
    assert np.array_equal(states, usual_states(replace(soft, stations=3)))
    functions = np.zeros((len(tables.steps), 6, 24))
    for k, step in enumerate(tables.steps):
        for i, (row,) in enumerate(tables.moved):
            functions[k, row, i] = step.functions[1][i][0]
    strains = np.abs(functions @ states.T)
    assert 0.5 < np.max(strains[:, 3:]) * soft.length < 2.5 and 0.03 < np.max(strains[:, :3]) < 0.2


@pytest.mark.parametrize(
    ("soft", "message"),
    [
        (
            replace(legendre_rod({"curvature_z": 1}, stations=2), reference=((Strain.CURVATURE_Z, "40"),)),
            r"a step of the rod turns .* rad .*'substeps: \d+'",
        ),
        (papers_rod(stations=3), "3 stations per piece do not tell the rod's 24 coordinates apart"),
        (
            papers_rod(magnus=2),
            "no number of stations up to 64 per piece will do: .* choose 'magnus: 6'",
        ),
    ],
)
def test_what_is_refused(soft: Soft, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        rod_stations(soft)


def test_substeps_and_larger_turns_mend_wide_steps() -> None:
    wide = replace(legendre_rod({"curvature_z": 1}, stations=2), reference=((Strain.CURVATURE_Z, "10"),))
    with pytest.raises(ModelError, match="'substeps: 4'"):
        rod_stations(wide)
    for mended in (replace(wide, substeps=4), replace(wide, max_turn_per_step=4.0), replace(wide, stations=12)):
        assert rod_stations(mended).turn <= mended.max_turn_per_step


def test_sections_that_step_ask_for_more_stations() -> None:
    smooth = legendre_rod({"curvature_z": 1})
    rough = legendre_rod({"curvature_z": 1}, Section("circle", radius="0.02 + 0.01 * tanh(40 * (x - 0.2))"))
    assert rod_stations(rough).number > rod_stations(smooth).number
