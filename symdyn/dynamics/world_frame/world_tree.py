"""What the sweeps of the spatial formulation need of a body: variant, constants, and where its ports lie.

Everything is in the world's frame, so that bodies hand each other twists and wrenches as they are. Derivatives are
plain ones, order by order in a body's row of a field.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from symdyn.dynamics.tree.kinematics import ACCELERATION
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.dynamics.world_frame.home import HOME_ROTATION, INERTIA_POINT, HomeConfiguration, screw_names
from symdyn.dynamics.world_frame.sums import at_orders, columns_at_orders
from symdyn.errors import ModelError
from symdyn.model.bind import inertia_of
from symdyn.model.frame_policy import check_described
from symdyn.model.joints import JointModel, Rest
from symdyn.model.model import Model
from symdyn.plan import Access, Binding, Constant, Field, FieldKind, Given, Sweep
from symdyn.scalars.algebra import Scalar
from symdyn.spatial.articulated import rigid
from symdyn.spatial.motion import SIZE, adjoint_matrix
from symdyn.spatial.symmetric import congruence, packed_size
from symdyn.spatial.transform import UNMOVED, Pose, pose_from
from symdyn.spatial.vectors import matrix_from

Reads = Mapping[str, Sequence[Scalar]]
Writes = Mapping[str, Sequence[Scalar]]

POSE_SIZE = 12
INERTIA_SIZE = packed_size(SIZE)


@dataclass(frozen=True, slots=True)
class SpatialVariant:
    """What is structural about a body; ``order`` is the one that a step computes, or up to which it computes all.

    ``transmits`` says whether the parent moves, ``carries`` whether bodies hang on this one; ``loaded`` whether a
    wrench f_ext acts on it; ``free`` tells per row of v whether its acceleration is sought. ``last`` marks the highest
    order, after which no rates of screws and inertia are needed.
    """

    kind: JointModel
    order: int
    transmits: bool
    carries: bool
    mimic: bool = False
    loaded: bool = False
    free: tuple[bool, ...] = ()
    last: bool = False

    @property
    def columns(self) -> int:
        """Number of the joint's screws."""
        return len(self.kind.coordinates.v)

    @property
    def free_columns(self) -> tuple[int, ...]:
        """Screws whose acceleration is sought."""
        return tuple(column for column, free in enumerate(self.free) if free)

    @property
    def given_columns(self) -> tuple[int, ...]:
        """Screws whose acceleration is given."""
        return tuple(column for column, free in enumerate(self.free) if not free)

    @property
    def resting(self) -> bool:
        """Whether the screws are fixed in the world: those of a base with a right-invariant twist."""
        return self.kind.rest is Rest.WORLD

    def home_screws(self, constants: Mapping[str, Scalar]) -> list[list[Scalar]]:
        """The screws Y at q = 0."""
        return at_orders([constants[name] for name in screw_names(self.columns)], SIZE)

    def screws(self, constants: Mapping[str, Scalar], reads: Reads, orders: int) -> list[list[list[Scalar]]]:
        """S, S', .. of ``orders`` orders, from the port ``screws`` where they move."""
        if not self.resting:
            return columns_at_orders(reads["screws"], self.columns)
        zeros = [[[0.0] * SIZE for _ in range(self.columns)] for _ in range(orders - 1)]
        return [self.home_screws(constants), *zeros]


def world_inertia(constants: Mapping[str, Scalar], place: Sequence[Scalar]) -> list[Scalar]:
    """``M = Ad_C^-T M_b Ad_C^-1`` of eq. 60, packed, with C = F A from F, the body's displacement since q = 0."""
    home = Pose(matrix_from([constants[name] for name in HOME_ROTATION]), [constants[name] for name in INERTIA_POINT])
    back = adjoint_matrix(pose_from(place).times(home).inverse())
    own = rigid(inertia_of(constants)).entries
    return congruence(own, [[row[column] for row in back] for column in range(SIZE)])


