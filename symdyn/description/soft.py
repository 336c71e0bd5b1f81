"""What the user said about a soft link: a rod whose strains along its centre line are its coordinates."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Annotated, Any

from symdyn.description.declared import Family, Group, Key, Part, Said, family, nested
from symdyn.description.forms import (
    ALONG,
    FIXED,
    FLAG,
    FOLDED,
    SCALAR,
    choice,
    each,
    expression_of,
    quantity,
    scalar,
    whole,
)
from symdyn.description.placed import slender
from symdyn.description.quantities.beam_expression import BeamExpression
from symdyn.description.quantities.placement import Number, Placement
from symdyn.description.quantities.written import along, listed
from symdyn.description.strains import (
    COUPLED,
    MOST_FUNCTIONS,
    REFERENCE,
    STRAINS,
    CoupledStrains,
    Strain,
    StrainBasis,
    StrainFunctions,
)
from symdyn.description.text.validation import Path, kind_of, refusal

__all__ = ["MOST_FUNCTIONS", "CoupledStrains", "Strain", "StrainBasis", "StrainFunctions"]

MOST_COUPLED = 24
"""Coordinates of a rod that move several strains."""
MOST_STATIONS, MOST_SUBSTEPS = 256, 64
"""Per piece of a rod, and per step: quadrature and steps are exact to rounding long before."""
MAGNUS_ORDERS = (2, 4, 6)
SECTION_KEYS: dict[str, tuple[str, ...]] = {
    "circle": ("radius",),
    "ring": ("radius", "inner_radius"),
    "rectangle": ("width", "height"),
    "numbers": ("area", "second_moment_x", "second_moment_y", "second_moment_z"),
}
"""Shapes of a section, and the expressions that each is made of."""
MOST_SECTION_SHAPES = 16
WINKLER, GREEN_LAGRANGE = SECTION_LAWS = ("winkler", "green_lagrange")
"""What holds a section that deforms in its shape."""
TURN = 2.0 * math.pi
LEAST_SHEAR, MOST_SHEAR = -1.0, 0.5
"""Bounds of Poisson's ratio; a rod law takes the upper one, of matter that keeps its volume."""


_NEEDED = "a section of shape <kind> needs it"


def _factors(value: object) -> tuple[Number, Number]:
    if not isinstance(value, list):
        return quantity(value), quantity(value)
    if len(value) != 2:
        raise refusal(f"expected a number, or one for y and one for z, got {len(value)} entries")
    return quantity(value[0]), quantity(value[1])


_PAIR = {"anyOf": [SCALAR, {"type": "array", "items": SCALAR, "minItems": 2, "maxItems": 2}]}
_FACTORS = scalar(_factors, _PAIR, listed, lambda raw, given, path: tuple(given.fixed(own, path) for own in raw))


@dataclass(frozen=True, slots=True)
class Section:
    """The cross-section along the rod: expressions in ``x`` [m], the distance from the root.

    ``shape`` is circle (``radius``), ring (``radius``, ``inner_radius``), rectangle (``width`` along y, ``height``
    along z) or numbers (``area`` [m^2]; ``second_moment_x``, ``_y``, ``_z`` [m^4], of which x is the torsion
    constant). What a shape does not use is empty. Sections are centred on the rod's axis, and y and z are their
    principal axes. The mass turns with the polar moment: the second moments about y and z, added.
    """

    shape: Annotated[str, Key(choice(SECTION_KEYS), "its shape")]
    """The torsion constant of circles and rings is the polar moment. Of a rectangle with sides a >= b it is
    Saint-Venant's, ``a b^3 (1/3 - 64 b / (pi^5 a) sum tanh(n pi a / 2 b) / n^5)`` over odd n. As tanh z is
    ``1 - 2 / (exp(2 z) + 1)`` and the ones add up to 31/32 zeta(5), five terms of the rest are exact to rounding."""
    radius: Annotated[str, Key(ALONG, "outside [m]", ("circle", "ring"), _NEEDED)] = ""
    inner_radius: Annotated[str, Key(ALONG, "[m]", ("ring",), _NEEDED)] = ""
    width: Annotated[str, Key(ALONG, "along y [m]", ("rectangle",), _NEEDED)] = ""
    height: Annotated[str, Key(ALONG, "along z [m]", ("rectangle",), _NEEDED)] = ""
    area: Annotated[str, Key(ALONG, "[m^2]", ("numbers",), _NEEDED)] = ""
    second_moment_x: Annotated[str, Key(ALONG, "the torsion constant [m^4]", ("numbers",), _NEEDED)] = ""
    second_moment_y: Annotated[str, Key(ALONG, "about y [m^4]", ("numbers",), _NEEDED)] = ""
    second_moment_z: Annotated[str, Key(ALONG, "about z [m^4]", ("numbers",), _NEEDED)] = ""
    shear_factors: Annotated[tuple[float, float], Key(_FACTORS, "of shear along y and z, or one for both")] = (1.0, 1.0)
    """Of the shears along y and z."""

    def outer_radius(self, x: float) -> float:
        """The outer radius [m] of a round section at x [m]."""
        return BeamExpression(self.radius).at(x)


