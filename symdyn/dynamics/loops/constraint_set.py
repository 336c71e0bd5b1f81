"""The loops of a robot in its tree: where the rows of their errors and multipliers lie, and which bodies they move.

The poses of both places are measured from the last body that carries both, the loop's *anchor*, or from the ground: so
nothing is lost far from the world's origin, and what the whole loop rides on takes no part.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from symdyn.algebra.spatial.transform import UNMOVED
from symdyn.description.loops import Loop
from symdyn.dynamics.loops.constraint_activation import switch_of
from symdyn.dynamics.loops.pfaffian import VelocityConstraint, constants_of
from symdyn.dynamics.tree.places import Lying, Place
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.dynamics.tree.tree_loads import BodyLoad
from symdyn.model.loop import ModelLoop
from symdyn.plan.plan import Access, Field, FieldKind, Given

GROUND = -1
OWN, OTHER = "own", "other"
"""The ends of a pair: the body of the visit, and the other one, which may be the ground."""
SIX = 6


@dataclass(frozen=True, slots=True)
class HeldPair:
    """A loop between two bodies: its number among these, its first row among those of all loops, and its anchor."""

    tree: ConstraintSet = field(repr=False, compare=False)
    number: int
    loop: ModelLoop
    load: BodyLoad
    first: int
    anchor: int

    @property
    def rows(self) -> range:
        """Its rows of e and of the multipliers."""
        return range(self.first, self.first + len(self.loop.rows))

    def body(self, end: str) -> int:
        """The body at an end."""
        return self.load.body if end == OWN else self.load.other

    def begun(self, number: int) -> Iterator[tuple[Access, int]]:
        """What a multiplier of one in one of its rows exerts on bodies, and these."""
        for end in (OWN, OTHER):
            yield Access(f"on_{end}", SIX * self.rows[number], SIX), self.body(end)

    def reach(self, end: str) -> Reach:
        """That body as the anchor sees it."""
        return Reach(self.tree, self.anchor, self.body(end))

    @property
    def carriers(self) -> set[int]:
        """The bodies that feel its multipliers."""
        return self.tree.path(self.body(OWN)) | self.tree.path(self.body(OTHER))

    @property
    def between(self) -> set[int]:
        """The bodies that its error moves with: those that carry one place alone."""
        return self.tree.path(self.body(OWN)) ^ self.tree.path(self.body(OTHER))


@dataclass(frozen=True, slots=True)
class Reach:
    """A body as an anchor sees it: what moves it stands between the two."""

    tree: ConstraintSet = field(repr=False, compare=False)
    anchor: int
    body: int

    @property
    def above(self) -> Reach:
        """The body that carries it."""
        return Reach(self.tree, self.anchor, self.tree.tree.model.bodies[self.body].parent)


class ConstraintSet:
    """All loops of a robot in its tree.

    Parameters
    ----------
    tree
        The robot; its frames may have moved along their joints' axes.
    """

    def __init__(self, tree: TreePlan) -> None:
        self.tree, self.path = tree, tree.path
        loads = {own.load.name: own for own in tree.loads.of(Loop) if isinstance(own.load, Loop)}
        self.pairs: list[HeldPair] = []
        self.couplings: list[tuple[int, ModelLoop]] = []
        """With the places of their rows."""
        self.velocities: list[VelocityConstraint] = []
        """Rows of constraints on velocities."""
        self.coefficients = 0
        """Entries of all these rows."""
        constants = constants_of(tree)
        self.count = 0
        """Rows of all loops."""
        for loop in tree.model.loops:
            if loop.terms:
                self.couplings.append((self.count, loop))
            elif loop.velocity_rows:
                for row, own in enumerate(loop.constraint_rows, self.count):
                    place, numbers = self.coefficients, constants[loop.constraint.name]
                    self.velocities.append(VelocityConstraint(tree, row, place, own, numbers, switch_of(loop)))
                    self.coefficients += len(own.entries)
            elif isinstance(loop.constraint, Loop):
                load = loads[loop.constraint.name]
                anchor = max(self.path(load.body) & self.path(load.other), default=GROUND)
                self.pairs.append(HeldPair(self, len(self.pairs), loop, load, self.count, anchor))
            self.count += len(loop.rows)
        found = {(pair.anchor, body) for pair in self.pairs for body in pair.between}
        self.reaches = [Reach(self, anchor, body) for anchor, body in sorted(found)]
        self._numbers = {reach: number for number, reach in enumerate(self.reaches)}

    @property
    def carriers(self) -> list[int]:
        """Those of all loops: errors change with their motion."""
        return sorted(set[int]().union(*(pair.carriers for pair in self.pairs)))

    @property
    def reached(self) -> set[int]:
        """The bodies whose coordinates or velocities loops read by themselves."""
        return {reach.body for reach in self.reaches}.union(*(own.bodies for own in self.velocities))

    def lying(self, name: str, width: int, reach: Reach, unmoved: tuple[float, ...]) -> Access | Given:
        """The row of a reach in a field; the anchor does not move against itself."""
        if reach.body == reach.anchor:
            return Given(unmoved)
        return Access(name, width * self._numbers[reach], width)


@dataclass(frozen=True, slots=True)
class ReachRows:
    """A field of state with a row of ``width`` scalars per reach, and what stands for the anchor's."""

    field: str
    width: int
    unmoved: tuple[float, ...]

    @property
    def own(self) -> Place:
        """The row of a reach."""
        return self._place(lambda reach: reach)

    @property
    def above(self) -> Place:
        """That of the body that carries it."""
        return self._place(lambda reach: reach.above)

    def of(self, end: str) -> Place:
        """That of the body at an end of a pair."""
        return self._place(lambda pair: pair.reach(end))

    def _place(self, reach_of: Callable[..., Reach]) -> Place:
        def at(_: TreePlan, item: HeldPair | Reach, name: str) -> Lying:
            return item.tree.lying(name, self.width, reach_of(item), self.unmoved)

        return Place(self.field, at)

    def state(self, constraints: ConstraintSet) -> Field:
        """The field."""
        return Field(self.field, FieldKind.STATE, self.width, max(len(constraints.reaches), 1))


POSES = ReachRows("reach", 12, tuple(UNMOVED.scalars()))
"""Poses of bodies in their anchors' axes."""
TWISTS = ReachRows("chain_twist", SIX, (0.0,) * SIX)
"""Twists (v; omega) of bodies against their anchors, in their own axes."""
RELATED = 12
"""Scalars of a pair in the field ``related``: the pose of its first place in the axes of its second."""


def related() -> Place:
    """The row of a pair."""
    return Place("related", lambda tree, pair, name: Access(name, RELATED * pair.number, RELATED))


def per_row(name: str) -> Place:
    """A pair's rows in a field with the rows of the error."""
    return Place(name, lambda tree, pair, field: Access(field, pair.first, len(pair.rows)))


def exerted(end: str) -> Place:
    """What a pair's multipliers of one exert at an end: six scalars per row."""
    return Place(f"on_{end}", lambda tree, pair, field: Access(field, SIX * pair.first, SIX * len(pair.rows)))
