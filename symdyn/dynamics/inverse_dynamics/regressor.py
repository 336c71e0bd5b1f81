"""The matrix Y(q, v, a) with tau = Y phi, phi holding ten inertial parameters per body (Atkeson, An & Hollerbach 1986).

Outward: a body's motion, and the wrench that a unit of each parameter m, h = m c, Ixx, Ixy, Iyy, Ixz, Iyz, Izz (about
the public frame's origin) takes to give it this motion, with U = [alpha] + [omega]^2:

    m:  f = a,          n = 0
    h:  f = U h,        n = h x a
    I:  f = 0,          n = I alpha + omega x I omega

Then the ten wrenches of every body walk to the root, and each joint on the way reads S^T of them. The robot's own
inertia, rotors, losses and springs play no part.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from symdyn.dynamics.inverse_dynamics.joint_wrenches import MOTION_PORTS, motion_bindings
from symdyn.dynamics.tree.kinematics import MOTION_SIZE, motion_from, moved_by_joint, second_rate
from symdyn.dynamics.tree.tree import ALIGNMENT, JOINT, TreePlan, frame_in_parent
from symdyn.model.bind import ROTATION, TRANSLATION
from symdyn.model.joints import JointModel
from symdyn.model.model import Model
from symdyn.plan import Access, Binding, Field, FieldKind, Mode, Plan, Port, Step, Sweep, Visit
from symdyn.scalars.algebra import Algebra, Scalar
from symdyn.spatial.force import wrench_in_parent
from symdyn.spatial.rotations import IDENTITY
from symdyn.spatial.transform import turned_halves
from symdyn.spatial.vectors import Vector, cross, matrix_from, scale, times, transpose

Reads = Mapping[str, Sequence[Scalar]]
Writes = Mapping[str, Sequence[Scalar]]

PARAMETERS = 10
_NO_POSE = (0.0,) * 12
_ZERO = (0.0, 0.0, 0.0)
_WITH_FORCE = 4
"""The first of the ten columns, m and h, have a force."""
_STORED = 6 * _WITH_FORCE + 3 * (PARAMETERS - _WITH_FORCE)


@dataclass(frozen=True, slots=True)
class MovingVariant:
    """What is structural about a body's motion; ``public`` tells whether its parameters have columns."""

    kind: JointModel
    mimic: bool
    public: bool


@dataclass(frozen=True, slots=True)
class ReadingVariant:
    """What is structural about a joint that reads wrenches; ``through`` is the kind of the joint passed on the way."""

    through: JointModel | None
    kind: JointModel
    mimic: bool
    onward: bool


def unit_wrenches(acceleration: Vector, omega: Vector, alpha: Vector) -> list[list[Scalar]]:
    """Wrench (f; n) per unit of m, h, Ixx, Ixy, Iyy, Ixz, Iyz, Izz, about the origin of the frame they refer to.

    Parameters
    ----------
    acceleration
        Proper acceleration of the origin [m/s^2].
    omega, alpha
        Angular velocity [rad/s] and acceleration [rad/s^2].
    """
    u, _ = second_rate(omega, alpha)
    xx, yy, zz = (component * component for component in omega)
    xy, xz, yz = omega[0] * omega[1], omega[0] * omega[2], omega[1] * omega[2]
    columns: list[list[Scalar]] = [[*acceleration, *_ZERO]]
    for axis, unit in enumerate(IDENTITY):
        columns.append([*(row[axis] for row in u), *cross(unit, acceleration)])
    moments = (
        (alpha[0], xz, -xy),
        (-u[2][0], u[2][1], xx - yy),
        (-yz, alpha[1], xy),
        (u[1][0], zz - xx, -u[1][2]),
        (yy - zz, -u[0][1], u[0][2]),
        (yz, -xz, alpha[2]),
    )
    return columns + [[*_ZERO, *moment] for moment in moments]


