"""Which clusters an elimination of some rows of v must treat, and where their ports lie."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace

from symdyn.algebra.spatial.articulated import SIZE
from symdyn.dynamics.elements.tip import all_straight, deforms
from symdyn.dynamics.forward_dynamics.aba_steps import JointVariant
from symdyn.dynamics.forward_dynamics.block_elimination import LANES
from symdyn.dynamics.forward_dynamics.block_places import BlockPlace, block_chunks, block_fields
from symdyn.dynamics.forward_dynamics.block_steps import BlockVariant
from symdyn.dynamics.forward_dynamics.cluster_elimination import gain_size
from symdyn.dynamics.forward_dynamics.cluster_steps import ClusterVariant, Member
from symdyn.dynamics.forward_dynamics.elimination import GAIN_SIZE
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.plan.plan import Access, Binding, Field, FieldKind, Given

_AT_REST = (0.0,) * 6
MOST_AT_ONCE = 12
"""Rows of a tip that one kernel eliminates; more are eliminated in blocks.

Forward dynamics of a link that turns, by rows of its tip, in one kernel and in blocks, ns with vectors of 64 bytes: 8
134 / 184, 12 231 / 249, 14 346 / 276, 16 387 / 345, 24 1166 / 580; of 32 bytes: 12 243 / 321, 16 404 / 387, 24
1533 / 715. Machine code at 24 rows: 73 kB and 27 kB.
"""


@dataclass(frozen=True, slots=True)
class ClusterPlace:
    """A cluster in the fields of the solution.

    ``parent`` is the body it hangs on (-1: the ground). ``moves`` and ``responds`` are as in ``JointVariant``,
    where the rotor of an elastic joint does not load its link; ``joint_force_residual`` and ``gain`` are offsets.
    ``deforms`` marks the tip of a deformable body, whose rows load the parent by themselves: it is treated like
    bodies that share rows.
    """

    elimination: AbaLayout = field(repr=False, compare=False)
    bodies: tuple[int, ...]
    rows: tuple[int, ...]
    free: tuple[bool, ...]
    parent: int
    moves: bool
    responds: bool
    joint_force_residual: int
    gain: int
    deforms: bool

    @property
    def alone(self) -> bool:
        """Whether it is one body, with a joint that has no mass of its own."""
        return len(self.bodies) == 1 and not self.deforms

    @property
    def in_blocks(self) -> bool:
        """Whether it is a tip with so many rows that they are eliminated in blocks."""
        return self.deforms and len(self.bodies) == 1 and len(self.rows) > MOST_AT_ONCE

    @property
    def blocks(self) -> BlockPlace:
        """Its blocks, if it is such a tip."""
        return self.elimination.blocks[self.bodies[0]]

    @property
    def gain_width(self) -> int:
        """Scalars of a row in the ``gain`` field."""
        return GAIN_SIZE if self.alone else 0 if self.in_blocks else gain_size(len(self.rows))


class AbaLayout:
    """Which clusters must be eliminated for a set of free rows, and where their visits' ports lie.

    Parameters
    ----------
    tree
        The robot; it may be regrouped.
    free
        Rows of v whose accelerations are unknown; those of the others are prescribed.
    all_changes
        Every body that accelerates beyond the bias writes by how much, not only those that others hang on.
    """

    def __init__(self, tree: TreePlan, free: Collection[int], all_changes: bool = False) -> None:
        self.tree = tree
        self._all_changes = all_changes
        model = tree.model
        self._links = frozenset(model.links)
        self.cluster_of = {body: place for place, cluster in enumerate(model.clusters) for body in cluster.bodies}
        self.places: list[ClusterPlace] = []
        joint_force_residual = gain_rows = 0
        for place, cluster in enumerate(model.clusters):
            parent = next(
                model.bodies[body].parent
                for body in cluster.bodies
                if self.cluster_of.get(model.bodies[body].parent) != place
            )
            weighs = not self._links.isdisjoint(cluster.bodies)
            moves = weighs and parent >= 0 and self.places[self.cluster_of[parent]].responds
            given = tuple(row in free for row in cluster.velocity_rows)
            found = ClusterPlace(
                self,
                cluster.bodies,
                cluster.velocity_rows,
                given,
                parent,
                moves,
                moves or any(given),
                joint_force_residual,
                gain_rows,
                any(deforms(model.bodies[body]) for body in cluster.bodies),
            )
            self.places.append(found)
            joint_force_residual += len(found.rows)
            gain_rows += len(found.rows) * found.gain_width
        self._gain_count = gain_rows
        self._along_path = all(place.alone for place in self.places)
        responding = frozenset(body for place in self.places if place.responds for body in place.bodies)
        self.added = tree.added.own & responding
        """Bodies that resist with more than ten numbers tell: as if others hung on them."""
        self._loading = {place.parent for place in self.places if place.moves} | self.added
        self.blocks: dict[int, BlockPlace] = {}
        starts: dict[str, int] = {}
        for found in self.places:
            if found.in_blocks:
                own = BlockPlace(self._block_variant(found), dict(starts))
                starts = {name: starts.get(name, 0) + size for name, size in own.sizes().items()}
                self.blocks[found.bodies[0]] = replace(own, starts=dict.fromkeys(starts, 0) | own.starts)

    def factor_fields(self) -> list[Field]:
        """State that the factor leaves for solutions."""
        count = len(self.tree.model.bodies)
        kept = [Field("carried", FieldKind.STATE, SIZE, count)] if any(map(self.keeps, range(count))) else []
        return [
            Field("articulated", FieldKind.STATE, SIZE, count),
            *kept,
            Field("gain", FieldKind.STATE, 1, max(self._gain_count, 1)),
            *block_fields(self.tree.model, self.blocks),
        ]

    def acceleration_change(self, place: ClusterPlace) -> Binding:
        """The acceleration (a; alpha) of a cluster's parent beyond that of the bias."""
        return self.own_change(place.parent) if place.moves else Given(_AT_REST)

    def own_change(self, body: int) -> Access:
        """Where a body writes that acceleration."""
        return (
            self.tree.along_path("acceleration_change", 6, body)
            if self._along_path
            else Access("acceleration_change", 6 * body, 6)
        )

    def passed_change(self, body: int) -> Access | None:
        """The same, if a body writes it."""
        return self.own_change(body) if self.passes(body) else None

    def change_field(self) -> Field:
        """The field of :meth:`own_change`."""
        rows = self.tree.depth_rows if self._along_path else len(self.tree.model.bodies)
        return Field("acceleration_change", FieldKind.STATE, 6, rows)

    def variant(self, place: ClusterPlace) -> JointVariant | ClusterVariant:
        """The structural variant of a cluster that is not eliminated in blocks."""
        return self.joint_variant(place) if place.alone else self.cluster_variant(place)

    def joint_variant(self, place: ClusterPlace) -> JointVariant:
        """The structural variant of a body alone."""
        (body,) = place.bodies
        own = self.tree.variant(body)
        passes, keeps = self.passes(body), self.keeps(body)
        return JointVariant(own, place.free, place.moves, place.responds, passes, own.transmits, keeps)

    def cluster_variant(self, place: ClusterPlace) -> ClusterVariant:
        """The structural variant of a cluster of several bodies."""
        model = self.tree.model
        members = []
        for body in place.bodies:
            above = model.bodies[body].parent
            members.append(
                Member(
                    self.tree.variant(body),
                    place.bodies.index(above) if above in place.bodies else -1,
                    tuple(place.rows.index(row) for row in model.bodies[body].joint.v_places),
                    self.passes(body),
                )
            )
        return ClusterVariant(tuple(members), place.free, place.moves, place.responds, place.parent >= 0)

    def _block_variant(self, place: ClusterPlace) -> BlockVariant:
        (body,) = place.bodies
        size, free = block_chunks([row for row, given in enumerate(place.free) if given])
        prescribed = [row for row, given in enumerate(place.free) if not given]
        return BlockVariant(
            self.tree.variant(body),
            size,
            free,
            tuple(tuple(prescribed[start : start + LANES]) for start in range(0, len(prescribed), LANES)),
            place.moves,
            place.responds,
            place.parent >= 0,
            self.passes(body),
            all_straight(self.tree),
        )

    def pivot(self, place: ClusterPlace, index: int) -> Access:
        """Where -1 over a free row's pivot lies."""
        if place.in_blocks:
            return place.blocks.pivot(index)
        return Access("gain", place.gain + index * place.gain_width, 1)

    def joint_force_residual(self, place: ClusterPlace, index: int) -> Access:
        """Where the inward half of a solution leaves what a row answers with, where the cluster responds."""
        return (
            place.blocks.joint_force_residual(index)
            if place.in_blocks
            else Access("joint_force_residual", place.joint_force_residual + index, 1)
        )

    def gain(self, place: ClusterPlace) -> Access:
        """Where the gain of a cluster lies."""
        return Access("gain", place.gain, len(place.rows) * place.gain_width)

    def loads_others(self, body: int) -> bool:
        """Whether other clusters ask for a body's acceleration, and add their inertia to it."""
        return body in self._loading

    def passes(self, body: int) -> bool:
        """Whether a body writes its acceleration; the rotor of an elastic joint has none of its own."""
        return self.loads_others(body) or (self._all_changes and body in self._links)

    def keeps(self, body: int) -> bool:
        """Whether the factor keeps the inertia that a body carries, its own included, in the field ``carried``."""
        return self._all_changes and self.loads_others(body) and self.places[self.cluster_of[body]].alone
