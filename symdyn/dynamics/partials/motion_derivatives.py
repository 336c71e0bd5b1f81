"""Derivatives of a body's motion by its joint's coordinates: twists for partial derivatives and Coriolis matrices.

A joint's column is the twist S = (m; s) of everything behind the joint, per unit of a row of v, in the body's axes
about its origin: S r = s x r + m, and S r' = s x r' for rates. With the parent's twist V = (nu; omega), its proper
acceleration (a; alpha) and U = [alpha] + [omega]^2, a point r behind the joint changes with the coordinate, at fixed
v and a, by

    dr = S r,   dr' = P' r + S r',   dr'' = P'' r + 2 P' r' + S r''
    P'  = V x S               = (omega x m + nu x s;  omega x s)
    P'' = V' x S + V x P'     = (U m + a x s + 2 nu x (omega x s);  U s)

and to a change of its row of v by dr'' = T r + 2 S r', T = S' + P', where S' = (V + joint's own twist) x S. For joints
with one coordinate the body's own motion may stand for the parent's, and T = 2 P'. The base of the spatial convention
has columns that rest in the world: there V is the base's own twist, which a move leaves as it is. (Singh, Russell &
Wensing 2022, in 3-vectors; with a the classical acceleration, P'' is shorter.)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from symdyn.algebra.scalars.algebra import Scalar
from symdyn.algebra.spatial.motion import bracket
from symdyn.algebra.spatial.transform import Transform
from symdyn.algebra.spatial.vectors import Vector, add, cross, product, scale, times, transpose
from symdyn.dynamics.tree.kinematics import BodyMotion
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.model.joints import JointModel, Rest


class Purpose(Enum):
    """What the sweeps are for. It decides what is carried along, and whether velocities count once or twice."""

    PARTIALS = "partials of inverse dynamics"
    CHRISTOFFEL = "the Coriolis matrix of Christoffel symbols"
    LEMMA = "the Coriolis matrix of Ali et al. 2026, lemma 1"

    def accelerates(self, tree: TreePlan) -> bool:
        """Whether accelerations and wrenches are carried along."""
        return self is Purpose.PARTIALS

    def loads(self, tree: TreePlan) -> bool:
        """Whether wrenches of the environment that rest in the world are."""
        return self is Purpose.PARTIALS and tree.external == "world"


@dataclass(frozen=True, slots=True)
class Answer:
    """What of P' and P'' a column needs: the angular part of P', and P'' (6,)."""

    rate: Vector
    second: Vector


def seen_from_child(parent: BodyMotion, x_pc: Transform) -> BodyMotion:
    """A parent's motion in a child's axes, its acceleration that of the point where the child's origin is."""
    into = transpose(x_pc.rotation())
    return BodyMotion(
        times(into, parent.omega),
        times(into, parent.alpha),
        product(product(into, parent.u), transpose(into)),
        times(into, add(parent.acceleration, times(parent.u, x_pc.origin))),
    )


def answer(velocity: Vector, motion: BodyMotion, move: Vector) -> Answer:
    """P' and P'' of one column, for the motion in the module's docstring."""
    linear, angular = move[:3], move[3:]
    rate = cross(velocity[3:], angular)
    carried = add(times(motion.u, linear), cross(motion.acceleration, angular))
    return Answer(rate, [*add(carried, scale(2.0, cross(velocity[:3], rate))), *times(motion.u, angular)])


def rates_of(
    purpose: Purpose, kind: JointModel, own: Vector, reference: Vector, columns: Sequence[Vector]
) -> list[list[Scalar]]:
    """T of each column for partials, S' for a Coriolis matrix."""
    if purpose is not Purpose.PARTIALS and kind.rest is Rest.WORLD:
        return [[0.0] * 6 for _ in columns]
    if purpose is not Purpose.PARTIALS or kind.rest is Rest.WORLD:
        return [bracket(own, column) for column in columns]
    both = add(own, own if kind.rest is Rest.AXIS else reference)
    return [bracket(both, column) for column in columns]
