"""The matrix Y(q, v, a) with tau = Y phi, phi holding ten inertial parameters per body (Atkeson, An & Hollerbach 1986).

Outward: a body's motion, and the wrench that a unit of each parameter m, h = m c, Ixx, Ixy, Iyy, Ixz, Iyz, Izz (about
the public frame's origin) takes to give it this motion, with U = [alpha] + [omega]^2:

    m:  f = a,          n = 0
    h:  f = U h,        n = h x a
    I:  f = 0,          n = I alpha + omega x I omega

Then the ten wrenches of every body walk to the root, and each joint on the way reads S^T of them. The robot's own
inertia, rotors, losses and springs play no part.

Soft links have columns too (``regressor_columns``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.spatial.force import wrench_in_parent
from symdyn.algebra.spatial.inertia import Inertia
from symdyn.algebra.spatial.rotations import IDENTITY
from symdyn.algebra.spatial.transform import turned_halves
from symdyn.algebra.spatial.vectors import Vector, cross, matrix_from, times, transpose
from symdyn.dynamics.inverse_dynamics.regressor_columns import (
    PARAMETERS,
    Reader,
    density_sweeps,
    readers_of,
    regressor_columns,
    section_of,
    section_wrench,
    shares_of,
)
from symdyn.dynamics.tree.bindings import Reads, Writes, add_to, declared_by, plan_of, read, step, write
from symdyn.dynamics.tree.body_variant import frame_in_parent
from symdyn.dynamics.tree.kinematics import motion_from, moved_by_joint, second_rate
from symdyn.dynamics.tree.places import MOTION, POSE, A, Place, Q, Rows, V
from symdyn.dynamics.tree.tree import ALIGNMENT, TreePlan
from symdyn.model.bind import ROTATION, TRANSLATION
from symdyn.model.joints import JointModel
from symdyn.model.joints.parts import UNPOSED
from symdyn.model.model import Model
from symdyn.plan.plan import Access, Binding, Constant, Field, FieldKind, Plan

_ZERO = (0.0, 0.0, 0.0)
_WITH_FORCE = 4
"""The first of the ten columns, m and h, have a force."""
_STORED = 6 * _WITH_FORCE + 3 * (PARAMETERS - _WITH_FORCE)


@dataclass(frozen=True, slots=True)
class MovingVariant:
    """What is structural about a body's motion.

    ``public`` tells whether its parameters have columns, ``dense`` whether it is a station of a rod.
    """

    kind: JointModel
    public: bool
    dense: bool


@dataclass(frozen=True, slots=True)
class ReadingVariant:
    """What is structural about a joint that reads wrenches; ``through`` is the kind of the joint passed on the way."""

    through: JointModel | None
    kind: JointModel
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
    stored = variant.kind.pose(algebra, reads["q"], constants)
    pose = variant.kind.placed(stored)
    joint = variant.kind.motion(pose, reads["v"], reads["a"], constants)
    motion, differences = moved_by_joint(motion_from(reads["parent"]), frame_in_parent(constants, pose), joint)
    writes: dict[str, Sequence[Scalar]] = {"pose": stored, "motion": motion.scalars()}
    if variant.public:
        alignment = matrix_from([constants[name] for name in ALIGNMENT])
        shown = [times(alignment, part) for part in (motion.acceleration, motion.omega, motion.alpha)]
        into = transpose(alignment)
        writes["wrenches"] = _stored([turned_halves(into, wrench) for wrench in unit_wrenches(*shown)])
    if variant.dense:
        spread = (0.0, 0.0, 0.0, constants["section_yy"], 0.0, constants["section_zz"])
        section = Inertia(constants["section_mass"], [*_ZERO], spread)
        writes["section_wrench"] = section.wrench(motion.u, differences, motion.acceleration)
    return writes


def read_share(variant: ReadingVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step of a walk: ten wrenches go through a joint (but not the first time), and a joint reads its share."""
    wrenches = _wrenches(reads["wrenches"])
    if variant.through is not None:
        x_pc = frame_in_parent(constants, variant.through.placed(reads["pose"]))
        wrenches = [wrench_in_parent(x_pc, wrench) for wrench in wrenches]
    pose = variant.kind.placed(reads.get("own_pose", UNPOSED))
    shares = [variant.kind.force(pose, f, constants) for f in wrenches]
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


