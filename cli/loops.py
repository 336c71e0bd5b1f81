"""What ``symdyn info`` says of closed loops."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import terminal
from .drives import quantity

if TYPE_CHECKING:
    from symdyn.description.external_loads import Site
    from symdyn.description.loops import Coupling, Loop
    from symdyn.description.pfaffian import Pfaffian
    from symdyn.robot.robot import Robot


def show(robot: Robot) -> None:
    """The loops with rows kept and dropped, in how many ways they let the robot move, and by which coordinates."""
    from symdyn.errors import RequestError

    if not robot.constraints:
        return
    terminal.title("closed loops (what it holds, and rows of the error with their units)")
    rows = []
    for model, loop in zip(robot.model.loops, robot.constraints, strict=True):
        names = [row or loop.name for row in model.rows]
        by = "/s" if model.velocity_rows else ""
        kept = ", ".join(f"{name} [{unit}{by}]" for name, unit in zip(names, loop.units, strict=True))
        dropped = ", ".join(name or loop.name for name in loop.dropped)
        rows.append((loop.name, loop.kind, _held(model.constraint), kept, dropped))
    terminal.table(("loop", "kind", "of", "rows", "dropped"), rows)
    count = sum(len(loop.rows) for loop in robot.constraints)
    try:
        independent = ", ".join(robot.independent_coordinates) or "none"
    except RequestError as failure:
        terminal.note(f"{terminal.counted(count, 'row')} of constraints; no closed position found: {failure}")
        return
    terminal.note(f"{terminal.counted(count, 'row')} of constraints; mobility {robot.mobility}")
    terminal.note(f"coordinates that may be chosen independent: {independent}")


def _held(held: Loop | Coupling | Pfaffian) -> str:
    from symdyn.description.loops import Coupling
    from symdyn.description.pfaffian import Pfaffian

    if isinstance(held, Pfaffian):
        sums = (" + ".join(f"({quantity(entry)}) * {name}" for name, entry in row) for row in held.rows)
        return "; ".join(f"{total} = {quantity(right)}" for total, right in zip(sums, held.right, strict=True))
    if isinstance(held, Coupling):
        total = " + ".join(f"{factor:g} * {name}" for name, factor in held.terms)
        return f"{total} = {held.offset:g}"
    places = " to ".join(map(_place, held.between))
    return places + "".join(f", {name} {quantity(number)}" for name, number in held.numbers.items())


def _place(site: Site) -> str:
    point = "" if site.point == (0.0, 0.0, 0.0) else f" ({', '.join(map(quantity, site.point))})"
    return f"{site.frame or site.link or 'world'}{point}"
