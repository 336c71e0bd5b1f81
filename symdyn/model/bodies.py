"""What the indexed tree is made of: bodies with their joints, what stands on them, clusters and frames."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from symdyn.algebra.spatial.rotations import Matrix3
from symdyn.description.robot import Actuator, Elastic, Inertial, Limits, Load, Losses
from symdyn.model.flexible_link import Beam
from symdyn.model.joints import Coordinates, JointModel
from symdyn.model.parameter_names import Way
from symdyn.model.rod import SoftBody
from symdyn.model.rod_matter import Factors


@dataclass(frozen=True, slots=True)
class ModelJoint:
    """A joint of the tree.

    ``q_index`` and ``v_index`` are its first rows in q and v; one that follows ``leaders`` has theirs, one in q and one
    in v of each (``led``). ``label`` names its coordinates; ``joint`` is the joint's name in the file; ``numbers`` are
    the constants of its kind by name.

    An elastic joint is two of these: the link's, with limits of position and velocity, and right after it the motor's,
    of kind ``ROTOR`` with ``elastic``, the losses and the effort limit.
    ``actuator`` is None where no rotor can add inertia to the rows: joints with several of them, and that link's.
    """

    joint: str
    label: str
    kind: JointModel
    q_index: int
    v_index: int
    numbers: tuple[tuple[str, float], ...] = ()
    leaders: tuple[str, ...] = ()
    led: tuple[tuple[int, int], ...] = ()
    limits: Limits | None = None
    losses: Losses | None = None
    actuator: Actuator | None = None
    elastic: Elastic | None = None
    inner: bool = False
    """Whether its rows are none of q and v, but follow from those of a rod."""
    dry: bool = False
    """Whether its friction is rows of the contact problem, and counts for no losses."""

    @property
    def coordinates(self) -> Coordinates:
        """Suffixes and units of its rows."""
        return self.kind.coordinates

    @property
    def q_rows(self) -> slice:
        """Its own rows of q."""
        return slice(self.q_index, self.q_index + len(self.coordinates.q))

    @property
    def v_rows(self) -> slice:
        """Its own rows of v."""
        return slice(self.v_index, self.v_index + len(self.coordinates.v))

    @property
    def q_places(self) -> Sequence[int]:
        """The rows of q that move it: a range of neighbours, or those of several leaders; none of a station's."""
        return () if self.inner else self._places([q for q, _ in self.led], self.q_rows)

    @property
    def v_places(self) -> Sequence[int]:
        """The rows of v that move it."""
        return () if self.inner else self._places([v for _, v in self.led], self.v_rows)

    @staticmethod
    def _places(led: Sequence[int], own: slice) -> Sequence[int]:
        return led if len(led) > 1 else range(own.start, own.stop)

    def coupled(self, row: int) -> Sequence[int]:
        """The rows of v that have a coordinate of the joint in common with one of them."""
        return self.v_places if self.leaders else range(row, row + 1)


@dataclass(frozen=True, slots=True)
class PlacedInertial:
    """A link's inertial, with the link's place in its body's public frame, to be multiplied with ``factors``."""

    link: str
    inertial: Inertial
    way: Way
    factors: Factors = ()


@dataclass(frozen=True, slots=True)
class PlacedLoad:
    """A load of a joint or link, with its place in the public frame of the body that it acts on.

    ``own`` are numbers of the place, such as how much of a soft link it stands for.
    """

    owner: str
    load: Load
    way: Way
    own: tuple[tuple[str, float], ...] = ()
    other: tuple[int, Way] | None = None
    """Of a load between two places: body and way of the other one."""
    first: bool = True
    """Whether this place is the first of the two."""


@dataclass(frozen=True, slots=True)
class Body:
    """A moving body: links fixed to each other, seen from a frame whose z axis is the joint's axis.

    ``alignment`` A takes that frame into the public frame of the link that the body is named by (rotation only);
    ``rotation`` is the constant rotation from the parent's aligned frame to this body's joint frame, and the origin is
    given by ``way`` in the parent's public frame. ``row`` is the public index, None for the massless body
    inside a universal joint and for the rotor of an elastic joint, which hangs on its link without moving against it.
    The tip of a flexible link is a body too, with the links that are fixed there.
    """

    name: str
    parent: int
    joint: ModelJoint
    rotation: Matrix3
    parent_alignment: Matrix3
    alignment: Matrix3
    way: Way
    inertials: tuple[PlacedInertial, ...]
    row: int | None
    beam: Beam | None = None
    """On the tip of a flexible link: the link's elastic part, which the parent carries."""
    rod: SoftBody | None = None
    """On the tip of a soft link, where that is one body: the same."""
    carried: tuple[tuple[float, ...], ...] = ()
    """Inertia of the straight beams that the body carries, in its aligned frame (see ``Beam.at_rest``)."""
    loads: tuple[PlacedLoad, ...] = ()
    """Those of its joint and of its links."""

    @property
    def without_stiffness(self) -> Body:
        """The same body without the elasticity and the losses of the link whose tip it is."""
        return self if self.beam is None else replace(self, beam=replace(self.beam, stiff=False, damped=False))


@dataclass(frozen=True, slots=True)
class Cluster:
    """Bodies whose motion shares coordinates: the unit that forward dynamics eliminates at once.

    A body alone is a cluster too. ``bodies`` are in recursion order, ``velocity_rows`` the rows of v that they share.
    """

    bodies: tuple[int, ...]
    velocity_rows: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ModelFrame:
    """A public frame: a link or an extra frame, fixed to a body (-1: the ground)."""

    name: str
    body: int
    way: Way
