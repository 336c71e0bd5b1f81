"""From what a user said about a flexible link to a cloud of mass points, springs and dampers.

Only the shapes, as functions of x, come from :mod:`symdyn.shapes`. The points lie at the nodes of Gauss and Legendre's
quadrature, so that sums over them are integrals over the beam.

What resists the bending of a beam: the second derivative of its strain energy, and damping.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from mpmath import mp

from symdyn.description.flexible import HUB_AXIS, Basis, Direction, Flexible, Modes
from symdyn.verify.base.dense import Rows, matrix_product, zero_matrix
from symdyn.verify.base.matrices import Real, Vector, vector
from symdyn.verify.base.quadrature import Rule, rule, settled_rule
from symdyn.verify.oracle.beam import Beam, MassPoint
from symdyn.verify.oracle.beam_shapes import BENDING, Family, families, profile_at, strain_order


def family_springs(flexible: Flexible, family: Family, rule: Rule) -> tuple[Rows, Rows]:
    """Stiffness and damping of the coordinates of one direction.

    Parameters
    ----------
    flexible
        The link.
    family
        The direction's shapes s: stiffness is the integral of E I s_k'' s_l'', or of G J s_k' s_l', E A s_k' s_l'.
    rule
        Nodes and weights that integrate along the whole beam.
    """
    size = len(family.shapes)
    K, M = zero_matrix(size, size), zero_matrix(size, size)
    for x, weight in rule:
        _add_products(K, weight * profile_at(family.modes.stiffness, x), family.values(x, strain_order(family)))
        _add_products(M, weight * _inertia(flexible, family, x), family.values(x, 0))
    _add_ends(M, flexible, family)
    if family.modes.basis is Basis.PINNED_HUB:
        _free_hub(M, flexible, family, rule)
    return K, _damping(family.modes, K, M)


def _inertia(flexible: Flexible, family: Family, x: Real) -> Real:
    """Mass per length, or moment of inertia per length about the beam's axis."""
    if family.modes.direction is not Direction.TORSION:
        return profile_at(flexible.mass_per_length, x)
    return mp.fsum(profile_at(profile, x) for profile in flexible.section_inertia or ())


def _add_ends(M: Rows, flexible: Flexible, family: Family) -> None:
    """What the boundary conditions of a basis add to the masses of its modes."""
    bends, tip = family.modes.direction in BENDING, mp.mpf(flexible.length)
    if family.modes.basis is Basis.CLAMPED_TIP_MASS:
        load = flexible.tip_inertia if family.modes.direction is Direction.TORSION else flexible.tip_mass
        _add_products(M, mp.mpf(load), family.values(tip, 0))
        if bends:
            _add_products(M, mp.mpf(flexible.tip_inertia), family.values(tip, 1))


def _free_hub(M: Rows, flexible: Flexible, family: Family, rule: Rule) -> None:
    """Take from the masses of shapes seen from a hub what that hub swings back, where nothing holds it.

    With its turn a free coordinate of inertia I and coupling c to the shapes, the masses become ``M - c c^T / I``.
    """
    inertia = mp.mpf(flexible.hub_inertia[HUB_AXIS[family.modes.direction]])
    coupled = [mp.mpf(0)] * len(M)
    for x, weight in rule:
        mass = weight * _inertia(flexible, family, x)
        inertia += mass * x**2
        coupled = [total + mass * x * value for total, value in zip(coupled, family.values(x, 0), strict=True)]
    _add_products(M, -1 / inertia, coupled)


def _add_products(total: Rows, weight: Real, values: Sequence[Real]) -> None:
    for row, left in enumerate(values):
        for column, right in enumerate(values):
            total[row][column] += weight * left * right


def _damping(modes: Modes, K: Rows, M: Rows) -> Rows:
    """Of a Kelvin-Voigt material, or with a ratio for each mode of this direction alone.

    With the solutions w, u of ``K u = w^2 M u`` and u^T M u = 1, the ratios z make ``D = sum 2 z w (M u) (M u)^T``.
    """
    size = len(K)
    if not modes.damping_ratios:
        return [[mp.mpf(modes.retardation_time) * value for value in row] for row in K]
    lower = mp.cholesky(mp.matrix(M))
    inward = mp.inverse(lower)
    squares, vectors = mp.eigsy(inward * mp.matrix(K) * inward.T)  # ascending
    ratios = [mp.mpf(ratio) for ratio in modes.damping_ratios]
    weights = [2 * ratio * mp.sqrt(square) for ratio, square in zip(ratios, squares, strict=True)]
    turned = lower * vectors
    columns = [[turned[row, mode] for mode in range(size)] for row in range(size)]
    weighted = [[value * weight for value, weight in zip(row, weights, strict=True)] for row in columns]
    return matrix_product(weighted, [list(row) for row in zip(*columns, strict=True)])


