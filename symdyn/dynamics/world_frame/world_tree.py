"""What the sweeps of the spatial formulation need of a body: variant, constants, and where its ports lie.

Everything is in the world's frame, so that bodies hand each other twists and wrenches as they are. Derivatives are
plain ones, order by order in a body's row of a field.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from symdyn.algebra.scalars.algebra import Scalar
from symdyn.algebra.spatial.articulated import rigid
from symdyn.algebra.spatial.motion import SIZE, adjoint_matrix
from symdyn.algebra.spatial.symmetric import congruence, packed_size
from symdyn.algebra.spatial.transform import UNMOVED, pose_from
from symdyn.dynamics.tree.bindings import Reads, VariantOf, declared_by, plan_of
from symdyn.dynamics.tree.kinematics import ACCELERATION
from symdyn.dynamics.tree.places import Place, Rows, known
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.dynamics.world_frame.home import HOME_ROTATION, INERTIA_POINT, HomeConfiguration, named_pose, screw_names
from symdyn.dynamics.world_frame.refused import refuse_uncovered
from symdyn.dynamics.world_frame.sums import at_orders, columns_at_orders
from symdyn.model.bind import inertia_of
from symdyn.model.frame_policy import check_described
from symdyn.model.joints import JointModel
from symdyn.model.joints.coordinate_map import IDENTITY_MAP, CoordinateMap
from symdyn.model.model import Model
from symdyn.plan.plan import Access, Binding, Constant, Field, FieldKind, Given, Plan, Sweep

INERTIA_SIZE = packed_size(SIZE)
PLACE = Rows("place", 12, known(tuple(UNMOVED.scalars())))
"""Displacement F of a body since q = 0, none for the ground."""
UPWARD = Place(
    "ground",
    lambda tree, item, field: (
        Access(field, ACCELERATION, 3) if tree.gravity_is_runtime else Given(tuple(-g for g in tree.model.gravity))
    ),
)
"""The acceleration -g [m/s^2] of a frame in which things at rest weigh what they do."""
STATES = (
    *("place", "screws", "twists", "applied", "maps", "points", "inertias", "rates", "carried_inertia", "articulated"),
    *("factor", "images", "gain", "known", "bias", "carried", "alone", "wrenches"),
)
"""Fields of state, in the order in which a plan has them."""


@dataclass(frozen=True, slots=True)
class SpatialVariant:
    """What is structural about a body; ``order`` is the one that a step computes, or up to which it computes all.

    ``kind`` is the joint of the own coordinates, to which ``coordinate_map`` leads.
    ``transmits`` says whether the parent moves, ``carries`` whether bodies hang on this one; ``loaded`` whether a
    wrench f_ext acts on it; ``free`` tells per row of v whether its acceleration is sought. ``last`` marks the highest
    order, after which no rates of screws and inertia are needed.
    """

    kind: JointModel
    order: int
    transmits: bool
    carries: bool
    coordinate_map: CoordinateMap = IDENTITY_MAP
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
        return self.kind.posed  # of rigid joints; flexible links are refused

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
    back = adjoint_matrix(pose_from(place).times(named_pose(constants, HOME_ROTATION, INERTIA_POINT)).inverse())
    own = rigid(inertia_of(constants)).entries
    return congruence(own, [[row[column] for row in back] for column in range(SIZE)])


class SpatialTree(TreePlan):
    """Fields, places and variants that the spatial recursions of one robot share.

    Parameters
    ----------
    model
        The robot.
    external
        Axes of f_ext: body, world, or empty.
    order
        The highest time derivative r.
    free
        Rows of v whose acceleration is sought.

    Raises
    ------
    ModelError
        The formulation does not cover the robot; see :func:`refuse_uncovered`.
    """

    def __init__(self, model: Model, external: str, order: int, free: Collection[int] = ()) -> None:
        check_described(model)
        super().__init__(model, external)
        refuse_uncovered(self)
        self.order, self.free = order, frozenset(free)
        self.home = HomeConfiguration(self)
        columns = (len(body.joint.kind.moving.coordinates.v) for body in model.bodies)
        self.first_column = [0, *accumulate(columns)]  # screws are those of own coordinates
        self._factor = [0, *accumulate(packed_size(len(body.joint.coordinates.v)) for body in model.bodies)]

    def fields(self) -> list[Field]:
        """Fields of what belongs to the robot, and of f_ext with its derivatives."""
        rows = self.order + 1
        found = [field for field in super().fields() if field.name != "pose"]
        return [*(replace(f, width=f.width * rows) if f.name == "f_ext" else f for f in found), *self.home.fields()]

    def binding_sweeps(self) -> list[Sweep]:
        """Sweeps that compute constants from p, those at q = 0 included."""
        return [*super().binding_sweeps(), *self.home.binding_sweeps()]

    def plan(self, name: str, sweeps: Sequence[Sweep]) -> Plan:
        """The plan of sweeps, with its fields of state in the order of ``STATES``."""
        declared = {field.name: field for field in declared_by(sweeps)}
        states = (declared[state] for state in STATES if state in declared)
        return replace(plan_of(name, self, sweeps, [*self.fields(), *states]), order=self.order)

    def variants(self, order: int, last: bool = False) -> VariantOf:
        """Makes the structural variants of bodies in a step of this order."""

        def found(tree: TreePlan, index: int) -> SpatialVariant:
            body = tree.model.bodies[index]
            return SpatialVariant(
                body.joint.kind.moving,
                order,
                transmits=body.parent >= 0,
                carries=index in tree.carriers,
                coordinate_map=body.joint.kind.coordinate_map,
                loaded=bool(tree.external) and body.row is not None,
                free=tuple(row in self.free for row in body.joint.v_places),
                last=last,
            )

        return found

    def resting_screws(self, index: int) -> dict[str, Constant]:
        """Home screws, where they are those of any time."""
        return self.home.screws(index) if self.model.bodies[index].joint.kind.posed else {}

    def row(self, field: str, width: int, first: int = 0, count: int = 1) -> Place:
        """Orders ``first`` .. of a body's row of a field that has ``width`` scalars per order."""
        return self._orders(field, width, first, count, range(len(self.model.bodies) + 1))

    def of_joint(self, field: str, width: int, first: int = 0, count: int = 1) -> Place:
        """As :meth:`row`, for a field with ``width`` scalars per order and screw of the joint."""
        return self._orders(field, width, first, count, self.first_column)

    def _orders(self, field: str, width: int, first: int, count: int, starts: Sequence[int]) -> Place:
        rows = self.order + (2 if field == "twists" else 1)

        def at(_: TreePlan, index: int, name: str) -> Access:
            start, size = starts[index], starts[index + 1] - starts[index]
            return Access(name, width * (rows * start + size * first), width * size * count)

        return Place(field, at, lambda _, name: Field(name, FieldKind.STATE, width * rows, starts[-1]))

    def above(self, place: Place, ground: Binding | None = None) -> Place:
        """The same place of the body's parent, or what the ground has in its stead."""
        bodies = self.model.bodies
        return replace(
            place,
            at=lambda tree, index, name: place.at(tree, up, name) if (up := bodies[index].parent) >= 0 else ground,
        )

    def parent_twists(self, first: int, count: int) -> Place:
        """Derivatives of the parent's twist, zero for the ground."""
        return self.above(self.row("twists", SIZE, first, count), Given((0.0,) * (SIZE * count)))

    def of_free_columns(self, field: str, width: int) -> Place:
        """A body's part of a field without orders that has ``width`` scalars for every screw that is free."""
        starts = self.first_column
        return Place(
            field,
            lambda _, index, name: Access(name, width * starts[index], width * self.free_count(index)),
            lambda _, name: Field(name, FieldKind.STATE, width, starts[-1]),
        )

    def factor(self) -> Place:
        """The triangular factor of a joint's free screws."""
        return Place(
            "factor",
            lambda _, index, name: Access(name, self._factor[index], packed_size(self.free_count(index))),
            lambda _, name: Field(name, FieldKind.STATE, self._factor[-1]),
        )

    def free_count(self, index: int) -> int:
        """How many of a joint's screws are free."""
        return len(self.free.intersection(self.v(index).places))

    def at_order(self, field: str, kind: FieldKind, order: int) -> Place:
        """The body's rows of v in an input or output (r + 1, nv)."""
        count = self.model.nv
        return Place(
            field,
            lambda tree, index, name: Access(name, count * order + tree.v(index).offset, tree.v(index).count),
            lambda _, name: Field(name, kind, (self.order + 1) * count),
        )

    def at_orders(self, field: str, kind: FieldKind, orders: int) -> Place:
        """The body's rows of v, one by one, in an input or output (orders, nv)."""
        count = self.model.nv
        return Place(
            field,
            lambda tree, index, name: [Access(name, row, orders, count) for row in tree.joint(index).v_places],
            lambda _, name: Field(name, kind, orders * count),
            per_row=True,
        )