class SpatialTree(TreePlan):
    """Fields, accesses and visits that the spatial recursions of one robot share.

    Parameters
    ----------
    model
        The robot.
    external
        Axes of f_ext: body, world, or empty.
    order
        The highest time derivative r.

    Raises
    ------
    ModelError
        A joint has what the formulation does not cover: losses, a rotor, a spring.
    """

    def __init__(self, model: Model, external: str, order: int) -> None:
        check_described(model)
        super().__init__(model, external)
        _refuse(self)
        self.order = order
        self.home = HomeConfiguration(self)
        self._parents = frozenset(model.parent)
        sizes = [len(body.joint.coordinates.v) for body in model.bodies]
        self._column = [0, *accumulate(sizes)]
        self._factor = [0, *accumulate(packed_size(size) for size in sizes)]

    def shared_fields(self) -> list[Field]:
        """Fields of what belongs to the robot, and of f_ext with its derivatives."""
        rows = self.order + 1
        found = [field for field in self.fields() if field.name != "pose"]
        return [*(replace(f, width=f.width * rows) if f.name == "f_ext" else f for f in found), *self.home.fields()]

    def first_sweeps(self) -> list[Sweep]:
        """Sweeps that compute constants from p, where they rest on p."""
        return [*self.binding_sweeps(), *self.home.binding_sweeps()]

    def spatial_variant(self, index: int, order: int, free: Collection[int] = (), last: bool = False) -> SpatialVariant:
        """The structural variant of a body; ``free`` are the rows of v whose acceleration is sought."""
        body = self.model.bodies[index]
        assert isinstance(body.joint.kind, JointModel), "flexible links are refused"
        return SpatialVariant(
            body.joint.kind,
            order,
            transmits=body.parent >= 0,
            carries=index in self._parents,
            mimic=body.joint.mimic is not None,
            loaded=bool(self.external) and body.row is not None,
            free=tuple(row in free for row in self.v(index).places),
            last=last,
        )

    def resting_screws(self, index: int) -> dict[str, Constant]:
        """Home screws, where they are those of any time."""
        kind = self.model.bodies[index].joint.kind
        return self.home.screws(index) if kind.rest is Rest.WORLD else {}

    def row(self, field: str, index: int, width: int, first: int = 0, count: int = 1) -> Access:
        """Orders ``first`` .. of a body's row of a field that has ``width`` scalars per order."""
        rows = self.field_orders(field)
        return Access(field, width * (rows * index + first), width * count)

    def field_orders(self, field: str) -> int:
        """Orders that a row of a field holds."""
        return self.order + 2 if field == "twists" else self.order + 1

    @property
    def column_count(self) -> int:
        """Screws of all joints, those of followers counted."""
        return self._column[-1]

    @property
    def factor_size(self) -> int:
        """Scalars of the triangular factors of all joints."""
        return self._factor[-1]

    def of_joint(self, field: str, index: int, width: int, first: int = 0, count: int = 1) -> Access:
        """As :meth:`row`, for a field with ``width`` scalars per order and screw of the joint."""
        start, columns = self._column[index], self._column[index + 1] - self._column[index]
        return Access(field, width * (self.field_orders(field) * start + columns * first), width * columns * count)

    def of_free_columns(self, field: str, index: int, width: int, columns: int) -> Access:
        """A body's part of a field without orders that has ``width`` scalars for every screw that is free."""
        return Access(field, width * self._column[index], width * columns)

    def factor(self, index: int, columns: int) -> Access:
        """The triangular factor of a joint with so many free screws."""
        return Access("factor", self._factor[index], packed_size(columns))

    def at_order(self, field: str, index: int, order: int) -> Access:
        """The body's rows of v in an input or output (r + 1, nv)."""
        rows = self.v(index)
        return Access(field, self.model.nv * order + rows.offset, rows.count)

    def parent_twists(self, index: int, first: int, count: int) -> Binding:
        """Derivatives of the parent's twist, zero for the ground."""
        parent = self.model.bodies[index].parent
        return self.row("twists", parent, SIZE, first, count) if parent >= 0 else Given((0.0,) * (SIZE * count))

    def place(self, index: int) -> Binding:
        """Displacement F of a body since q = 0, none for the ground."""
        return Access("place", POSE_SIZE * index, POSE_SIZE) if index >= 0 else Given(tuple(UNMOVED.scalars()))

    def upward(self) -> Binding:
        """The acceleration -g [m/s^2] of a frame in which things at rest weigh what they do."""
        if self.gravity_is_runtime:
            return Access("ground", ACCELERATION, 3)
        return Given(tuple(-component for component in self.model.gravity))


def state(name: str, width: int, rows: int) -> Field:
    """A field of state."""
    return Field(name, FieldKind.STATE, width, rows)


def _refuse(tree: TreePlan) -> None:
    for index, body in enumerate(tree.model.bodies):
        joint = body.joint
        found = None
        if not joint.kind.has_frame:
            found = "a spring between motor and link"
        elif tree.has(index, "armature"):
            found = "a rotor inertia"
        elif tree.variant(index).lossy:
            found = "damping or friction"
        elif tree.has(index, "spring_stiffness"):
            found = "a spring between its links"
        if found is not None:
            raise ModelError(
                f"joint '{joint.joint}' of robot '{tree.model.name}' has {found}, which the spatial formulation does "
                "not cover (it is the published recursion, for rigid bodies and ideal joints); use formulation='body'"
            )


def refuse_followers(model: Model) -> None:
    """Refuse joints that follow others, for the articulated-body recursions.

    Raises
    ------
    ModelError
        A joint mimics another one.
    """
    for body in model.bodies:
        if body.joint.mimic is not None:
            raise ModelError(
                f"joint '{body.joint.joint}' of robot '{model.name}' follows '{body.joint.mimic}', so their "
                "accelerations cannot be eliminated one by one, as the spatial formulation does; use formulation='body'"
            )
