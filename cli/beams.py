"""What ``symdyn info`` says of flexible links."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import terminal

if TYPE_CHECKING:
    from symdyn.description.robot import RobotDescription


def masses(description: RobotDescription) -> dict[str, float]:
    """Mass of each flexible link's beam [kg], without its hub."""
    beams = {link.name: link.flexible for link in description.links if link.flexible is not None}
    if not beams:
        return {}
    from symdyn.shapes.beam import beam_integrals

    return {name: beam_integrals(beam).mass for name, beam in beams.items()}


def show(description: RobotDescription) -> None:
    """Flexible links, with the number of rows that each direction adds to q and v."""
    found = masses(description)
    if not found:
        return
    directions = ("bend_y", "bend_z", "torsion", "axial")
    terminal.title("flexible links, with rows of q and v per direction (more: symdyn modes)")
    rows = []
    for link in description.links:
        if link.flexible is not None:
            counts = {modes.direction.value: modes.count for modes in link.flexible.modes}
            stiffening = "yes" if link.flexible.stiffening else ""
            given = [counts.get(name, "") for name in directions]
            rows.append((link.name, f"{link.flexible.length:.6g}", f"{found[link.name]:.6g}", *given, stiffening))
    titles = ("link", "length [m]", "beam [kg]", *directions, "stiffening")
    terminal.table(titles, rows, numbers=range(1, 7))
