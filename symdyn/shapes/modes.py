"""The shapes that a beam's deflections are made of, direction by direction, with their frequencies.

Beams are slender: Euler-Bernoulli bending, without the rotary inertia of cross-sections; torsion and axial are those of
a straight rod (Saint-Venant). Natural modes of uniform beams come from their characteristic equations
(:mod:`symdyn.shapes.characteristic`), those of tapered and stepped beams from Rayleigh-Ritz
(:mod:`symdyn.shapes.rayleigh_ritz`).

Shapes that are given and not derived: powers of x, formulas, sampled tables.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import mpmath
import numpy as np
import sympy
from numpy.polynomial import legendre

from symdyn.description.flexible import HUB_AXIS, Basis, Direction, Flexible, Modes
from symdyn.errors import DescriptionError
from symdyn.shapes.characteristic import ROD_BASES, uniform_modes
from symdyn.shapes.elasticity import (
    STRAIN_ORDER,
    LineProperties,
    gram_matrices,
    line_properties,
    refuse_dependent,
    refuse_out_of_range,
)
from symdyn.shapes.formula import X, read_formula
from symdyn.shapes.integrals import Square
from symdyn.shapes.legendre_shape import LegendreShape
from symdyn.shapes.profile import constant_value, inertia_of, joined_ends
from symdyn.shapes.rayleigh_ritz import ritz_beam, ritz_modes
from symdyn.shapes.shape import FormulaShape, NaturalShape, Shape, ShapeFromHub, value_at

_CLAMPED = 1e-9
_SAMPLES = 33


def given_shapes(modes: Modes, length: float) -> tuple[Shape, ...]:
    """The shapes that ``modes`` gives, for a beam of ``length`` [m] that is clamped at its root.

    Raises
    ------
    DescriptionError
        A number of shapes other than ``modes.count``, or a shape that moves (bending: or turns) at the root.
    """
    order = STRAIN_ORDER[modes.direction]
    shapes: tuple[Shape, ...]
    if modes.basis is Basis.POLYNOMIAL:
        relative = X / read_formula(repr(length))
        shapes = tuple(FormulaShape((length,), (relative ** (k + order),)) for k in range(modes.count))
    elif modes.basis is Basis.EXPRESSIONS:
        shapes = tuple(FormulaShape((length,), (read_formula(text),)) for text in modes.functions)
    else:
        shapes = tuple(
            spline_shape(modes.stations, samples, length, order, f"{modes.direction.value}[{k}]")
            for k, samples in enumerate(modes.samples)
        )
    name = modes.direction.value
    if len(shapes) != modes.count:
        raise DescriptionError(f"{name}: expected {modes.count} shapes, got {len(shapes)}")
    for k, shape in enumerate(shapes):
        _refuse_moving_root(shape, length, order, f"{name}[{k}]")
    return shapes


def _refuse_moving_root(shape: Shape, length: float, order: int, name: str) -> None:
    with np.errstate(all="ignore"):
        values = shape(np.linspace(0.0, length, _SAMPLES))
    if not np.isfinite(values).all():
        raise DescriptionError(f"{name}: the shape has no finite value somewhere between 0 and {length:g} m")
    largest = float(np.abs(values).max())
    for derivative, what in list(enumerate(("value", "slope")))[:order]:
        found = _at_root(shape, derivative)
        if not abs(found) <= _CLAMPED * largest / length**derivative:
            raise DescriptionError(
                f"{name}: the beam is clamped at its root, expected {what} 0 at x = 0, got {found:.6g}; give shapes "
                f"that start with " + ("x" if order == 1 else "x^2")
            )


def _at_root(shape: Shape, derivative: int) -> float:
    try:
        return float(shape(mpmath.mpf(0), derivative))
    except ZeroDivisionError:
        return float("inf")


NATURAL: tuple[Basis, ...] = (
    Basis.CLAMPED_FREE,
    Basis.CLAMPED_TIP_MASS,
    Basis.PINNED_HUB,
    Basis.CLAMPED_CLAMPED,
    Basis.PINNED_PINNED,
)
"""Bases of natural modes."""
GIVEN: tuple[Basis, ...] = (Basis.POLYNOMIAL, Basis.EXPRESSIONS, Basis.TABLE)
"""Bases whose shapes are given."""


@dataclass(frozen=True, slots=True)
class ModeShapes:
    """The shapes of one direction, in the order of their amplitudes.

    The deflection along ``direction`` at the distance x [m] from the root is the sum of ``shapes[k](x)`` times the k-th
    amplitude: [m] for bending and axial, [rad] for torsion. ``shapes[k](x, derivative)`` takes NumPy arrays or mpmath
    numbers, ``shapes[k].expressions(derivative)`` gives SymPy expressions in ``x``, one per stretch of
    ``shapes[k].ends``.

    Natural modes w are orthogonal in the inertia product of their basis: the integral of w_k w_l dm, to which
    ``clamped-tip-mass`` adds tip_mass w_k w_l + tip_inertia w_k' w_l' at the far end (torsion: tip_inertia w_k w_l) and
    ``pinned-hub`` adds hub_inertia w_k' w_l' at the root. In that product each has the square norm of the rigid beam's
    inertia: its mass [kg], or for torsion its polar inertia [kg m^2]. They are positive at the tip, or next to the root
    where the basis holds the tip. Given shapes are taken as they are.

    A shape is its natural mode, but for ``pinned-hub``: there a mode turns the hub by the slope r = w'(0), and the
    link's frame turns with the hub, so that the shape is w - r x (:class:`symdyn.shapes.shape.ShapeFromHub`).
    """

    direction: Direction
    basis: Basis
    length: float
    shapes: tuple[Shape, ...]
    frequencies: tuple[float, ...]
    """Circular frequencies [rad/s], (count,): of natural modes those of the beam with the ends that the basis says, of
    given shapes sqrt(stiffness / modal mass) of each alone."""
    inertia: Square
    """Products of the shapes, (count, count) [kg], torsion [kg m^2]: diagonal for natural modes, in the product of
    their basis; for given shapes the integral of s_k s_l dm."""
    stiffness: Square
    """Integral of stiffness s_k'' s_l'' (torsion and axial: s_k' s_l'), (count, count)."""
    tip_inertia: tuple[float, float] = (0.0, 0.0)
    """What the basis puts at the far end: on the deflection [kg] (torsion [kg m^2]) and on the slope [kg m^2]."""
    hub_inertia: float = 0.0
    """What the basis puts on the slope at the root [kg m^2]."""
    roots: tuple[Any, ...] = ()
    """Wave number times length, (count,), mpmath numbers of 60 digits: of natural modes of uniform beams only."""
    characteristic: sympy.Expr | None = None
    """What vanishes at the roots, in the symbol ``beta``: of natural modes of uniform beams only."""

    def end_share(self, k: int, j: int) -> float:
        """What the tip contributes to ``inertia[k][j]`` of natural modes; the rest is the beam's own."""
        result = 0.0
        for derivative, inertia in enumerate(self.tip_inertia):
            if inertia:
                one, two = (value_at(self.shapes[number], self.length, derivative) for number in (k, j))
                result += inertia * one * two
        return result


