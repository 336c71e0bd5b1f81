"""Soft links as deformable bodies, in robots of which each is one body, its tip (``model.contracted``).

Elsewhere their stations are bodies like others, and nothing is missing.

First moments of rods, and what their coordinates add to the matrix of centroidal momentum, follow from sums over
stations that ``dynamics.tree.rod_columns`` has made about the root. A coordinate moves the rod itself, with the
momentum sum M_k J_k, and all that the tip carries.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.spatial.force import wrench_at_offset
from symdyn.algebra.spatial.inertia import inertia_from
from symdyn.algebra.spatial.rotations import General
from symdyn.algebra.spatial.transform import turned_halves
from symdyn.algebra.spatial.vectors import add, matrix_from, scale, subtract, times
from symdyn.dynamics.tree.bindings import Reads, Writes, add_to, read, step, write
from symdyn.dynamics.tree.body_variant import placement_of
from symdyn.dynamics.tree.places import Place, Rows, whole
from symdyn.dynamics.tree.rod_columns import INERTIA
from symdyn.dynamics.tree.rod_screws import ROOT, lanes_of, rod_root_sweep, tip_of
from symdyn.dynamics.tree.rod_tips import Chunk
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.model.bind import ROTATION, TRANSLATION
from symdyn.plan.plan import Access, Binding, Field, FieldKind, Sweep


def rod_moment(_: Any, __: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per rod: its first moment about its carrier's origin; ``share`` is one, or one over the robot's mass."""
    rotation, origin = placement_of(constants)
    mass, *first = reads["total"][:4]
    return {"moment": scale(constants["share"], add(times(rotation, first), scale(mass, origin)))}


def tip_inertia(_: Any, __: Algebra, ___: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per rod: the inertia of all that its tip carries, in world axes about the tip's origin."""
    return {"inertia": inertia_from(reads["composite"]).turned(General(matrix_from(reads["world"][:9]))).scalars()}


def rod_momentum_column(_: Any, __: Algebra, ___: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per rod and column: momentum of the rod, and of what it carries, about the centre."""
    root, center = matrix_from(reads["root"][:9]), reads["center"]
    carried = inertia_from(reads["inertia"]).momentum(turned_halves(root, reads["column"]))
    momentum = turned_halves(root, reads["momentum"])
    at_tip = wrench_at_offset(carried, subtract(reads["tip"], center))
    return {"momentum_column": add(wrench_at_offset(momentum, subtract(reads["root"][9:], center)), at_tip)}


_CARRIED = Rows("carried_inertia", INERTIA)


def rod_moment_sweeps(tree: TreePlan, total: float | None, moment: Callable[[int], Binding | None]) -> list[Sweep]:
    """Sweeps that add to first moments of carriers, divided by the mass ``total`` if there is one."""
    share = {"share": 1.0 if total is None else 1.0 / total}
    per_tip = step(
        rod_moment,
        variant=lambda tree, body: None,
        total=read(Place("", lambda tree, body, field: tree.tips.total(body))),
        moment=add_to(Place("", lambda tree, body, field: moment(tree.model.bodies[body].parent))),
        constants=lambda _: (*ROTATION, *TRANSLATION),
    )
    return [per_tip.over(tree, tree.tips.bodies, more=lambda *_: share)] if tree.tips.bodies else []


def rod_column_sweeps(tree: TreePlan, world: Callable[[int], Binding], matrix: str) -> list[Sweep]:
    """Sweeps that fill the columns of rods in a matrix of momenta (6, nv); they read ``composite`` and ``center``."""
    if not tree.tips.bodies:
        return []

    def columns(tree: TreePlan, chunk: Chunk, field: str) -> Access:
        joint, nv = tree.model.bodies[chunk.body].joint, tree.model.nv
        return Access(field, joint.v_index + chunk.first, 6, nv, 1)

    def origin(tree: TreePlan, chunk: Chunk, field: str) -> Access:
        at = world(chunk.body)
        assert isinstance(at, Access)
        return Access(at.field, at.offset + 9, 3)

    inertia = step(
        tip_inertia,
        variant=lambda tree, body: None,
        composite=read(Rows("composite", INERTIA).own),
        world=read(Place("", lambda tree, body, field: world(body))),
        inertia=write(_CARRIED.own),
    )
    column = step(
        rod_momentum_column,
        variant=lambda tree, chunk: None,
        body=tip_of,
        column=read(Place("", lambda tree, chunk, field: chunk.columns)),
        momentum=read(Place("", lambda tree, chunk, field: chunk.momenta)),
        root=read(ROOT.own.by(tip_of)),
        tip=read(Place("", origin)),
        inertia=read(_CARRIED.own.by(tip_of)),
        center=read(whole("center", 3)),
        momentum_column=add_to(
            Place("", columns, lambda tree, field: Field(field, FieldKind.OUTPUT, 6 * tree.model.nv))
        ),
    )
    return [
        rod_root_sweep(tree),
        inertia.over(tree, tree.tips.bodies),
        column.in_lanes(lanes_of).over(tree, tree.tips.chunks, momentum_column=matrix),
    ]


_Place = Callable[[int], Binding | None]


class SoftRod:
    """A :class:`symdyn.dynamics.elements.deformable.Deformable`; velocities are those of stations."""

    momentum_columns = staticmethod(rod_column_sweeps)

    def wrenches(
        self, tree: TreePlan, field: str = "tau", acceleration: str = "a", free: Collection[int] = ()
    ) -> list[Sweep]:
        """None."""
        return []

    def settling(
        self, tree: TreePlan, accelerations: str, free: Collection[int], wrench: str, cluster_of: Mapping[int, int]
    ) -> list[Sweep]:
        """None."""
        return []

    def momenta(self, tree: TreePlan, momentum: Callable[[int], Binding]) -> list[Sweep]:
        """None."""
        return []

    def kinetic_energies(self, tree: TreePlan, twist: Callable[[int], Binding], energy: Access) -> list[Sweep]:
        """None."""
        return []

    def first_moments(self, tree: TreePlan, total: float | None, moment: _Place, rate: _Place) -> list[Sweep]:
        """First moments of carriers; rates are those of stations."""
        return rod_moment_sweeps(tree, total, moment)

    def ground_moments(self, tree: TreePlan, first: Access) -> list[Sweep]:
        """None."""
        return []