def _moving(tree: TreePlan, index: int) -> MovingVariant:
    body = tree.model.bodies[index]
    return MovingVariant(body.joint.kind, body.row is not None, bool(section_of(tree, index)))


def _shown(tree: TreePlan, index: int, field: str) -> Binding | None:
    row = tree.model.bodies[index].row
    return None if row is None else Access(field, _STORED * row, _STORED)


def _reading(tree: TreePlan, item: Reader) -> ReadingVariant:
    own, passed = tree.variant(item.here), item.through >= 0
    kind = tree.joint(item.through).kind if passed else None
    return ReadingVariant(kind, own.kind, passed and own.transmits)


def _constants(tree: TreePlan, item: Reader) -> dict[str, Constant]:
    passed = tree.constants(item.through, (*ROTATION, *TRANSLATION)) if item.through >= 0 else {}
    return tree.constants(item.here, tree.joint(item.here).kind.column_constants) | passed


def _held(tree: TreePlan, item: Reader, field: str) -> Binding | None:
    return _shown(tree, item.start, field) if item.through in (item.start, -1) else CARRIED.of(tree, item.through)


def _rows_of_y(tree: TreePlan, item: Reader, field: str) -> list[Binding]:
    row, joint = tree.model.bodies[item.start].row, tree.joint(item.here)
    assert row is not None
    first = PARAMETERS * row
    if joint.inner:
        return shares_of(tree, item.here, first)
    width = regressor_columns(tree)
    return [Access(field, place * width + first, PARAMETERS) for place in joint.v_places]


def _here(tree: TreePlan, item: Reader) -> int:
    return item.here


WRENCHES = Place(
    "wrenches", _shown, lambda tree, name: Field(name, FieldKind.STATE, _STORED, len(tree.model.body_names))
)
CARRIED = Rows("carried", _STORED, on_path=True)
Y = Place(
    "Y",
    _rows_of_y,
    lambda tree, name: Field(name, FieldKind.OUTPUT, tree.model.nv * regressor_columns(tree)),
    per_row=True,
)
_MOVE = step(
    move,
    name="unit_wrenches",
    variant=_moving,
    q=read(Q),
    v=read(V),
    a=read(A),
    parent=read(MOTION.above),
    pose=write(POSE),
    motion=write(MOTION.own),
    wrenches=write(WRENCHES),
    section_wrench=write(Place("wrench", section_wrench)),
    constants=lambda b: (*ROTATION, *TRANSLATION, *b.kind.constants, *(ALIGNMENT if b.public else ())),
)
_READ = step(
    read_share,
    variant=_reading,
    body=_here,
    wrenches=read(Place("wrenches", _held)),
    pose=read(POSE.by(lambda tree, item: item.through), when=lambda b: b.through is not None),
    own_wrenches=write(CARRIED.own.by(_here), when=lambda b: b.onward),
    own_pose=read(POSE.by(_here), when=lambda b: b.kind.posed),
    row=add_to(Y),
)


def regressor_plan(model: Model) -> Plan:
    """The plan of Y(q, v, a), (nv, 10 nbodies), and a column per soft link after those.

    Parameters
    ----------
    model
        The robot.
    """
    tree = TreePlan(model)
    readers = list(readers_of(tree))
    fields, soft = density_sweeps(tree, readers)
    sweeps = (
        *tree.parameter_sweeps(),
        _MOVE.over(tree, tree.links, more=section_of),
        _READ.over(tree, readers, more=_constants),
        *soft,
    )
    every = [*tree.fields(), *declared_by(sweeps), *fields]
    return plan_of("inverse_dynamics_regressor", tree, sweeps, every, binding=())