@lru_cache(maxsize=256)
def beam_modes(flexible: Flexible) -> tuple[ModeShapes, ...]:
    """The shapes of a flexible link, one entry per direction in which it bends, twists or stretches.

    Parameters
    ----------
    flexible
        The beam; entries come in the order of ``flexible.modes``.

    Raises
    ------
    DescriptionError
        A basis that the direction does not have, shapes that move where the beam is clamped or are not independent,
        profiles that are not positive and finite.

    Notes
    -----
    The stiffness matrix of natural modes is diagonal, ``omega^2 * modal_mass``.
    """
    if not (np.isfinite(flexible.length) and flexible.length > 0.0):
        raise DescriptionError(f"expected a positive length of the flexible link [m], got {flexible.length!r}")
    return tuple(_of_direction(flexible, modes) for modes in flexible.modes)


def _of_direction(flexible: Flexible, modes: Modes) -> ModeShapes:
    name = modes.direction.value
    if modes.count < 1:
        raise DescriptionError(f"{name}: expected at least one mode, got {modes.count}")
    properties = line_properties(flexible, modes)
    if modes.basis in NATURAL:
        return _natural(flexible, modes, properties)
    shapes = given_shapes(modes, flexible.length)
    order = STRAIN_ORDER[modes.direction]
    mass, stiffness = gram_matrices(properties, shapes, order, name)
    refuse_dependent(mass, name)
    frequencies = np.sqrt(np.diag(stiffness)) / np.sqrt(np.diag(mass))
    refuse_out_of_range(frequencies)
    return ModeShapes(
        direction=modes.direction,
        basis=modes.basis,
        length=flexible.length,
        shapes=shapes,
        frequencies=tuple(frequencies.tolist()),
        inertia=_square(mass),
        stiffness=_square(stiffness),
    )


