"""Rows of the contact problem of a robot: slots of contacts, ranges of joints, dry friction, loops, in this order."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from symdyn.description.collision import ContactOptions, Obstacle, Shape
from symdyn.description.contact_pairs import BOX_CORNERS, PointKind, SlotPoint
from symdyn.description.external_loads import Acting
from symdyn.description.quantities.placement import Number
from symdyn.description.rigid_contact import RigidContact
from symdyn.description.robot import RobotDescription
from symdyn.errors import ModelError
from symdyn.interface.contact_solving import TOUCHING
from symdyn.model.bodies import Body, ModelJoint

SLOT_ROWS = ("t1", "t2", "n")
"""Rows of a slot: two tangents and the normal."""
CORNERS = tuple(tuple(0.5 - (corner >> axis & 1) for axis in range(3)) for corner in range(BOX_CORNERS))
"""Where the corners of a box stand, in parts of its edges."""


@dataclass(frozen=True, slots=True)
class Slot(Acting):
    """One point of contact that may touch: on the bodies of a model, as loads are.

    ``number`` is its place among all. Its numbers are those of the contact, the ``moving`` shape's, as ``radius`` and
    ``a0.x`` .., and the ``surface``'s, as ``surface_radius`` and ``b0.x`` .., with its ``velocity`` as ``u.x`` ...
    ``link`` has the moving shape.
    """

    key = "contacts"
    word = "contact"
    words = "a contact"
    title = "rigid contacts"
    name: str
    contact: RigidContact
    number: int
    label: str
    point: SlotPoint
    moving: Shape
    surface: Shape
    link: str
    velocity: tuple[Number, Number, Number] = (0.0, 0.0, 0.0)

    @property
    def numbers(self) -> dict[str, Number]:
        """Numbers of the contact and of both shapes; those that no kernel of the slot reads are left out."""
        radius = self.moving.radius if self.moving.kind != "hull" else 0.0
        numbers = {**self.contact.numbers, "radius": radius, "surface_radius": self.surface.radius}
        for name, points in (("a", self._centers()), ("b", self.surface.points)):
            numbers |= {
                f"{name}{number}.{axis}": entry
                for number, point in enumerate(points)
                for axis, entry in zip("xyz", point, strict=True)
            }
        return numbers | {f"u.{axis}": speed for axis, speed in zip("xyz", self.velocity, strict=True)}

    def _centers(self) -> Sequence[tuple[Number, Number, Number]]:
        if self.point.kind is PointKind.POINT and self.moving.kind != "box":
            return (self.moving.points[self.point.index],)
        return self.moving.points

    @property
    def sizes(self) -> dict[str, float]:
        """Numbers that are never run-time: edges of boxes, axes."""
        shape, sizes = self.surface, dict[str, float]()
        if self.moving.kind == "box":
            corner = CORNERS[self.point.index]
            along = [part * edge for part, edge in zip(corner, self.moving.size, strict=True)]
            turned = [sum(x * y for x, y in zip(row, along, strict=True)) for row in self.moving.rotation]
            sizes |= dict(zip(("c.x", "c.y", "c.z"), turned, strict=True))
        if shape.kind == "box":
            sizes |= dict(zip(("half.x", "half.y", "half.z"), (0.5 * edge for edge in shape.size), strict=True))
            sizes |= {f"B{i}{j}": shape.rotation[i][j] for i in range(3) for j in range(3)}
        if shape.kind in ("plane", "cylinder"):
            sizes |= dict(zip(("axis.x", "axis.y", "axis.z"), shape.axis, strict=True))
        return sizes

    def units(self, slides: bool) -> dict[str, str]:
        """Those of the contact's numbers alone may be asked for by the contact's name."""
        return self.contact.units(slides)

    def acts(self, constants: Mapping[str, Any]) -> bool:
        """Always."""
        return True


@dataclass(frozen=True, slots=True)
class Led:
    """A row of q and v that moves a joint which follows others, with its multiplier."""

    q: int
    velocity: int
    gain: float


@dataclass(frozen=True, slots=True)
class LimitRow:
    """A bound of a joint's range: ``sign`` is 1 where the coordinate may not fall below ``bound``, -1 above.

    ``q`` and ``velocity`` are the coordinate's rows in q and v. A joint that follows others has the coordinate
    ``offset`` and the sum over ``led``, of which these are the first.
    """

    name: str
    q: int
    velocity: int
    sign: float
    bound: float
    led: tuple[Led, ...] = ()
    offset: float = 0.0

    @property
    def slopes(self) -> Iterator[tuple[int, float]]:
        """Rows of v with their entries in J."""
        return ((leader.velocity, self.sign * leader.gain) for leader in self.led or (Led(self.q, self.velocity, 1.0),))


@dataclass(frozen=True, slots=True)
class DryRow:
    """Dry friction of a joint: its ``body``, and the row of v that it resists, or those that it follows."""

    name: str
    body: int
    velocity: int
    led: tuple[Led, ...] = ()

    @property
    def slopes(self) -> Iterator[tuple[int, float]]:
        """Rows of v with their entries in J."""
        return ((leader.velocity, leader.gain) for leader in self.led or (Led(-1, self.velocity, 1.0),))


@dataclass(frozen=True, slots=True)
class ContactLayout:
    """Which rows the contact problem of a robot has; those of loops come last, by ``loop_names``."""

    slots: tuple[Slot, ...] = ()
    limits: tuple[LimitRow, ...] = ()
    dry: tuple[DryRow, ...] = ()
    loop_names: tuple[str, ...] = ()
    obstacles: tuple[Obstacle, ...] = ()
    limit_restitution: float = 0.0
    options: ContactOptions = field(default_factory=ContactOptions)
    left_out: tuple[str, ...] = ()
    """What of the file is no row, a sentence each."""

    def __bool__(self) -> bool:
        """Whether there are rows besides those of loops."""
        return bool(self.slot_count or self.limits or self.dry)

    @property
    def runtime(self) -> int:
        """The number of slots that are filled at run time; they come after those of contacts."""
        return self.options.runtime_slots

    @property
    def slot_count(self) -> int:
        """The number of all slots."""
        return len(self.slots) + self.runtime

    @property
    def count(self) -> int:
        """The number m of all rows."""
        return self.loops + len(self.loop_names)

    @property
    def loops(self) -> int:
        """The first row of loops."""
        return self.first_dry + len(self.dry)

    @property
    def first_limit(self) -> int:
        """The first row of joint ranges."""
        return len(SLOT_ROWS) * self.slot_count

    @property
    def first_dry(self) -> int:
        """The first row of dry friction."""
        return self.first_limit + len(self.limits)

    @property
    def slot_names(self) -> tuple[str, ...]:
        """Names of the slots: that of the contact, numbered where it has several; those filled at run time are last."""
        return (*(slot.label for slot in self.slots), *(f"{TOUCHING}[{number}]" for number in range(self.runtime)))

    @property
    def row_names(self) -> tuple[str, ...]:
        """Names of all rows."""
        slots = (f"{name}.{row}" for name in self.slot_names for row in SLOT_ROWS)
        return (*slots, *(limit.name for limit in self.limits), *(joint.name for joint in self.dry), *self.loop_names)

    @property
    def kinds(self) -> tuple[str, ...]:
        """Per row t or n of a contact, l of a limit (at least 0), d of dry friction (an interval), e of a loop."""
        slots = ("t", "t", "n") * self.slot_count
        return (*slots, *("l" for _ in self.limits), *("d" for _ in self.dry), *("e" for _ in self.loop_names))

    def normal(self, slot: int) -> int:
        """The row of a slot's normal."""
        return len(SLOT_ROWS) * slot + 2


