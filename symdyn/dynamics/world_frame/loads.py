"""Wrenches f_ext of the environment in the world's frame, with their derivatives.

In body axes (Ali et al. 2026, eqs. 67-70), with B = Ad_C^-T for the pose C of the body's public frame:

    W = B w,    B^(k) = -sum binom(k - 1, i) ad_V^(i)^T B^(k - 1 - i)
    W^(k) = sum binom(k - 1, i) (-ad_V^(i)^T W^(k - 1 - i) + B^(i) w^(k - i))

In world axes the force acts at the frame's origin x, which moves: W = (f; n + x x f), and x' = omega x x + v.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import comb

from symdyn.dynamics.world_frame.home import HOME_POINT, PUBLIC_ROTATION
from symdyn.dynamics.world_frame.sums import (
    Columns,
    at_orders,
    columns_at_orders,
    side_by_side,
    weighted,
    wrench_rate,
)
from symdyn.dynamics.world_frame.world_tree import Reads, SpatialTree, Writes, state
from symdyn.plan import Access, Binding, Field, Mode, Port, Step, Sweep, Visit
from symdyn.scalars.algebra import Algebra, Scalar
from symdyn.spatial.motion import SIZE, adjoint_matrix
from symdyn.spatial.symmetric import combined
from symdyn.spatial.transform import Pose, pose_from
from symdyn.spatial.vectors import Vector, add, cross, matrix_from, times

_COMPONENTS = tuple(f"f{row}" for row in range(SIZE))


@dataclass(frozen=True, slots=True)
class LoadVariant:
    """Which orders of a wrench a step computes, ``first`` .. ``last``, and how it is given.

    ``axes`` is body or world; rows start with the moment where ``angular_first``. With ``keeps``, what higher orders
    rest on is written for later steps.
    """

    axes: str
    angular_first: bool
    first: int
    last: int
    keeps: bool


def applied_wrench(variant: LoadVariant, _: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per body: W of some orders, from those below, the twists, and f_ext with its derivatives."""
    rows = list(zip(*(reads[name] for name in _COMPONENTS), strict=True))
    given = [(*row[3:], *row[:3]) for row in rows] if variant.angular_first else rows
    twists = at_orders(reads["twists"], SIZE) if "twists" in reads else []
    return (_in_body_axes if variant.axes == "body" else _in_world_axes)(variant, constants, reads, given, twists)


def _in_body_axes(
    variant: LoadVariant,
    constants: Mapping[str, Scalar],
    reads: Reads,
    given: Sequence[Vector],
    twists: list[list[Scalar]],
) -> Writes:
    maps: list[Columns] = list(columns_at_orders(reads["maps"], SIZE)) if "maps" in reads else []
    known = len(maps)
    wrenches: list[Vector] = list(at_orders(reads["earlier"], SIZE)) if "earlier" in reads else []
    for k in range(variant.first, variant.last + 1):
        if k == 0:
            home = matrix_from([constants[name] for name in PUBLIC_ROTATION])
            pose = pose_from(reads["place"]).times(Pose(home, [constants[name] for name in HOME_POINT]))
            maps.append(adjoint_matrix(pose.inverse()))  # columns of the transpose: rows
            wrenches.append(combined(maps[0], given[0], SIZE))
            continue
        if k > 1:
            maps.append(wrench_rate(twists, maps, k - 1))
        (found,) = wrench_rate(twists, [[wrench] for wrench in wrenches], k)
        for i in range(k):
            found = add(found, combined(maps[i], weighted(comb(k - 1, i), given[k - i]), SIZE))
        wrenches.append(found)
    writes: dict[str, Sequence[Scalar]] = {"applied": side_by_side([wrenches[variant.first :]])}
    if variant.keeps and maps[known:]:
        writes["next_maps"] = side_by_side(maps[known:])
    return writes


