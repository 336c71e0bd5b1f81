"""Columns of soft links in world axes, side by side: how each coordinate moves the tip's origin (V; W).

A rod's columns are in the axes of its root (``dynamics.tree.rod_columns``), which stand in the world with the body that
carries it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.spatial.transform import turned_halves
from symdyn.algebra.spatial.vectors import add, entries_of, matrix_from, product, times
from symdyn.dynamics.tree.bindings import Reads, Writes, declared_by, read, step, write
from symdyn.dynamics.tree.body_variant import placement_of
from symdyn.dynamics.tree.places import WORLD, Place, Rows
from symdyn.dynamics.tree.rod_tips import Chunk
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.model.bind import ROTATION, TRANSLATION
from symdyn.model.joints.rod_tip import LANES, TWIST_ROWS
from symdyn.plan.plan import Access, Field, FieldKind, Sweep


def rod_root(_: Any, __: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per rod: where its root stands in the world, row-major rotation and place."""
    rotation, origin = placement_of(constants)
    world = matrix_from(reads["parent"][:9])
    return {"root": [*entries_of(product(world, rotation)), *add(reads["parent"][9:], times(world, origin))]}


def rod_screw(_: Any, __: Algebra, ___: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per rod and column: its screw."""
    return {"screw": turned_halves(matrix_from(reads["root"][:9]), reads["column"])}


def tip_of(tree: TreePlan, chunk: Chunk) -> int:
    """The body of a chunk."""
    return chunk.body


def lanes_of(chunk: Chunk) -> int:
    """How many columns a chunk has."""
    return chunk.lanes


def _screws(tree: TreePlan, chunk: Chunk, field: str) -> Access:
    return Access(field, TWIST_ROWS * LANES * chunk.number, TWIST_ROWS, LANES, 1)


ROOT = Rows("rod_root", 12)
SCREWS = Place(
    "rod_screw",
    _screws,
    lambda tree, field: Field(field, FieldKind.STATE, TWIST_ROWS, len(tree.tips.chunks), lanes=LANES),
)
_ROOT = step(
    rod_root,
    variant=lambda tree, body: None,
    parent=read(WORLD.above),
    root=write(ROOT.own),
    constants=lambda _: (*ROTATION, *TRANSLATION),
)
_SCREW = step(
    rod_screw,
    variant=lambda tree, chunk: None,
    body=tip_of,
    column=read(Place("", lambda tree, chunk, _: chunk.alone)),
    root=read(ROOT.own.by(tip_of)),
    screw=write(SCREWS),
).in_lanes(lambda chunk: LANES)  # filling too: all visits write the field alike


def rod_root_sweep(tree: TreePlan) -> Sweep:
    """The sweep that fills ``rod_root`` from ``world``: a row of 12 per tip of a soft link."""
    return _ROOT.over(tree, tree.tips.bodies)


def rod_screw_sweeps(tree: TreePlan) -> tuple[list[Field], Sequence[Sweep]]:
    """Sweeps that fill ``rod_screw`` from ``world`` and the columns of tips, and their fields."""
    if not tree.tips.chunks:
        return [], []
    sweeps = (rod_root_sweep(tree), _SCREW.over(tree, tree.tips.chunks))
    return declared_by(sweeps), sweeps
