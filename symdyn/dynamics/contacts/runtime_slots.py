"""Slots that are filled at run time: bodies a and b, point, normal, gap, friction of each are the input ``touching``.

A body is a number, so that rows of J are sums over all bodies of what a unit force at the point exerts on each, with
the weight 1 for a, -1 for b and 0 for others. Where derivatives are taken, the point and the normal are fixed to b:

    x = x_b + R_b y,    n = R_b m,    gap = gap_0 + n . (x_a + R_a z - x),    y, z, m constant

A row that is none, of a body that does not exist or a normal that is not unit, makes gap, normal and friction NaN.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.spatial.vectors import add, cross, dot, matrix_from, scale, subtract, times, transpose
from symdyn.dynamics.contacts.slots import WRENCHES, slot_field
from symdyn.dynamics.contacts.surfaces import tangents
from symdyn.dynamics.loops.constraint_set import GROUND, SIX, ConstraintSet
from symdyn.dynamics.tree.bindings import Reads, Writes, add_to, plan_of, read, step, write
from symdyn.dynamics.tree.body_state import pose_sweep, state_sweeps
from symdyn.dynamics.tree.places import ORIENTATION, STAND, Place
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.interface.contact_solving import EMPTY_GAP, TOUCHING, TOUCHING_COLUMNS, UNIT
from symdyn.model.contact_layout import SLOT_ROWS
from symdyn.model.model import Model
from symdyn.plan.plan import Access, Constant, Field, FieldKind, Plan, Sweep

WIDTH = len(TOUCHING_COLUMNS)
AT = "touch_at"
"""The field of z, y and m per slot: the point in the frame of a and in that of b, the normal in that of b."""
AT_WIDTH = 9
_EXERTED = "on_touched"
_LARGEST = 1e30
"""What point, gap and friction may be together."""
_NONE, _UP = (0.0,) * 3, (0.0, 0.0, 1.0)


@dataclass(frozen=True, slots=True)
class TouchedPair:
    """A slot that is filled at run time: its rows move with all bodies that may be named."""

    slots: TouchedSet = field(repr=False, compare=False)
    place: int
    """Its place among the slots that are filled at run time."""

    @property
    def number(self) -> int:
        """Its place among all slots."""
        return len(self.slots.tree.model.contacts.slots) + self.place

    @property
    def first(self) -> int:
        """Its first row."""
        return len(SLOT_ROWS) * self.number

    @property
    def rows(self) -> range:
        """Its rows."""
        return range(self.first, self.first + len(SLOT_ROWS))

    @property
    def between(self) -> set[int]:
        """The bodies that may move it."""
        return set[int]().union(*map(self.slots.path, self.slots.bodies))

    def begun(self, number: int) -> Iterator[tuple[Access, int]]:
        """What a unit in one of its rows exerts on bodies, and these."""
        for part in self.parts:
            yield Access(_EXERTED, part.start + SIX * number, SIX), part.body

    @property
    def parts(self) -> Iterator[_Part]:
        """What it is to each body."""
        return (_Part(self, body, row) for row, body in enumerate(self.slots.bodies))


@dataclass(frozen=True, slots=True)
class _Part:
    """A slot and one of the bodies that it may be of, ``row`` among those that have names."""

    pair: TouchedPair
    body: int
    row: int

    @property
    def start(self) -> int:
        """Where that which its rows exert on the body begins."""
        return WRENCHES * (self.pair.place * len(self.pair.slots.bodies) + self.row)


class TouchedSet(ConstraintSet):
    """The slots of a robot that are filled at run time, as rows of constraints between pairs of bodies."""

    def __init__(self, tree: TreePlan) -> None:
        self.tree, self.path = tree, tree.path
        self.bodies = [index for index, body in enumerate(tree.model.bodies) if body.row is not None]
        """Those that f_ext acts on, in the order of ``body_names``."""
        self.pairs = [TouchedPair(self, place) for place in range(tree.model.contacts.runtime)]  # type: ignore[misc]
        self.couplings, self.velocities, self.coefficients = [], [], 0
        self.count = len(SLOT_ROWS) * len(self.pairs)
        self.reaches = []

    @property
    def touched(self) -> Sequence[TouchedPair]:
        """The slots."""
        return self.pairs  # type: ignore[return-value]

    @property
    def parts(self) -> list[_Part]:
        """Each slot with each body."""
        return [part for pair in self.touched for part in pair.parts]

    def fields(self) -> list[Field]:
        """The input."""
        return [Field(TOUCHING, FieldKind.INPUT, WIDTH * len(self.pairs))] if self.pairs else []

    def touch_sweeps(self, fixed: bool = False, rows: bool = True) -> list[Sweep]:
        """Sweeps that fill gap, point, normal and friction of each slot and, for ``rows``, what these exert.

        With ``fixed`` the input ``touch_at`` tells where point and normal are fixed.
        """
        if not self.pairs:
            return []
        gap, point, normal = (f"{name}_given" if fixed else name for name in _SHOWN)
        found = [_GAP.over(self.tree, self.touched, gap=gap, point=point, normal=normal)]
        if fixed:
            found += [_BEGIN_FOLLOWING.over(self.tree, self.touched), _FOLLOW.over(self.tree, self.parts, None, _row)]
            found.append(_NEAR.over(self.tree, self.touched))
        return [*found, *([_PRESS.over(self.tree, self.parts, None, _row)] if rows else [])]


def fixed_places_plan(model: Model) -> Plan:
    """The plan of q, touching[, p] -> ``touch_at`` (n, 9): where point and normal of slots are fixed."""
    tree = TreePlan(model)
    touched = TouchedSet(tree)
    touching = touched.touch_sweeps(rows=False)
    fixing = _FIX.over(tree, touched.parts, None, _row)
    begun = _BEGIN_FIXING.over(tree, touched.touched)
    fields = [Field("q", FieldKind.INPUT, model.nq), *touched.fields()]
    fields += [Field(AT, FieldKind.OUTPUT, AT_WIDTH * len(touched.pairs))]
    sweeps = [pose_sweep(tree), *state_sweeps(tree, [fixing]), *touching, begun, fixing]
    return plan_of("fixed_places", tree, sweeps, fields, tree.parameter_sweeps())


def tell(bodies: int, algebra: Algebra, _: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per slot: its numbers as they are given, those of an empty slot, or NaN where they are none."""
    a, b, *numbers = reads["touching"]
    point, normal, gap, friction = numbers[:3], numbers[3:6], numbers[6], numbers[7]
    empty = algebra.compare("equal", a, float(GROUND))
    point = [algebra.select(empty, 0.0, x) for x in point]
    normal = [algebra.select(empty, up, x) for up, x in zip(_UP, normal, strict=True)]
    gap, friction = algebra.select(empty, EMPTY_GAP, gap), algebra.select(empty, 0.0, friction)
    b = algebra.select(empty, float(GROUND), b)
    first: Scalar = algebra.select(empty, 1.0, 0.0)
    second: Scalar = algebra.select(algebra.compare("equal", b, float(GROUND)), 1.0, 0.0)
    for number in range(bodies):
        first = first + algebra.select(algebra.compare("equal", a, float(number)), 1.0, 0.0)
        second = second + algebra.select(algebra.compare("equal", b, float(number)), 1.0, 0.0)
    apart = algebra.select(empty, 1.0, algebra.select(algebra.compare("equal", a, b), 0.0, 1.0))
    near = algebra.function("abs", dot(normal, normal) - 1.0)
    unit = algebra.select(algebra.compare("less_equal", near, UNIT), 1.0, 0.0)
    rubs = algebra.select(algebra.compare("less_equal", 0.0, friction), 1.0, 0.0)
    size = sum((algebra.function("abs", x) for x in (*point, gap)), friction)
    finite = algebra.select(algebra.compare("less_equal", size, _LARGEST), 1.0, 0.0)
    right = algebra.compare("less_equal", 6.0, first + second + apart + unit + rubs + finite)
    fault = algebra.function("sqrt", algebra.select(right, 0.0, -1.0))
    return {
        "ends": [a, b],
        "gap": [gap + fault],
        "point": point,
        "normal": [x + fault for x in normal],
        "friction": [friction + fault],
    }