def move(variant: MovingVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Outward step: a body's motion, and the wrenches of its ten unit parameters in its aligned frame."""
    q, v, a = list(reads["q"]), list(reads["v"]), list(reads["a"])
    if variant.mimic:
        gain = constants["multiplier"]
        q, v, a = [gain * q[0] + constants["offset"]], [gain * v[0]], [gain * a[0]]
    stored = variant.kind.pose(algebra, q, constants)
    pose = variant.kind.placed(stored)
    joint = variant.kind.motion(pose, v, a, constants)
    motion, _ = moved_by_joint(motion_from(reads["parent"]), frame_in_parent(constants, pose), joint)
    writes: dict[str, Sequence[Scalar]] = {"pose": stored, "motion": motion.scalars()}
    if variant.public:
        alignment = matrix_from([constants[name] for name in ALIGNMENT])
        shown = [times(alignment, part) for part in (motion.acceleration, motion.omega, motion.alpha)]
        into = transpose(alignment)
        writes["wrenches"] = _stored([turned_halves(into, wrench) for wrench in unit_wrenches(*shown)])
    return writes


def read_share(variant: ReadingVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step of a walk: ten wrenches go through a joint (but not the first time), and a joint reads its share."""
    wrenches = _wrenches(reads["wrenches"])
    if variant.through is not None:
        x_pc = frame_in_parent(constants, variant.through.placed(reads["pose"]))
        wrenches = [wrench_in_parent(x_pc, wrench) for wrench in wrenches]
    pose = variant.kind.placed(reads.get("own_pose", _NO_POSE))
    gain = constants["multiplier"] if variant.mimic else 1.0
    shares = [scale(gain, variant.kind.force(pose, f, constants)) for f in wrenches]
    writes: dict[str, Sequence[Scalar]] = {
        f"row{row}": [share[row] for share in shares] for row in range(len(shares[0]))
    }
    if variant.onward:
        writes["own_wrenches"] = _stored(wrenches)
    return writes


def _stored(wrenches: Sequence[Vector]) -> list[Scalar]:
    """A row of the field: force and moment where there is a force, else the moment."""
    return [x for place, wrench in enumerate(wrenches) for x in (wrench if place < _WITH_FORCE else wrench[3:])]


def _wrenches(row: Sequence[Scalar]) -> list[Vector]:
    found: list[Vector] = [row[start : start + 6] for start in range(0, 6 * _WITH_FORCE, 6)]
    return found + [[*_ZERO, *row[start : start + 3]] for start in range(6 * _WITH_FORCE, _STORED, 3)]


_MOVE = Step("unit_wrenches", move, (*MOTION_PORTS, Port("wrenches", Mode.WRITE)))


@cache
def _read_step(rows: int) -> Step:
    ports = (
        Port("wrenches", Mode.READ),
        Port("pose", Mode.READ),
        Port("own_pose", Mode.READ),
        Port("own_wrenches", Mode.WRITE),
        *(Port(f"row{row}", Mode.ADD) for row in range(rows)),
    )
    return Step("read_share", read_share, ports)


def regressor_plan(model: Model) -> Plan:
    """The plan of Y(q, v, a), (nv, 10 nbodies).

    Parameters
    ----------
    model
        The robot.
    """
    tree = TreePlan(model)
    fields = (
        Field("q", FieldKind.INPUT, model.nq),
        Field("v", FieldKind.INPUT, model.nv),
        Field("a", FieldKind.INPUT, model.nv),
        *tree.fields(),
        Field("motion", FieldKind.STATE, MOTION_SIZE, tree.depth_rows),
        Field("wrenches", FieldKind.STATE, _STORED, len(model.body_names)),
        Field("carried", FieldKind.STATE, _STORED, tree.depth_rows),
        Field("Y", FieldKind.OUTPUT, model.nv * PARAMETERS * len(model.body_names)),
    )
    outward = Sweep(_MOVE, tuple(_outward_visit(tree, index) for index in tree.links))
    walks = Sweep(_read_step(model.most_rows), tuple(visit for index in tree.links for visit in _walk(tree, index)))
    return Plan(
        "inverse_dynamics_regressor",
        fields,
        (*tree.parameter_sweeps(), outward, walks),
        tuple(body.name for body in model.bodies),
        model.parent,
    )


def _outward_visit(tree: TreePlan, index: int) -> Visit:
    body = tree.model.bodies[index]
    own = tree.variant(index)
    bindings = motion_bindings(tree, index)
    if body.row is not None:
        bindings["wrenches"] = Access("wrenches", _STORED * body.row, _STORED)
    names = (*ROTATION, *TRANSLATION, *JOINT, *(ALIGNMENT if body.row is not None else ()))
    return Visit(
        index, MovingVariant(own.kind, own.mimic, body.row is not None), tree.constants(index, names), bindings
    )


def _walk(tree: TreePlan, start: int) -> list[Visit]:
    """Steps from a body to the root with the wrenches of its parameters."""
    bodies = tree.model.bodies
    shown = bodies[start].row
    if shown is None:
        return []
    width = PARAMETERS * len(tree.model.body_names)
    held = Access("wrenches", _STORED * shown, _STORED)
    visits = []
    through, here = -1, start
    while here >= 0:
        own, joint = tree.variant(here), bodies[here].joint
        kind = bodies[through].joint.kind if through >= 0 else None
        bindings: dict[str, Binding] = {"wrenches": held}
        for row in range(len(joint.coordinates.v)):
            bindings[f"row{row}"] = Access("Y", (joint.v_index + row) * width + PARAMETERS * shown, PARAMETERS)
        constants = tree.constants(here, ("pitch", "multiplier"))
        onward = through >= 0 and own.transmits
        if through >= 0:
            bindings["pose"] = tree.pose(through)
            constants |= tree.constants(through, (*ROTATION, *TRANSLATION))
        if onward:
            held = tree.along_path("carried", _STORED, here)
            bindings["own_wrenches"] = held
        if own.kind.posed:
            bindings["own_pose"] = tree.pose(here)
        visits.append(Visit(here, ReadingVariant(kind, own.kind, own.mimic, onward), constants, bindings))
        through, here = here, bodies[here].parent
    return visits
