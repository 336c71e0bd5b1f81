"""Time derivatives of the frames' Jacobians in world axes.

With the screws (V; W) and the points p, c of :mod:`symdyn.dynamics.kinematics.jacobian`, a column changes at the rate

    linear' = V' + W' x (p - c) + W x (p' - c'),    angular' = W'

Screws are constant in the body, hence W' = omega x W and V' = omega x V; those of a joint with one axis are constant in
the parent too, whose omega makes more zeros; those of the base of the spatial convention are constant in the world.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from symdyn.dynamics.kinematics.frame_kinematics import FramePlan, frame_origin_sweeps, world_of, world_pose_sweeps
from symdyn.dynamics.kinematics.jacobian import (
    SCREW_SIZE,
    STILL,
    ScrewPlan,
    ScrewVariant,
    joint_screws,
    origin_of,
    screws_from,
)
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.model.joints import Rest
from symdyn.model.model import Model
from symdyn.plan import Access, Binding, Field, FieldKind, Given, Mode, Plan, Port, Step, Sweep, Visit
from symdyn.scalars.algebra import Algebra, Scalar
from symdyn.spatial.motion import motion_at_offset
from symdyn.spatial.symmetric import combined
from symdyn.spatial.transform import turned_halves
from symdyn.spatial.vectors import add, cross, matrix_from, subtract

Reads = Mapping[str, Sequence[Scalar]]
Writes = Mapping[str, Sequence[Scalar]]

RATE_SIZE = 6
"""Scalars of a row of the ``rate`` field: the velocity of the body's origin, then omega; world axes."""


def moving_screws(variant: ScrewVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Outward step: the body's velocity in world axes, its screws, and their time derivatives."""
    screws = screws_from(joint_screws(variant, algebra, constants, reads)["screw"])
    own = combined(screws, reads["v"], SCREW_SIZE)
    slide, spin = own[:3], own[3:]
    carrying = reads["parent_rate"][3:]
    omega = add(carrying, spin)
    if variant.anchored:
        linear = [0.0] * 3
    else:
        reach = subtract(reads["world"][9:], reads["parent_origin"])
        if variant.kind.rest is Rest.WORLD:
            slide = add(slide, cross(spin, reach))
        linear = add(add(reads["parent_rate"][:3], cross(carrying, reach)), slide)
    turning = carrying if variant.kind.rest in (Rest.AXIS, Rest.WORLD) else omega
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


_MOVING_SCREWS = Step(
    "moving_screws",
    moving_screws,
    (
        Port("v", Mode.READ),
        Port("world", Mode.READ),
        Port("pose", Mode.READ),
        Port("parent_origin", Mode.READ),
        Port("parent_rate", Mode.READ),
        Port("rate", Mode.WRITE),
        Port("screw", Mode.WRITE),
        Port("screw_rate", Mode.WRITE),
    ),
)
_FRAME_RATE = Step(
    "frame_rate",
    frame_rate,
    (
        Port("origin", Mode.READ),
        Port("body_origin", Mode.READ),
        Port("rate", Mode.READ),
        Port("origin_rate", Mode.WRITE),
    ),
)
_RATE_COLUMN = Step(
    "jacobian_rate_column",
    jacobian_rate_column,
    (
        Port("screw", Mode.READ),
        Port("screw_rate", Mode.READ),
        Port("origin", Mode.READ),
        Port("point", Mode.READ),
        Port("origin_rate", Mode.READ),
        Port("point_rate", Mode.READ),
        Port("column", Mode.ADD),
    ),
)


def jacobians_time_derivative_plan(model: Model) -> Plan:
    """The plan of dJ/dt(q, v), (nframes, 6, nv): the time derivative of every entry of J.

    Parameters
    ----------
    model
        The robot.
    """
    tree, frames = TreePlan(model), FramePlan(model)
    screws = ScrewPlan(tree)
    pose_fields, pose_sweeps = world_pose_sweeps(tree, anchored=True, keeps=screws.posed)
    origin_fields, origin_sweeps = frame_origin_sweeps(tree, frames)
    joints = tuple(_moving_visit(screws, index) for index in tree.links)
    rates = tuple(
        Visit(
            frame.body,
            None,
            {},
            {
                "origin": Access("frame_origin", 3 * index, 3),
                "body_origin": origin_of(frame.body),
                "rate": Access("rate", RATE_SIZE * frame.body, RATE_SIZE),
                "origin_rate": Access("frame_rate", 3 * index, 3),
            },
        )
        for index, frame in enumerate(model.frames)
        if frame.body >= 0
    )
    columns = tuple(
        Visit(
            index,
            None,
            {},
            {
                "screw": screws.of_row("screw", index, row),
                "screw_rate": screws.of_row("screw_rate", index, row),
                "origin": Access("frame_origin", 3 * frame, 3),
                "point": screws.point(index),
                "origin_rate": Access("frame_rate", 3 * frame, 3),
                "point_rate": _point_rate(screws, index),
                "column": column,
            },
        )
        for frame, index, row, column in screws.columns("dJ_dt")
    )
    return Plan(
        "jacobians_time_derivative",
        (
            Field("q", FieldKind.INPUT, model.nq),
            Field("v", FieldKind.INPUT, model.nv),
            *tree.fields(),
            *frames.fields(),
            *pose_fields,
            *origin_fields,
            Field("rate", FieldKind.STATE, RATE_SIZE, len(model.bodies)),
            Field("frame_rate", FieldKind.STATE, 3, len(model.frames)),
            screws.field("screw"),
            screws.field("screw_rate"),
            Field("dJ_dt", FieldKind.OUTPUT, 6 * model.nv * len(model.frames)),
        ),
        (
            *tree.parameter_sweeps(),
            *frames.binding_sweeps(),
            *pose_sweeps,
            *origin_sweeps,
            Sweep(_MOVING_SCREWS, joints),
            Sweep(_FRAME_RATE, rates),
            Sweep(_RATE_COLUMN, columns),
        ),
        tuple(body.name for body in model.bodies),
        model.parent,
    )


def _moving_visit(screws: ScrewPlan, index: int) -> Visit:
    parent = screws.model.bodies[index].parent
    above: Binding = Access("rate", RATE_SIZE * parent, RATE_SIZE) if parent >= 0 else Given(STILL + STILL)
    return screws.visit(
        index,
        {
            "v": screws.tree.v(index),
            "world": world_of(index),
            "parent_origin": origin_of(parent),
            "parent_rate": above,
            "rate": Access("rate", RATE_SIZE * index, RATE_SIZE),
            "screw": screws.of_body("screw", index),
            "screw_rate": screws.of_body("screw_rate", index),
        },
    )


def _point_rate(screws: ScrewPlan, index: int) -> Binding:
    """Velocity of the point whose velocity the screws of a body tell."""
    moves = isinstance(screws.point(index), Access)
    return Access("rate", RATE_SIZE * index, 3) if moves else Given(STILL)
