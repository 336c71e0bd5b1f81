"""``symdyn modes``: how a robot's flexible and soft links swing, each alone, or the whole robot about a position."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from . import options, robot_modes, rod_modes, rods, terminal, written

if TYPE_CHECKING:
    from symdyn.description.flexible import Flexible, Modes
    from symdyn.description.robot import RobotDescription
    from symdyn.shapes.modes import ModeShapes

_OF_MOTION = ("floating_base", "lock", "runtime", "joint_losses", "convention", "gravity")
"""What modes of single links do not depend on."""
_PER_TURN = 0.5 / math.pi
_TITLES = {
    "bend": (
        "mode",
        "beta L",
        "Hz",
        "rad/s",
        "modal mass [kg]",
        "at tip [m/m]",
        "slope there [rad/m]",
        "damping ratio",
    ),
    "torsion": ("mode", "beta L", "Hz", "rad/s", "modal inertia [kg m^2]", "at tip [rad/rad]", "", "damping ratio"),
    "axial": ("mode", "beta L", "Hz", "rad/s", "modal mass [kg]", "at tip [m/m]", "", "damping ratio"),
}


def run(
    *,
    robot: options.RobotName,
    link: Annotated[
        str | None, typer.Option("--link", metavar="NAME", help="One flexible or soft link; all by default.")
    ] = None,
    plot: Annotated[
        Path | None, typer.Option("--plot", metavar="FILE", help="Draw the shapes: a .png, .pdf or .svg.")
    ] = None,
    at: Annotated[
        list[str] | None,
        typer.Option(
            "--at",
            metavar="NAME=VALUE",
            help="Modes of the whole robot at this position; other coordinates are neutral, motors as their joints; or "
            "neutral, or rest. May be repeated, or with commas.",
        ),
    ] = None,
    hold: Annotated[
        list[str] | None,
        typer.Option(
            "--hold",
            metavar="NAME",
            help="With --at: a coordinate that does not move. May be repeated, or with commas.",
        ),
    ] = None,
    load: options.Loading,
) -> None:
    """Show the modes of flexible and soft links, or of the robot. Frequencies, damping; shapes of links as a figure.

    With --at: modes of the whole robot about a position, with its weight, springs, loads and loops. Shown are
    frequencies, damping ratios, the coordinates with the largest shares, and which modes are rigid or unstable.

    Natural modes have the frequencies of the beam with the boundary conditions of its basis, on a fixed root. For given
    shapes there are frequencies of each alone, and of all together. A soft link has those of the rod at rest.
    """
    from symdyn.shapes.modes import beam_modes

    _check_asked(link, plot, at, hold, load)
    written.check_written(plot)
    loaded = load.load(robot)
    if at:
        robot_modes.show(loaded, at, hold or ())
        return
    beams = _beams(loaded.description, link)
    soft = rods.soft_links(loaded.description)
    if not beams and not soft:
        terminal.note(
            f"{loaded.name} has no flexible or soft links (YAML keys flexible and soft); --at neutral "
            "shows the modes of the whole robot"
        )
        return
    with terminal.working("finding modes"):
        found = {name: beam_modes(beam) for name, beam in beams.items()}
        of_rods = rod_modes.modes_of(loaded, link)
    for name, beam in beams.items():
        _show_link(name, beam, found[name])
    if beams:
        _explain(found)
    for name, modes in of_rods.items():
        rod_modes.show(name, soft[name], modes)
    if of_rods:
        terminal.line()
        rod_modes.explain()
    if plot is not None:
        from .modes_figure import save_figure

        save_figure(loaded.name, found, of_rods, plot)
        terminal.line(f"wrote {plot}")


def _check_asked(
    link: str | None, plot: Path | None, at: list[str] | None, hold: list[str] | None, load: options.Loading
) -> None:
    """Refuse options that would mean nothing."""
    from symdyn.errors import RequestError

    given: dict[str, object]
    if at:
        given = {"--link": link, "--plot": plot}
        reason = "is for modes of single links; leave it out, or --at"
    else:
        given = {"--hold": hold, **{f"--{name.replace('_', '-')}": getattr(load, name) for name in _OF_MOTION}}
        reason = "changes nothing in modes of single links; give --at for those of the whole robot"
    for option, value in given.items():
        if value not in (None, []):
            raise RequestError(f"{option} {reason}")


def _explain(found: Mapping[str, tuple[ModeShapes, ...]]) -> None:
    from symdyn.description.flexible import Basis

    terminal.line()
    if any(shapes.roots for directions in found.values() for shapes in directions):
        terminal.note("beta L: wave number times length")
    terminal.note("modal mass: with the masses that the basis puts at the beam's ends")
    terminal.note("at tip, slope there: in the link's frame, per unit of the mode's coordinate")
    if any(shapes.basis is Basis.PINNED_HUB for directions in found.values() for shapes in directions):
        terminal.note("pinned-hub: of the beam on a hub that is free; the link's frame turns with that hub")


def _beams(description: RobotDescription, wanted: str | None) -> dict[str, Flexible]:
    from symdyn.description.text.position import hint
    from symdyn.errors import RequestError

    beams = {link.name: link.flexible for link in description.links if link.flexible is not None}
    bend = [*beams, *rods.soft_links(description)]
    if wanted is None or wanted in bend:
        return {name: beam for name, beam in beams.items() if wanted in (None, name)}
    listed = f"flexible or soft are: {', '.join(bend) or 'none'}"
    if wanted in {link.name for link in description.links}:
        raise RequestError(f"--link {wanted}: this link is rigid; {listed}")
    raise RequestError(f"--link {wanted}: the robot has no such link; {listed}{hint(wanted, bend)}")


def _show_link(name: str, beam: Flexible, directions: tuple[ModeShapes, ...]) -> None:
    from symdyn.description.flexible import Basis
    from symdyn.shapes.beam import beam_integrals
    from symdyn.shapes.modes import GIVEN

    mass = beam_integrals(beam).mass
    kept = ", keeps its length as it bends" if beam.stiffening else ""
    terminal.title(f"{name}: {beam.length:.6g} m, {mass:.6g} kg{kept}")
    for modes, shapes in zip(beam.modes, directions, strict=True):
        terminal.title(f"{name}.{modes.direction.value}, {shapes.basis.value}")
        titles = _TITLES[modes.direction.value.partition("_")[0]]
        terminal.table(titles, _rows(modes, shapes), numbers=range(len(titles)))
        if shapes.basis in GIVEN and modes.count > 1:
            _show_together(modes, shapes)
        if modes.basis is Basis.PINNED_PINNED:
            _show_root(shapes)


def _rows(modes: Modes, shapes: ModeShapes) -> Iterator[tuple[str, ...]]:
    import numpy as np

    from symdyn.shapes.modes import GIVEN

    tip = np.array(shapes.length)
    natural = shapes.basis not in GIVEN
    for k, (shape, frequency) in enumerate(zip(shapes.shapes, shapes.frequencies, strict=True)):
        bends = modes.direction.value.startswith("bend")
        yield (
            f"[{k}]",
            f"{float(shapes.roots[k]):.9g}" if shapes.roots else "",
            *_frequency(frequency),
            f"{shapes.inertia[k][k]:.6g}",
            _small(float(shape(tip))),
            _small(float(shape(tip, 1))) if bends else "",
            _damping(modes, k, frequency) if natural or modes.count == 1 else "",
        )


def _show_together(modes: Modes, shapes: ModeShapes) -> None:
    """The frequencies of given shapes, which are no modes each by itself."""
    import numpy as np

    root = np.linalg.inv(np.linalg.cholesky(np.array(shapes.inertia)))
    together = np.sqrt(np.linalg.eigvalsh(root @ np.array(shapes.stiffness) @ root.T)).tolist()
    terminal.line()
    terminal.table(
        ("all together", "Hz", "rad/s", "damping ratio"),
        ((f"{k + 1}", *_frequency(frequency), _damping(modes, k, frequency)) for k, frequency in enumerate(together)),
        numbers=range(4),
    )


def _show_root(shapes: ModeShapes) -> None:
    """How far each mode turns the section at a root that is hinged to the link."""
    import numpy as np

    slopes = (_small(float(shape(np.array(0.0), 1))) for shape in shapes.shapes)
    terminal.line()
    terminal.table(
        ("mode", "slope at root [rad/m]"), ((f"[{k}]", slope) for k, slope in enumerate(slopes)), numbers=range(2)
    )


def _frequency(frequency: float) -> tuple[str, str]:
    return f"{frequency * _PER_TURN:.6g}", f"{frequency:.6g}"


def _damping(modes: Modes, k: int, frequency: float) -> str:
    if modes.damping_ratios:
        return f"{modes.damping_ratios[k]:.4g}"
    # Kelvin-Voigt: damping = time * stiffness, so that the ratio grows with the frequency.
    return f"{modes.retardation_time * frequency / 2:.4g}" if modes.retardation_time else ""


def _small(value: float) -> str:
    """A number whose rounding error is not worth a digit."""
    return f"{value:.6g}" if abs(value) > 1e-12 else "0"
