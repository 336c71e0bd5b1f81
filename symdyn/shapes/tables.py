"""What is computed of rods once, as tables of numbers: models hold these, and reading one back needs no SymPy."""

from __future__ import annotations

from dataclasses import dataclass

from symdyn.shapes.integrals import Square


@dataclass(frozen=True, slots=True)
class SectionEnergy:
    """Points of a rod's matter.

    Attributes
    ----------
    moved
        Per coordinate of the strain the rows that it moves, the linear ones first.
    shapes
        How many shapes there are.
    points
        Per point two weights, those of tr(E)^2/2 and of E:E [J]; y and z at rest [m]; per strain coordinate its values
        for the rows that it moves; per shape s (y, z), ds/dx, ds/dy and ds/dz.
    """

    moved: tuple[tuple[int, ...], ...]
    shapes: int
    points: tuple[tuple[float, ...], ...]

    @property
    def width(self) -> int:
        """Scalars of a point."""
        return 4 + sum(map(len, self.moved)) + 8 * self.shapes


@dataclass(frozen=True, slots=True)
class RodStepTable:
    """One step along a rod, from a node or from the step before to ``end`` [m], and the node there.

    Attributes
    ----------
    length
        Of the step [m].
    functions
        Per Gauss point and coordinate the values of the functions, one per row that the coordinate moves.
    reference
        Per Gauss point the strain at rest, six rows.
    mass
        Of the node: quadrature weight times mass per length [kg]; 0 where it weighs nothing.
    inertia
        Of the node about x, y and z [kg m^2], likewise.
    point
        Whether it leads aside, from the last station before to a mass point of its section, and nothing goes on there.
    across
        y and z of a point at rest [m] of a section that gets thinner as the rod stretches; ``functions`` have nothing
        of it.
    stretch
        Per coordinate what it adds to the length there, relative to that at rest; empty where sections do not follow.
    """

    length: float
    end: float
    functions: tuple[tuple[tuple[float, ...], ...], ...]
    reference: tuple[tuple[float, ...], ...]
    mass: float
    inertia: tuple[float, float, float]
    point: bool = False
    across: tuple[float, float] = (0.0, 0.0)
    stretch: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class RodTables:
    """All that dynamics needs to know of a rod, in its own frame: x along the rod at its root.

    Strains have six rows: stretch, shear_y, shear_z, twist, curvature_y, curvature_z.

    Attributes
    ----------
    names
        Of the coordinates: ``curvature_y[0]``, or what a coupled one is called.
    units
        Of the coordinates: ``rad`` or ``1``.
    moved
        Per coordinate the rows of the strain that it moves.
    steps
        From the root to the tip.
    order
        Of the Magnus expansion: 2, 4 or 6, with 1, 2 or 3 Gauss points per step.
    mass
        Of all nodes [kg].
    density
        Of the matter [kg/m^3], to which all masses are proportional.
    stiffness, damping
        Of the coordinates, (n, n), integrated along the rod to rounding and not at its nodes.
    condition
        Condition number of the stiffness, all coordinates scaled to one of 1.
    energy
        Points of the matter whose energy is that of the rod, if it is not K's; K is then that at rest.
    """

    names: tuple[str, ...]
    units: tuple[str, ...]
    moved: tuple[tuple[int, ...], ...]
    steps: tuple[RodStepTable, ...]
    order: int
    mass: float
    density: float
    stiffness: Square
    damping: Square
    condition: float
    energy: SectionEnergy | None = None

    @property
    def chain(self) -> tuple[int, ...]:
        """Which steps lead on along the rod; the others lead to mass points of a section that deforms."""
        return tuple(number for number, step in enumerate(self.steps) if not step.point)

    def before(self, number: int) -> int:
        """The step at whose end one begins; -1 at the root."""
        return next((k for k in reversed(range(number)) if not self.steps[k].point), -1)


@dataclass(frozen=True, slots=True)
class RodNode:
    """The strain at a station, on the side of the root.

    Attributes
    ----------
    x
        Its place along the rod [m].
    step
        The last step before it, counted from 0 over the whole rod.
    functions
        Per coordinate a value for each row that the coordinate moves.
    reference
        The six rows at rest, the linear ones first.
    """

    x: float
    step: int
    functions: tuple[tuple[float, ...], ...]
    reference: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class StrandTable:
    """The vectors t of a tendon at points along a rod, each times its weight [m]: rows of ``rest + slopes . q``.

    Attributes
    ----------
    entries
        (component of t, coordinate) wherever a slope is not zero at all points.
    rests
        Components of t that are not zero at all points with all coordinates 0.
    points
        Per point the slopes of ``entries``, then the values of ``rests``.
    following
        In sections that deform, what the rows are and which numbers come last; see ``shapes.following``.
    """

    entries: tuple[tuple[int, int], ...]
    rests: tuple[int, ...]
    points: tuple[tuple[float, ...], ...]
    following: str = ""


@dataclass(frozen=True, slots=True)
class ChamberTable:
    """A volume [m^3], ``rest + slopes . q``, and products of coordinates where sections deform.

    ``products`` has the coordinates that are multiplied, two or more in ascending order, and the factor.
    """

    rest: float
    slopes: tuple[float, ...]
    products: tuple[tuple[tuple[int, ...], float], ...] = ()
    following: StrandTable | None = None
    """Where sections get thinner as the rod stretches: its points, of which the volume is a sum."""