def _natural(flexible: Flexible, modes: Modes, properties: LineProperties) -> ModeShapes:
    order, length, basis = STRAIN_ORDER[modes.direction], flexible.length, modes.basis
    if order == 1 and basis not in ROD_BASES:
        possible = ", ".join(f"'{known.value}'" for known in (*ROD_BASES, *GIVEN))
        raise DescriptionError(
            f"{modes.direction.value}: basis '{basis.value}' speaks of slopes, which only bending has; expected one of "
            f"{possible}"
        )
    tip, hub = end_inertias(flexible, modes)
    total = inertia_of(properties.inertia)
    inertia, stiffness = constant_value(properties.inertia), constant_value(properties.stiffness)
    shapes: tuple[Shape, ...]
    roots: tuple[Any, ...] = ()
    characteristic = None
    if inertia is None or stiffness is None:
        ends = joined_ends(properties.inertia.ends, properties.stiffness.ends)
        beam = ritz_beam(basis, order, ends, properties.stiffness, properties.inertia, tip, hub)
        ritz = ritz_modes(beam, modes.count)
        shapes = tuple(_scaled(ritz.ends, series, float(np.sqrt(total)), basis, order) for series in ritz.series)
        frequencies = tuple(np.sqrt(ritz.eigenvalues).tolist())
    else:
        relative = (tip[0] / total, tip[1] / (total * length**2), hub / (total * length**2))
        uniform = uniform_modes(basis, order, *relative, modes.count)
        roots, characteristic = uniform.roots, uniform.characteristic
        shapes = tuple(
            NaturalShape(length, root, coefficients)
            for root, coefficients in zip(roots, uniform.coefficients, strict=True)
        )
        speed = stiffness**0.5 / inertia**0.5
        frequencies = tuple((float(root) / length) ** order * speed for root in roots)
        refuse_out_of_range(np.array(frequencies))
    if basis is Basis.PINNED_HUB:
        shapes = tuple(ShapeFromHub(shape) for shape in shapes)
    return ModeShapes(
        direction=modes.direction,
        basis=basis,
        length=length,
        shapes=shapes,
        frequencies=frequencies,
        inertia=_square(total * np.eye(modes.count)),
        stiffness=_square(total * np.diag(np.square(frequencies))),
        tip_inertia=tip,
        hub_inertia=hub,
        roots=roots,
        characteristic=characteristic,
    )


def end_inertias(flexible: Flexible, modes: Modes) -> tuple[tuple[float, float], float]:
    """Inertias that the basis puts at the tip (on the value, on the slope) and at the root (on the slope)."""
    tip, hub = (0.0, 0.0), 0.0
    hubs = ((f"hub_inertia.{axis}", value) for axis, value in zip("xyz", flexible.hub_inertia, strict=True))
    for name, value in (("tip_mass", flexible.tip_mass), ("tip_inertia", flexible.tip_inertia), *hubs):
        if not (np.isfinite(value) and value >= 0.0):
            raise DescriptionError(f"{name}: expected a finite number of at least 0, got {value!r}")
    if modes.basis is Basis.CLAMPED_TIP_MASS:
        if modes.direction is Direction.TORSION:
            tip = (flexible.tip_inertia, 0.0)
        elif modes.direction is Direction.AXIAL:
            tip = (flexible.tip_mass, 0.0)
        else:
            tip = (flexible.tip_mass, flexible.tip_inertia)
    if modes.basis is Basis.PINNED_HUB:
        hub = flexible.hub_inertia[HUB_AXIS[modes.direction]]
    return tip, hub


def _scaled(
    ends: tuple[float, ...], series: tuple[tuple[float, ...], ...], scale: float, basis: Basis, order: int
) -> LegendreShape:
    """The shape times ``scale``, positive at the tip or, where the tip is held, next to the root."""
    shape = LegendreShape(ends, series)
    if basis is Basis.CLAMPED_CLAMPED:
        reference = value_at(shape, 0.0, order)
    elif basis is Basis.PINNED_PINNED:
        reference = value_at(shape, 0.0, 1)
    else:
        reference = value_at(shape, ends[-1])
    signed = scale if reference > 0.0 else -scale
    return LegendreShape(ends, tuple(tuple(signed * term for term in piece) for piece in series))


