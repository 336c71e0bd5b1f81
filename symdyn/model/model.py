"""The indexed tree: bodies in recursion order, their joints, the clusters they form, coordinates and frames."""

from __future__ import annotations

from dataclasses import dataclass, replace

from symdyn.description.robot import Actuator, Elastic, Inertial, Limits, Losses, Parameter, Spring
from symdyn.model.flexible_link import Beam
from symdyn.model.joints import FREE, MOST_ROWS, Coordinates, JointModel
from symdyn.model.leaves import Way
from symdyn.model.parameter_slots import ParameterSlots
from symdyn.model.rod import Rod
from symdyn.spatial.rotations import Matrix3


@dataclass(frozen=True, slots=True)
class ModelJoint:
    """A joint of the tree.

    ``q_index`` and ``v_index`` are its first rows in q and v; a mimic joint points at its leader's rows and moves by
    ``multiplier * q + offset``. ``label`` names its coordinates; ``joint`` is the joint's name in the file.

    An elastic joint is two of these: the link's, with limits of position and velocity, and right after it the motor's,
    of kind ``ROTOR`` with ``elastic``, the losses and the effort limit. ``spring`` ties the joint's own two links, and
    is the link's where the joint is elastic.
    ``actuator`` is None where no rotor can add inertia to the rows: joints with several of them, and that link's.
    """

    joint: str
    label: str
    kind: JointModel
    q_index: int
    v_index: int
    pitch: float = 0.0
    multiplier: float = 1.0
    offset: float = 0.0
    mimic: str | None = None
    limits: Limits | None = None
    losses: Losses | None = None
    actuator: Actuator | None = None
    elastic: Elastic | None = None
    spring: Spring | None = None
    numbers: tuple[tuple[str, float], ...] = ()
    """Constants of a flexure by name."""
    inner: bool = False
    """Whether its rows are none of q and v, but follow from those of a rod."""

    @property
    def owns_rows(self) -> bool:
        """Whether its rows of q and v are its own."""
        return self.mimic is None and not self.inner

    @property
    def coordinates(self) -> Coordinates:
        """Suffixes and units of its rows."""
        return self.kind.coordinates

    @property
    def q_rows(self) -> slice:
        """Its rows of q, or its leader's."""
        return slice(self.q_index, self.q_index + len(self.coordinates.q))

    @property
    def v_rows(self) -> slice:
        """Its rows of v, or its leader's."""
        return slice(self.v_index, self.v_index + len(self.coordinates.v))


@dataclass(frozen=True, slots=True)
class PlacedInertial:
    """A link's inertial, with the link's place in its body's public frame."""

    link: str
    inertial: Inertial
    way: Way


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
    rod: Rod | None = None
    """On the tip of a soft link, where that is one body: the same."""
    carried: tuple[tuple[float, ...], ...] = ()
    """Inertia of the straight beams that the body carries, in its aligned frame (see ``Beam.at_rest``)."""


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


