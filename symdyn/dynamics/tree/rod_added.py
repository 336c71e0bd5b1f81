"""What fluid that moves with a rod adds to how it weighs, seen from the rod's root (see ``rod_columns``)."""

from __future__ import annotations

from collections.abc import Mapping

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.spatial.articulated import ArticulatedInertia, diagonal
from symdyn.algebra.spatial.rotations import General
from symdyn.algebra.spatial.transform import pose_from
from symdyn.algebra.spatial.vectors import scale
from symdyn.dynamics.tree.load_entries import Reads, WrenchVariant, entries_at
from symdyn.dynamics.tree.ports import Writes
from symdyn.dynamics.tree.rod_columns import root_of
from symdyn.plan.plan import Mode, Port, Step


def rod_added(variant: WrenchVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per station: the inertia of the fluid about the root, for itself and in sum."""
    masses = scale(constants["share"], entries_at(variant, algebra, [], [], constants, {}))
    place = pose_from(reads["place"])
    found = diagonal(masses).turned(General(place.rotation)).shifted(place.position).entries
    return {"added": found, "total": found}


def rod_added_weight(_: None, __: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per rod: the inertia of the fluid, added to the carrier's."""
    return {"carrier": ArticulatedInertia(reads["total"]).seen_from_parent(root_of(constants)).entries}


ADDED = Step("rod_added", rod_added, (Port("place", Mode.READ), Port("added", Mode.WRITE), Port("total", Mode.ADD)))
WEIGHT = Step("rod_added_weight", rod_added_weight, (Port("total", Mode.READ), Port("carrier", Mode.ADD)))
