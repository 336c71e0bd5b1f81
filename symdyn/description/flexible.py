"""What the user said about a link that bends: a slender beam, its cross-section, and the shapes that it may take."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

from symdyn.description.beam_modes import HUB, MODES, PROFILE, STIFFNESS_KEYS
from symdyn.description.beam_shapes import HUB_AXIS, MOST_MODES, Basis, Direction, Modes, Profile, hub_about_bending
from symdyn.description.declared import Key, family
from symdyn.description.forms import FIXED, FLAG
from symdyn.description.placed import slender
from symdyn.description.quantities.placement import Placement

__all__ = [
    "HUB_AXIS",
    "MOST_MODES",
    "STIFFNESS_KEYS",
    "Basis",
    "Direction",
    "Flexible",
    "Modes",
    "Profile",
    "hub_about_bending",
]


@dataclass(frozen=True, slots=True)
class Flexible:
    """A slender elastic beam that is fixed to its link at one end and carries the link's children at the other.

    ``placement`` puts the beam's frame into the link's: its origin is the root section, its x axis the undeformed beam.
    ``section_inertia`` are the second moments (integral of density y^2, of density z^2) over the cross-section [kg m];
    torsion needs them. ``modes`` has at most one entry per direction, in the order of :class:`Direction`.
    ``stiffening`` keeps the beam's length: points move towards the root by half the integral of the squared slope; and
    sections turn in torsion to second order. ``tip_mass`` [kg], ``tip_inertia`` and ``hub_inertia`` [kg m^2] are
    boundary conditions of the bases that name them. The tip's are those of the links that hang there, and are not
    counted again. The hub's, about the beam's axes at the root section, add to the link's own.
    """

    length: Annotated[float, Key(FIXED, "[m], above 0")]
    mass_per_length: Annotated[Profile, Key(PROFILE, "along the beam [kg/m]")]
    modes: Annotated[tuple[Modes, ...], MODES]
    placement: Annotated[Placement, slender("beam")] = field(default_factory=Placement)
    section_inertia: tuple[Profile, Profile] | None = None
    tip_mass: Annotated[float, Key(FIXED, "of the basis `clamped-tip-mass` [kg]")] = 0.0
    tip_inertia: Annotated[float, Key(FIXED, "of the basis `clamped-tip-mass` [kg m^2]")] = 0.0
    hub_inertia: Annotated[tuple[float, float, float], HUB] = (0.0, 0.0, 0.0)
    stiffening: Annotated[
        bool,
        Key(FLAG, "`true`: the beam keeps its length as it bends, and its sections turn to second order as it twists"),
    ] = False


BEAM = family(Flexible)
"""The key ``flexible`` of a link."""