def press(_: None, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per slot and body: what its rows exert on the body, zero where it is of others."""
    first, second = _shares(algebra, constants, reads)
    inward, normal = transpose(matrix_from(reads["orientation"])), reads["normal"]
    arm = times(inward, subtract(reads["point"], reads["stand"]))
    weight, exerted = first - second, list[Scalar]()
    for row in (*tangents(algebra, normal), normal):
        force = scale(weight, times(inward, row))
        exerted += [*force, *cross(arm, force)]
    return {"exerted": exerted}


def begin_following(_: None, algebra: Algebra, __: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per slot: point and normal in the world where these are fixed to the ground, else zero."""
    ground = algebra.compare("equal", reads["ends"][1], float(GROUND))
    return {"moved": [*_NONE, *(algebra.select(ground, x, 0.0) for x in reads["at"][3:])]}


def begin_fixing(_: None, algebra: Algebra, __: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per slot: point and normal where they are fixed to the ground, else zero."""
    ground = algebra.compare("equal", reads["ends"][1], float(GROUND))
    return {"fixed": [*_NONE, *(algebra.select(ground, x, 0.0) for x in (*reads["point"], *reads["normal"]))]}


def follow(_: None, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per slot and body: its part of the points on a and b and of the normal, in the world."""
    axes, stand, at = matrix_from(reads["orientation"]), reads["stand"], reads["at"]
    places = [add(stand, times(axes, at[:3])), add(stand, times(axes, at[3:6])), times(axes, at[6:])]
    return {"moved": _parts(algebra, constants, reads, places)}


def fix(_: None, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per slot and body: its part of the point in the frames of a and b, and of the normal in that of b."""
    inward = transpose(matrix_from(reads["orientation"]))
    place = times(inward, subtract(reads["point"], reads["stand"]))
    return {"fixed": _parts(algebra, constants, reads, [place, place, times(inward, reads["normal"])])}


def near(_: None, __: Algebra, ___: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per slot: its gap, point and normal where both bodies have moved."""
    moved = reads["moved"]
    first, second, normal = moved[:3], moved[3:6], moved[6:]
    gap = reads["given"][0] + dot(normal, subtract(first, second))
    return {"gap": [gap], "point": list(second), "normal": list(normal)}


def _shares(algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> tuple[Scalar, Scalar]:
    """1 if the body is a, else 0, and the same of b."""
    first, second = (
        algebra.select(algebra.compare("equal", end, constants["number"]), 1.0, 0.0) for end in reads["ends"]
    )
    return first, second


def _parts(
    algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads, places: Sequence[Sequence[Scalar]]
) -> list[Scalar]:
    first, second = _shares(algebra, constants, reads)
    return [x for share, place in zip((first, second, second), places, strict=True) for x in scale(share, place)]


def _row(_: TreePlan, part: _Part) -> Mapping[str, Constant]:
    return {"number": float(part.row)}


def _body(_: TreePlan, part: _Part) -> int:
    return part.body


def _pair(_: TreePlan, part: _Part) -> TouchedPair:
    return part.pair


def _of_slot(name: str, width: int, kind: FieldKind = FieldKind.STATE) -> Place:
    """A row of ``width`` scalars per slot that is filled at run time."""
    return Place(
        name,
        lambda tree, pair, field: Access(field, width * pair.place, width),
        lambda tree, field: Field(field, kind, width * tree.model.contacts.runtime),
    )


_GIVEN, _ENDS = _of_slot(TOUCHING, WIDTH, FieldKind.INPUT), _of_slot("touch_ends", 2)
_FIXED, _MOVED = _of_slot(AT, AT_WIDTH), _of_slot("touch_moved", AT_WIDTH)
FRICTION = "touch_friction"
"""The field of friction per slot."""
_ON = Place(
    _EXERTED,
    lambda tree, part, field: Access(field, part.start, WRENCHES),
    lambda tree, field: Field(
        field, FieldKind.STATE, WRENCHES * tree.model.contacts.runtime * len(tree.model.body_names)
    ),
)
_SHOWN = {name: slot_field(name, width) for name, width in (("gap", 1), ("point", 3), ("normal", 3))}


def _alone(_: TreePlan, __: object) -> None:
    return None


def _count(_: TreePlan, pair: TouchedPair) -> int:
    return len(pair.slots.bodies)


def _nowhere(_: TreePlan, __: object) -> int:
    return GROUND


_GAP = step(
    tell,
    variant=_count,
    body=_nowhere,
    touching=read(_GIVEN),
    ends=write(_ENDS),
    gap=write(_SHOWN["gap"]),
    point=write(_SHOWN["point"]),
    normal=write(_SHOWN["normal"]),
    friction=write(_of_slot(FRICTION, 1)),
)
_AT_END: dict[str, Any] = {
    "ends": read(_ENDS.by(_pair)),
    "point": read(_SHOWN["point"].by(_pair)),
    "normal": read(_SHOWN["normal"].by(_pair)),
    "orientation": read(ORIENTATION.own.by(_body)),
    "stand": read(STAND.own.by(_body)),
}
"""What a visit to one end of a pair reads."""
_PRESS = step(
    press,
    variant=_alone,
    body=_body,
    **_AT_END,
    exerted=write(_ON),
)
_BEGIN_FIXING = step(
    begin_fixing,
    variant=_alone,
    body=_nowhere,
    ends=read(_ENDS),
    point=read(_SHOWN["point"]),
    normal=read(_SHOWN["normal"]),
    fixed=write(_FIXED),
)
_FIX = step(
    fix,
    variant=_alone,
    body=_body,
    **_AT_END,
    fixed=add_to(_FIXED.by(_pair)),
)
_BEGIN_FOLLOWING = step(
    begin_following, variant=_alone, body=_nowhere, ends=read(_ENDS), at=read(_FIXED), moved=write(_MOVED)
)
_FOLLOW = step(
    follow,
    variant=_alone,
    body=_body,
    ends=read(_ENDS.by(_pair)),
    at=read(_FIXED.by(_pair)),
    orientation=read(ORIENTATION.own.by(_body)),
    stand=read(STAND.own.by(_body)),
    moved=add_to(_MOVED.by(_pair)),
)
_NEAR = step(
    near,
    variant=_alone,
    body=_nowhere,
    moved=read(_MOVED),
    given=read(Place("gap_given", _SHOWN["gap"].at)),
    gap=write(_SHOWN["gap"]),
    point=write(_SHOWN["point"]),
    normal=write(_SHOWN["normal"]),
)
