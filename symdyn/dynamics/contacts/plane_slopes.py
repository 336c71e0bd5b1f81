"""Slopes of rows and impulses of contacts on planes that rest, in closed form by moves of q.

The place c of a ball of radius r touches a plane at x = c - r n, whose axes F = (t1; t2; n) stay as they are. With the
column (v_j; w_j) of a row of v, its velocity of c and its angular velocity in the world, and the velocities A, B of c
and of turning by the joints before that of j, of all joints V and Omega,

    dx'/dq_j = w_j x (V - A) + B x v_j - (w_j x (Omega - B)) x r n,        dgap/dq_j = n . v_j

and F times the first is how F x' moves. With the force f = F^T lambda and its moment m = f x r n about c

    d(J^T lambda)_j/dq_i = w_i . (v_j x f + w_j x m)   where joint i is that of j or before,    v_i . (f x w_j)   behind

(Carpentier and Mansard 2018 have the derivatives of a body's velocity that these rest on.)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.spatial.vectors import Vector, add, cross, dot, matrix_from, scale, subtract
from symdyn.description.contact_pairs import PointKind
from symdyn.dynamics.contacts.slots import GROUND, PlacedSlot, placed_slots
from symdyn.dynamics.contacts.surfaces import tangents
from symdyn.dynamics.mass_matrix.matrix_product import MatrixField
from symdyn.dynamics.tree.bindings import Reads, Writes, read, step, write
from symdyn.dynamics.tree.body_variant import BodyVariant
from symdyn.dynamics.tree.places import ORIENTATION, POSE, STAND, Place
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.model.contact_layout import SLOT_ROWS
from symdyn.model.joints.parts import Rest
from symdyn.plan.plan import Access, Binding, Constant, Field, FieldKind, Mode, Port, Step, Sweep, Visit

_SCREWS = "screws"


@dataclass(frozen=True, slots=True)
class PlaneFields:
    """Names of fields: what is known of slots and bodies, impulses, velocities after the step, and both results."""

    known: Mapping[str, str]
    impulses: str
    end: str
    rows: str
    exerted: str


@dataclass(frozen=True, slots=True)
class PathVariant:
    """How many columns each joint on the way from the ground has, and whether the ball has a radius."""

    counts: tuple[int, ...]
    round: bool

    @property
    def runs(self) -> list[tuple[int, int]]:
        """First and last column of each joint."""
        return list(pairwise(accumulate(self.counts, initial=0)))


def on_planes(tree: TreePlan) -> list[PlacedSlot]:
    """The slots that this file has slopes of: points of rigid trees on planes that rest, which give nothing back.

    Radii are numbers; those that depend on run-time parameters are computed where the rows are.
    """
    model = tree.model
    if model.deforms or any(_unlike(tree, body) for body in range(len(model.bodies))):
        return []
    return [
        placed
        for placed in placed_slots(tree)
        if placed.surface_body == GROUND
        and placed.slot.surface.kind == "plane"
        and placed.slot.point.kind is PointKind.POINT
        and placed.load.constants["restitution"] == 0.0
        and not isinstance(placed.load.constants.get("radius"), Access)
    ]


def _unlike(tree: TreePlan, body: int) -> bool:
    kind = tree.joint(body).kind
    return kind.moving is not kind or kind.rest not in (Rest.AXIS, Rest.CHILD)


def find_screws(variant: BodyVariant, _: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per body: its columns in axes of the world, the velocity of the world's origin first."""
    kind, origin = variant.kind, reads["stand"]
    columns = kind.world_columns(matrix_from(reads["orientation"]), kind.placed(reads.get("pose", ())), constants)
    return {"screws": [x for column in columns for x in (*add(column[:3], cross(origin, column[3:])), *column[3:])]}


_FIND = step(
    find_screws,
    pose=read(POSE, when=lambda b: b.kind.stored),
    orientation=read(ORIENTATION.own),
    stand=read(STAND.own),
    screws=write(
        Place(
            _SCREWS,
            lambda tree, body, field: Access(
                field, 6 * tree.joint(body).v_rows.start, 6 * len(tree.joint(body).v_places)
            ),
            lambda tree, field: Field(field, FieldKind.STATE, 6 * tree.model.nv),
        )
    ),
    constants=lambda b: b.kind.column_constants,
)


