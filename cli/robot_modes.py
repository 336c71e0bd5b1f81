"""What ``symdyn modes --at`` says of the whole robot about a position."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from . import terminal
from .named_values import named_values

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from symdyn.analysis.statics.mode_records import Modes
    from symdyn.robot.robot import Robot

    Array = NDArray[np.float64]

NEUTRAL, REST = "neutral", "rest"
_NAMED, _FORCES = 3, 4
_SHOWN = 0.01
"""Share from which a coordinate is named."""
_ROUNDING = 1e-9


def show(robot: Robot, at: Sequence[str], hold: Sequence[str]) -> None:
    """The modes about a position told by coordinates, the neutral one or one at rest."""
    from symdyn.analysis.statics.modes import modes

    with terminal.working(f"modes of {robot.name}"):
        found = modes(robot, _position(robot, at), hold=hold)
    if not found.modes:
        terminal.line(f"{robot.name} cannot move there: its loops, and what is held, leave no way")
        return
    _show_table(found)
    _explain(robot, found, hold)


def _position(robot: Robot, at: Sequence[str]) -> Array:
    """With loops the closed position in which named coordinates stay where they are."""
    from symdyn.robot import named_states

    if list(at) == [NEUTRAL]:
        return robot.neutral()
    if list(at) == [REST]:
        from symdyn.statics import equilibrium

        return equilibrium(robot).q
    named = named_values("--at", at)
    start = named_states.position(robot.model, "--at", named)
    return robot.close(start, hold=list(named)) if robot.constraints else start


def _show_table(found: Modes) -> None:
    titles = ("mode", "Hz", "rad/s", "damping ratio", "grows [1/s]", "", "coordinates that take part")
    terminal.table(titles, _rows(found), numbers=(0, 1, 2, 3, 4))


def _rows(found: Modes) -> Iterator[tuple[str, ...]]:
    for number, mode in enumerate(found.modes, 1):
        named = [f"{name} {100.0 * share:.0f} %" for name, share in mode.shares[:_NAMED] if share >= _SHOWN]
        swings = mode.frequency > 0.0
        yield (
            f"{number}",
            f"{mode.hertz:.6g}" if swings or mode.kind == "rigid" else "",
            f"{mode.frequency:.6g}" if swings or mode.kind == "rigid" else "",
            f"{mode.damping:.4g}" if mode.damping else "",
            f"{mode.growth:.6g}" if mode.growth else "",
            "" if mode.kind == "swings" else mode.kind,
            ", ".join(named),
        )


def _explain(robot: Robot, found: Modes, hold: Sequence[str]) -> None:
    from symdyn.model.joints import FORCE_UNITS
    from symdyn.robot.state_checks import named_rows

    kinds = [mode.kind for mode in found.modes]
    terminal.line()
    terminal.line("small motions about this position: K x = omega^2 M x; percent: x_i^2 M_ii as shares of their sum")
    if "rigid" in kinds:
        terminal.line(f"rigid: {kinds.count('rigid')} of frequency zero; nothing drives these back")
    if "unstable" in kinds:
        terminal.line(f"unstable: {kinds.count('unstable')} of negative stiffness; the robot leaves this position")
    if found.damping.any():
        decays = [-pole.real for pole in found.poles if pole.real < -_ROUNDING * abs(found.poles).max()]
        slowest = f", slowest decay {min(decays):.4g} 1/s" if decays else ""
        terminal.line(f"with all losses together: {'stable' if found.stable else 'unstable'}{slowest}")
    held = named_rows(robot.model, hold)
    weight = max(abs(found.forces.max()), abs(found.forces.min()), abs(found.stiffness).max())
    forces = {row: abs(x) for row, x in enumerate(found.forces) if row not in held and abs(x) > _ROUNDING * weight}
    if forces:
        largest = sorted(forces, key=lambda row: -forces[row])[:_FORCES]
        told = ", ".join(
            f"{found.rows[row]} {found.forces[row]:.4g} {FORCE_UNITS[robot.velocity_units[row]]}" for row in largest
        )
        more = f" and {len(forces) - len(largest)} more" if len(forces) > len(largest) else ""
        terminal.line(f"no rest: forces hold it here, and stay as they are while it moves: {told}{more}")