_DIGITS = 55
"""More than the oracle has."""
_BETWEEN = 14
"""Nodes between two neighbouring sections, for what bending takes from the length up to each."""


@dataclass(frozen=True, slots=True)
class _Section:
    """A section's place, the length that it stands for, and what bending takes from the length up to it.

    ``shortening`` is the integral of s_k' s_l' (see :class:`symdyn.verify.oracle.beam.MassPoint`).
    """

    x: Real
    weight: Real
    shortening: Rows


def beam_points(flexible: Flexible, shapes: Sequence[Family]) -> Beam:
    """The beam with all its points, from the shapes of its directions.

    Raises
    ------
    VerificationError
        Shapes or quantities that are not smooth between the ends of their stretches.
    """
    return _Builder(flexible, shapes).beam()


@cache
def beam_of(flexible: Flexible) -> Beam:
    """The beam of a flexible link, to more digits than the oracle has."""
    with mp.workdps(_DIGITS):
        return beam_points(flexible, families(flexible))


class _Builder:
    """A beam under construction."""

    def __init__(self, flexible: Flexible, shapes: Sequence[Family]) -> None:
        self.flexible = flexible
        self.families = shapes
        self.length = mp.mpf(flexible.length)
        counts = [len(family.shapes) for family in shapes]
        self.firsts = [sum(counts[:place]) for place in range(len(counts))]
        self.size = sum(counts)

    def beam(self) -> Beam:
        """The finished beam."""
        sections = self._sections()
        points = [point for section in sections for point in self._points(section)]
        points += self._hub()
        tip = self._center(self.length, mp.mpf(0), self._shortening(sections[-1].x, self.length, sections[-1]))
        stiffness, damping = (zero_matrix(self.size, self.size) for _ in range(2))
        nodes = [(section.x, section.weight) for section in sections]
        for family, first in zip(self.families, self.firsts, strict=True):
            for whole, part in zip((stiffness, damping), family_springs(self.flexible, family, nodes), strict=True):
                for row, values in enumerate(part, first):
                    whole[row][first : first + len(values)] = values
        turns = [self._turns(x) for x in (*(section.x for section in sections), self.length)]
        farthest = [mp.mpf(0)] * self.size
        for point in (*points, tip):
            if not point.arm:
                for row, shape in enumerate(point.shapes):
                    farthest[row] = max(farthest[row], *(abs(part) for part in shape))
        return Beam(
            self.length,
            tuple(points),
            tip,
            tuple(turns[-1]),
            stiffness,
            damping,
            tuple(max(max(abs(part) for part in at[row]) for at in turns) for row in range(self.size)),
            tuple(farthest),
        )

    def _sections(self) -> list[_Section]:
        """Nodes of the smallest rules, stretch by stretch, that integrate all products of what is integrated."""
        found: list[_Section] = []
        for start, end in self._stretches():
            for x, weight in self._rule(start, end):
                before = found[-1] if found else _Section(mp.mpf(0), mp.mpf(0), zero_matrix(self.size, self.size))
                found.append(_Section(x, weight, self._shortening(before.x, x, before)))
        return found

    def _stretches(self) -> list[tuple[Real, Real]]:
        flexible = self.flexible
        profiles = [flexible.mass_per_length, *(flexible.section_inertia or ())]
        profiles += [modes.stiffness for modes in flexible.modes]
        marks = {mp.mpf(end) for profile in profiles for end in profile.ends}
        marks |= {mp.mpf(end) for family in self.families for shape in family.shapes for end in shape.ends}
        inner = sorted(mark for mark in marks if 0 < mark < self.length)
        return list(zip([mp.mpf(0), *inner], [*inner, self.length], strict=True))

    def _rule(self, start: Real, end: Real) -> Rule:
        def integrands(x: Real) -> list[Real]:
            density = profile_at(self.flexible.mass_per_length, x)
            found = [density, density * x**2]
            for family in self.families:
                stiffness = profile_at(family.modes.stiffness, x)
                shapes, strains = family.values(x, 0), family.values(x, strain_order(family))
                found += [density * left * right for left in shapes for right in (mp.mpf(1), x, *shapes)]
                found += [stiffness * left * right for left in strains for right in strains]
                if self.flexible.stiffening:  # what bending takes from the length enters the kinetic energy squared
                    found += [density * slope**4 for slope in family.values(x, 1)]
            for profile in self.flexible.section_inertia or ():
                moment = profile_at(profile, x)
                found.append(moment)
                for family in self.families:
                    if family.modes.direction is Direction.TORSION:
                        power = 4 if self.flexible.stiffening else 2
                        found += [moment * twist**power for twist in family.values(x, 0)]
            return found

        return settled_rule(start, end, integrands, "the flexible link's shapes, mass or stiffness")

    def _shortening(self, start: Real, end: Real, before: _Section) -> Rows:
        """The integral of s_k' s_l' from the root to ``end``, for coordinates of the same bending direction."""
        if not self.flexible.stiffening:
            return []
        found = [list(row) for row in before.shortening]
        for x, weight in rule(start, end, _BETWEEN):
            for family, first in zip(self.families, self.firsts, strict=True):
                if family.modes.direction in BENDING:
                    slopes = family.values(x, 1)
                    for k, left in enumerate(slopes, first):
                        for j, right in enumerate(slopes, first):
                            found[k][j] += weight * left * right
        return found

    def _points(self, section: _Section) -> list[MassPoint]:
        mass = section.weight * profile_at(self.flexible.mass_per_length, section.x)
        found = [self._center(section.x, mass, section.shortening)]
        if self.flexible.section_inertia is not None:
            twists = [mp.mpf(0)] * self.size
            for family, first in zip(self.families, self.firsts, strict=True):
                if family.modes.direction is Direction.TORSION:
                    values = family.values(section.x, 0)
                    twists[first : first + len(values)] = values
            along_y, along_z = (
                section.weight * profile_at(profile, section.x) for profile in self.flexible.section_inertia
            )
            zero = mp.mpf(0)
            turned_y = tuple([zero, zero, twist] for twist in twists)
            turned_z = tuple([zero, -twist, zero] for twist in twists)
            # an arm that turns by theta keeps cos theta = 1 - theta^2 / 2 of its direction
            turns = self.flexible.stiffening and any(twists)
            square = [[left * right for right in twists] for left in twists] if turns else []
            for moment, arm, turned in (
                (along_y, vector((0, 1, 0)), turned_y),
                (along_z, vector((0, 0, 1)), turned_z),
            ):
                found.append(MassPoint(moment, arm, turned, square, inward=arm, arm=True))
        return found

    def _center(self, x: Real, mass: Real, shortening: Rows) -> MassPoint:
        """The centre of a section."""
        shapes: list[Vector] = []
        for family in self.families:
            axis = {**BENDING, Direction.AXIAL: 0}.get(family.modes.direction)
            for value in family.values(x, 0):
                shapes.append([value if place == axis else mp.mpf(0) for place in range(3)])
        return MassPoint(mass, [x, mp.mpf(0), mp.mpf(0)], tuple(shapes), shortening)

    def _turns(self, x: Real) -> list[Vector]:
        """The rotation vector of a section per unit of each coordinate."""
        zero, found = mp.mpf(0), []
        for family in self.families:
            match family.modes.direction:
                case Direction.BEND_Y:
                    found += [[zero, zero, slope] for slope in family.values(x, 1)]
                case Direction.BEND_Z:
                    found += [[zero, -slope, zero] for slope in family.values(x, 1)]
                case Direction.TORSION:
                    found += [[twist, zero, zero] for twist in family.values(x, 0)]
                case _:
                    found += [[zero, zero, zero] for _ in family.values(x, 0)]
        return found

    def _hub(self) -> list[MassPoint]:
        """Arms at the root along the beam's axes, which stand still there: the link turns as the root section does."""
        total = mp.fsum(self.flexible.hub_inertia)
        still = tuple(vector((0, 0, 0)) for _ in range(self.size))
        found = []
        for axis, moment in enumerate(self.flexible.hub_inertia):
            second = total / 2 - mp.mpf(moment)  # below zero for a hub that has a moment about one axis alone
            if second:
                along = vector([place == axis for place in range(3)])
                found.append(MassPoint(second, along, still, [], arm=True))
        return found
