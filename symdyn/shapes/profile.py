"""Quantities along a beam, as functions that were found to be positive and finite."""

from __future__ import annotations

import bisect
from functools import lru_cache

import numpy as np
from numpy.polynomial import legendre

from symdyn.description.flexible import Profile
from symdyn.errors import DescriptionError
from symdyn.shapes.closed_form import exact_integral
from symdyn.shapes.formula import X, read_formula
from symdyn.shapes.quadrature import adaptive_quadrature
from symdyn.shapes.shape import FormulaShape

_SAMPLES = 40
_SAME = 1e-12


def profile_shape(profile: Profile) -> FormulaShape:
    """A quantity along the beam as a function of x, piecewise."""
    return FormulaShape(profile.ends, tuple(read_formula(text) for text in profile.values))


@lru_cache(maxsize=64)
def checked_profile(profile: Profile, length: float, name: str) -> FormulaShape:
    """The same, for a beam of ``length`` [m], once its values were looked at.

    Raises
    ------
    DescriptionError
        Stretches that do not ascend to the beam's length, or a value that is not positive and finite; ``name`` says
        of what.
    """
    ends = profile.ends
    starts = (0.0, *ends[:-1])
    if not ends or len(ends) != len(profile.values) or any(not a < b for a, b in zip(starts, ends, strict=True)):
        raise DescriptionError(f"{name}: stretches must ascend from 0 with one formula each, got ends {ends}")
    if abs(ends[-1] - length) > _SAME * length:
        raise DescriptionError(
            f"{name}: the last stretch ends at {ends[-1]:g} m, expected the beam's length {length:g} m"
        )
    shape = profile_shape(profile)
    nodes, _ = legendre.leggauss(_SAMPLES)
    with np.errstate(all="ignore"):
        for a, b in zip(starts, ends, strict=True):
            stations = 0.5 * (a + b + (b - a) * nodes)
            values = shape(stations)
            for x, value in zip(stations, values, strict=True):
                if not (np.isfinite(value) and value > 0.0):
                    raise DescriptionError(
                        f"{name}: expected a positive number all along the beam, got {value:g} at x = {x:.6g} m"
                    )
    return shape


def sum_of(first: FormulaShape, second: FormulaShape) -> FormulaShape:
    """The sum of two quantities, on the stretches of both."""
    ends = joined_ends(first.ends, second.ends)
    starts = (0.0, *ends[:-1])
    pieces = []
    for a, b in zip(starts, ends, strict=True):
        middle = 0.5 * (a + b)
        one, two = (shape.pieces[bisect.bisect_left(shape.ends[:-1], middle)] for shape in (first, second))
        pieces.append(one + two)
    return FormulaShape(ends, tuple(pieces))


def constant_value(shape: FormulaShape) -> float | None:
    """The value of a quantity that is the same everywhere, else None."""
    first = shape.pieces[0]
    if first.has(X) or any(piece != first for piece in shape.pieces):
        return None
    return float(shape(np.array(0.0)))


def joined_ends(*groups: tuple[float, ...]) -> tuple[float, ...]:
    """Far ends of the stretches on which all of several functions are smooth."""
    ascending = sorted({end for ends in groups for end in ends})
    gap = _SAME * ascending[-1]
    return tuple(end for end, after in zip(ascending, (*ascending[1:], np.inf), strict=True) if after - end > gap)


def inertia_of(density: FormulaShape) -> float:
    """Integral of a density over the beam: its mass [kg], or its polar inertia [kg m^2]."""
    exact = exact_integral(density.ends[-1], (density, 0))
    if exact is not None:
        return exact
    rows = adaptive_quadrature(density.ends, lambda x: np.sqrt(density(x))[None, :], "inertia")
    return float(rows.integral(density(rows.nodes)))
