"""What ``symdyn modes`` says of soft links."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from . import terminal

if TYPE_CHECKING:
    from symdyn.description.soft import Soft
    from symdyn.model.rod_modes import RodMode, RodModes
    from symdyn.robot.robot import Robot

_PER_TURN = 0.5 / math.pi
_SHOWN = 0.005
"""Share of elastic energy from which a strain is named."""


def modes_of(robot: Robot, wanted: str | None) -> dict[str, RodModes]:
    """The modes of all soft links, or of one."""
    from symdyn.errors import ModelError, RequestError
    from symdyn.model.rod_modes import rod_modes

    from .rods import soft_links

    found = {}
    for name, soft in soft_links(robot.description).items():
        if wanted in (None, name):
            try:
                found[name] = rod_modes(_with_numbers(robot, name, soft))
            except ModelError as failure:
                raise RequestError(f"soft link {name!r}: {failure}") from None
    return found


def _with_numbers(robot: Robot, link: str, soft: Soft) -> Soft:
    """The rod with the values of its matter that the file gives, those of run-time parameters included."""
    from symdyn.errors import RequestError
    from symdyn.model.parameter_names import material_numbers
    from symdyn.model.values import known_values

    known = known_values(robot.description, robot.model.gravity)
    names = material_numbers(soft.material)
    for name in names:
        if f"{link}.{name}" not in known:
            raise RequestError(f"modes of soft link {link!r} need a number for its {name}; give its parameter a value")
    numbers = {name.partition(".")[2]: known[f"{link}.{name}"] for name in names}
    return replace(soft, marks=(), material=replace(soft.material, **numbers))


def show(name: str, soft: Soft, found: RodModes) -> None:
    """The modes of one soft link."""
    terminal.title(f"{name}: soft, {soft.length:.6g} m, held at its root, with nothing on its tip")
    titles = ("mode", "strains", "Hz", "rad/s", "damping ratio", "tip moves", "tip turns [rad/m]")
    terminal.table(titles, _rows(found.modes), numbers=(0, 2, 3, 4))


def _rows(modes: tuple[RodMode, ...]) -> Iterator[tuple[str, ...]]:
    for number, mode in enumerate(modes, 1):
        named = [f"{name} {100.0 * share:.0f} %" for name, share in mode.strains if abs(share) >= _SHOWN]
        move, turn = mode.shape[-1][:3].tolist(), mode.shape[-1][3:].tolist()
        yield (
            f"{number}",
            named[0].rpartition(" ")[0].rpartition(" ")[0] if len(named) == 1 else ", ".join(named),
            f"{mode.frequency * _PER_TURN:.6g}",
            f"{mode.frequency:.6g}",
            f"{mode.damping:.4g}" if mode.damping else "",
            _axes(move),
            _axes(turn),
        )


def _axes(vector: list[float]) -> str:
    parts = (f"{axis} {value:.4g}" for axis, value in zip("xyz", vector, strict=True) if abs(value) > 1e-6)
    return ", ".join(parts)


def explain() -> None:
    """What the columns mean."""
    terminal.note(
        "soft links: small motions about the shape at rest, without gravity; K phi = omega^2 M phi of all rows"
    )
    terminal.note("strains: shares of elastic energy; a damping ratio above 1 creeps back")
    terminal.note(
        "tip moves, tip turns: in the root section's axes, where the largest move along the rod is 1 m (or, of pure "
        "twist, the largest turn 1 rad)"
    )
