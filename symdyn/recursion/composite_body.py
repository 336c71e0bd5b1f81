"""Mass matrix by composite bodies, in body frames (Walker & Orin 1982; Featherstone 2008, section 6.2).

Inward: the inertia I^c of everything that a joint carries, turned and shifted into the parent's frame. Then, for every
column S of a joint, the wrench F = I^c S walks to the root, and each joint on its way reads S^T F (see ``root_walk``).
With Sigma = integral r r^T dm and J = tr(Sigma) 1 - Sigma, a column (omega; v) has

    f = m v + omega x h,    n = J omega + h x v

Blocks between bodies of which neither carries the other are zero and are never written.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from symdyn.model.bind import FIRST_MOMENT, INERTIA, ROTATION, SECOND_MOMENT, TRANSLATION
from symdyn.model.flexure import Flexure
from symdyn.model.joints import Motion, MotionKind, joint_columns, joint_force, joint_pose, pose_from_scalars, pose_size
from symdyn.model.model import Model
from symdyn.plan import Binding, Field, FieldKind, Plan, Sweep
from symdyn.recursion.beam_shape import coupling, modal_mass
from symdyn.recursion.bindings import add_to, declared_by, plan_of, read, step, write
from symdyn.recursion.kinematics import offset_in_parent
from symdyn.recursion.places import POSE, SHAPE, Columns, Place, Q, Rows
from symdyn.recursion.root_walk import carried_wrench, entries_of_row, walk_sweeps
from symdyn.recursion.tree import TreePlan, placement_of
from symdyn.scalars.algebra import Algebra, Scalar
from symdyn.spatial.inertia import Inertia
from symdyn.spatial.rotations import AboutZ, Rotation
from symdyn.spatial.vectors import Matrix, Vector, add, cross, product, scale, times, transpose

Reads = Mapping[str, Sequence[Scalar]]
Writes = Mapping[str, Sequence[Scalar]]

INERTIA_SIZE = len(INERTIA)


@dataclass(frozen=True, slots=True)
class CompositeVariant:
    """What is structural about a body that gathers inertia; ``carries`` tells whether other bodies hang on it."""

    kind: Motion
    mimic: bool
    geared: bool
    carries: bool
    transmits: bool


def turned_inertia(inertia: Inertia, rotation: Rotation) -> Inertia:
    """An inertia in the axes of a frame in which its own axes stand at a rotation, about the same origin.

    A turn about z takes 10 operations for the block Sxx, Sxy, Syy:
    w = s (Sxx - Syy) + 2 c Sxy;  Sxx' = Sxx - s w,  Syy' = Syy + s w,  Sxy' = c w - Sxy.
    """
    first = rotation.times(inertia.first)
    if not isinstance(rotation, AboutZ):
        matrix = rotation.matrix()
        turned = product(product(matrix, inertia.second_matrix()), transpose(matrix))
        return Inertia(inertia.mass, first, _upper(turned))
    sine, cosine = rotation.sine, rotation.cosine
    xx, xy, xz, yy, yz, zz = inertia.second
    mixed = sine * (xx - yy) + cosine * (xy + xy)
    spread = sine * mixed
    xz, yz, _ = rotation.times((xz, yz, 0.0))
    return Inertia(inertia.mass, first, (xx - spread, cosine * mixed - xy, xz, yy + spread, yz, zz))


def shifted_inertia(inertia: Inertia, rotation: Matrix, offset: Vector) -> Inertia:
    """An inertia seen from a frame in which its own frame stands at (rotation, offset).

    Sigma' = R Sigma R^T + (R h) l^T + l (R h)^T + m l l^T, in a form that leaves few operations where m = 0.
    """
    first = times(rotation, inertia.first)
    weighed = scale(inertia.mass, offset)
    turned = product(product(rotation, inertia.second_matrix()), transpose(rotation))
    second = [
        turned[i][j] + (first[i] * offset[j] + offset[i] * (first[j] + weighed[j]))
        if i != j
        else turned[i][i] + (first[i] * (offset[i] + offset[i]) + weighed[i] * offset[i])
        for i, j in _UPPER
    ]
    return Inertia(inertia.mass, add(first, weighed), second)


def momentum_of(inertia: Inertia, angular: Vector, linear: Vector) -> tuple[list[Scalar], list[Scalar]]:
    """Linear momentum m v + omega x h, and angular momentum J omega + h x v about the origin, of a twist."""
    xx, xy, xz, yy, yz, zz = inertia.second
    x, y, z = angular
    force = add(scale(inertia.mass, linear), cross(angular, inertia.first))
    spun = [
        (yy + zz) * x - xy * y - xz * z,
        (xx + zz) * y - xy * x - yz * z,
        (xx + yy) * z - xz * x - yz * y,
    ]
    return force, add(spun, cross(inertia.first, linear))


def gather(variant: CompositeVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Inward step: composite inertia, its wrenches for the joint's columns, and the joint's own block."""
    inertia = Inertia(
        constants["m"], [constants[name] for name in FIRST_MOMENT], [constants[name] for name in SECOND_MOMENT]
    )
    if variant.carries:
        below = reads["inertia"]
        inertia = inertia.plus(Inertia(below[0], below[1:4], below[4:10]))
    q = list(reads["q"])
    gain = constants["multiplier"] if variant.mimic else 1.0
    if variant.mimic:
        q = [gain * q[0] + constants["offset"]]
    stored = joint_pose(variant.kind, algebra, q, constants)
    pose = pose_from_scalars(variant.kind, stored)
    writes: dict[str, Sequence[Scalar]] = {}
    if _needs_pose(variant.kind, variant.transmits):
        writes["pose"] = stored
    columns = joint_columns(variant.kind, pose, constants)
    bent = isinstance(variant.kind, Flexure)
    shares = coupling(variant.kind, constants, reads) if isinstance(variant.kind, Flexure) else []
    block: list[list[Scalar]] = [[0.0] * len(columns) for _ in columns]
    for place, (angular, linear) in enumerate(columns):
        force, moment = momentum_of(inertia, angular, linear)
        if variant.transmits and bent:
            above = carried_wrench(variant.kind, constants, stored, force, moment)
            writes[f"wrench{place}"] = [*add(above[0], shares[place][0]), *add(above[1], shares[place][1])]
        elif variant.transmits:
            writes[f"wrench{place}"] = scale(gain, [*force, *moment])
        felt = joint_force(variant.kind, pose, force, moment, constants)
        if variant.geared:
            felt[place] = felt[place] + constants["armature"]
        for row in range(place + 1):
            block[row][place] = block[place][row] = gain * (gain * felt[row])
    if isinstance(variant.kind, Flexure):
        block = [add(row, own) for row, own in zip(block, modal_mass(variant.kind, constants, q), strict=True)]
    writes |= {f"row{place}": row for place, row in enumerate(block)}
    if variant.transmits:
        rotation, origin = placement_of(constants)
        moved = shifted_inertia(
            turned_inertia(inertia, pose.rotation), rotation, offset_in_parent(rotation, origin, pose)
        )
        writes["parent_inertia"] = [moved.mass, *moved.first, *moved.second]
    return writes


