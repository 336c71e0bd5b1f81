"""Time derivatives of the frames' velocities in world axes: poses as time series, carried one order above velocities.

With R and p the series of a body's rotation and origin, and Omega the joint's angular velocity in the body's axes,

    omega = omega_parent + R Omega,      velocity of a point = rate of its position

A frame's twist is (p_WF'; omega_WF), each coefficient read off these series. Free bases are found by the linear
equations of ``series_base_steps``, R' = R [omega] or, with a right-invariant twist, R' = [omega] R.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from symdyn.dynamics.kinematics.frame_kinematics import (
    FRAME_TRANSLATION,
    WORLD_SIZE,
    FramePlan,
    frame_pose,
    world_of,
    world_pose_sweeps,
)
from symdyn.dynamics.time_derivatives.series_base_steps import carried
from symdyn.dynamics.time_derivatives.series_coordinates import SERIES, Sizes, coordinate_sweeps
from symdyn.dynamics.tree.tree import TreePlan, placement_of
from symdyn.model.bind import ROTATION, TRANSLATION
from symdyn.model.joints import JointModel, JointPose, Rest
from symdyn.model.model import Model
from symdyn.plan import Access, Binding, Field, FieldKind, Given, Mode, Plan, Port, Step, Sweep, Visit, kept_apart
from symdyn.scalars.algebra import Scalar
from symdyn.scalars.taylor import rate
from symdyn.scalars.taylor_algebra import TaylorAlgebra, leading
from symdyn.spatial.rotations import Identity, from_quaternion
from symdyn.spatial.vectors import add, entries_of, matrix_from, product, times, transpose
from symdyn.transforms.taylor import Form, lifted

Reads = Mapping[str, Sequence[Scalar]]
Writes = Mapping[str, Sequence[Scalar]]

_TWIST = tuple(f"twist{row}" for row in range(6))
_OMEGA = "world_omega"


@dataclass(frozen=True, slots=True)
class TurnVariant:
    """What is structural about how a joint turns its body."""

    kind: JointModel
    mimic: bool


def base_place(kind: JointModel, algebra: TaylorAlgebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per free base: its pose in the world to one order above its velocity, and its angular velocity."""
    placed, origin = placement_of(constants)
    q, v, order = reads["q"], reads["v"], algebra.order + 1
    start = product(placed, from_quaternion(*q[3:]).entries)
    if kind.rest is Rest.CHILD:
        turned = [carried(algebra, row, v[3:], order, own=True) for row in start]
        omega = times(turned, v[3:])
        velocity = times(turned, v[:3])
        centre = add(origin, times(placed, q[:3]))
        point = [algebra.integral(own, place) for own, place in zip(velocity, centre, strict=True)]
    else:
        omega = times(placed, v[:3])
        turned = transpose([carried(algebra, axis, omega, order) for axis in transpose(start)])
        point = add(origin, times(placed, carried(algebra, q[:3], v[:3], order, v[3:])))
    return {"world": [*entries_of(turned), *point], "omega": omega}


