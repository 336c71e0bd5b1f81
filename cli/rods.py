"""What ``symdyn info`` says of soft links."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import terminal

if TYPE_CHECKING:
    from symdyn.description.robot import RobotDescription
    from symdyn.description.soft import Soft
    from symdyn.robot.robot import Robot


def soft_links(description: RobotDescription) -> dict[str, Soft]:
    """The rods of a robot by their links, in the file's order."""
    return {link.name: link.soft for link in description.links if link.soft is not None}


def show(robot: Robot) -> None:
    """Soft links: coordinates, stations and how they were found, steps, and condition numbers at rest."""
    rods = soft_links(robot.description)
    if not rods:
        return
    _show_links(robot, rods)
    _show_stations(rods)


def _show_links(robot: Robot, rods: dict[str, Soft]) -> None:
    from symdyn.description.soft import Strain

    rows = []
    for name, soft in rods.items():
        counts = {own.strain: own.count for own in soft.strains}
        rod = next(rod for rod in robot.model.rods if rod.link == name)
        mass = "" if rod.matter.density else f"{rod.mass:.6g}"
        coupled = len(soft.coupled) or ""
        own = ", ".join(f"{strain.value} {counts[strain]}" for strain in Strain if strain in counts)
        rows.append((name, f"{soft.length:.6g}", mass, own, coupled))
    terminal.title("soft links, with rows of q and v per strain (more: symdyn modes)")
    terminal.table(("link", "length [m]", "rod [kg]", "rows", "coupled"), rows, numbers=(1, 2, 4))
    turned = [(name, *axes) for name, soft in rods.items() if (axes := _axes(soft)) != ("1 0 0", "0 1 0", "0 0 1")]
    if turned:
        terminal.title("axes of their sections at the root, in the link's axes (x is along the rod)")
        terminal.table(("link", "x", "y", "z"), turned)


def _axes(soft: Soft) -> tuple[str, ...]:
    """The axes of a rod's root section in those of its link, a text each."""
    return tuple(" ".join(f"{part + 0.0:.3g}" for part in axis) for axis in zip(*soft.placement.rotation, strict=True))


def _show_stations(rods: dict[str, Soft]) -> None:
    from symdyn.model.rod_stations import ENOUGH, USUAL_STRAIN, USUAL_TURN

    facts = {name: _facts(soft) for name, soft in rods.items()}
    terminal.title("their stations, and condition numbers of mass matrix and stiffness at rest")
    rows = ((name, *own[:6]) for name, own in facts.items())
    terminal.table(
        ("link", "stations", "of each piece", "", "error", "cond M", "cond K"), rows, numbers=(1, 2, 4, 5, 6)
    )
    terminal.note(
        f"errors are those of mass matrix, weight and tip against twice as many; found stations are below {ENOUGH:g}"
    )
    terminal.note("cond: coordinates scaled to diagonals of 1; above 1e12 a rod is refused")
    terminal.title("their steps")
    steps = ((name, *own[6:]) for name, own in facts.items())
    titles = ("link", "Magnus order", "steps", "turn [rad]", "max_turn_per_step", "series terms")
    terminal.table(titles, steps, numbers=range(1, 6))
    terminal.note(
        f"turn, error: in random states where twist and curvatures turn the rod by {USUAL_TURN:g} rad and linear "
        f"strains reach {USUAL_STRAIN:g}"
    )
    terminal.note("beyond max_turn_per_step poses and all that rests on them are NaN")


def _facts(soft: Soft) -> tuple[str, ...]:
    from dataclasses import replace

    from symdyn.algebra.spatial.step_pose import stumpff_terms
    from symdyn.model.rod_matter import closed_matter
    from symdyn.model.rod_stations import assessed
    from symdyn.shapes.rod import rod_tables

    assert soft.stations is not None
    plain = closed_matter(replace(soft, marks=()))
    found, tables, pieces = assessed(plain, soft.stations), rod_tables(plain, soft.stations), len(soft.pieces)
    return (
        f"{soft.stations * pieces}",
        f"{soft.stations}" if pieces > 1 else "",
        "found" if soft.found else "given",
        f"{found.error:.1e}",
        f"{found.mass_condition:.1e}",
        f"{tables.condition:.1e}",
        f"{soft.magnus}",
        f"{len(tables.steps)}",
        f"{found.turn:.3g}",
        f"{soft.max_turn_per_step:.3g}",
        f"{stumpff_terms(soft.max_turn_per_step)}",
    )
