"""What ``symdyn info`` says of rigid contacts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import terminal
from .drives import quantity

if TYPE_CHECKING:
    from symdyn.description.rigid_contact import Part
    from symdyn.robot.robot import Robot


def show(robot: Robot) -> None:
    """Pairs of shapes with their slots and numbers, rows of joints, and what is left out."""
    from symdyn.description.contact_pairs import misses_edges

    layout = robot.model.contact_layout
    if not layout:
        return
    terminal.title("rigid contacts (in functions named contact_.. alone)")
    pairs: dict[tuple[str, str, str], int] = {}
    edges = set[str]()
    for slot in layout.slots:
        key = (slot.name, slot.moving.kind, slot.surface.kind + (" inside" if slot.surface.inside else ""))
        pairs[key] = pairs.get(key, 0) + 1
        if misses_edges(slot.moving, slot.surface):
            edges.add(slot.name)
    contacts = {slot.name: slot.contact for slot in layout.slots}
    rows = []
    for (name, moving, surface), count in pairs.items():
        own = contacts[name]
        numbers = ", ".join(f"{key} {quantity(number)}" for key, number in own.numbers.items() if number != 0.0)
        of, against = (", ".join(map(_part, parts)) for parts in (own.of, own.against))
        rows.append((name, of, against, f"{moving} on {surface}", count, numbers))
    if rows:
        heads = ("contact", "of", "with", "shapes", "slots", "numbers")
        terminal.table(heads, rows, numbers=(4,))
    counts = (len(layout.slots), len(layout.limits), len(layout.dry), len(layout.loop_names))
    terminal.note(
        f"{layout.count} rows: {counts[0]} slots of three, {counts[1]} bounds of ranges, {counts[2]} of dry friction, "
        f"{counts[3]} of loops"
    )
    for name in sorted(edges):
        terminal.note(
            f"- contact {name}: points against a box, so an edge of the box between them goes unnoticed", "  "
        )
    for left in layout.left_out:
        terminal.note(f"- {left}", "  ")


def _part(part: Part) -> str:
    if part.own is not None:
        return f"{part.link} {part.own.kind}".strip()
    return f"{part.link}.{part.shape}" if part.link and part.shape else part.link or part.shape
