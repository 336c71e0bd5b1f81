"""Wrenches f_ext of the environment, as the bodies of a sweep feel them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from symdyn.dynamics.tree.tree import ALIGNMENT, SHIFT, BodyVariant
from symdyn.scalars.algebra import Scalar
from symdyn.spatial.force import wrench_at_offset
from symdyn.spatial.transform import turned_halves
from symdyn.spatial.vectors import Matrix, Vector, matrix_from, transpose


def external_constants(variant: BodyVariant) -> tuple[str, ...]:
    """Names of the constants that :func:`applied_wrench` reads."""
    aligned = ALIGNMENT if variant.external == "body" else ()
    return (*aligned, SHIFT) if variant.shifted else aligned


def applied_wrench(
    variant: BodyVariant, constants: Mapping[str, Scalar], rows: Sequence[Scalar], orientation: Matrix | None
) -> list[Scalar]:
    """The wrench (f; n) about the public origin, of f_ext in the axes of the body's frame.

    Parameters
    ----------
    variant, constants
        The body; its f_ext is in body or in world axes.
    rows
        Its rows of f_ext, (6,), in the order of the convention.
    orientation
        Of the body's frame in the world, read where f_ext is in world axes.
    """
    into = transpose(orientation or matrix_from([constants[name] for name in ALIGNMENT]))
    turned = turned_halves(into, rows)
    return [*turned[3:], *turned[:3]] if variant.angular_first else turned


def at_own_origin(variant: BodyVariant, constants: Mapping[str, Scalar], wrench: Vector) -> Vector:
    """An applied wrench about the origin of the body's own frame."""
    return wrench_at_offset(wrench, [0.0, 0.0, -constants[SHIFT]]) if variant.shifted else wrench