def _in_world_axes(
    variant: LoadVariant,
    constants: Mapping[str, Scalar],
    reads: Reads,
    given: Sequence[Vector],
    twists: list[list[Scalar]],
) -> Writes:
    points: list[Vector] = list(at_orders(reads["points"], 3)) if "points" in reads else []
    wrenches: list[Vector] = []
    for k in range(variant.first, variant.last + 1):
        if k == 0:
            place = pose_from(reads["place"])
            points.append(add(place.position, times(place.rotation, [constants[name] for name in HOME_POINT])))
        else:
            velocity: Vector = twists[k - 1][:3]
            for i in range(k):
                velocity = add(velocity, cross(weighted(comb(k - 1, i), twists[i][3:]), points[k - 1 - i]))
            points.append(velocity)
        moment: Vector = given[k][3:]
        for i in range(k + 1):
            moment = add(moment, cross(weighted(comb(k, i), points[i]), given[k - i][:3]))
        wrenches.append([*given[k][:3], *moment])
    writes: dict[str, Sequence[Scalar]] = {"applied": side_by_side([wrenches])}
    if variant.keeps:
        writes["next_point"] = points[-1]
    return writes


_APPLIED = Step(
    "applied_wrench",
    applied_wrench,
    (
        *(Port(name, Mode.READ) for name in _COMPONENTS),
        Port("place", Mode.READ),
        Port("twists", Mode.READ),
        Port("earlier", Mode.READ),
        Port("maps", Mode.READ),
        Port("points", Mode.READ),
        Port("applied", Mode.WRITE),
        Port("next_maps", Mode.WRITE),
        Port("next_point", Mode.WRITE),
    ),
)


def load_fields(tree: SpatialTree, keeps: bool) -> list[Field]:
    """Fields of the wrenches, a row per body, and of what is kept for higher orders."""
    bodies, orders = len(tree.model.bodies), tree.order + 1
    if not tree.external:
        return []
    found = [state("applied", SIZE * orders, bodies)]
    if keeps:
        body = tree.external == "body"
        found.append(state("maps", SIZE * SIZE * orders, bodies) if body else state("points", 3 * orders, bodies))
    return found


def load_sweeps(tree: SpatialTree, first: int, last: int, keeps: bool) -> list[Sweep]:
    """The sweep that fills orders ``first`` .. ``last`` of ``applied``, where wrenches act."""
    visits = (
        _visit(tree, index, first, last, keeps)
        for index, body in enumerate(tree.model.bodies)
        if tree.external and body.row is not None
    )
    return [Sweep(_APPLIED, found)] if (found := tuple(visits)) else []


def _visit(tree: SpatialTree, index: int, first: int, last: int, keeps: bool) -> Visit:
    model, body = tree.model, tree.external == "body"
    row, count = model.bodies[index].row, 6 * len(model.body_names)
    assert row is not None
    bindings: dict[str, Binding] = {
        name: Access("f_ext", 6 * row + place, last + 1, count) for place, name in enumerate(_COMPONENTS)
    }
    bindings["applied"] = tree.row("applied", index, SIZE, first, last - first + 1)
    if last > 0:
        bindings["twists"] = tree.row("twists", index, SIZE, 0, last)
    if first > 0 and body:
        bindings["earlier"] = tree.row("applied", index, SIZE, 0, first)
    if first == 0:
        bindings["place"] = tree.place(index)
    if keeps and body:
        if first > 0:
            bindings["maps"] = tree.row("maps", index, SIZE * SIZE, 0, max(first - 1, 1))
        if first != 1:
            bindings["next_maps"] = tree.row("maps", index, SIZE * SIZE, max(first - 1, 0), 1)
    if keeps and not body:
        if first > 0:
            bindings["points"] = tree.row("points", index, 3, 0, first)
        bindings["next_point"] = tree.row("points", index, 3, first, 1)
    variant = LoadVariant(tree.external, model.convention == "spatial", first, last, keeps)
    constants = tree.home.public_pose(index) if first == 0 else {}
    if first == 0 and not body:
        constants = {name: value for name, value in constants.items() if name in HOME_POINT}
    return Visit(index, variant, constants, bindings)