SECTIONS = Family("section", ((Section, tuple(SECTION_KEYS)),), "shape")


def _angles(value: object) -> tuple[Number, Number]:
    if not isinstance(value, list) or len(value) != 2:
        raise refusal(f"expected two angles, got {kind_of(value)}")
    return quantity(value[0]), quantity(value[1])


def _ends(said: Said, given: Any, path: Path) -> dict[str, Any]:
    return dict(zip(("start", "end"), said.get("on", ()), strict=False))


def _on(own: Any, deforming: Collection[str]) -> dict[str, str]:
    return {} if (own.start, own.end) == (0.0, TURN) else {"on": listed((own.start, own.end))}


_AROUND = scalar(
    lambda value: expression_of(value, "x and phi"), SCALAR, along, lambda raw, given, path: given.around(raw, path)
)
_ANGLES = scalar(_angles, _PAIR["anyOf"][1], listed, _FACTORS.make)


@dataclass(frozen=True, slots=True)
class SectionShape:
    """How a round section changes its radius by one unit of a coordinate (Pustina et al., simulation 1).

    ``radius`` [m] is an expression in ``x`` [m] and ``phi``, the angle from the section's y axis towards its z axis.
    It counts from ``start`` to ``end`` [rad], and outside of these the radius stays. All points of a ray from the axis
    move along it in proportion to their distance.
    """

    radius: Annotated[str, Key(_AROUND, "change [m] per unit of the coordinate, an expression in x and phi")]
    start: Annotated[
        float,
        Group((Part("on", _ANGLES, "angles phi [rad] from y towards z of its change; all if left out"),), _ends, _on),
    ] = 0.0
    end: float = TURN


@dataclass(frozen=True, slots=True)
class Material:
    """Linear elastic matter with Kelvin-Voigt losses.

    Young's modulus E [Pa], the shear modulus G = E / (2 (1 + Poisson's ratio)) [Pa], density [kg/m^3]. Losses are
    given by ``viscosity`` v [Pa s], R = v diag(J_x, 3 J_y, 3 J_z, 3 A, A, A), or by a ``retardation_time`` t [s],
    R = t diag(G J_x, E J_y, E J_z, E A, k_y G A, k_z G A); at most one of them is not 0. All but Poisson's ratio may be
    expressions over run-time parameters.
    """

    youngs_modulus: Annotated[Number, Key(FOLDED, "[Pa], above 0", unit="Pa")]
    poisson_ratio: Annotated[float, Key(FIXED, "above -1 and up to 0.5")]
    density: Annotated[Number, Key(FOLDED, "[kg/m^3], above 0", unit="kg/m^3")]
    viscosity: Annotated[Number, Key(FOLDED, "[Pa s], at least 0", unit="Pa s")] = 0.0
    retardation_time: Annotated[
        Number, Key(FOLDED, "in place of viscosity [s]: damping matrix = time * stiffness matrix", unit="s")
    ] = 0.0


def _magnus(value: object) -> int:
    orders = tuple(map(str, MAGNUS_ORDERS))
    if value not in orders:
        raise refusal(f"expected {', '.join(orders[:-1])} or {orders[-1]}, got {kind_of(value)}")
    return int(str(value))


_SHAPES = each(nested(family(SectionShape)), block=True)


