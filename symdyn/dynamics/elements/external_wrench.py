"""Wrenches f_ext of the environment on the public bodies, in body or in world axes.

What they take is part of the steps in which bodies' wrenches begin; ports, constants and kernel of that part are here.
A sweep of their own would cost rolled code 1 to 4 % more operations: bodies that share its loop share its zeros too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from symdyn.algebra.scalars.algebra import Scalar
from symdyn.algebra.spatial.force import wrench_at_offset
from symdyn.algebra.spatial.transform import Transform, turned_halves
from symdyn.algebra.spatial.vectors import Matrix, Vector, entries_of, matrix_from, subtract, transpose
from symdyn.dynamics.tree.bindings import BoundPort, Reads, Writes, read, write
from symdyn.dynamics.tree.body_state import turned_axes
from symdyn.dynamics.tree.body_variant import BodyVariant
from symdyn.dynamics.tree.places import F_EXT, ORIENTATION
from symdyn.dynamics.tree.tree import ALIGNMENT, SHIFT, TreePlan


def external_constants(variant: BodyVariant) -> tuple[str, ...]:
    """Names of the constants that the functions here read."""
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


def own_orientation(reads: Reads, x_pc: Transform) -> Matrix | None:
    """Axes of the body's frame in the world, where its parent's are known."""
    if "orientation" not in reads:
        return None
    return turned_axes(reads["orientation"], x_pc.fixed, x_pc.turn)


def less_external(
    variant: BodyVariant, constants: Mapping[str, Scalar], reads: Reads, x_pc: Transform, wrench: Vector
) -> Writes:
    """The ports ``wrench``, less f_ext, and ``own_orientation``, of a body that stands at ``x_pc`` in its parent."""
    world = own_orientation(reads, x_pc)
    if variant.external:
        applied = applied_wrench(variant, constants, reads["f_ext"], world)
        wrench = subtract(wrench, at_own_origin(variant, constants, applied))
    return {"wrench": wrench} if world is None else {"own_orientation": entries_of(world), "wrench": wrench}


def in_world(tree: TreePlan) -> bool:
    """Whether f_ext is in world axes."""
    return tree.external == "world"


def external_port(body: Callable[[Any], BodyVariant] = lambda variant: variant) -> BoundPort:
    """The port ``f_ext``; ``body`` finds a body's variant in that of a step."""
    return read(F_EXT, when=lambda variant: body(variant).external)


AXES_ABOVE, OWN_AXES = read(ORIENTATION.above.where(in_world)), write(ORIENTATION.own.where(in_world))
"""The ports ``orientation`` and ``own_orientation``."""
