"""Natural modes of rods against bars and beams solved by hand."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from support.robots.sections import breathing
from support.rods import functions, rod

from symdyn.description.soft import CoupledStrains, Material, Section, Soft, Strain
from symdyn.model.rod_modes import RodMode, rod_modes
from symdyn.shapes.rod import rod_tables

LENGTH, RADIUS, YOUNG, POISSON, DENSITY = 2.0, 0.005, 2e9, 0.25, 1200.0
ROUND = Section("circle", radius=repr(RADIUS))
MATTER = Material(YOUNG, POISSON, DENSITY, retardation_time=1e-3)


def slender(*strains: tuple[Strain, int], **said: object) -> Soft:
    given = (functions(strain, count) for strain, count in strains)
    return rod(*given, length=LENGTH, section=ROUND, material=MATTER, stations=12, **said)


def found(soft: Soft, strain: Strain) -> list[RodMode]:
    return [mode for mode in rod_modes(soft).modes if mode.strains[0][0] == strain.value]


@pytest.mark.parametrize(
    ("strain", "speed"),
    [
        (Strain.TWIST, math.sqrt(YOUNG / (2.0 * (1.0 + POISSON)) / DENSITY)),
        (Strain.STRETCH, math.sqrt(YOUNG / DENSITY)),
    ],
)
def test_a_bar_twists_and_stretches_in_quarter_waves(strain: Strain, speed: float) -> None:
    modes = found(slender((strain, 8)), strain)
    for k, (mode, tolerance) in enumerate(zip(modes, (1e-9, 1e-7, 2e-5), strict=False)):
        frequency = (k + 0.5) * math.pi * speed / LENGTH
        assert mode.frequency == pytest.approx(frequency, rel=tolerance)
        assert mode.damping == pytest.approx(0.5e-3 * frequency, rel=tolerance)  # time * frequency / 2
        assert mode.strains == ((strain.value, pytest.approx(1.0)),)


def test_a_slender_beam_bends_as_euler_has_it() -> None:
    modes = found(slender((Strain.CURVATURE_Y, 9)), Strain.CURVATURE_Y)
    slowness = math.sqrt(YOUNG * RADIUS**2 / 4.0 / DENSITY) / LENGTH**2
    for mode, root in zip(modes, (1.8751040687, 4.6940911330, 7.8547574382), strict=False):
        # the inertia of sections as they turn takes some (root * radius / length)^2
        assert mode.frequency == pytest.approx(root**2 * slowness, rel=4e-4)
        assert mode.frequency < root**2 * slowness
    tip = modes[0].shape[-1]
    assert abs(tip[2]) == pytest.approx(1.0)
    assert tip[[0, 1, 3, 5]] == pytest.approx(0.0, abs=1e-12)
    # tip slope of the first mode: 1.3765 / length
    assert abs(tip[4]) * LENGTH == pytest.approx(1.3765, rel=1e-3)


def test_planes_of_a_round_rod_stay_apart() -> None:
    soft = slender((Strain.CURVATURE_Y, 3), (Strain.CURVATURE_Z, 3), (Strain.SHEAR_Y, 1), (Strain.SHEAR_Z, 1))
    first, second = rod_modes(soft).modes[:2]
    assert first.frequency == pytest.approx(second.frequency, rel=1e-9)
    assert {first.strains[0][0], second.strains[0][0]} == {"curvature_y", "curvature_z"}
    for mode in (first, second):
        assert mode.strains[0][1] > 0.99
        assert sum(share for _, share in mode.strains) == pytest.approx(1.0)


def test_shapes_are_the_coordinates_moves() -> None:
    soft = slender((Strain.CURVATURE_Z, 2), (Strain.STRETCH, 1), reference=((Strain.CURVATURE_Z, "0.8"),))
    modes = rod_modes(soft)
    assert modes.places[-1] == pytest.approx(LENGTH)
    for mode in modes.modes:
        assert np.max(np.linalg.norm(mode.shape[:, :3], axis=1)) == pytest.approx(1.0)
        assert len(mode.coordinates) == 3 and mode.frequency > 0.0


def test_a_coupled_coordinate_goes_by_its_name() -> None:
    helix = CoupledStrains("helix", ((Strain.TWIST, "1.0"), (Strain.CURVATURE_Y, "2.0")))
    (mode,) = rod_modes(replace(slender(), strains=(), coupled=(helix,))).modes
    assert mode.strains == (("helix", 1.0),)


def test_sections_breathe() -> None:
    soft = breathing(stations=3)
    found = rod_modes(soft)
    tables = rod_tables(soft, 3)
    assert len(found.modes) == soft.coordinates and found.places[-1] == pytest.approx(soft.length)
    assert {name for mode in found.modes for name, _ in mode.strains} == {"curvature_y", "stretch", "section"}
    assert all(mode.shape.shape == (len(tables.chain), 6) and np.isfinite(mode.shape).all() for mode in found.modes)
