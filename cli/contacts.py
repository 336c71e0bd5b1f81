"""What ``symdyn info`` says of rigid contacts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from . import terminal
from .drives import quantity

if TYPE_CHECKING:
    from symdyn.description.rigid_contact import Part
    from symdyn.model.contact_layout import Slot
    from symdyn.robot.robot import Robot


def show(robot: Robot) -> None:
    """Pairs of shapes with their slots and numbers, rows of joints, and what is left out."""
    from symdyn.description.contact_pairs import goes_unnoticed

    layout = robot.model.contact_layout
    if not layout:
        _offered(robot)
        return
    terminal.title("rigid contacts (in functions named contact_.. alone)")
    pairs: dict[tuple[str, tuple[Part, ...], str, str], list[Slot]] = {}
    unnoticed = dict[tuple[str, str], None]()
    for slot in layout.slots:
        surface = slot.surface.kind + (" inside" if slot.surface.inside else "")
        pairs.setdefault((slot.name, tuple(_parts(robot, slot)), slot.moving.kind, surface), []).append(slot)
        if said := goes_unnoticed(slot.moving, slot.surface):
            unnoticed[slot.name, said] = None
    contacts = {slot.name: slot.contact for slot in layout.slots}
    rows = []
    for (name, parts, moving, surface), slots in pairs.items():
        contact = contacts[name]
        numbers = ", ".join(f"{key} {quantity(number)}" for key, number in contact.numbers.items() if number != 0.0)
        of, against = (", ".join(map(_part, own)) for own in (parts, contact.against))
        rows.append((", ".join(_runs(slots)), of, against, f"{moving} on {surface}", len(slots), numbers))
    if rows:
        heads = ("contact", "of", "with", "shapes", "slots", "numbers")
        terminal.table(heads, rows, numbers=(4,))
    counts = (len(layout.slots), len(layout.limits), len(layout.dry), len(layout.loop_names))
    terminal.note(
        f"{layout.count} rows: {counts[0]} slots of three, {counts[1]} bounds of ranges, {counts[2]} of dry friction, "
        f"{counts[3]} of loops"
    )
    for name, said in unnoticed:
        terminal.note(f"- contact {name}: {said}", "  ")
    options = layout.options
    if len(layout.slots) > options.max_contacts:
        terminal.note(f"- at most {options.max_contacts} slots of a step are solved (max_contacts)", "  ")
    for left in layout.left_out:
        terminal.note(f"- {left}", "  ")


def _offered(robot: Robot) -> None:
    """What of the file would be contacts where it is asked for."""
    links, pairs = robot.description.links, len(robot.description.offered)
    shapes = sum(len(link.geometry) + len(link.collision) for link in links)
    if shapes:
        terminal.title("shapes for collisions (no contacts)")
        terminal.note(f"{shapes} on {sum(bool(link.geometry or link.collision) for link in links)} links")
        terminal.note("- contacts='ground', on the command line --contacts ground: all against the plane z = 0", "  ")
    if pairs:
        terminal.note(f"- contacts='file', on the command line --contacts file: {pairs} pairs of the file", "  ")


def _parts(robot: Robot, slot: Slot) -> Iterator[Part]:
    """What of the contact has the slot: the shape that moves, or the soft link of the station."""
    from symdyn.description.rigid_contact import shape_of

    for part in slot.contact.of:
        rigid = part.shape or part.inline is not None
        if part.link == slot.link and (not rigid or shape_of(robot.description, part) == slot.moving):
            yield part


def _runs(slots: Sequence[Slot]) -> Iterator[str]:
    """Names of slots, the first and the last of those that follow each other."""
    for _, run in groupby(enumerate(slots), key=lambda place: place[1].number - place[0]):
        labels = [slot.label for _, slot in run]
        yield labels[0] if len(labels) == 1 else f"{labels[0]} .. {labels[-1]}"


def _part(part: Part) -> str:
    if part.inline is not None:
        return f"{part.link} {part.inline.kind}".strip()
    return f"{part.link}.{part.shape}" if part.link and part.shape else part.link or part.shape
