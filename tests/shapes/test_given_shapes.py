"""Shapes that are given: powers, formulas and tables; what makes no clamped beam is refused with what was found."""

from __future__ import annotations

from typing import Any

import mpmath
import numpy as np
import pytest
from support.beams import bending, integrate

from symdyn.description.flexible import Basis, Direction
from symdyn.errors import DescriptionError
from symdyn.shapes.beam import beam_integrals
from symdyn.shapes.formula import X
from symdyn.shapes.modes import beam_modes, spline_shape

LENGTH = 1.6


def formulas(*texts: str, direction: Direction = Direction.BEND_Y, **said: Any) -> Any:
    return bending(Basis.EXPRESSIONS, len(texts), LENGTH, 2.0, 9.0, direction, functions=texts, **said)


def table(stations: Any, *samples: Any, direction: Direction = Direction.BEND_Y) -> Any:
    rows = tuple(tuple(float(value) for value in row) for row in samples)
    places = tuple(float(x) for x in stations)
    return bending(Basis.TABLE, len(rows), LENGTH, 2.0, 9.0, direction, stations=places, samples=rows)


def test_formulas_are_taken_as_they_are() -> None:
    (modes,) = beam_modes(formulas("x**2", "1 - cos(2*x)", "x**2*exp(-x)"))
    x = np.linspace(0, LENGTH, 7)
    for shape, value, bent in (
        (modes.shapes[0], x**2, 2 + 0 * x),
        (modes.shapes[1], 1 - np.cos(2 * x), 4 * np.cos(2 * x)),
        (modes.shapes[2], x**2 * np.exp(-x), (2 - 4 * x + x**2) * np.exp(-x)),
    ):
        np.testing.assert_allclose(shape(x), value, rtol=1e-15, atol=1e-15)
        np.testing.assert_allclose(shape(x, 2), bent, rtol=1e-14, atol=1e-14)
    third = 9.0 * integrate(lambda s: ((2 - 4 * s + s * s) * mpmath.exp(-s)) ** 2, 0, LENGTH)
    assert modes.stiffness[2][2] == pytest.approx(float(third), rel=1e-13)
    moved = 2.0 * integrate(lambda s: s**2 * (1 - mpmath.cos(2 * s)), 0, LENGTH)
    assert modes.inertia[0][1] == pytest.approx(float(moved), rel=1e-13)
    assert modes.frequencies[2] == pytest.approx((modes.stiffness[2][2] / modes.inertia[2][2]) ** 0.5, rel=1e-15)


def test_natural_modes_written_as_formulas_have_their_frequencies() -> None:
    b = 4.69409113297417457644
    sigma = (np.sinh(b) - np.sin(b)) / (np.cosh(b) + np.cos(b))
    t = f"({b!r}*x/{LENGTH})"
    flexible = formulas(f"cosh{t} - cos{t} - {float(sigma)!r}*(sinh{t} - sin{t})")
    (natural,) = beam_modes(bending(Basis.CLAMPED_FREE, 2, LENGTH, 2.0, 9.0))
    assert beam_integrals(flexible).frequencies[0] == pytest.approx(natural.frequencies[1], rel=1e-10)


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (("x**2 + 0.25",), r"bend_y\[0\]: .* expected value 0 at x = 0, got 0.25; .* start with x\^2"),
        (("x**2", "sin(x)"), r"bend_y\[1\]: .* expected slope 0 at x = 0, got 1; .* start with x\^2"),
        (("1e300*1e300*x**2",), r"bend_y\[0\]: the shape has no finite value"),
        (("sqrt(x)**3",), "bend_y: integrals do not settle near x = "),
        (("1/x",), r"bend_y\[0\]: the shape has no finite value"),
        (("log(x - 2)",), r"bend_y\[0\]: the shape has no finite value"),
        (("x**2", "x**3", "3*x**2 - 2*x**3"), "bend_y: the shapes are not independent"),
        (("x**2", "0*x"), "shape 1 is zero all along the beam"),
        (("x**2*y",), "'y' is not allowed"),
    ],
)
def test_formulas_that_are_refused(texts: tuple[str, ...], message: str) -> None:
    with pytest.raises(DescriptionError, match=message):
        beam_modes(formulas(*texts))


def test_rods_may_leave_their_root_with_a_slope() -> None:
    assert beam_modes(formulas("x", "sin(x)", direction=Direction.AXIAL))
    with pytest.raises(DescriptionError, match=r"expected value 0 at x = 0, got 1; give shapes that start with x$"):
        beam_modes(formulas("cos(x)", direction=Direction.AXIAL))