def _square(rows: np.ndarray[Any, Any]) -> Square:
    return tuple(tuple(row) for row in rows.tolist())


Array = np.ndarray[Any, Any]
_SAME = 1e-9


def spline_shape(
    stations: tuple[float, ...], samples: tuple[float, ...], length: float, order: int, name: str
) -> LegendreShape:
    """The cubic spline through ``samples`` at ``stations`` [m], from the root to the tip.

    For bending (``order`` 2) the slope at the root is zero, the clamp. The remaining ends are "not a knot": the third
    derivative goes on through the last inner station, so that no moment is invented at the tip. Two or three stations
    give the polynomial of lowest degree.

    Raises
    ------
    DescriptionError
        Stations that do not ascend from 0 to ``length``, samples that are not finite or not as many, or (bending) that
        leave the root with a slope.
    """
    x, y = np.array(stations, dtype=float), np.array(samples, dtype=float)
    if len(x) < 2 or len(x) != len(y) or not np.all(np.isfinite(x)) or not np.all(np.isfinite(y)):
        raise DescriptionError(
            f"{name}: expected at least two stations, one finite sample each, got {len(x)} and {len(y)}"
        )
    if not np.all(np.diff(x) > 0.0) or abs(x[0]) > _SAME * length or abs(x[-1] - length) > _SAME * length:
        raise DescriptionError(
            f"{name}: expected stations that ascend from 0 to the length {length:g} m, got {x[0]:g} to {x[-1]:g} m"
        )
    if order == 2 and len(x) >= 4:
        _refuse_slope(x, y, name)
    slopes = _slopes(x, y, clamped=order == 2)
    widths = np.diff(x)
    series = []
    for k, h in enumerate(widths):
        # Hermite cubic on [-1, 1]; slopes there are per half width.
        a, b, c, d = y[k], y[k + 1], 0.5 * h * slopes[k], 0.5 * h * slopes[k + 1]
        cubic = np.array([2 * (a + b) + c - d, 3 * (b - a) - c - d, d - c, a - b + c + d]) / 4.0
        series.append(tuple(legendre.poly2leg(cubic).tolist()))
    padded = tuple(piece + (0.0,) * (4 - len(piece)) for piece in series)
    return LegendreShape((*x[1:-1].tolist(), length), padded)


def _slopes(x: Array, y: Array, clamped: bool) -> Array:
    """Slopes at the stations that make the curvature continuous: a system of one row per station."""
    size, widths = len(x), np.diff(x)
    chords = np.diff(y) / widths
    if size == 2:
        return np.array([0.0, 2.0 * chords[0]]) if clamped else np.full(2, chords[0])
    if size == 3 and not clamped:
        bend = (chords[1] - chords[0]) / (x[2] - x[0])
        return np.asarray(chords[0] + bend * (2.0 * x - x[0] - x[1]))
    matrix, right = np.zeros((size, size)), np.zeros(size)
    for k in range(1, size - 1):
        before, after = widths[k - 1], widths[k]
        matrix[k, k - 1 : k + 2] = after, 2.0 * (before + after), before
        right[k] = 3.0 * (after * chords[k - 1] + before * chords[k])
    if clamped:
        matrix[0, 0] = 1.0
    else:
        matrix[0, :2], right[0] = _not_a_knot(widths[:2], chords[:2])
    matrix[-1, [-1, -2]], right[-1] = _not_a_knot(widths[:-3:-1], chords[:-3:-1])
    return np.asarray(np.linalg.solve(matrix, right))


def _not_a_knot(widths: Array, chords: Array) -> tuple[tuple[float, float], float]:
    """The row for an end: factors of the slopes at the end and at its neighbour, and the right-hand side."""
    near, next_one = widths
    both = near + next_one
    right = ((near + 2.0 * both) * next_one * chords[0] + near**2 * chords[1]) / both
    return (float(next_one), float(both)), float(right)


def _refuse_slope(x: Array, y: Array, name: str) -> None:
    free = _slopes(x, y, clamped=False)[0]
    chord = (y[1] - y[0]) / (x[1] - x[0])
    # Splines of coarse tables leave the root with some slope of their own.
    if abs(free) > 0.5 * abs(chord) and abs(free) > 0.25 * np.abs(y).max() / x[-1]:
        raise DescriptionError(
            f"{name}: the beam is clamped at its root, expected samples that leave it with slope 0, got a slope of "
            f"about {free:.6g} at x = 0; give shapes that start with x^2"
        )