def world_omega(variant: TurnVariant, algebra: TaylorAlgebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Outward step: angular velocity of a body in world axes."""
    v = list(reads["v"])
    if variant.mimic:
        v = [constants["multiplier"] * v[0]]
    pose = variant.kind.placed(reads["pose"]) if "pose" in reads else JointPose(Identity(), None)
    joint = variant.kind.motion(pose, v, [0.0] * len(v), constants)
    return {"omega": add(reads["parent"], times(matrix_from(reads["world"][:9]), joint.angular))}


def frame_twists(moves: bool, algebra: TaylorAlgebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per frame: its pose at t = 0, and the derivatives of its origin's velocity and of its angular velocity."""
    values = [leading(scalar) for scalar in reads["world"]]
    writes = dict(frame_pose(None, algebra.inner, constants, {"world": values}))
    if moves:
        offset = [constants[name] for name in FRAME_TRANSLATION]
        point = add(reads["world"][9:], times(matrix_from(reads["world"][:9]), offset))
        twist = [*(rate(component) for component in point), *reads["omega"]]
        writes |= {name: algebra.derivatives(row) for name, row in zip(_TWIST, twist, strict=True)}
    return writes


_BASE_PLACE = Step(
    "base_place",
    base_place,
    (Port("q", Mode.READ), Port("v", Mode.READ), Port("world", Mode.WRITE), Port("omega", Mode.WRITE)),
)
_WORLD_OMEGA = Step(
    "world_omega",
    world_omega,
    (
        Port("v", Mode.READ),
        Port("pose", Mode.READ),
        Port("parent", Mode.READ),
        Port("world", Mode.READ),
        Port("omega", Mode.WRITE),
    ),
)
_FRAME_TWISTS = Step(
    "frame_twists",
    frame_twists,
    (
        Port("world", Mode.READ),
        Port("omega", Mode.READ),
        Port("X", Mode.WRITE),
        *(Port(name, Mode.WRITE) for name in _TWIST),
    ),
)


def forward_kinematics_time_derivatives_plan(model: Model, order: int) -> Plan:
    """The plan of X, (nframes, 4, 4), and V_WF, (r + 1, nframes, 6), from q and V = v, v', .. v^(r), (r + 1, nv).

    Parameters
    ----------
    model
        The robot.
    order
        r, from 0.
    """
    tree, frames = TreePlan(model), FramePlan(model)
    bases = model.free_bases
    fields, sweeps = world_pose_sweeps(tree, keeps=bool(model.beams))
    fields, sweeps = kept_apart(fields, sweeps, "", [field.name for field in fields], {"q": SERIES["q"]})
    moved = [replace(sweep, visits=tuple(v for v in sweep.visits if v.body not in bases)) for sweep in sweeps]
    own, first, forms = coordinate_sweeps(tree, order + 1, Sizes(q=order + 2, v=order + 1), bases)
    count = len(model.frames)
    all_fields, all_sweeps = lifted(
        [
            *own,
            *tree.fields(),
            *frames.fields(),
            *fields,
            Field(_OMEGA, FieldKind.STATE, 3, len(model.bodies)),
            Field("X", FieldKind.OUTPUT, 16 * count),
            Field("V_WF", FieldKind.OUTPUT, 6 * count * (order + 1)),
        ],
        [
            *tree.parameter_sweeps(),
            *frames.binding_sweeps(),
            *first,
            *([Sweep(_BASE_PLACE, tuple(_base_visit(tree, index) for index in bases))] if bases else []),
            *moved,
            Sweep(_WORLD_OMEGA, tuple(_omega_visit(tree, index) for index in tree.links if index not in bases)),
            Sweep(_FRAME_TWISTS, tuple(_frame_visit(frames, index, order) for index in range(count))),
        ],
        order,
        ("V",),
        {**forms, "world": (Form(order + 2),) * WORLD_SIZE},
    )
    return Plan(
        "forward_kinematics_time_derivatives",
        tuple(all_fields),
        tuple(all_sweeps),
        tuple(body.name for body in model.bodies),
        model.parent,
        order,
    )


def _base_visit(tree: TreePlan, index: int) -> Visit:
    joint = tree.model.bodies[index].joint
    bindings: dict[str, Binding] = {
        "q": tree.q(index),
        "v": tree.v(index, SERIES["v"]),
        "world": world_of(index),
        "omega": Access(_OMEGA, 3 * index, 3),
    }
    return Visit(index, joint.kind, tree.constants(index, (*ROTATION, *TRANSLATION)), bindings)


def _omega_visit(tree: TreePlan, index: int) -> Visit:
    body = tree.model.bodies[index]
    variant = TurnVariant(body.joint.kind, body.joint.mimic is not None)
    bindings: dict[str, Binding] = {
        "v": tree.v(index, SERIES["v"]),
        "parent": Access(_OMEGA, 3 * body.parent, 3) if body.parent >= 0 else Given((0.0,) * 3),
        "world": world_of(index),
        "omega": Access(_OMEGA, 3 * index, 3),
    }
    names: tuple[str, ...] = ("multiplier",) if variant.mimic else ()
    if variant.kind.rest is Rest.NOWHERE:
        bindings["pose"] = tree.pose(index)
    if variant.kind.constants:
        names = (*names, "pitch")
    return Visit(index, variant, tree.constants(index, names), bindings)


def _frame_visit(frames: FramePlan, index: int, order: int) -> Visit:
    body, count = frames.model.frames[index].body, len(frames.model.frames)
    bindings: dict[str, Binding] = {"world": world_of(body), "X": Access("X", 16 * index, 16)}
    if body >= 0:
        bindings["omega"] = Access(_OMEGA, 3 * body, 3)
        for row, name in enumerate(_TWIST):
            bindings[name] = Access("V_WF", 6 * index + row, order + 1, 6 * count)
    return Visit(body, body >= 0, frames.rotation(index) | frames.translation(index), bindings)
