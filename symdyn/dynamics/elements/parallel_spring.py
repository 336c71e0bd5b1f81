"""A spring between a joint's two links, beside whatever drives the joint: tau = K (q - q0).

q is the joint's own coordinate. That of a mimic joint is G q_leader + offset, and the leader's row takes G tau.
On an elastic joint it is the link's coordinate. The energy is K (q - q0)^2 / 2.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from symdyn.description.loads import Spring
from symdyn.dynamics.elements.base import ROW, SCALAR, Element, Gives, body_of, over_loads
from symdyn.dynamics.tree.bindings import Reads, Writes, add_to, read, step
from symdyn.dynamics.tree.places import Place, Q
from symdyn.plan.plan import Access
from symdyn.scalars.algebra import Algebra, Scalar

_FOLLOWER = ("multiplier", "offset")


def parallel_spring_force(mimic: bool, _: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """The force K (q - q0), in the leader's row where the joint is a mimic one."""
    force = constants["stiffness"] * _stretch(mimic, constants, reads)
    return {"tau": [constants["multiplier"] * force if mimic else force]}


def parallel_spring_energy(mimic: bool, _: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Stored energy K (q - q0)^2 / 2."""
    stretch = _stretch(mimic, constants, reads)
    return {"energy": [0.5 * constants["stiffness"] * (stretch * stretch)]}


def parallel_spring_slope(mimic: bool, _: Algebra, constants: Mapping[str, Scalar], __: Reads) -> Writes:
    """The entry K of the diagonal, G^2 K of a mimic joint."""
    slope = constants["stiffness"]
    gain = constants["multiplier"] * constants["multiplier"] if mimic else 1.0
    return {"entry": [gain * slope]}


def _stretch(mimic: bool, constants: Mapping[str, Scalar], reads: Reads) -> Scalar:
    """How far the joint's own coordinate is from rest."""
    (q,) = reads["q"]
    own = constants["multiplier"] * q + constants["offset"] if mimic else q
    return own - constants["rest"]


_spring_step = partial(step, variant=lambda tree, spring: tree.variant(spring.body).mimic, body=body_of)
_DIAGONAL = Place("", lambda tree, index, field: Access(field, tree.v(index).offset * (tree.model.nv + 1), 1))
_FORCE = _spring_step(
    parallel_spring_force,
    q=read(Q.by(body_of)),
    tau=add_to(ROW.by(body_of)),
    constants=lambda mimic: _FOLLOWER if mimic else (),
)
_ENERGY = _spring_step(
    parallel_spring_energy,
    q=read(Q.by(body_of)),
    energy=add_to(SCALAR),
    constants=lambda mimic: _FOLLOWER if mimic else (),
)
_SLOPE = _spring_step(
    parallel_spring_slope,
    entry=add_to(_DIAGONAL.by(body_of)),
    constants=lambda mimic: _FOLLOWER[:1] if mimic else (),
)
PARALLEL_SPRING = Element(
    "parallel spring",
    {
        Gives.FORCE: over_loads(_FORCE, Spring, "tau"),
        Gives.ENERGY: over_loads(_ENERGY, Spring, "energy"),
        Gives.SLOPE_BY_Q: over_loads(_SLOPE, Spring, "entry"),
    },
)
