"""Beams whose stiffness ranges over many decades, or in hundreds of steps, against solutions of other kinds."""

from __future__ import annotations

import time
from typing import Any

import mpmath
import numpy as np
import pytest
from support.beams import bending
from support.oracles.transfer_matrices import stepped

from symdyn.description.flexible import Basis, Direction, Modes, Profile
from symdyn.errors import DescriptionError
from symdyn.shapes.beam import beam_integrals
from symdyn.shapes.modes import beam_modes


def steps(count: int, values: int, length: float = 1.0) -> Profile:
    """A table in which ``values`` whole numbers take turns."""
    return Profile(
        tuple(length * (k + 1) / count for k in range(count)), tuple(str(k % values + 1) for k in range(count))
    )


def test_a_beam_of_four_hundred_steps() -> None:
    count = 400
    beam = bending(Basis.CLAMPED_FREE, 3, 1.0, 1.0, steps(count, 7))
    before = time.process_time()
    (modes,) = beam_modes(beam)
    # Today 0.4 s; dense matrices took hours.
    assert time.process_time() - before < 30.0
    spans = [(1.0 / count, float(k % 7 + 1), 1.0) for k in range(count)]
    with mpmath.workdps(22):
        omega = mpmath.mpf(modes.frequencies[-1])
        near, far = (stepped(omega * (1 + side), spans, "clamped", "free") for side in (-1e-11, 1e-11))
    assert near * far < 0


def test_many_steps_of_every_quantity_at_different_places() -> None:
    stretched = Modes(Direction.AXIAL, Basis.CLAMPED_FREE, 2, steps(60, 3))
    beam = bending(Basis.CLAMPED_FREE, 3, 1.0, steps(61, 5), steps(64, 7), stiffening=True)
    beam = type(beam)(beam.length, beam.mass_per_length, (*beam.modes, stretched), stiffening=True)
    found = beam_integrals(beam)
    mass = sum(k % 5 + 1 for k in range(61)) / 61
    assert found.mass == pytest.approx(mass, rel=1e-13)
    np.testing.assert_allclose(np.array(found.stiffness), mass * np.diag(np.square(found.frequencies)), rtol=1e-12)


def exponential_rod(omega: Any, rate: Any) -> Any:
    """What vanishes for (e^(a x) w')' + omega^2 w = 0 and w(0) = w'(1) = 0: w = u C_1(2 omega u / a), u = e^(-a x / 2).

    The slope is -omega u^2 C_0, up to a factor.
    """
    tip = mpmath.exp(-rate / 2)
    root, end = 2 * omega / abs(rate), 2 * omega * tip / abs(rate)
    return mpmath.besselj(1, root) * mpmath.bessely(0, end) - mpmath.bessely(1, root) * mpmath.besselj(0, end)


@pytest.mark.parametrize("rate", [300, 50, -40])
def test_rods_of_exponential_stiffness(rate: int) -> None:
    (modes,) = beam_modes(bending(Basis.CLAMPED_FREE, 3, 1.0, 1.0, f"exp({rate}*x)", Direction.AXIAL))
    with mpmath.workdps(60):
        for frequency in modes.frequencies:
            near, far = (
                exponential_rod(mpmath.mpf(frequency) * (1 + side), mpmath.mpf(rate)) for side in (-1e-9, 1e-9)
            )
            assert near * far < 0


def exponential_beam(omega: Any, rate: int) -> Any:
    """Tip moment and shear of (e^(a x) w'')'' = omega^2 w, clamped at the root: a determinant, by Taylor series."""
    terms, panels = 26, 2 * abs(rate)
    h, squared = mpmath.mpf(1) / panels, omega**2
    columns = []
    for start in ((0, 0, 1, 0), (0, 0, 0, 1)):
        w, slope, moment, shear = (mpmath.mpf(value) for value in start)
        for panel in range(panels):
            soft = [mpmath.exp(-rate * panel * h)]
            for n in range(1, terms):
                soft.append(-soft[-1] * rate * h / n)
            line, bent = [w, slope * h], [moment, shear * h]
            for n in range(terms - 2):
                curved = mpmath.fdot(soft[: n + 1], bent[n::-1])
                line.append(h * h * curved / ((n + 1) * (n + 2)))
                bent.append(h * h * squared * line[n] / ((n + 1) * (n + 2)))
            w, moment = mpmath.fsum(line), mpmath.fsum(bent)
            slope, shear = (mpmath.fsum(n * c for n, c in enumerate(row)) / h for row in (line, bent))
        columns.append((moment, shear))
    return columns[0][0] * columns[1][1] - columns[0][1] * columns[1][0]


