"""Integrals of a beam against a sum over its points: displacement fields in space, an own quadrature of 25 digits."""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from typing import Any

import mpmath
import numpy as np
import pytest
from support.beams import bending, gauss_rule, integrate, profile

from symdyn.description.flexible import Basis, Direction, Flexible, Modes, Profile
from symdyn.errors import DescriptionError
from symdyn.shapes.beam import beam_integrals
from symdyn.shapes.integrals import BeamIntegrals
from symdyn.shapes.modes import beam_modes
from symdyn.shapes.shape import ShapeFromHub

LENGTH = 1.4
NODES = 40
_BEND = (Direction.BEND_Y, Direction.BEND_Z)


def space_beam(basis: Basis, **changed: Any) -> Flexible:
    """Two shapes in either plane of bending, two of torsion, one axial."""
    shapes: dict[str, Any] = {}
    if basis is Basis.EXPRESSIONS:
        shapes = {"functions": ("1 - cos(x)", "x**3*exp(-x)")}
    if basis is Basis.TABLE:
        stations = tuple(LENGTH * k / 5 for k in range(6))
        shapes = {
            "stations": stations,
            "samples": tuple(tuple(x**power * (3 - x) for x in stations) for power in (2, 4)),
        }
    rod = Basis.CLAMPED_TIP_MASS
    modes = (
        Modes(Direction.BEND_Y, basis, 2, profile(90.0, LENGTH), **shapes),
        Modes(Direction.BEND_Z, basis, 2, profile(40.0, LENGTH), **shapes),
        Modes(Direction.TORSION, rod, 2, profile(30.0, LENGTH)),
        Modes(Direction.AXIAL, rod, 1, profile(4000.0, LENGTH)),
    )
    said: dict[str, Any] = {
        "length": LENGTH,
        "mass_per_length": profile(2.5, LENGTH),
        "modes": modes,
        "section_inertia": (profile(0.02, LENGTH), profile(0.05, LENGTH)),
        "tip_mass": 0.8,
        "tip_inertia": 0.3,
        "hub_inertia": (0.2, 0.7, 0.6),
        "stiffening": True,
    }
    return Flexible(**{**said, **changed})


class Points:
    """A beam as weighted points: per point its mass, its place at rest, its displacement per unit of each amplitude."""

    def __init__(self, flexible: Flexible, result: BeamIntegrals) -> None:
        self.mass: list[float] = []
        self.place: list[Any] = []
        self.moved: list[Any] = []
        self.coordinates = [(m.direction, shape) for m in beam_modes(flexible) for shape in m.shapes]
        self.pairs = result.pairs
        self.stretches = sorted(
            {0.0, *flexible.mass_per_length.ends, *(end for m in flexible.modes for end in m.stiffness.ends)}
            | {end for _, shape in self.coordinates for end in shape.ends}
        )
        with mpmath.workdps(25):
            for a, b in pairwise(self.stretches):
                half, middle = (mpmath.mpf(b) - a) / 2, (mpmath.mpf(b) + a) / 2
                for u, weight in gauss_rule(NODES, 25):
                    self._add_section(flexible, middle + half * u, half * weight)
            self._add_hub(flexible)

    def _add_section(self, flexible: Flexible, x: Any, weight: Any) -> None:
        line = self._line(x)
        mass = float(weight) * value_of(flexible.mass_per_length, x)
        self._add(mass, (float(x), 0.0, 0.0), line)
        if flexible.section_inertia is None:
            return
        # The sections' own moments: pairs of points at unit distance whose mass is taken off the line's again.
        for axis, moments in enumerate(flexible.section_inertia, start=1):
            share = float(weight) * value_of(moments, x) / 2
            for side in (1.0, -1.0):
                offset = np.zeros(3)
                offset[axis] = side
                turned = np.zeros_like(line)
                twist = [float(s(x)) if direction is Direction.TORSION else 0.0 for direction, s in self.coordinates]
                for k, angle in enumerate(twist):
                    turned[k] = np.cross([angle, 0.0, 0.0], offset)
                for number, (k, j) in enumerate(self.pairs, start=len(twist)):
                    turned[number] = -offset * twist[k] * twist[j] * (0.5 if k == j else 1.0)
                self._add(share, np.array([float(x), 0.0, 0.0]) + offset, line + turned)
            self._add(-2 * share, (float(x), 0.0, 0.0), line)

    def _line(self, x: Any) -> Any:
        rows = np.zeros((len(self.coordinates) + len(self.pairs), 3))
        for k, (direction, shape) in enumerate(self.coordinates):
            if direction is not Direction.TORSION:
                rows[k, ("axial", "bend_y", "bend_z").index(direction.value)] = float(shape(x))
        for number, (k, j) in enumerate(self.pairs, start=len(self.coordinates)):
            if self.coordinates[k][0] is Direction.TORSION:
                continue
            bounds = [end for end in self.stretches if end < x] + [x]
            shortened = sum(self._squared_slope(k, j, *part) for part in pairwise(bounds))
            rows[number, 0] = -shortened * (0.5 if k == j else 1.0)
        return rows

    @cache  # noqa: B019 the points of one beam live as long as a test
    def _squared_slope(self, k: int, j: int, a: Any, b: Any) -> float:
        return float(integrate(lambda s: self._slope(k, s) * self._slope(j, s), a, b, count=24))

    @cache  # noqa: B019
    def _slope(self, k: int, x: Any) -> Any:
        return self.coordinates[k][1](x, 1)

    def _add_hub(self, flexible: Flexible) -> None:
        # It stands still in the link: pairs of points at unit distance along each axis, with no mass in all.
        still = np.zeros_like(self.moved[0])
        for axis, moment in enumerate(flexible.hub_inertia):
            share = (sum(flexible.hub_inertia) / 2 - moment) / 2
            for side in (1.0, -1.0):
                self._add(share, side * np.eye(3)[axis], still)
            self._add(-2 * share, np.zeros(3), still)

    def _add(self, mass: float, place: Any, moved: Any) -> None:
        self.mass.append(mass)
        self.place.append(np.asarray(place))
        self.moved.append(np.asarray(moved))


