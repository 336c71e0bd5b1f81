"""Where the ports of steps lie: rows of bodies in fields, each said once with the field that holds them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from symdyn.algebra.spatial.articulated import SIZE
from symdyn.algebra.spatial.transform import UNMOVED
from symdyn.dynamics.tree.added_mass_layout import FIELD as ADDED_FIELD
from symdyn.dynamics.tree.kinematics import MOTION_SIZE
from symdyn.dynamics.tree.strided_ports import Pieces, scalars_at
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.plan.plan import Access, Binding, Field, FieldKind, Given

Lying = Binding | Pieces | Sequence[Binding | Pieces | None] | None
"""Where a port lies, or where several do."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a port lies: ``at(tree, item, field)``, which is None where the port is absent.

    Several bindings are of several ports: ``wrench0``, ``wrench1`` and so on, one per row of a joint (``per_row``).

    An item is a body's index, or whatever else a sweep runs over. ``declared(tree, field)`` is the field itself, or
    None where the tree or the caller declares it. A sweep may take another field than ``field``.
    """

    field: str
    at: Callable[[TreePlan, Any, str], Lying]
    declared: Callable[[TreePlan, str], Field | None] = lambda tree, field: None
    per_row: bool = False

    def where(self, applies: Callable[[TreePlan], bool]) -> Place:
        """The same place for trees to which it ``applies``; absent at all bodies of others."""
        return Place(
            self.field,
            lambda tree, item, field: self.at(tree, item, field) if applies(tree) else None,
            lambda tree, field: self.declared(tree, field) if applies(tree) else None,
            self.per_row,
        )

    def by(self, item_of: Callable[[TreePlan, Any], Any]) -> Place:
        """The same place for sweeps over other items, each of which leads to an item of this one."""
        return Place(
            self.field, lambda tree, item, field: self.at(tree, item_of(tree, item), field), self.declared, self.per_row
        )


@dataclass(frozen=True, slots=True)
class Rows:
    """A field of state with a row of ``width`` scalars per body.

    ``ground`` binds what stands above the bodies on the ground; without it they have no such port, unless the field
    has a row for the ``grounded`` too, the last one. ``on_path`` fields are read by descendants alone, in outward
    sweeps, and need a row per depth (see :meth:`TreePlan.along_path`).
    """

    field: str
    width: int
    ground: Callable[[TreePlan], Binding | None] = lambda tree: None
    on_path: bool = False
    grounded: bool = False

    @property
    def own(self) -> Place:
        """The body's row."""
        return Place(self.field, self._row, self._declared)

    @property
    def above(self) -> Place:
        """The row of the body's parent."""
        return Place(self.field, self._row_above, self._declared)

    def of(self, tree: TreePlan, body: int) -> Binding:
        """The row of a body, or what stands for that of the ground, -1."""
        found = self._row(tree, body, self.field)
        assert found is not None, f"the ground has no {self.field}"
        return found

    def _row(self, tree: TreePlan, body: int, field: str) -> Binding | None:
        if body < 0 and not self.grounded:
            return self.ground(tree)
        if self.on_path:
            return tree.along_path(field, self.width, body)
        return Access(field, self.width * (body if body >= 0 else len(tree.model.bodies)), self.width)

    def _row_above(self, tree: TreePlan, body: int, field: str) -> Binding | None:
        return self._row(tree, tree.model.bodies[body].parent, field)

    def _declared(self, tree: TreePlan, field: str) -> Field:
        rows = tree.depth_rows if self.on_path else len(tree.model.bodies) + self.grounded
        return Field(field, FieldKind.STATE, self.width, rows)


@dataclass(frozen=True, slots=True)
class Columns:
    """A field of state with ``width`` scalars per row of each body's joint; followers have rows of their own."""

    field: str
    width: int

    @property
    def each(self) -> Place:
        """The rows of the body's joint, one by one."""

        def at(tree: TreePlan, body: int, field: str) -> list[Binding]:
            first, last = tree.first_column[body : body + 2]
            return [Access(field, self.width * row, self.width) for row in range(first, last)]

        def declared(tree: TreePlan, field: str) -> Field:
            return Field(field, FieldKind.STATE, self.width, tree.first_column[-1])

        return Place(self.field, at, declared, per_row=True)


def rows(field: str, kind: FieldKind = FieldKind.INPUT) -> Place:
    """A body's rows of a field with the rows of v."""
    return Place(
        field,
        lambda tree, body, name: tree.found(body, name) or scalars_at(name, tree.joint(body).v_places),
        lambda tree, name: Field(name, kind, tree.model.nv),
    )


def whole(field: str, width: int, kind: FieldKind = FieldKind.STATE) -> Place:
    """All scalars of a field, the same ones at every body."""
    return Place(field, lambda tree, item, name: Access(name, 0, width), lambda tree, name: Field(name, kind, width))


def known(values: Sequence[float]) -> Callable[[TreePlan], Binding]:
    """Numbers that stand for the ground's row."""
    given = Given(tuple(values))
    return lambda tree: given


WORLD = Rows("world", 12, known(UNMOVED.scalars()))
"""Where bodies stand in the world: R_WB row-major, then p_WB."""

Q = Place(
    "q",
    lambda tree, body, field: tree.found(body, field, True) or scalars_at(field, tree.joint(body).q_places),
    lambda tree, field: Field(field, FieldKind.INPUT, tree.model.nq),
)
V, A, TAU = rows("v"), rows("a"), rows("tau", FieldKind.OUTPUT)
DIAGONAL = Place(
    "",
    lambda tree, body, field: [
        scalars_at(field, tree.joint(body).coupled(row), row * tree.model.nv) for row in tree.joint(body).v_places
    ],
    per_row=True,
)
"""Per row of a joint the entries of a matrix (nv, nv), which a sweep names, with what it is coupled to by the joint."""
BLOCK = Place(
    "",
    lambda tree, body, field: [
        scalars_at(field, tree.joint(body).v_places, row * tree.model.nv) for row in tree.joint(body).v_places
    ],
    per_row=True,
)
"""Per row of a joint the entries of such a matrix with all rows of the joint."""
POSE = Place("pose", lambda tree, body, field: tree.pose(body))
SHAPE = Place("shape", lambda tree, body, field: tree.shape_at(body))
"""The shape of a link that bends, at its tip."""
F_EXT = Place("f_ext", lambda tree, body, field: tree.external_wrench(body))
MOTION = Rows("motion", MOTION_SIZE, lambda tree: tree.ground_motion, on_path=True)
"""A body's motion; see ``kinematics``."""
GROUND = Place("ground", lambda tree, item, field: tree.ground_motion)
WRENCH = Rows("wrench", 6)
"""The wrench on a body, (f; n) in its frame."""
ADDED = Rows(ADDED_FIELD, SIZE)
"""What fluid adds to a body's inertia, in its frame: 21 numbers."""
ARTICULATED = Rows("articulated", SIZE)
"""The articulated inertia of what a body carries."""
ORIENTATION = Rows("orientation", 9, known((1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)), on_path=True)
"""Axes of a body's frame in the world."""
STAND = Rows("stand", 3, known((0.0,) * 3), on_path=True)
"""Where the origin of a body's frame is in the world."""
TWIST = Rows("twist", 6, known((0.0,) * 6), on_path=True)
"""Velocity (v; omega) of a body's frame in its own axes."""
