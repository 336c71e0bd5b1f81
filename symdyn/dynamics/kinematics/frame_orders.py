"""Time derivatives of the frames' velocities in world axes: poses as time series, carried one order above velocities.

With R and p the series of a body's rotation and origin, and Omega the joint's angular velocity in the body's axes,

    omega = omega_parent + R Omega,      velocity of a point = rate of its position

A frame's twist is (p_WF'; omega_WF), each coefficient read off these series. Free bases are found by the linear
equations of ``series_base_steps``, R' = R [omega] or, with a right-invariant twist, R' = [omega] R.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.scalars.taylor import rate
from symdyn.algebra.scalars.taylor_algebra import TaylorAlgebra, leading
from symdyn.algebra.spatial.rotations import Identity, from_quaternion
from symdyn.algebra.spatial.vectors import add, entries_of, matrix_from, product, times, transpose
from symdyn.dynamics.kinematics.frame_kinematics import (
    FRAME_TRANSLATION,
    FramePlan,
    frame_pose,
    world_of,
    world_pose_sweeps,
)
from symdyn.dynamics.kinematics.series_base_steps import carried
from symdyn.dynamics.kinematics.series_coordinates import SERIES, Sizes, coordinate_sweeps
from symdyn.dynamics.tree.bindings import Reads, Writes, read, step, write
from symdyn.dynamics.tree.body_variant import placement_of
from symdyn.dynamics.tree.places import POSE, WORLD, Place, Q, Rows, known, rows
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.model.bind import ROTATION, TRANSLATION
from symdyn.model.joints import JointModel, JointPose, Rest
from symdyn.model.model import Model
from symdyn.plan.compose import kept_apart
from symdyn.plan.plan import Access, Binding, Field, FieldKind, Plan, Sweep
from symdyn.plan.transforms.series_places import Form
from symdyn.plan.transforms.taylor import lifted


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


def world_omega(kind: JointModel, algebra: TaylorAlgebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Outward step: angular velocity of a body in world axes."""
    v = reads["v"]
    pose = kind.placed(reads["pose"]) if "pose" in reads else JointPose(Identity(), None)
    joint = kind.motion(pose, v, [0.0] * len(v), constants)
    return {"omega": add(reads["parent"], times(matrix_from(reads["world"][:9]), joint.angular))}


def frame_twists(moves: bool, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per frame: its pose at t = 0, and the derivatives of its origin's velocity and of its angular velocity.

    Where no frame moves, nothing varies, and the algebra is that of numbers.
    """
    values = [leading(scalar) for scalar in reads["world"]]
    inner = algebra.inner if isinstance(algebra, TaylorAlgebra) else algebra
    writes = dict(frame_pose(None, inner, constants, {"world": values}))
    if moves:
        assert isinstance(algebra, TaylorAlgebra)
        offset = [constants[name] for name in FRAME_TRANSLATION]
        point = add(reads["world"][9:], times(matrix_from(reads["world"][:9]), offset))
        twist = [*(rate(component) for component in point), *reads["omega"]]
        writes |= {f"twist{row}": algebra.derivatives(own) for row, own in enumerate(twist)}
    return writes


def _kind(tree: TreePlan, body: int) -> JointModel:
    return tree.joint(body).kind


OMEGA = Rows("world_omega", 3, known((0.0,) * 3))
_V = rows(SERIES["v"], FieldKind.STATE)
_BASE_PLACE = step(
    base_place,
    variant=_kind,
    q=read(Q),
    v=read(_V),
    world=write(WORLD.own),
    omega=write(OMEGA.own),
    constants=lambda kind: (*ROTATION, *TRANSLATION),
)
_WORLD_OMEGA = step(
    world_omega,
    variant=_kind,
    v=read(_V),
    pose=read(POSE, when=lambda kind: kind.posed),
    parent=read(OMEGA.above),
    world=read(WORLD.own),
    omega=write(OMEGA.own),
    constants=lambda kind: kind.column_constants,
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
    tree, frames = TreePlan(model, derivatives=order + 1), FramePlan(model)
    bases = model.free_bases
    led = [index for index in tree.links if index not in bases]
    posed_links = any(tree.joint(index).kind.posed for index in led if not tree.tips.knows(index))
    fields, sweeps = world_pose_sweeps(tree, keeps=posed_links)
    posed = [replace(sweep, visits=tuple(v for v in sweep.visits if v.body not in bases)) for sweep in sweeps]
    turned = _WORLD_OMEGA.over(tree, led, v="v")
    run = list(tree.rods.completed([*posed, turned]))
    fields += tree.rods.inner_fields(run)
    names = [field.name for field in fields]
    fields, moved = kept_apart(fields, run, "", names, {name: SERIES[name] for name in "qv"})
    own, first, forms = coordinate_sweeps(tree, order + 1, Sizes(q=order + 2, v=order + 1), bases)
    count = len(model.frames)
    all_fields, all_sweeps = lifted(
        [
            *own,
            *tree.fields(),
            *frames.fields(),
            *fields,
            Field(OMEGA.field, FieldKind.STATE, OMEGA.width, len(model.bodies)),
            Field("X", FieldKind.OUTPUT, 16 * count),
            Field("V_WF", FieldKind.OUTPUT, 6 * count * (order + 1)),
        ],
        [
            *tree.parameter_sweeps(),
            *frames.binding_sweeps(),
            *first,
            *([_BASE_PLACE.over(tree, bases)] if bases else []),
            *moved,
            _twist_sweep(frames, tree, order),
        ],
        order,
        ("V",),
        {**forms, **tree.rods.forms(order + 1, order), "world": (Form(order + 2),) * WORLD.width},
    )
    return Plan(
        "forward_kinematics_time_derivatives",
        tuple(all_fields),
        tuple(all_sweeps),
        tuple(body.name for body in model.bodies),
        model.parent,
        order,
    )


def _twist_sweep(frames: FramePlan, tree: TreePlan, order: int) -> Sweep:
    """The sweep over the public frames."""
    placed, count = frames.model.frames, len(frames.model.frames)

    def twist(_: TreePlan, frame: int, name: str) -> list[Binding]:
        return [Access(name, 6 * frame + row, order + 1, 6 * count) for row in range(6)]

    per_frame = step(
        frame_twists,
        variant=lambda tree, frame: placed[frame].body >= 0,
        body=lambda tree, frame: placed[frame].body,
        world=read(Place("world", lambda tree, frame, _: world_of(placed[frame].body))),
        omega=read(Place(OMEGA.field, lambda tree, frame, _: OMEGA.of(tree, placed[frame].body)), lambda moves: moves),
        X=write(Place("X", lambda tree, frame, name: Access(name, 16 * frame, 16))),
        twist=write(Place("V_WF", twist, per_row=True), lambda moves: moves),
    )
    return per_frame.over(tree, range(count), more=lambda _, frame: frames.rotation(frame) | frames.translation(frame))