def test_the_number_of_shapes_must_be_the_count() -> None:
    with pytest.raises(DescriptionError, match="bend_y: expected 3 shapes, got 2"):
        beam_modes(bending(Basis.EXPRESSIONS, 3, functions=("x**2", "x**3")))


def test_splines_reproduce_cubics() -> None:
    # A clamped root and "not a knot" at the tip leave every cubic as it is, on uneven stations.
    x = np.array([0.0, 0.3, 0.7, 1.1, 1.2, LENGTH])
    fine = np.linspace(0, LENGTH, 33)
    for order, values in ((2, lambda t: 3 * t**2 - 0.7 * t**3), (1, lambda t: 2 * t + 3 * t**2 - 0.7 * t**3)):
        for count in (3, 4, 6) if order == 2 else (4, 6):
            stations = (*x[: count - 1].tolist(), LENGTH)
            shape = spline_shape(stations, tuple(values(np.array(stations)).tolist()), LENGTH, order, "s")
            np.testing.assert_allclose(shape(fine), values(fine), atol=1e-13)
            (bent,) = {round(float(value), 9) for value in np.diff(shape(fine, 2)) / np.diff(fine)}
            assert bent == pytest.approx(-4.2, abs=1e-8)


@pytest.mark.parametrize("order", [1, 2])
def test_short_tables(order: int) -> None:
    line = spline_shape((0.0, LENGTH), (0.0, 2.0), LENGTH, order, "s")
    x = np.linspace(0, LENGTH, 5)
    np.testing.assert_allclose(line(x), 2.0 * (x / LENGTH) ** order, atol=1e-15)
    if order == 1:
        three = spline_shape((0.0, 1.0, LENGTH), (0.0, 1.0, LENGTH**2), LENGTH, order, "s")
        np.testing.assert_allclose(three(x), x**2, atol=1e-15)


def test_splines_have_continuous_curvature_and_converge() -> None:
    errors = []
    for count in (6, 11, 21):
        x = np.linspace(0, LENGTH, count)
        shape = spline_shape(tuple(x.tolist()), tuple((1 - np.cos(2 * x)).tolist()), LENGTH, 2, "s")
        for knot in x[1:-1]:
            for derivative in range(3):
                before, after = shape(np.array([knot - 1e-9, knot + 1e-9]), derivative)
                assert before == pytest.approx(after, abs=1e-6)
        assert shape(np.array(0.0), 1) == pytest.approx(0.0, abs=1e-15)
        fine = np.linspace(0, LENGTH, 200)
        errors.append(np.abs(shape(fine) - (1 - np.cos(2 * fine))).max())
    assert errors[0] / errors[1] > 10 and errors[1] / errors[2] > 10  # fourth order


def test_floats_and_fifty_digits_agree_on_every_stretch() -> None:
    x = np.linspace(0, LENGTH, 9)
    (modes,) = beam_modes(table(x, np.sinh(x) - x, x**2))
    for shape in modes.shapes:
        for derivative in range(3):
            places = np.linspace(0.01, LENGTH, 23)
            floats = shape(places, derivative)
            with mpmath.workdps(50):
                precise = [float(shape(mpmath.mpf(float(place)), derivative)) for place in places]
            np.testing.assert_allclose(floats, precise, rtol=1e-12, atol=1e-13)
        pieces = shape.expressions(1)
        assert len(pieces) == len(shape.ends) == 8
        slope = float(shape(np.array(0.5), 1))
        assert float(pieces[2].subs(X, 0.5)) == pytest.approx(slope, rel=1e-12)


@pytest.mark.parametrize(
    ("stations", "samples", "message"),
    [
        ((0.0, 0.8, LENGTH), (0.1, 0.3, 1.0), r"bend_y\[0\]: .* expected value 0 at x = 0, got 0.1"),
        (
            (0.0, 0.5, 1.0, LENGTH),
            (0.0, 0.5, 1.0, LENGTH),
            "leave it with slope 0, got a slope of about 1 at",
        ),
        ((0.0, 0.8), (0.0, 1.0), "expected stations that ascend from 0 to the length 1.6 m, got 0 to 0.8 m"),
        ((0.1, LENGTH), (0.0, 1.0), "expected stations that ascend from 0"),
        ((0.0, 0.9, 0.8, LENGTH), (0.0, 1.0, 2.0, 3.0), "expected stations that ascend"),
        ((0.0, LENGTH), (0.0, float("nan")), "one finite sample each"),
        ((0.0, 1.0, LENGTH), (0.0, 1.0), "one finite sample each, got 3 and 2"),
        ((0.0,), (0.0,), "at least two stations"),
    ],
)
def test_tables_that_are_refused(stations: tuple[float, ...], samples: tuple[float, ...], message: str) -> None:
    with pytest.raises(DescriptionError, match=message):
        beam_modes(table(stations, samples))