@dataclass(frozen=True, slots=True)
class Soft:
    """A rod that is fixed to its link at one end and carries the link's children at the other.

    ``placement`` puts the rod's frame into the link's: its origin is the root section's centre, its x axis runs along
    the rod there. The strain at x is ``reference`` (0, 0, 0, 1, 0, 0 where it says nothing; the first three [rad/m])
    plus the functions of ``strains`` and ``coupled`` times the coordinates; ``strains`` has at most one entry per
    strain, in the order of :class:`Strain`, ``coupled`` come after them.

    ``stations`` are Gauss points per piece, None to be found on loading. ``magnus`` is the order of a step between two
    stations (2, 4 or 6), ``substeps`` the number of exponentials in it. ``max_turn_per_step`` [rad] is what a step may
    turn; beyond it results are NaN. ``marks`` [m] are places where frames stand, found on loading too, ``gauged`` says
    whether a contact asks for the radius of sections that deform, and ``found``
    says whether the stations were; ``error`` is what twice as many would change.

    The model is the rod as its stations see it: mass sits there alone, with the weights of the quadrature. Steps lead
    from the root to the first station and from each to the next, with stops at the ends of pieces. Springs and dampers
    are integrals over the whole rod.

    ``section_shapes`` change the radius, each by a coordinate that all stations share; these come last.
    ``section_law`` is one of SECTION_LAWS: springs against changes of the radius, or the energy of Green's and
    Lagrange's strain in all of the matter. With ``volume_preserving``, and without shapes, sections get smaller by
    the root of the stretch.

    What hangs at the tip is placed in the link's frame as it stands with all coordinates 0. The frame of the tip is
    then parallel to the link's, with its origin at the centre of the tip section.
    """

    length: Annotated[float, Key(FIXED, "[m], above 0")]
    section: Annotated[Section, Key(nested(SECTIONS), "the cross-section along the rod, see below")]
    material: Annotated[Material, Key(nested(family(Material)), "what the rod is made of, see below")]
    strains: Annotated[tuple[StrainFunctions, ...], STRAINS]
    coupled: Annotated[tuple[CoupledStrains, ...], COUPLED] = ()
    reference: Annotated[tuple[tuple[Strain, str], ...], REFERENCE] = ()
    placement: Annotated[Placement, slender("rod")] = field(default_factory=Placement)
    stations: Annotated[
        int | None,
        Key(
            whole("a number of stations per piece", 1, MOST_STATIONS),
            f"Gauss points per piece, 1 to {MOST_STATIONS}; chosen on loading if left out",
        ),
    ] = None
    magnus: Annotated[
        int,
        Key(
            scalar(_magnus, {"enum": list(MAGNUS_ORDERS)}, str),
            "order of a step from one station to the next: 2, 4 or 6",
            always=True,
        ),
    ] = 6
    substeps: Annotated[
        int,
        Key(whole("a number of substeps", 1, MOST_SUBSTEPS), f"exponentials in a step, 1 to {MOST_SUBSTEPS}"),
    ] = 1
    max_turn_per_step: Annotated[float, Key(FIXED, "how far a step may turn [rad], up to pi")] = 1.0
    marks: tuple[float, ...] = ()
    section_shapes: Annotated[
        tuple[SectionShape, ...],
        Key(_SHAPES, "how round sections change their radius, a coordinate each, see below", after="reference"),
    ] = ()
    section_law: Annotated[
        str,
        Key(
            choice(SECTION_LAWS, among=f"one of {', '.join(SECTION_LAWS)}"),
            "the elastic law of sections that deform: `winkler`, `green_lagrange`",
            after="section_shapes",
        ),
    ] = SECTION_LAWS[0]
    volume_preserving: Annotated[
        bool,
        Key(
            FLAG,
            "`true`: sections get thinner as the rod stretches, so that its volume is constant",
            after="section_law",
        ),
    ] = False
    gauged: bool = False
    found: bool = field(default=False, compare=False)
    error: float = field(default=0.0, compare=False)

    @property
    def deforms(self) -> bool:
        """Whether its sections do."""
        return self.volume_preserving or bool(self.section_shapes)

    @property
    def coordinates(self) -> int:
        """How many coordinates the rod has."""
        return self.strain_coordinates + len(self.section_shapes)

    @property
    def strain_coordinates(self) -> int:
        """How many of these move strains; they come first."""
        return sum(own.count for own in self.strains) + len(self.coupled)

    @property
    def rows(self) -> tuple[str, ...]:
        """Names of the coordinates within the link, as ``curvature_y[0]``; a coupled one has its own name."""
        own = (f"{each.strain.value}[{number}]" for each in self.strains for number in range(each.count))
        return (*own, *(each.name for each in self.coupled), *self.section_rows)

    @property
    def section_rows(self) -> tuple[str, ...]:
        """Names of the coordinates that change the radius."""
        return tuple(f"section[{number}]" for number in range(len(self.section_shapes)))

    @property
    def pieces(self) -> tuple[float, ...]:
        """Ends [m] of the pieces that stations and steps must not straddle, the last one the rod's length."""
        # As fractions: 3/9 and 1/3 of a length may differ by rounding.
        breaks = {Fraction(1)}
        for own in self.strains:
            parts = {StrainBasis.PIECEWISE_CONSTANT: own.count, StrainBasis.PIECEWISE_LINEAR: own.count - 1}
            number = parts.get(own.basis, 1)
            breaks |= {Fraction(place, number) for place in range(1, number)}
        return tuple(self.length * place.numerator / place.denominator for place in sorted(breaks))


ROD = family(Soft)
"""The key ``soft`` of a link."""
