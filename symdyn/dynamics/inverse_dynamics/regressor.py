"""The matrix Y(q, v, a) with tau = Y phi, phi holding ten inertial parameters per body (Atkeson, An & Hollerbach 1986).

Outward: a body's motion, and the wrench that a unit of each parameter m, h = m c, Ixx, Ixy, Iyy, Ixz, Iyz, Izz (about
the public frame's origin) takes to give it this motion, with U = [alpha] + [omega]^2:

    m:  f = a,          n = 0
    h:  f = U h,        n = h x a
    I:  f = 0,          n = I alpha + omega x I omega

Then the ten wrenches of every body walk to the root, and each joint on the way reads S^T of them. The robot's own
inertia, rotors, losses and springs play no part.

A soft link is as heavy as its density says. It has one column: what the sections at all its stations, of density 1,
ask together.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from symdyn.dynamics.inverse_dynamics.rnea import INWARD
from symdyn.dynamics.tree.bindings import Reads, Writes, add_to, declared_by, plan_of, read, step, write
from symdyn.dynamics.tree.kinematics import motion_from, moved_by_joint, second_rate
from symdyn.dynamics.tree.places import MOTION, POSE, WRENCH, A, Place, Q, Rows, V
from symdyn.dynamics.tree.tree import ALIGNMENT, BodyVariant, TreePlan, frame_in_parent
from symdyn.model.bind import ROTATION, TRANSLATION
from symdyn.model.joints import JointModel
from symdyn.model.joints.parts import UNPOSED
from symdyn.model.model import Model
from symdyn.plan.plan import Access, Binding, Constant, Field, FieldKind, Plan, Sweep, Visit
from symdyn.scalars.algebra import Algebra, Scalar
from symdyn.spatial.force import wrench_in_parent
from symdyn.spatial.inertia import Inertia
from symdyn.spatial.rotations import IDENTITY
from symdyn.spatial.transform import turned_halves
from symdyn.spatial.vectors import Vector, cross, matrix_from, times, transpose

PARAMETERS = 10
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
    return MovingVariant(body.joint.kind, body.row is not None, bool(_section(tree, index)))


def _section(tree: TreePlan, index: int) -> dict[str, Constant]:
    """What a station weighs per unit of density: its mass, and its second moments in y and in z."""
    if not tree.joint(index).inner:
        return {}
    row, number = tree.rods.number(index)
    tables = tree.model.rods[row].tables
    own = tables.steps[number]
    numbers = {"section_mass": own.mass, "section_yy": own.inertia[2], "section_zz": own.inertia[1]}
    return {name: value / tables.density for name, value in numbers.items()}


def _section_wrench(tree: TreePlan, index: int, field: str) -> Binding | None:
    if not _section(tree, index):
        return None
    return Access(_of_rod("wrench", tree.rods.number(index)[0]), WRENCH.width * index, WRENCH.width)


def _shown(tree: TreePlan, index: int, field: str) -> Binding | None:
    row = tree.model.bodies[index].row
    return None if row is None else Access(field, _STORED * row, _STORED)


class Reader(NamedTuple):
    """A step of the walk of a body's wrenches: joint ``here`` reads them, ``through`` is the one passed, or -1."""

    start: int
    through: int
    here: int


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
        rod, number = tree.rods.number(item.here)
        lanes, shares = tree.rods.lanes[rod], _of_rod("shares", rod)
        return [Access(shares, (6 * first + n) * lanes + number, PARAMETERS, 6 * lanes) for n in range(6)]
    width = regressor_columns(tree.model)
    return [Access(field, place * width + first, PARAMETERS) for place in joint.v_places]


def _here(tree: TreePlan, item: Reader) -> int:
    return item.here


def _readers(tree: TreePlan) -> Iterator[Reader]:
    """From every body whose parameters have columns to the root."""
    bodies = tree.model.bodies
    for start in (index for index in tree.links if bodies[index].row is not None):
        through, here = -1, start
        while here >= 0:
            yield Reader(start, through, here)
            through, here = here, bodies[here].parent


