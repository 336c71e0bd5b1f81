"""Shapes that are given and not derived: powers of x, formulas, sampled tables."""

from __future__ import annotations

import mpmath
import numpy as np

from symdyn.description.flexible import Basis, Modes
from symdyn.errors import DescriptionError
from symdyn.shapes.elasticity import STRAIN_ORDER
from symdyn.shapes.formula import X, read_formula
from symdyn.shapes.shape import FormulaShape, Shape
from symdyn.shapes.spline import spline_shape

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