def slope_on_plane(variant: PathVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per slot: how its rows move with each row of v on the way to its body, and what it adds to J^T lambda."""
    normal, point, y = reads["normal"], reads["point"], reads["impulses"]
    axes = (*tangents(algebra, normal), normal)
    arm = scale(constants["radius"], normal) if variant.round else (0.0, 0.0, 0.0)
    center = add(point, arm)
    force = add(add(scale(y[0], axes[0]), scale(y[1], axes[1])), scale(y[2], axes[2]))
    moment = cross(force, arm)
    moves, turns, speeds = list[Vector](), list[Vector](), list[Scalar]()
    for number, count in enumerate(variant.counts):
        for place in range(count):
            screw = reads[f"screws{number}"][6 * place : 6 * place + 6]
            moves.append(add(screw[:3], cross(screw[3:], center)))
            turns.append(screw[3:])
        speeds += reads[f"end{number}"]
    before = [(_sum(moves[:start], speeds), _sum(turns[:start], speeds)) for start, _ in variant.runs]
    whole = _sum(moves, speeds), _sum(turns, speeds)
    h, gap = reads["h"][0], reads["gap"][0]
    closes = algebra.compare("less", -1.0 * constants["exit_velocity"], gap / h)
    gain = algebra.select(closes, 1.0 / h, 0.0)
    rates: list[list[Scalar]] = [[], [], []]
    writes: dict[str, Sequence[Scalar]] = {}
    for (start, end), (moved, turned) in zip(variant.runs, before, strict=True):
        for j in range(start, end):
            passes = add(cross(turns[j], subtract(whole[0], moved)), cross(turned, moves[j]))
            if variant.round:
                passes = subtract(passes, cross(cross(turns[j], subtract(whole[1], turned)), arm))
            closing = gain * dot(normal, moves[j])
            for row, (axis, more) in enumerate(zip(axes, (0.0, 0.0, closing), strict=True)):
                rates[row].append(dot(axis, passes) + more)
            about = cross(moves[j], force)
            about = add(about, cross(turns[j], moment)) if variant.round else about
            led = cross(force, turns[j])
            exerted = [dot(turn, about) for turn in turns[:end]] + [dot(move, led) for move in moves[end:]]
            writes |= {f"exerted{j}_{n}": exerted[slice(*run)] for n, run in enumerate(variant.runs)}
    for row, rate in enumerate(rates):
        writes |= {f"rates{row}_{n}": rate[slice(*run)] for n, run in enumerate(variant.runs)}
    return writes


def _sum(vectors: Sequence[Vector], speeds: Sequence[Scalar]) -> Vector:
    total: Vector = (0.0, 0.0, 0.0)
    for vector, speed in zip(vectors, speeds, strict=False):
        total = add(total, scale(speed, vector))
    return total


def plane_sweeps(tree: TreePlan, slots: Sequence[PlacedSlot], fields: PlaneFields) -> tuple[list[Field], list[Sweep]]:
    """Sweeps that fill rows of dc/dq, (m, nv), and add to d(J^T lambda)/dq, (nv, nv), of slots on planes."""
    if not slots:
        return [], []
    bodies = sorted(set[int]().union(*(tree.path(placed.moving_body) for placed in slots)))
    known = fields.known
    found = _FIND.over(tree, bodies, pose=known["pose"], orientation=known["orientation"], stand=known["stand"])
    visits = [_visit(tree, placed, fields) for placed in slots]
    names = dict.fromkeys(name for visit in visits for name in visit.bindings)
    ports = tuple(Port(name, _mode(name)) for name in names)
    sweep = Sweep(Step("slope_on_plane", slope_on_plane, ports), tuple(visits))
    return [Field(_SCREWS, FieldKind.STATE, 6 * tree.model.nv)], [found, sweep]


def _mode(name: str) -> Mode:
    if name.startswith("exerted"):
        return Mode.ADD
    return Mode.WRITE if name.startswith("rates") else Mode.READ


def _visit(tree: TreePlan, placed: PlacedSlot, fields: PlaneFields) -> Visit:
    nv, number, first = tree.model.nv, placed.number, len(SLOT_ROWS) * placed.number
    spans = [tree.joint(body).v_rows for body in sorted(tree.path(placed.moving_body))]
    spans = [span for span in spans if span.stop > span.start]
    variant = PathVariant(
        tuple(span.stop - span.start for span in spans), placed.slot.moving.kind not in ("box", "hull")
    )
    bindings: dict[str, Binding] = {
        "h": Access("h", 0, 1),
        "gap": Access(fields.known["gap"], number, 1),
        "point": Access(fields.known["point"], 3 * number, 3),
        "normal": Access(fields.known["normal"], 3 * number, 3),
        "impulses": Access(fields.impulses, first, 3),
    }
    bindings |= dict(_per_span(spans, nv, first, fields))
    constants: dict[str, Constant] = {"exit_velocity": tree.model.contact_layout.options.exit_velocity}
    if variant.round:
        constants["radius"] = placed.load.constants["radius"]
    return Visit(-1, variant, constants, bindings)


def _per_span(spans: Sequence[slice], nv: int, first: int, fields: PlaneFields) -> Iterator[tuple[str, Binding]]:
    rates, exerted = MatrixField(fields.rows, nv), MatrixField(fields.exerted, nv)
    rows = [row for span in spans for row in range(span.start, span.stop)]
    for n, span in enumerate(spans):
        start, count = span.start, span.stop - span.start
        yield f"screws{n}", Access(_SCREWS, 6 * start, 6 * count)
        yield f"end{n}", Access(fields.end, start, count)
        for row in range(len(SLOT_ROWS)):
            yield f"rates{row}_{n}", rates.row(first + row, start, count)
        for j, row in enumerate(rows):
            yield f"exerted{j}_{n}", exerted.row(row, start, count)