def value_of(profile_of: Profile, x: Any) -> float:
    """A quantity of this file's beams: plain Python formulas of x."""
    stretch = next(k for k, end in enumerate(profile_of.ends) if x <= end)
    return float(eval(profile_of.values[stretch], {"x": x, "exp": mpmath.exp}))


def check(flexible: Flexible) -> BeamIntegrals:
    """All integrals of a beam, compared with the sum over its points."""
    result = beam_integrals(flexible)
    points = Points(flexible, result)
    mass, place, moved = (np.array(part) for part in (points.mass, points.place, points.moved))
    expected = {
        "mass": mass.sum(),
        "first": mass @ place,
        "second": np.einsum("p,pa,pb->ab", mass, place, place),
        "shape_first": np.einsum("p,pia->ia", mass, moved),
        "shape_second": np.einsum("p,pia,pb->iab", mass, moved, place),
        "shape_products": np.einsum("p,pia,pjb->ijab", mass, moved, moved),
    }
    norms = np.sqrt(np.einsum("p,pia,pia->i", mass, moved, moved))
    size = np.sqrt(float(np.trace(expected["second"])))
    scales: dict[str, Any] = {
        "mass": expected["mass"],
        "first": expected["mass"] * flexible.length,
        "second": size**2,
        "shape_first": (norms * np.sqrt(expected["mass"]))[:, None],
        "shape_second": (norms * size)[:, None, None],
        "shape_products": np.outer(norms, norms)[:, :, None, None],
    }
    for name, value in expected.items():
        np.testing.assert_allclose(
            np.array(getattr(result, name)) / scales[name], value / scales[name], rtol=0, atol=1e-13, err_msg=name
        )
    return result


@pytest.mark.parametrize("basis", list(Basis))
def test_uniform_beam_in_space(basis: Basis) -> None:
    result = check(space_beam(basis))
    assert result.names == (
        *("bend_y[0]", "bend_y[1]", "bend_z[0]", "bend_z[1]"),
        *("torsion[0]", "torsion[1]", "axial[0]"),
    )
    assert result.units == ("m", "m", "m", "m", "rad", "rad", "m")
    assert result.pairs == ((0, 0), (0, 1), (1, 1), (2, 2), (2, 3), (3, 3), (4, 4), (4, 5), (5, 5))


@pytest.mark.parametrize("basis", [Basis.CLAMPED_FREE, Basis.PINNED_HUB, Basis.POLYNOMIAL, Basis.EXPRESSIONS])
def test_tapered_and_stepped_beam_in_space(basis: Basis) -> None:
    uniform = space_beam(basis)
    stepped = Profile((0.5, LENGTH), ("90*exp(-x)", "30 - 5*x**2"))
    modes = tuple(
        Modes(m.direction, m.basis, m.count, stepped, functions=m.functions) if m.direction in _BEND else m
        for m in uniform.modes
    )
    section = Profile((0.3, LENGTH), ("0.04 - 0.01*x", "0.02"))
    check(
        space_beam(
            basis,
            modes=modes,
            mass_per_length=Profile((0.8, LENGTH), ("2.5 - x", "exp(-x)")),
            section_inertia=(section, profile("0.03*exp(-x)", LENGTH)),
        )
    )


def test_many_shapes() -> None:
    flexible = bending(Basis.CLAMPED_FREE, 6, 2.0, 3.0, 50.0, stiffening=True)
    check(flexible)


