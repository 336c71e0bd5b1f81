"""Where the slots of rigid contacts stand in the tree: on the bodies of their shapes, or on the ground."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from symdyn.description.collision import Shape
from symdyn.description.contact_pairs import slot_points
from symdyn.description.quantities.placement import Number
from symdyn.description.rigid_contact import (
    SEGMENT,
    STATION,
    Part,
    RigidContact,
    Segment,
    lie_apart,
    rigid_contacts,
    shape_of,
    shapes_of,
)
from symdyn.description.robot import RobotDescription
from symdyn.errors import ModelError
from symdyn.model.contact_layout import Slot, numbered
from symdyn.model.growing_tree import GrowingTree, Place


@dataclass(frozen=True, slots=True)
class _Placed:
    """A slot, and the places of its moving shape and of its surface."""

    slot: Slot
    moving: Place
    other: Place


StationsOf = Callable[[str, tuple[float | None, float | None] | None], Iterable[tuple[int, Segment]]]
"""The bodies of the stations of a soft link, or of a part of it, and what each stands for."""


def place_contacts(tree: GrowingTree, robot: RobotDescription, stations: StationsOf) -> None:
    """Record on bodies all slots of rigid contacts.

    Raises
    ------
    ModelError
        A contact of two shapes that nothing moves apart.
    """
    slots = [slot for contact in rigid_contacts(robot) for slot in _slots(tree, robot, contact, stations)]
    for placed, slot in zip(slots, numbered([placed.slot for placed in slots]), strict=True):
        tree.add_pair(slot.name, slot, placed.moving, placed.other, slot.sizes)


def _slots(
    tree: GrowingTree, robot: RobotDescription, contact: RigidContact, stations: StationsOf
) -> Iterator[_Placed]:
    for first in contact.of:
        for second in contact.against:
            if shapes_of(robot, first, second)[1] is SEGMENT:
                yield from _against_rod(tree, robot, contact, (first, second), stations)
                continue
            surface = shape_of(robot, second)
            assert surface is not None
            other, velocity = Place(-1), _velocity(robot, second)
            if second.link:
                other = tree.places[second.link]
            for moving, place in _moving(tree, robot, contact, first, stations):
                if place.body == other.body:
                    raise ModelError(_still(contact, first, second))
                for point in slot_points(moving, surface):
                    slot = Slot(contact.name, contact, 0, "", point, moving, surface, first.link, velocity)
                    yield _Placed(slot, place, other)


def _against_rod(
    tree: GrowingTree, robot: RobotDescription, contact: RigidContact, parts: tuple[Part, Part], stations: StationsOf
) -> Iterator[_Placed]:
    """Slots of a shape, or of the segments of a rod, with each segment of a rod."""
    first, second = parts
    segments = (
        [(body, _segment(contact, segment)) for body, segment in stations(first.link, None)] if not first.shape else []
    )
    single = shape_of(robot, first) if first.shape else None
    for other, other_segment in stations(second.link, None):
        segment = _segment(contact, other_segment)
        pairs = [(single, tree.places[first.link])] if single is not None else []
        pairs += [
            (near.shape, Place(body))
            for body, near in segments
            if first.link != second.link or lie_apart(near, segment)
        ]
        for moving, place in pairs:
            assert moving is not None
            for point in slot_points(moving, segment.shape):
                slot = Slot(contact.name, contact, 0, "", point, moving, segment.shape, first.link)
                yield _Placed(slot, place, Place(other))


def _segment(contact: RigidContact, segment: Segment) -> Segment:
    return segment if contact.radius is None else replace(segment, radius=float(contact.radius))  # type: ignore[arg-type]


def _moving(
    tree: GrowingTree, robot: RobotDescription, contact: RigidContact, part: Part, stations: StationsOf
) -> Iterator[tuple[Shape, Place]]:
    if part.shape or part.inline is not None:
        shape = shape_of(robot, part)
        assert shape is not None
        yield shape, tree.places[part.link]
        return
    for body, segment in stations(part.link, contact.part):
        yield replace(STATION, radius=segment.radius if contact.radius is None else contact.radius), Place(body)


def _velocity(robot: RobotDescription, part: Part) -> tuple[Number, Number, Number]:
    named = (obstacle for obstacle in robot.contact.obstacles if not part.link and obstacle.name == part.shape)
    obstacle = next(named, None)
    return (0.0, 0.0, 0.0) if obstacle is None else obstacle.velocity


def _still(contact: RigidContact, first: Part, second: Part) -> str:
    with_what = f"link '{second.link}'" if second.link else "an obstacle"
    return (
        f"contact '{contact.name}' is between link '{first.link}' and {with_what}, which nothing can move apart (links "
        "of locked joints are one body, and the root link of a robot without floating base is the ground); free the "
        "base by floating_base=True, on the command line --floating-base, lock fewer joints, or leave it out"
    )
