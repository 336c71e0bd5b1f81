"""A rod as its quadrature sees it: sections with mass at its stations, steps from one to the next, springs.

The model of a soft link is this chain of sections, and no integral over the rod: only springs and dampers are
integrated. All of it follows from the description alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from mpmath import mp

from symdyn.description.soft import GREEN_LAGRANGE, Soft
from symdyn.errors import VerificationError
from symdyn.verify.base.dense import Rows, zero_matrix
from symdyn.verify.base.matrices import Real, Vector
from symdyn.verify.base.quadrature import rule, settled_rule
from symdyn.verify.oracle.rod_energy import section_stiffness
from symdyn.verify.oracle.rod_section import section_at, value_at
from symdyn.verify.oracle.rod_shapes import ShapePoint, around, change_of_radius, shape_gram, shape_points
from symdyn.verify.oracle.rod_strains import reference_strain, strain_columns
from symdyn.verify.oracle.rod_thinning import stretch_columns, thin_points

_DIGITS = 55
"""More than the oracle has."""
_INTEGRAL = mp.mpf(10) ** -40
_PARTS = 8
"""Of a rod, at the least, when springs are integrated: narrow functions need short intervals."""
_COLLOCATION = {2: 1, 4: 2, 6: 3}
"""Points of a step by the order of its Magnus expansion."""


@dataclass(frozen=True, slots=True)
class Collocation:
    """The strains at a point of a step: ``columns`` per unit of each coordinate, besides those of ``reference``."""

    reference: Vector
    columns: list[Vector]


@dataclass(frozen=True, slots=True)
class RodStep:
    """An exponential: its length [m], and the points at which it looks at the strains."""

    length: Real
    points: tuple[Collocation, ...]


@dataclass(frozen=True, slots=True)
class RodNode:
    """The end of some steps, ``x`` from the root, and what weighs there per unit of density.

    ``mass`` is 0 where nothing does: at breaks, and at the tip. ``moments`` are central, about the section's axes.
    ``weight`` [m] is that of the quadrature.
    """

    x: Real
    weight: Real
    mass: Real
    moments: Vector
    steps: tuple[RodStep, ...]
    points: tuple[ShapePoint, ...] = ()
    gauge: ShapePoint | None = None
    """What weighs in place of the section where that deforms."""


@dataclass(frozen=True, slots=True, eq=False)
class Rod:
    """A rod: nodes from the first one after the root to the tip, and the matrices of its springs and dampers, (n, n).

    ``stiffness`` is per unit of Young's modulus, ``viscous`` per unit of viscosity. ``steepest`` is how far one unit of
    each coordinate turns a section of the straight rod at the most [rad], and ``sharpest`` the same of one step;
    ``longest`` is the largest linear strain that it makes. ``bent`` is the largest turn of a step of the reference
    shape [rad].
    """

    nodes: tuple[RodNode, ...]
    stiffness: Rows
    viscous: Rows
    steepest: tuple[Real, ...]
    sharpest: tuple[Real, ...]
    longest: tuple[Real, ...]
    bent: Real
    widest: tuple[Real, ...] = ()
    """How much one unit of each change of the radius does to it, relative to the radius."""

    @property
    def size(self) -> int:
        """Number of coordinates n."""
        return len(self.stiffness)

    @property
    def steps(self) -> tuple[RodStep, ...]:
        """All of them, from the root on."""
        return tuple(step for node in self.nodes for step in node.steps)


@cache
def rod_of(soft: Soft) -> Rod:
    """The rod of a soft link, to more digits than the oracle has.

    Raises
    ------
    VerificationError
        An unknown Magnus order, or functions that cannot be integrated.
    """
    with mp.workdps(_DIGITS):
        nodes = _nodes(soft)
        steps = [step for node in nodes for step in node.steps]
        stiffness, viscous = _springs(soft)
        size = len(stiffness)
        turns = [[_turn(step, coordinate) for step in steps] for coordinate in range(size)]
        points = [point for step in steps for point in step.points]
        return Rod(
            nodes,
            stiffness,
            viscous,
            tuple(mp.fsum(own) for own in turns),
            tuple(max(own) for own in turns),
            tuple(max(max(map(abs, point.columns[row][3:])) for point in points) for row in range(size)),
            max(step.length * max(mp.norm(point.reference[:3]) for point in step.points) for step in steps),
            tuple(max(_spread(node, own) for node in nodes) for own in range(len(soft.section_shapes))),
        )


def _spread(node: RodNode, shape: int) -> Real:
    most = max((mp.norm(point.place) for point in node.points), default=mp.mpf(1))
    return max((mp.norm(point.moved[shape]) for point in node.points), default=mp.mpf(0)) / most


def _nodes(soft: Soft) -> tuple[RodNode, ...]:
    assert soft.stations is not None
    if soft.magnus not in _COLLOCATION:
        raise VerificationError(f"soft link: expected Magnus order 2, 4 or 6, got {soft.magnus}")
    weights: list[tuple[Real, Real]] = []
    for start, end in pairwise(_marks(soft)):
        own = [*rule(start, end, soft.stations), (end, mp.mpf(0))]
        near = mp.mpf(soft.length) * mp.mpf(10) ** -12
        for mark in soft.marks:  # where frames stand, unless something stands there already
            if start < mark < end and all(abs(x - mark) > near for x, _ in own):
                own.append((mp.mpf(mark), mp.mpf(0)))
        weights += sorted(own)
    found, before = [], mp.mpf(0)
    for x, weight in weights:
        pace = (x - before) / soft.substeps
        steps = tuple(_step(soft, before + pace * place, pace) for place in range(soft.substeps))
        points = _points(soft, x) if weight else ()
        gauge = _gauge(soft, x) if soft.gauged else None
        found.append(RodNode(x, weight, *_weighing(soft, x, weight), steps, points, gauge))
        before = x
    return tuple(found)


def _points(soft: Soft, x: Real) -> tuple[ShapePoint, ...]:
    """What weighs in place of a section that deforms."""
    if soft.volume_preserving:
        return thin_points(soft, x)
    return shape_points(soft, x) if soft.section_shapes else ()


def _gauge(soft: Soft, x: Real) -> ShapePoint:
    """A place as far aside from the axis as the mean radius of the section is."""
    nothing, radius = mp.mpf(0), value_at(soft.section.radius, x)
    if soft.volume_preserving:
        return ShapePoint(nothing, [nothing, radius, nothing], (), tuple(stretch_columns(soft, x)))
    means = around(soft, lambda phi: [change_of_radius(own, x, phi) for own in soft.section_shapes])
    moved = tuple([nothing, own / (2 * mp.pi), nothing] for own in means)
    return ShapePoint(nothing, [nothing, radius, nothing], moved)


def _marks(soft: Soft) -> Vector:
    """Where pieces begin and end."""
    return [mp.mpf(0), *(mp.mpf(end) for end in soft.pieces)]


def _weighing(soft: Soft, x: Real, weight: Real) -> tuple[Real, Vector]:
    if not weight:
        return weight, [weight] * 3
    section = section_at(soft.section, x)
    moments = [section.about_y + section.about_z, section.about_y, section.about_z]
    return weight * section.area, [weight * moment for moment in moments]


def _step(soft: Soft, start: Real, length: Real) -> RodStep:
    points = rule(start, start + length, _COLLOCATION[soft.magnus])
    still = [[mp.mpf(0)] * 6 for _ in soft.section_shapes]
    return RodStep(
        length,
        tuple(Collocation(reference_strain(soft, x), [*strain_columns(soft, x), *still]) for x, _ in points),
    )


def _turn(step: RodStep, coordinate: int) -> Real:
    return step.length * max(mp.norm(point.columns[coordinate][:3]) for point in step.points)


def _springs(soft: Soft) -> tuple[Rows, Rows]:
    """The integrals of ``Phi^T Sigma Phi`` per unit of Young's modulus, and of the same with the viscosity's matrix."""
    size, own = soft.coordinates, soft.strain_coordinates
    pairs = [(row, other) for row in range(own) for other in range(row + 1)]

    def integrands(x: Real) -> Vector:
        section, columns = section_at(soft.section, x), strain_columns(soft, x)
        diagonals = section.moduli(soft.material, soft.section.shear_factors), section.losses
        return [_weighted(columns[row], diagonal, columns[other]) for diagonal in diagonals for row, other in pairs]

    totals = [mp.mpf(0)] * (2 * len(pairs))
    parts = -(-_PARTS // len(soft.pieces))
    for start, end in pairwise(_marks(soft)):
        marks = [start + (end - start) * place / parts for place in range(parts + 1)]
        for first, last in pairwise(marks):
            what = "the soft link's section or strain functions"
            for x, weight in settled_rule(first, last, integrands, what, _INTEGRAL):
                totals = [total + weight * value for total, value in zip(totals, integrands(x), strict=True)]
    stiffness, viscous = (zero_matrix(size, size) for _ in range(2))
    for matrix, values in ((stiffness, totals[: len(pairs)]), (viscous, totals[len(pairs) :])):
        for (row, other), value in zip(pairs, values, strict=True):
            matrix[row][other] = matrix[other][row] = value
    for row, entries in enumerate(shape_gram(soft) if soft.section_shapes else ()):
        for other, value in enumerate(entries):
            stiffness[own + row][own + other], viscous[own + row][own + other] = value, 3 * value
    if soft.section_law == GREEN_LAGRANGE:
        stiffness = section_stiffness(soft)  # that at rest, which losses are in proportion to
    return stiffness, viscous


def _weighted(left: Vector, diagonal: Vector, right: Vector) -> Real:
    return mp.fsum(a * b * c for a, b, c in zip(left, diagonal, right, strict=True) if a and c)