@pytest.mark.parametrize("basis", [Basis.CLAMPED_FREE, Basis.PINNED_HUB, Basis.TABLE])
def test_tip(basis: Basis) -> None:
    flexible = space_beam(basis)
    result = beam_integrals(flexible)
    coordinates = [(m.direction, shape) for m in beam_modes(flexible) for shape in m.shapes]
    end = np.array(LENGTH)
    for k, (direction, shape) in enumerate(coordinates):
        value, slope = float(shape(end)), float(shape(end, 1))
        displacement, turn = {
            Direction.BEND_Y: ((0, value, 0), (0, 0, slope)),
            Direction.BEND_Z: ((0, 0, value), (0, -slope, 0)),
            Direction.TORSION: ((0, 0, 0), (value, 0, 0)),
            Direction.AXIAL: ((value, 0, 0), (0, 0, 0)),
        }[direction]
        assert result.tip_shapes[k] == pytest.approx(displacement, rel=1e-13)
        assert result.tip_slopes[k] == pytest.approx(turn, rel=1e-13)
    for number, (k, j) in enumerate(result.pairs, start=len(coordinates)):
        if coordinates[k][0] is Direction.TORSION:
            assert result.tip_shapes[number] == (0.0, 0.0, 0.0)
            continue
        one, two = coordinates[k][1], coordinates[j][1]
        stretches = (0.0, *one.ends)
        shortened = integrate(lambda x, one=one, two=two: one(x, 1) * two(x, 1), *stretches)
        assert result.tip_shapes[number] == pytest.approx(
            (-float(shortened) * (0.5 if k == j else 1.0), 0, 0), rel=1e-13
        )
    assert result.tip == (LENGTH, 0.0, 0.0)


def test_modes_of_a_free_hub_carry_no_angular_momentum() -> None:
    # They turn the hub back by as much as the beam swings forward: integral of x (s + r x) dm + J r = 0.
    flexible = space_beam(Basis.PINNED_HUB)
    result = beam_integrals(flexible)
    for k, shape in enumerate(beam_modes(flexible)[0].shapes):
        assert isinstance(shape, ShapeFromHub)
        rigid = 2.5 * LENGTH**3 / 3 + flexible.hub_inertia[2]
        swung = result.shape_second[k][1][0] - result.shape_second[k][0][1]
        assert abs(swung + float(shape.turn) * rigid) < 1e-13


def test_integrals_that_vanish_are_exact_zeros() -> None:
    result = beam_integrals(space_beam(Basis.CLAMPED_FREE))
    products = np.array(result.shape_products)
    assert products[0, 1, 1, 1] == 0.0 and products[2, 3, 2, 2] == 0.0
    assert np.count_nonzero(products[4, [0, 1, 2, 3, 6]]) == 0  # torsion against bending and axial
    assert products[0, 0, 1, 1] == pytest.approx(result.mass, rel=1e-15)
    assert np.count_nonzero(np.array(result.stiffness) - np.diag(np.diag(result.stiffness))) == 0


def test_shapes_of_planes_with_another_stiffness_are_the_same() -> None:
    products = np.array(beam_integrals(space_beam(Basis.CLAMPED_FREE)).shape_products)
    np.testing.assert_allclose(products[:2, 2:4, 1, 2], products[:2, :2, 1, 1], rtol=0, atol=1e-14)


def test_static_tip_deflection() -> None:
    # P L^3 / (3 E I), of which two powers know all and natural modes ever more.
    force, length, stiffness = 7.0, 1.7, 30.0
    exact = force * length**3 / (3 * stiffness)

    def deflection(basis: Basis, count: int) -> float:
        result = beam_integrals(bending(basis, count, length, 2.0, stiffness))
        tip = np.array(result.tip_shapes)[:, 1]
        return float(tip @ np.linalg.solve(np.array(result.stiffness), force * tip))

    assert deflection(Basis.POLYNOMIAL, 2) == pytest.approx(exact, rel=1e-13)
    missing = [1.0 - deflection(Basis.CLAMPED_FREE, count) / exact for count in range(1, 9)]
    assert all(more > less > 0 for more, less in pairwise(missing))
    # What is missing after n modes is 12 times the sum of 1 / root^4 over the others, some 4 / (pi^4 n^3).
    assert missing[0] < 0.03 and missing[7] == pytest.approx(4 / (np.pi**4 * 8**3), rel=0.05)


def test_polynomials_are_exact() -> None:
    result = beam_integrals(bending(Basis.POLYNOMIAL, 3, 2.0, 3.0, 5.0))
    powers = range(2, 5)
    mass = [[3.0 * 2.0 / (k + j + 1) for j in powers] for k in powers]
    bent = [[5.0 * k * (k - 1) * j * (j - 1) / (2.0**3 * (k + j - 3)) for j in powers] for k in powers]
    np.testing.assert_allclose(np.array(result.shape_products)[:, :, 1, 1], mass, rtol=1e-15)
    np.testing.assert_allclose(result.stiffness, bent, rtol=1e-15)
    assert result.frequencies[0] == pytest.approx((bent[0][0] / mass[0][0]) ** 0.5, rel=1e-15)


def test_stiffening_needs_bending() -> None:
    with pytest.raises(DescriptionError, match=r"stiffening: .* got axial"):
        beam_integrals(bending(Basis.CLAMPED_FREE, 1, direction=Direction.AXIAL, stiffening=True))


def test_directions_are_given_once() -> None:
    one = bending(Basis.CLAMPED_FREE, 1)
    with pytest.raises(DescriptionError, match="each direction once"):
        beam_integrals(Flexible(one.length, one.mass_per_length, one.modes * 2))


def test_the_same_beam_is_integrated_once() -> None:
    assert beam_integrals(space_beam(Basis.CLAMPED_FREE)) is beam_integrals(space_beam(Basis.CLAMPED_FREE))