@dataclass(frozen=True, slots=True)
class Model:
    """A robot ready for recursion. ``gravity`` is in the world frame, ``convention`` pinocchio or spatial.

    ``regroups`` lets inertia be counted with the parent (``model.regroup``), ``slides`` lets frames move along their
    joints' axes (``model.joint_origins``); without them results stay and operations grow, which tells what they save.
    ``runtime_givers`` are the bodies of which also inertia that rests on p goes to the parent, computed at run time;
    None leaves bodies that rest on p out of both (``model.hidden_bodies``). ``contracted`` says that of each of the
    ``rods`` only the tip is a body (``model.contracted``).
    """

    name: str
    bodies: tuple[Body, ...]
    clusters: tuple[Cluster, ...]
    frames: tuple[ModelFrame, ...]
    nq: int
    nv: int
    gravity: tuple[float, float, float]
    convention: str
    joint_losses: bool
    slots: ParameterSlots
    parameters: tuple[Parameter, ...] = ()
    regroups: bool = True
    slides: bool = True
    runtime_givers: frozenset[int] | None = None
    rods: tuple[Rod, ...] = ()
    contracted: bool = False

    @property
    def parent(self) -> tuple[int, ...]:
        """Parent index per body, -1 for the ground."""
        return tuple(body.parent for body in self.bodies)

    @property
    def links(self) -> tuple[int, ...]:
        """Bodies that have a frame, in recursion order: all but the rotors of elastic joints."""
        return tuple(index for index, body in enumerate(self.bodies) if body.joint.kind.has_frame)

    @property
    def rotors(self) -> tuple[int, ...]:
        """Rotors of elastic joints, each of which hangs on the link at the other end of its spring."""
        bodies, strains = enumerate(self.bodies), {rod.strains for rod in self.rods}
        return tuple(index for index, body in bodies if not body.joint.kind.has_frame and index not in strains)

    @property
    def free_bases(self) -> tuple[int, ...]:
        """Bodies that move freely in the world."""
        bodies = enumerate(self.bodies)
        return tuple(index for index, body in bodies if body.parent < 0 and body.joint.kind.own_axes == FREE)

    @property
    def free_base(self) -> int | None:
        """The free body from which all others descend, where there is one."""
        return 0 if self.free_bases and self.parent.count(-1) == 1 else None

    @property
    def anchor(self) -> int | None:
        """The free base that positions may be measured from: its columns must not be about the world's origin."""
        free = self.free_base
        return None if free is None or self.bodies[free].joint.kind.posed else free

    @property
    def beams(self) -> tuple[int, ...]:
        """Tips of flexible links, in recursion order."""
        return tuple(index for index, body in enumerate(self.bodies) if body.beam is not None)

    @property
    def bends(self) -> bool:
        """Whether links are not rigid: they are flexible or soft."""
        return bool(self.beams or self.rods)

    @property
    def most_rows(self) -> int:
        """Rows of v that one joint may have: those of a free base, or of a link that bends in more ways."""
        return max(MOST_ROWS, *(len(body.joint.coordinates.v) for body in self.bodies))

    @property
    def independent_joints(self) -> tuple[ModelJoint, ...]:
        """Joints that own rows of q and v, in that order."""
        return tuple(body.joint for body in self.bodies if body.joint.owns_rows)

    @property
    def coordinate_names(self) -> tuple[str, ...]:
        """Name of each row of q."""
        return tuple(joint.label + suffix for joint in self.independent_joints for suffix in joint.coordinates.q)

    @property
    def coordinate_units(self) -> tuple[str, ...]:
        """Unit of each row of q."""
        return tuple(unit for joint in self.independent_joints for unit in joint.coordinates.q_units)

    @property
    def velocity_names(self) -> tuple[str, ...]:
        """Name of each row of v."""
        return tuple(joint.label + suffix for joint in self.independent_joints for suffix in joint.coordinates.v)

    @property
    def velocity_bodies(self) -> tuple[int, ...]:
        """Index of the body whose joint owns each row of v."""
        owners = [(index, body.joint) for index, body in enumerate(self.bodies) if body.joint.owns_rows]
        return tuple(index for index, joint in owners for _ in joint.coordinates.v)

    @property
    def wrench_bodies(self) -> tuple[int, ...]:
        """Index of the body of each scalar of f_ext, (nbodies, 6)."""
        return tuple(index for index, body in enumerate(self.bodies) if body.row is not None for _ in range(6))

    @property
    def velocity_units(self) -> tuple[str, ...]:
        """Unit of each row of v."""
        return tuple(unit for joint in self.independent_joints for unit in joint.coordinates.v_units)

    @property
    def body_names(self) -> tuple[str, ...]:
        """Public bodies, in recursion order."""
        return tuple(body.name for body in self.bodies if body.row is not None)

    @property
    def frame_names(self) -> tuple[str, ...]:
        """Every link including the root, then the extra frames."""
        return tuple(frame.name for frame in self.frames)


def find_clusters(bodies: tuple[Body, ...], rods: tuple[Rod, ...] = ()) -> tuple[Cluster, ...]:
    """Group bodies that share coordinates, together with all bodies on the tree paths between them.

    Two bodies share when their joints have the same rows of v (a mimic joint and its leader). Their paths to the
    nearest common ancestor join the group; groups that meet become one. The stations of a rod share its rows.

    The link and the rotor of an elastic joint share a spring but no coordinate: forces depend on both, while the mass
    matrix has no entry between them. Each is eliminated by itself, which costs one division more than the tree alone.
    """
    group = list(range(len(bodies)))

    def find(index: int) -> int:
        while group[index] != index:
            group[index] = group[group[index]]
            index = group[index]
        return index

    leader_of_row: dict[int, int] = {}
    for rod in rods:
        for member in rod.stations:
            group[member] = rod.strains
    for index, body in enumerate(bodies):
        if body.joint.inner:
            continue
        leader = leader_of_row.setdefault(body.joint.v_index, index)
        if leader != index:
            shared = set(_path_to_root(bodies, leader)) ^ set(_path_to_root(bodies, index)) | {leader, index}
            for member in shared:
                group[find(member)] = find(index)
    members: dict[int, list[int]] = {}
    for index in range(len(bodies)):
        members.setdefault(find(index), []).append(index)
    return tuple(Cluster(tuple(found), _rows(bodies, found)) for found in sorted(members.values()))


def _path_to_root(bodies: tuple[Body, ...], index: int) -> list[int]:
    path = []
    while index >= 0:
        path.append(index)
        index = bodies[index].parent
    return path


def _rows(bodies: tuple[Body, ...], members: list[int]) -> tuple[int, ...]:
    spans = [bodies[index].joint.v_rows for index in members if not bodies[index].joint.inner]
    return tuple(sorted({row for span in spans for row in range(span.start, span.stop)}))


def without_springs(model: Model) -> Model:
    """The same robot without rotors, springs, and the elasticity of its links."""
    bodies = tuple(
        replace(
            body,
            joint=replace(body.joint, actuator=None, elastic=None, spring=None),
            beam=None if body.beam is None else replace(body.beam, stiff=False, damped=False),
        )
        for body in model.bodies
    )
    rods = tuple(replace(rod, stiff=False, damped=False) for rod in model.rods)
    return replace(model, bodies=bodies, rods=rods)
