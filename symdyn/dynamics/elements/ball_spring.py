"""A spring at a ball joint, beside whatever drives it: tau = K x with the rotation vector x of the child's turn.

x turns the joint's frame into the child's, and is the same in the axes of both. The energy is K |x|^2 / 2. Force and
slope jump where the turn is pi.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.spatial.logarithm import logarithm_slopes, rotation_logarithm
from symdyn.algebra.spatial.vectors import dot, scale
from symdyn.description.loads import BallSpring
from symdyn.dynamics.elements.base import ROW, SCALAR, Element, Gives, body_of, over_loads
from symdyn.dynamics.tree.bindings import Reads, Writes, add_to, read, step
from symdyn.dynamics.tree.places import BLOCK, Q
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.dynamics.tree.tree_loads import BodyLoad
from symdyn.model.joints import Spherical


def ball_spring_force(variant: Spherical, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """The force K x."""
    return {"tau": scale(constants["stiffness"], rotation_logarithm(algebra, variant.turn(reads["q"])))}


def ball_spring_energy(variant: Spherical, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Stored energy K |x|^2 / 2."""
    turned = rotation_logarithm(algebra, variant.turn(reads["q"]))
    return {"energy": [0.5 * constants["stiffness"] * dot(turned, turned)]}


def ball_spring_slope(variant: Spherical, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """K dx."""
    slopes = logarithm_slopes(algebra, variant.turn(reads["q"]))
    return {f"entry{place}": scale(constants["stiffness"], row) for place, row in enumerate(slopes)}


def _ball(tree: TreePlan, spring: BodyLoad) -> Spherical:
    kind = tree.joint(spring.body).kind
    assert isinstance(kind, Spherical), f"{kind.value}: a spring of ball joints"
    return kind


_ball_step = partial(step, variant=_ball, body=body_of, q=read(Q.by(body_of)))
_FORCE = _ball_step(ball_spring_force, tau=add_to(ROW.by(body_of)))
_ENERGY = _ball_step(ball_spring_energy, energy=add_to(SCALAR))
_SLOPE = _ball_step(ball_spring_slope, entry=add_to(BLOCK.by(body_of)))
BALL_SPRING = Element(
    "spring of a ball joint",
    {
        Gives.FORCE: over_loads(_FORCE, BallSpring, "tau"),
        Gives.ELASTIC: over_loads(_FORCE, BallSpring, "tau"),
        Gives.ENERGY: over_loads(_ENERGY, BallSpring, "energy"),
        Gives.SLOPE_BY_Q: over_loads(_SLOPE, BallSpring, "entry"),
    },
)
