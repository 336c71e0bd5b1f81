"""The shapes that a beam may take in each direction, and profiles along it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

MOST_MODES = 12
"""Per direction: what higher modes need, shear and rotary inertia of the sections, is none of a slender beam's."""


class Direction(Enum):
    """A way in which a beam deforms, in its own axes: x along the undeformed beam."""

    BEND_Y = "bend_y"  # deflection along y; the section turns about z by its slope
    BEND_Z = "bend_z"  # deflection along z; the section turns about -y by its slope
    TORSION = "torsion"  # the section turns about x
    AXIAL = "axial"  # displacement along x


class Basis(Enum):
    """The shapes that deflections are made of. All but the last three are natural modes of the beam as described."""

    CLAMPED_FREE = "clamped-free"
    CLAMPED_TIP_MASS = "clamped-tip-mass"  # with ``tip_mass`` and ``tip_inertia`` at the far end
    PINNED_HUB = "pinned-hub"  # on a hub that is free to turn, with ``hub_inertia``, and free at the far end
    CLAMPED_CLAMPED = "clamped-clamped"
    PINNED_PINNED = "pinned-pinned"
    POLYNOMIAL = "polynomial"  # clamped at the root: (x / length)^(k + 2), or ^(k + 1) for torsion and axial
    EXPRESSIONS = "expressions"  # ``functions`` of x
    TABLE = "table"  # ``samples`` at ``stations``, joined by splines


HUB_AXIS: dict[Direction, int] = {Direction.BEND_Y: 2, Direction.BEND_Z: 1}
"""The beam's axis about which a hub turns with the bending of a plane."""


@dataclass(frozen=True, slots=True)
class Profile:
    """How a quantity runs along the beam, stretch by stretch.

    ``ends`` are the far ends [m] of the stretches, ascending, the last one the beam's length; ``values`` are
    expressions in ``x`` [m], the distance from the beam's root, one per stretch, as plain text that was checked.
    """

    ends: tuple[float, ...]
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Modes:
    """The shapes of one direction.

    ``stiffness`` is E I [N m^2] for bending, G J [N m^2] for torsion, E A [N] for axial. Damping is a ratio per mode,
    or the retardation time [s] of a Kelvin-Voigt material (damping matrix = time * stiffness matrix), or none.
    """

    direction: Direction
    basis: Basis
    count: int
    stiffness: Profile
    damping_ratios: tuple[float, ...] = ()
    retardation_time: float = 0.0
    functions: tuple[str, ...] = ()
    stations: tuple[float, ...] = ()
    samples: tuple[tuple[float, ...], ...] = ()


def hub_about_bending(moment: float, modes: Sequence[Modes]) -> tuple[float, float, float]:
    """The hub of one moment [kg m^2]: about the axes of the planes whose root it lets turn, none about the others.

    About all axes where no basis has a hub.
    """
    turning = {HUB_AXIS[own.direction] for own in modes if own.basis is Basis.PINNED_HUB and own.direction in HUB_AXIS}
    x, y, z = (moment if axis in turning or not turning else 0.0 for axis in range(3))
    return x, y, z