WRENCHES = Place(
    "wrenches", _shown, lambda tree, name: Field(name, FieldKind.STATE, _STORED, len(tree.model.body_names))
)
CARRIED = Rows("carried", _STORED, on_path=True)
Y = Place(
    "Y",
    _rows_of_y,
    lambda tree, name: Field(name, FieldKind.OUTPUT, tree.model.nv * regressor_columns(tree.model)),
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
    section_wrench=write(Place("wrench", _section_wrench)),
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
    readers = list(_readers(tree))
    fields, soft = _rod_sweeps(tree, readers)
    sweeps = (
        *tree.parameter_sweeps(),
        _MOVE.over(tree, tree.links, more=_section),
        _READ.over(tree, readers, more=_constants),
        *soft,
    )
    told = [*tree.fields(), *declared_by(sweeps), *fields]
    return plan_of("inverse_dynamics_regressor", tree, sweeps, told, binding=())


def regressor_columns(model: Model) -> int:
    """Columns of Y: ten per public body, and one per soft link."""
    return PARAMETERS * len(model.body_names) + len(model.rods)


def _of_rod(name: str, rod: int) -> str:
    return f"rod_{name}{rod}"


def _rod_sweeps(tree: TreePlan, readers: Iterable[Reader]) -> tuple[list[Field], list[Sweep]]:
    """Sweeps that lead what stations read to the coordinates of rods, and the columns of densities."""
    width, bodies, lanes = regressor_columns(tree.model), tree.model.bodies, tree.rods.lanes
    fields: list[Field] = []
    visits: list[Visit] = []
    walks: list[Sweep] = []
    for number, rod in enumerate(tree.model.rods):
        shares, wrench, tau = (_of_rod(name, number) for name in ("shares", "wrench", "density"))
        behind = [bodies[item.start].row for item in readers if item.here == rod.stations[-1]]
        for row in behind:
            assert row is not None
            for column in range(PARAMETERS * row, PARAMETERS * (row + 1)):
                passed = Access(shares, 6 * column * lanes[number], 6, lanes[number], 1)
                visits.append(tree.rods.force(number, passed, "Y", column, width))
        path = [rod.stations[-1]]
        while bodies[path[-1]].parent >= 0:
            path.append(bodies[path[-1]].parent)
        walks += [
            INWARD.over(tree, path, _unburdened, wrench=wrench, parent_wrench=wrench, tau=tau),
            _TAKE.over(tree, [DensityRow(tau, row, width - len(lanes) + number) for row in _rows(tree, path)]),
        ]
        fields += [
            Field(shares, FieldKind.STATE, 6, width, lanes=lanes[number]),
            Field(wrench, FieldKind.STATE, WRENCH.width, len(bodies)),
            Field(tau, FieldKind.STATE, tree.model.nv),
        ]
    return fields, [*([tree.rods.inward(visits)] if visits else []), *walks]


class DensityRow(NamedTuple):
    """An entry of the column of a density: ``row`` of the forces in ``field``."""

    field: str
    row: int
    column: int


def _rows(tree: TreePlan, path: Iterable[int]) -> list[int]:
    """Rows of v of the joints and rods on a path."""
    owners = {station: rod.strains for rod in tree.model.rods for station in rod.stations}
    return sorted({row for index in path for row in tree.joint(owners.get(index, index)).v_places})


def _unburdened(tree: TreePlan, index: int) -> BodyVariant:
    own = tree.variant(index)
    return BodyVariant(own.kind, transmits=own.transmits)


def take(_: None, __: Algebra, ___: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per row of v: an entry of a column."""
    return {"entry": reads["force"]}


def _entry(tree: TreePlan, item: DensityRow, field: str) -> Access:
    return Access(field, item.row * regressor_columns(tree.model) + item.column, 1)


_TAKE = step(
    take,
    name="take_density",
    variant=lambda tree, item: None,
    body=lambda tree, item: -1,
    force=read(Place("force", lambda tree, item, field: Access(item.field, item.row, 1))),
    entry=write(Place("Y", _entry)),
)
