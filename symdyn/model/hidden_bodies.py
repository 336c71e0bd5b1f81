"""Constants of bodies for algorithms that hide frames and wrenches: frames moved, inertia regrouped, from numbers or p.

What rests on run-time parameters is moved and regrouped by the same rules as numbers are, once per call and before any
recursion: the parameters of the parent become sums of its own and of what the child hands on. Most of them are affine
in one parameter (see :mod:`symdyn.algebra.scalars.affine`): a multiplication and an addition per constant are all the
work.
Whether that is less than what the recursion saves depends on the function; ``Model.runtime_givers`` is the choice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from symdyn.algebra.scalars.affine import AffineAlgebra
from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.model.bind import BodyConstants, baked_body, bind_body, without_noise
from symdyn.model.joint_origins import slid
from symdyn.model.model import Model
from symdyn.model.regroup import regrouped


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
