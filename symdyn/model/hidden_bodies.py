"""Constants of bodies for algorithms that hide frames and wrenches: frames moved, inertia regrouped, from numbers or p.

What rests on run-time parameters is moved and regrouped by the same rules as numbers are, once per call and before any
recursion: the parameters of the parent become sums of its own and of what the child hands on. Most of them are affine
in one parameter (see :mod:`symdyn.algebra.scalars.affine`): a multiplication and an addition per constant are all the
work.
Whether that is less than what the recursion saves depends on the function; ``Model.runtime_givers`` is the choice.

Base parameters: inertia that a joint cannot feel is counted with the parent, so that the child has fewer products.

Mass spread along a revolute joint's axis moves with the parent as well as with the child; so does mass at the centre
of a spherical joint, and second moments behind a prismatic one (Gautier & Khalil 1990). Moving them changes no tau, but
it does change the wrench that a joint is seen to transmit, so only algorithms that hide these wrenches may use it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from symdyn.algebra.scalars.affine import Affine, AffineAlgebra
from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.algebra.spatial.rotations import IDENTITY, Identity
from symdyn.algebra.spatial.transform import Transform
from symdyn.model.bind import (
    INERTIA,
    TRANSLATION,
    BodyConstants,
    baked_body,
    bind_body,
    inertia_constants,
    inertia_of,
    summed_of,
    without_noise,
)
from symdyn.model.joint_origins import slid
from symdyn.model.model import Model


@dataclass(frozen=True, slots=True)
class Regrouped:
    """Constants after regrouping, and per body the names of those that went to its parent (and are zero now).

    ``from_p`` are those of ``moved`` that run-time parameters can change.
    """

    bodies: list[BodyConstants | None]
    moved: list[tuple[str, ...]]
    from_p: list[tuple[str, ...]]


def regrouped(model: Model, bodies: Sequence[BodyConstants | None]) -> Regrouped:
    """Constants with what can be moved counted with the parents, from the leaves to the root.

    Parameters
    ----------
    model
        The robot.
    bodies
        Its constants; None for a body that rests on run-time parameters and neither gives nor takes. Constants that are
        affine in run-time parameters go to the parent where the body is one of ``model.runtime_givers``, and only
        their numbers do elsewhere.

    Nothing goes where the model does not regroup.
    """
    moved: list[tuple[str, ...]] = [()] * len(bodies)
    from_p = list(moved)
    if not model.regroups:
        return Regrouped(list(bodies), moved, from_p)
    values = [dict(body.values) if body is not None else None for body in bodies]
    placed = Transform(IDENTITY, Identity(), (0.0, 0.0, 0.0))
    summed = [summed_of(inertia_of(body.values), placed) if body is not None else None for body in bodies]
    for index in range(len(model.bodies) - 1, -1, -1):
        body, own = model.bodies[index], values[index]
        above = values[body.parent] if body.parent >= 0 else None
        names = () if body.carried else body.joint.kind.unfelt  # that of a bent link is not constant
        if own is None or not names or (above is None and body.parent >= 0):
            continue
        taken: dict[str, Scalar] = dict.fromkeys(INERTIA, 0.0)
        for name in names:
            taken[name], own[name] = _divided(own[name], index in (model.runtime_givers or ()))
        moved[index] = tuple(name for name in names if not is_zero(taken[name]) and is_zero(own[name]))
        from_p[index] = tuple(name for name in moved[index] if isinstance(taken[name], Affine))
        if above is not None:
            placed = Transform(body.rotation, Identity(), [own[name] for name in TRANSLATION])
            above |= inertia_constants(inertia_of(above).plus(inertia_of(taken).seen_from_parent(placed)))
            summed[body.parent] = _sum_of(summed[body.parent], summed_of(inertia_of(taken), placed))
    constants = [
        BodyConstants(without_noise(found, sizes)) if found is not None else None
        for found, sizes in zip(values, summed, strict=True)
    ]
    return Regrouped(constants, moved, from_p)


def _sum_of(first: dict[str, Scalar] | None, other: dict[str, Scalar] | None) -> dict[str, Scalar] | None:
    """Both sizes together, where both are known."""
    if first is None or other is None:
        return None
    return {name: size + other[name] for name, size in first.items()}


def is_zero(value: Scalar) -> bool:
    """Whether a constant is the number zero, and no run-time parameter can change it."""
    return not isinstance(value, Affine) and value == 0.0


def _divided(value: Scalar, all_of_it: bool) -> tuple[Scalar, Scalar]:
    """What goes to the parent and what stays: a number goes, a multiple of what is known at run time may stay."""
    if isinstance(value, Affine) and not all_of_it:
        return value.offset, value.without_offset()
    return value, 0.0


@dataclass(frozen=True, slots=True)
class HiddenBodies:
    """What algorithms see of the bodies.

    ``constants`` are floats, or affine scalars where they rest on p; None for a body that does, where the model has no
    ``runtime_givers``. ``shifts`` are how far the frames moved along their joints' axes [m]; ``moved`` are the names of
    what went to the parent, and ``from_p`` those of them that rest on p.
    """

    constants: list[BodyConstants | None]
    shifts: list[float]
    moved: list[tuple[str, ...]]
    from_p: list[tuple[str, ...]]


def hidden_bodies(model: Model, loaded: bool = False) -> HiddenBodies:
    """The constants of all bodies, with numbers for what does not rest on p.

    Parameters
    ----------
    model
        The robot.
    loaded
        Whether wrenches act on the bodies, which makes moved frames dearer.
    """
    if model.runtime_givers is None:
        return _moved(model, [baked_body(model, body) for body in model.bodies], loaded)
    # which constants rest on p, and with what numbers, is the same for all values of p
    unknown = [float("nan")] * len(model.slots.names)
    return _from_parameters(model, AffineAlgebra(FloatAlgebra()), unknown, loaded)


def bound_constants(
    model: Model,
    names: Sequence[str],
    algebra: Algebra,
    p: Sequence[Scalar],
    loaded: bool,
) -> list[list[Scalar]]:
    """Named constants of every body over an algebra, for a model that has ``runtime_givers``."""
    affine = AffineAlgebra(algebra)
    found = _from_parameters(model, affine, p, loaded).constants
    return [[affine.value(body.values[name]) for name in names] for body in found if body is not None]


def _from_parameters(model: Model, affine: AffineAlgebra, p: Sequence[Scalar], loaded: bool) -> HiddenBodies:
    variables = affine.variables(p)
    bodies: list[BodyConstants | None] = [
        BodyConstants(without_noise(bind_body(model, body, affine, variables).values)) for body in model.bodies
    ]
    return _moved(model, bodies, loaded)


def _moved(model: Model, bodies: list[BodyConstants | None], loaded: bool) -> HiddenBodies:
    bodies, shifts = slid(model, bodies, loaded)
    found = regrouped(model, bodies)
    return HiddenBodies(found.bodies, shifts, found.moved, found.from_p)