_UPPER = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))


def _upper(matrix: Matrix) -> list[Scalar]:
    return [matrix[i][j] for i, j in _UPPER]


def _needs_pose(kind: Motion, transmits: bool) -> bool:
    """Whether later sweeps read the joint's pose; a rotor has none."""
    return pose_size(kind) > 0 and (transmits or kind is MotionKind.FREE_SPATIAL or isinstance(kind, Flexure))


def _block_rows(tree: TreePlan, body: int, field: str) -> list[Binding]:
    joint = tree.model.bodies[body].joint
    count = len(joint.coordinates.v)
    return [entries_of_row(tree, joint.v_index + row, joint.v_index, count) for row in range(count)]


def _composed(tree: TreePlan, index: int) -> CompositeVariant:
    own = tree.variant(index)
    return CompositeVariant(own.kind, own.mimic, own.geared, index in tree.carriers, own.transmits)


COMPOSITE = Rows("inertia", INERTIA_SIZE)
GATHER = step(
    gather,
    variant=_composed,
    q=read(Q),
    shape=read(SHAPE),
    inertia=read(COMPOSITE.own, when=lambda b: b.carries),
    pose=write(POSE, when=lambda b: _needs_pose(b.kind, b.transmits)),
    wrench=write(Columns("wrench", 6).each, when=lambda b: b.transmits),
    row=add_to(Place("M", _block_rows, lambda tree, name: Field(name, FieldKind.OUTPUT, tree.model.nv**2), True)),
    parent_inertia=add_to(COMPOSITE.above),
    constants=lambda b: (
        *((*ROTATION, *TRANSLATION) if b.transmits else ()),
        *INERTIA,
        "pitch",
        "multiplier",
        "offset",
        *(("armature",) if b.geared else ()),
    ),
)


def mass_matrix_sweeps(tree: TreePlan) -> tuple[list[Field], list[Sweep]]:
    """Sweeps that fill the output field ``M``, (nv, nv), from ``q``; the tree may be regrouped.

    Entries between separate branches are left alone.
    """
    inward = GATHER.over(
        tree, reversed(range(len(tree.model.bodies))), more=lambda tree, index: tree.beams.coupling_constants(index)
    )
    carried = Field("carried", FieldKind.STATE, 6, tree.depth_rows)
    *state, matrix = [field for field in declared_by([inward]) if field.kind is not FieldKind.INPUT]
    return [*state, carried, matrix], [inward, *walk_sweeps(tree, tree.first_column)]


def mass_matrix_plan(model: Model) -> Plan:
    """The plan of M(q), (nv, nv), both triangles, rotor inertia included.

    Parameters
    ----------
    model
        The robot.
    """
    tree = TreePlan(model)
    fields, sweeps = mass_matrix_sweeps(tree)
    return plan_of("mass_matrix", tree, sweeps, [*tree.fields(), *fields])
