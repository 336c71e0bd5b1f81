"""Inertia, stiffness and damping of one direction's shapes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from symdyn.description.flexible import Direction, Flexible, Modes
from symdyn.errors import DescriptionError
from symdyn.shapes.closed_form import exact_integral
from symdyn.shapes.profile import checked_profile, joined_ends, sum_of
from symdyn.shapes.quadrature import adaptive_quadrature
from symdyn.shapes.shape import FormulaShape, Shape

Array = np.ndarray[Any, Any]
STRAIN_ORDER = {Direction.BEND_Y: 2, Direction.BEND_Z: 2, Direction.TORSION: 1, Direction.AXIAL: 1}
"""The derivative of a shape that strains the beam: curvature, twist, stretch."""
_INDEPENDENT = 1e-10
_SLOWEST, _FASTEST = 1e-100, 1e100


@dataclass(frozen=True, slots=True)
class LineProperties:
    """What resists motion and strain in one direction, per length.

    ``inertia`` is the mass per length [kg/m], for torsion the polar inertia per length [kg m]; ``stiffness`` is E I
    [N m^2], G J [N m^2] or E A [N].
    """

    inertia: FormulaShape
    stiffness: FormulaShape


def line_properties(flexible: Flexible, modes: Modes) -> LineProperties:
    """The properties of the beam in the direction of ``modes``.

    Raises
    ------
    DescriptionError
        Values that are not positive and finite, or torsion without the sections' inertia.
    """
    name = modes.direction.value
    if modes.direction is Direction.TORSION:
        if flexible.section_inertia is None:
            raise DescriptionError(
                "torsion: expected 'section_inertia' (second moments of mass per length of the cross-section [kg m]), "
                "got none; a line without thickness has no inertia about itself"
            )
        first, second = (
            checked_profile(profile, flexible.length, f"section_inertia.{axis}")
            for axis, profile in zip("yz", flexible.section_inertia, strict=True)
        )
        inertia = sum_of(first, second)
    else:
        inertia = checked_profile(flexible.mass_per_length, flexible.length, "mass_per_length")
    return LineProperties(inertia, checked_profile(modes.stiffness, flexible.length, f"stiffness of {name}"))


def gram_matrices(properties: LineProperties, shapes: tuple[Shape, ...], order: int, name: str) -> tuple[Array, Array]:
    """Inertia and stiffness of given shapes: integrals of inertia s_k s_l and of stiffness times both strains.

    Both are (m, m); ``order`` is the derivative that strains.
    """
    length = properties.inertia.ends[-1]
    count = len(shapes)
    mass, stiffness = np.zeros((count, count)), np.zeros((count, count))
    exact = True
    for k in range(count):
        for j in range(k + 1):
            moved = exact_integral(length, (properties.inertia, 0), (shapes[k], 0), (shapes[j], 0))
            strained = exact_integral(length, (properties.stiffness, 0), (shapes[k], order), (shapes[j], order))
            if moved is None or strained is None:
                exact = False
                break
            mass[k, j] = mass[j, k] = moved
            stiffness[k, j] = stiffness[j, k] = strained
    if exact:
        return mass, stiffness

    def factors(x: Array) -> Array:
        values = [np.sqrt(properties.inertia(x)) * shape(x) for shape in shapes]
        strains = [np.sqrt(properties.stiffness(x)) * shape(x, order) for shape in shapes]
        return np.array(values + strains)

    ends = joined_ends(properties.inertia.ends, properties.stiffness.ends, *(shape.ends for shape in shapes))
    quadrature = adaptive_quadrature(ends, factors, name)
    rows = factors(quadrature.nodes)
    return tuple((part * quadrature.weights) @ part.T for part in (rows[:count], rows[count:]))  # type: ignore[return-value]


def refuse_dependent(mass: Array, name: str) -> None:
    """Raise DescriptionError where one shape is a combination of the others."""
    norms = np.sqrt(np.diag(mass))
    if not np.all(norms > 0.0):
        raise DescriptionError(f"{name}: shape {int(np.argmin(norms))} is zero all along the beam; leave it out")
    smallest = float(np.linalg.eigvalsh(mass / np.outer(norms, norms))[0])
    if smallest < _INDEPENDENT:
        raise DescriptionError(
            f"{name}: the shapes are not independent (smallest eigenvalue of their normalised inertia {smallest:.2e}, "
            f"expected at least {_INDEPENDENT:g}); leave out shapes that others nearly make up, or take natural modes"
        )


def refuse_out_of_range(frequencies: Array) -> None:
    """Raise DescriptionError where the square of a frequency [rad/s] is none to compute with."""
    if not np.all((frequencies > _SLOWEST) & (frequencies < _FASTEST)):
        raise DescriptionError(
            f"natural frequencies from {frequencies.min():.1e} to {frequencies.max():.1e} rad/s are beyond what "
            f"doubles compute with; check the units of mass and stiffness"
        )


def damping_matrix(modes: Modes, mass: Array, stiffness: Array) -> Array:
    """Damping of the amplitudes' rates, (m, m): modal ratios, or a Kelvin-Voigt material.

    With K phi = omega^2 M phi and phi^T M phi = 1 it is M phi diag(2 zeta omega) phi^T M for ``damping_ratios``, the
    first of which goes with the lowest frequency, and time * K for ``retardation_time``.

    Raises
    ------
    DescriptionError
        A number of ratios other than that of the modes, or negative damping.
    """
    name = modes.direction.value
    result = modes.retardation_time * stiffness
    if not (np.isfinite(modes.retardation_time) and modes.retardation_time >= 0.0):
        raise DescriptionError(f"{name}: expected a retardation time of at least 0 s, got {modes.retardation_time:g}")
    if not modes.damping_ratios:
        return np.asarray(result)
    ratios = np.array(modes.damping_ratios, dtype=float)
    if len(ratios) != modes.count:
        raise DescriptionError(f"{name}: expected {modes.count} damping ratios, one per mode, got {len(ratios)}")
    if not np.all(np.isfinite(ratios) & (ratios >= 0.0)):
        raise DescriptionError(f"{name}: expected damping ratios of at least 0, got {modes.damping_ratios}")
    if np.count_nonzero(mass - np.diag(np.diag(mass))) + np.count_nonzero(stiffness - np.diag(np.diag(stiffness))) == 0:
        return np.asarray(result + np.diag(2.0 * ratios * np.sqrt(np.diag(mass) * np.diag(stiffness))))
    inverse = np.linalg.inv(np.linalg.cholesky(mass))
    squares, vectors = np.linalg.eigh(inverse @ stiffness @ inverse.T)
    momenta = mass @ (inverse.T @ vectors)
    return np.asarray(result + (momenta * (2.0 * ratios * np.sqrt(np.maximum(squares, 0.0)))) @ momenta.T)