@pytest.mark.parametrize(("rate", "count"), [(50, 3), (-40, 2), pytest.param(300, 3, marks=pytest.mark.slow)])
def test_beams_of_exponential_stiffness(rate: int, count: int) -> None:
    (modes,) = beam_modes(bending(Basis.CLAMPED_FREE, count, 1.0, 1.0, f"exp({rate}*x)"))
    with mpmath.workdps(60):
        for frequency in modes.frequencies:
            near, far = (exponential_beam(mpmath.mpf(frequency) * (1 + side), rate) for side in (-1e-8, 1e-8))
            assert near * far < 0


@pytest.mark.parametrize(
    "basis", [Basis.CLAMPED_FREE, Basis.CLAMPED_TIP_MASS, Basis.PINNED_HUB, Basis.CLAMPED_CLAMPED, Basis.PINNED_PINNED]
)
@pytest.mark.parametrize("rate", [50, -40])
def test_all_ends_of_beams_of_exponential_stiffness(basis: Basis, rate: int) -> None:
    # Rayleigh's quotients of the shapes as they are stored, by a quadrature of 400 panels.
    said = {"tip_mass": 0.6, "tip_inertia": 0.05} if basis is Basis.CLAMPED_TIP_MASS else {}
    said |= {"hub_inertia": (0.0, 0.3, 0.3)} if basis is Basis.PINNED_HUB else {}
    (modes,) = beam_modes(bending(basis, 3, 1.0, 1.0, f"exp({rate}*x)", **said))
    nodes, weights = np.polynomial.legendre.leggauss(12)
    x = ((np.arange(400)[:, None] + 0.5 * (nodes + 1)) / 400).ravel()
    w = np.tile(weights / 800, 400)
    shapes = [getattr(shape, "mode", shape) for shape in modes.shapes]  # a mode as the hub sees it is less a turn
    values, strains = (np.array([shape(x, order) for shape in shapes]) for order in (0, 2))
    bent = (strains * w * np.exp(rate * x)) @ strains.T
    moved = (values * w) @ values.T + [[modes.end_share(k, j) for j in range(3)] for k in range(3)]
    if basis is Basis.PINNED_HUB:
        slopes = np.array([float(shape(0.0, 1)) for shape in shapes])
        moved += 0.3 * np.outer(slopes, slopes)
    frequencies = np.array(modes.frequencies)
    np.testing.assert_allclose(moved, np.eye(3), atol=1e-9)
    np.testing.assert_allclose(bent / np.outer(frequencies, frequencies), np.eye(3), atol=1e-9)


@pytest.mark.parametrize(
    ("mass", "stiffness", "message"),
    [
        ("1", "exp(690*sin(20*x))", "range further than doubles"),
        ("1", "exp(-700*x)", "beyond what doubles"),
        ("exp(700*x)", "1", "beyond what doubles"),
        ("1", "1e-300", "beyond what doubles"),
        ("1", "exp(900*x)", "expected a positive number"),
    ],
)
@pytest.mark.filterwarnings("error")
def test_what_doubles_cannot_hold_is_refused_in_one_line(mass: str, stiffness: str, message: str) -> None:
    with pytest.raises(DescriptionError, match=message) as caught:
        beam_integrals(bending(Basis.CLAMPED_FREE, 3, 1.0, mass, stiffness))
    assert "\n" not in str(caught.value)


def test_modes_that_doubles_cannot_tell_apart_are_named() -> None:
    # All but a hinge next to the root, on which the beam swings ten thousand million times slower than it bends.
    hinge = Profile((1e-6, 1.0), ("1e-24", "1"))
    with pytest.raises(DescriptionError, match=r"modes 0 and 2 are .* ask for at most 2 modes there"):
        beam_modes(bending(Basis.CLAMPED_FREE, 3, 1.0, 1.0, hinge))
    ((swing,),) = (modes.frequencies for modes in beam_modes(bending(Basis.CLAMPED_FREE, 1, 1.0, 1.0, hinge)))
    assert swing == pytest.approx((3e-18) ** 0.5, rel=2e-6)


@pytest.mark.parametrize(("ends", "free"), [(("1e20", "1"), 4.0 * 1.8751040687119611**2)])
def test_steps_of_twenty_decades(ends: tuple[str, str], free: float) -> None:
    # The stiff half holds the other one like a wall.
    (modes,) = beam_modes(bending(Basis.CLAMPED_FREE, 1, 1.0, 1.0, Profile((0.5, 1.0), ends)))
    assert modes.frequencies[0] == pytest.approx(free, rel=1e-11)


@pytest.mark.filterwarnings("error")
def test_a_stretch_without_any_width_to_speak_of() -> None:
    thin = Profile((1e-300, 0.5, 0.5 + 2.0**-53, 1.0), ("3", "2", "9", "1"))
    plain = Profile((0.5, 1.0), ("2", "1"))
    (one,), (two,) = (beam_modes(bending(Basis.CLAMPED_FREE, 3, 1.0, 1.0, each)) for each in (thin, plain))
    assert one.frequencies == pytest.approx(two.frequencies, rel=1e-12)