def contact_layout(robot: RobotDescription, bodies: Sequence[Body], losses: bool) -> ContactLayout:
    """The rows of a robot with these bodies, but for those of its loops.

    Raises
    ------
    ModelError
        Dry friction of a robot whose losses are left out.
    """
    settings, left = robot.contact, list[str]()
    slots = sorted(
        (placed.load for body in bodies for placed in body.loads if isinstance(placed.load, Slot)),
        key=lambda slot: slot.number,
    )
    if settings.dry and not losses:
        raise ModelError(
            "joint_friction: dry is of losses, which are left out; add joint_losses=True (on the command line "
            "--joint-losses, in the file load: {joint_losses: true})"
        )
    limits = tuple(_limits(bodies, left)) if settings.limits else ()
    _refuse_empty(limits)
    dry = tuple(_dry(bodies)) if settings.dry else ()
    return ContactLayout(
        tuple(slots), limits, dry, (), settings.obstacles, settings.limit_restitution, settings.options, tuple(left)
    )


def numbered(slots: Sequence[Slot]) -> Iterator[Slot]:
    """The slots with their numbers and names: ``feet[0]``, ``feet[1]`` .. of a contact with several."""
    counts, met = Counter(slot.name for slot in slots), Counter[str]()
    for number, slot in enumerate(slots):
        name = slot.name
        yield replace(slot, number=number, label=f"{name}[{met[name]}]" if counts[name] > 1 else name)
        met[name] += 1


