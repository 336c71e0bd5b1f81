"""Time derivatives of the frames' Jacobians in world axes.

With the screws (V; W) and the points p, c of :mod:`symdyn.dynamics.kinematics.jacobian`, a column changes at the rate

    linear' = V' + W' x (p - c) + W x (p' - c'),    angular' = W'

Screws are constant in the body, hence W' = omega x W and V' = omega x V; those of a joint with one axis are constant in
the parent too, whose omega makes more zeros; those of the base of the spatial convention are constant in the world.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.spatial.motion import motion_at_offset
from symdyn.algebra.spatial.symmetric import combined
from symdyn.algebra.spatial.transform import turned_halves
from symdyn.algebra.spatial.vectors import add, cross, matrix_from, subtract
from symdyn.dynamics.kinematics.frame_kinematics import FRAME_ORIGIN, frame_body, moving_frames, origin_of, per_frame
from symdyn.dynamics.kinematics.jacobian import (
    POINT,
    SCREW_SIZE,
    STILL,
    ScrewVariant,
    carried_columns,
    carrier_of,
    columns_sweep,
    frame_column,
    frame_of,
    frame_sweeps,
    screw_of,
    screw_variant,
    screws_of,
    world_screws,
)
from symdyn.dynamics.tree.bindings import Reads, Writes, add_to, declared_by, plan_of, read, step, write
from symdyn.dynamics.tree.places import POSE, WORLD, Place, Rows, V, known
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.model.model import Model
from symdyn.plan.plan import Access, Binding, Given, Plan

RATE_SIZE = 6
"""Scalars of a row of the ``rate`` field: the velocity of the body's origin, then omega; world axes."""


def moving_screws(variant: ScrewVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Outward step: the body's velocity in world axes, its screws, and their time derivatives."""
    screws = world_screws(variant, constants, reads)
    own = combined(screws, reads["v"], SCREW_SIZE)
    slide, spin = own[:3], own[3:]
    carrying = reads["parent_rate"][3:]
    omega = add(carrying, spin)
    if variant.anchored:
        linear = [0.0] * 3
    else:
        reach = subtract(reads["world"][9:], reads["parent_origin"])
        if variant.kind.about_ground:
            slide = add(slide, cross(spin, reach))
        linear = add(add(reads["parent_rate"][:3], cross(carrying, reach)), slide)
    turning = carrying if variant.kind.rests_in_parent else omega
    rates = [[*cross(turning, screw[:3]), *cross(turning, screw[3:])] for screw in screws]
    if "pose" in reads:
        changes = variant.kind.column_changes(variant.kind.placed(reads["pose"]), reads["v"], constants) or ()
        world = matrix_from(reads["world"][:9])
        rates = [add(rate, turned_halves(world, change)) for rate, change in zip(rates, changes, strict=True)]
    return {
        "rate": [*linear, *omega],
        "screw": [scalar for screw in screws for scalar in screw],
        "screw_rate": [scalar for rate in rates for scalar in rate],
    }


def frame_rate(_: Any, __: Algebra, ___: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per frame: the velocity of its origin in world axes."""
    reach = subtract(reads["origin"], reads["body_origin"])
    return {"origin_rate": motion_at_offset(reads["rate"], reach)[:3]}


def jacobian_rate_column(_: Any, __: Algebra, ___: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per frame and row of v that moves it: a column of the Jacobian's time derivative."""
    w, v_rate, w_rate = reads["screw"][3:], reads["screw_rate"][:3], reads["screw_rate"][3:]
    swept = cross(w_rate, subtract(reads["origin"], reads["point"]))
    carried = cross(w, subtract(reads["origin_rate"], reads["point_rate"]))
    return {"column": [*add(add(v_rate, swept), carried), *w_rate]}


def _point_rate(tree: TreePlan, body: int, field: str) -> Binding:
    """Velocity of the point whose velocity the screws of a body tell."""
    return Given(STILL) if tree.joint(body).kind.about_ground else Access(field, RATE_SIZE * body, 3)


ORIGIN = Place("world", lambda tree, body, field: origin_of(body))
RATE = Rows("rate", RATE_SIZE, known(STILL + STILL))
FRAME_RATE = per_frame("frame_rate", 3)
_MOVING_SCREWS = step(
    moving_screws,
    variant=screw_variant,
    v=read(V),
    world=read(WORLD.own),
    pose=read(POSE, when=lambda b: b.kind.has_moving_inertia),
    parent_origin=read(ORIGIN.by(lambda tree, body: tree.model.bodies[body].parent)),
    parent_rate=read(RATE.above),
    rate=write(RATE.own),
    screw=write(screws_of("screw")),
    screw_rate=write(screws_of("screw_rate")),
    constants=lambda b: b.kind.column_constants,
)
_FRAME_RATE = step(
    frame_rate,
    variant=lambda tree, frame: None,
    body=frame_body,
    origin=read(FRAME_ORIGIN),
    body_origin=read(ORIGIN.by(frame_body)),
    rate=read(RATE.own.by(frame_body)),
    origin_rate=write(FRAME_RATE),
)
_RATE_COLUMN = step(
    jacobian_rate_column,
    variant=lambda tree, item: None,
    body=carrier_of,
    screw=read(screw_of("screw")),
    screw_rate=read(screw_of("screw_rate")),
    origin=read(FRAME_ORIGIN.by(frame_of)),
    point=read(POINT),
    origin_rate=read(FRAME_RATE.by(frame_of)),
    point_rate=read(Place("rate", _point_rate).by(carrier_of)),
    column=add_to(frame_column("dJ_dt")),
)


def jacobians_time_derivative_plan(model: Model, with_columns: bool = False) -> Plan:
    """The plan of dJ/dt(q, v), (nframes, 6, nv): the time derivative of every entry of J.

    Parameters
    ----------
    model
        The robot.
    with_columns
        Whether J is an output, too.
    """
    tree = TreePlan(model)
    fields, sweeps = frame_sweeps(tree)
    moving, rates = _MOVING_SCREWS.over(tree, tree.links), _FRAME_RATE.over(tree, moving_frames(tree))
    sweeps += [moving, rates, _RATE_COLUMN.over(tree, carried_columns(tree))]
    sweeps += [columns_sweep(tree)] if with_columns else []
    return plan_of("jacobians_time_derivative", tree, sweeps, [*fields, *declared_by([rates])], ())
