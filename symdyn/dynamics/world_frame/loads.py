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

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.spatial.motion import SIZE, adjoint_matrix
from symdyn.algebra.spatial.symmetric import combined
from symdyn.algebra.spatial.transform import pose_from
from symdyn.algebra.spatial.vectors import Vector, add, cross, times
from symdyn.dynamics.tree.bindings import BoundPort, Reads, Writes, read, step, write
from symdyn.dynamics.tree.places import Place
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.dynamics.world_frame.home import HOME_POINT, PUBLIC_ROTATION, named_pose
from symdyn.dynamics.world_frame.sums import (
    Columns,
    at_orders,
    columns_at_orders,
    side_by_side,
    weighted,
    wrench_rate,
)
from symdyn.dynamics.world_frame.world_tree import PLACE, SpatialTree
from symdyn.plan.plan import Access, Constant, Sweep

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
    twists = at_orders(reads.get("twists", ()), SIZE)
    return (_in_body_axes if variant.axes == "body" else _in_world_axes)(variant, constants, reads, given, twists)


def _in_body_axes(
    variant: LoadVariant,
    constants: Mapping[str, Scalar],
    reads: Reads,
    given: Sequence[Vector],
    twists: list[list[Scalar]],
) -> Writes:
    maps: list[Columns] = list(columns_at_orders(reads.get("maps", ()), SIZE))
    known = len(maps)
    wrenches: list[Vector] = list(at_orders(reads.get("earlier", ()), SIZE))
    for k in range(variant.first, variant.last + 1):
        if k == 0:
            pose = pose_from(reads["place"]).times(named_pose(constants, PUBLIC_ROTATION, HOME_POINT))
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
    points: list[Vector] = list(at_orders(reads.get("points", ()), 3))
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


def loaded(tree: TreePlan) -> bool:
    """Whether wrenches act on bodies."""
    return bool(tree.external)


def _component(place: int, orders: int) -> BoundPort:
    """A component of a body's wrench and of its derivatives."""
    return read(
        Place(
            "f_ext",
            lambda tree, index, name: Access(
                name, tree.external_wrench(index).offset + place, orders, SIZE * len(tree.model.body_names)
            ),
        )
    )


def load_sweeps(tree: SpatialTree, first: int, last: int, keeps: bool) -> list[Sweep]:
    """The sweep that fills orders ``first`` .. ``last`` of ``applied``, where wrenches act."""
    body, matrix = tree.external == "body", SIZE * SIZE

    def kept(field: str, width: int, start: int, count: int) -> Place:
        return tree.row(field, width, start, count).where(lambda _: keeps and body == (field == "maps"))

    def constants(_: TreePlan, index: int) -> dict[str, Constant]:
        pose = tree.home.public_pose(index) if first == 0 else {}
        return {name: value for name, value in pose.items() if body or name in HOME_POINT}

    applied = step(
        applied_wrench,
        variant=lambda tree, _: LoadVariant(tree.external, tree.model.convention == "spatial", first, last, keeps),
        f0=_component(0, last + 1),
        f1=_component(1, last + 1),
        f2=_component(2, last + 1),
        f3=_component(3, last + 1),
        f4=_component(4, last + 1),
        f5=_component(5, last + 1),
        place=read(PLACE.own, when=lambda b: b.first == 0),
        twists=read(tree.row("twists", SIZE, 0, last), when=lambda b: b.last > 0),
        earlier=read(tree.row("applied", SIZE, 0, first), when=lambda b: b.first > 0 and body),
        maps=read(kept("maps", matrix, 0, max(first - 1, 1)), when=lambda b: b.first > 0),
        points=read(kept("points", 3, 0, first), when=lambda b: b.first > 0),
        applied=write(tree.row("applied", SIZE, first, last - first + 1)),
        next_maps=write(kept("maps", matrix, max(first - 1, 0), 1), when=lambda b: b.first != 1),
        next_point=write(kept("points", 3, first, 1)),
    )
    bodies = [index for index, link in enumerate(tree.model.bodies) if tree.external and link.row is not None]
    return [applied.over(tree, bodies, more=constants)] if bodies else []