def _limits(bodies: Sequence[Body], left: list[str]) -> Iterator[LimitRow]:
    for joint in (body.joint for body in bodies if not body.joint.inner):
        single = joint.leaders or (len(joint.coordinates.q), len(joint.coordinates.v)) == (1, 1)
        if joint.limits is None or not single:
            continue
        both = (("lower", 1.0, joint.limits.lower), ("upper", -1.0, joint.limits.upper))
        ends = [end for end in both if math.isfinite(end[2])]
        if joint.leaders and ends and not any(leader.gain for leader in _led(joint)):
            left.append(f"joint '{joint.joint}' follows others by 0, so its range is no row of the contact problem")
            continue
        offset = dict(joint.numbers)["offset"] if joint.leaders else 0.0
        for word, sign, bound in ends:
            yield LimitRow(f"{joint.label}.{word}", joint.q_index, joint.v_index, sign, bound, _led(joint), offset)


def _led(joint: ModelJoint) -> tuple[Led, ...]:
    """The rows that a joint follows; none where it has rows of its own."""
    numbers = dict(joint.numbers)
    return tuple(Led(q, v, numbers[f"multiplier{place}"]) for place, (q, v) in enumerate(joint.led))


def _refuse_empty(limits: Sequence[LimitRow]) -> None:
    """Refuse ranges of a joint and of those that follow it alone that no position is in."""
    bounds: dict[int, dict[float, tuple[float, str]]] = {}
    for row in limits:
        if len(row.led) > 1:
            continue
        gain, sign = (row.led[0].gain, row.sign) if row.led else (1.0, row.sign)
        side = sign if gain > 0.0 else -sign
        value = (row.bound - row.offset) / gain
        known = bounds.setdefault(row.q, {})
        if side not in known or side * value > side * known[side][0]:
            known[side] = value, row.name
    for bound in bounds.values():
        if len(bound) == len((1.0, -1.0)) and bound[1.0][0] > bound[-1.0][0]:
            raise ModelError(
                f"limits: {{rigid: true}}: bounds {bound[1.0][1]} and {bound[-1.0][1]} leave no position to a joint "
                "and those that follow it; mend one of the ranges, or the multiplier"
            )


def _dry(bodies: Sequence[Body]) -> Iterator[DryRow]:
    for number, body in enumerate(bodies):
        joint = body.joint
        if joint.inner or joint.losses is None or joint.losses.friction == 0.0:
            continue
        if joint.leaders and any(leader.gain for leader in _led(joint)):
            yield DryRow(f"{joint.label}.friction", number, joint.v_index, _led(joint))
        if joint.leaders:
            continue
        names = [joint.label + suffix for suffix in joint.coordinates.v]
        for row, name in enumerate(names):
            yield DryRow(f"{name}.friction", number, joint.v_index + row)
