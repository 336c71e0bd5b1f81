"""What the user said about a body given by its map: where each of its points is, as expressions of its coordinates."""

from __future__ import annotations

from dataclasses import dataclass

from symdyn.description.quantities.placement import Number

MATERIAL = ("s1", "s2", "s3")
"""Names of the material coordinates in expressions."""
MOST_COORDINATES = 24
MOST_POINTS = 1024
"""Of all three quadratures together, and of one of them."""
COORDINATE_UNITS = ("m", "rad", "1")


@dataclass(frozen=True, slots=True)
class Mapped:
    """A body whose points are where a map puts them (Pustina et al., section II).

    Expressions are plain text that was checked. They may hold ``s1``, ``s2`` and ``s3``, which say which point of the
    matter is meant, and the ``coordinates``. ``map`` gives the place of that point in the link's frame [m]. At rest all
    coordinates are 0. ``domain`` are the ends of s1, s2 and s3. They need not be lengths: the volume at rest is the
    integral of the determinant of the map's slopes by them.

    ``density`` [kg/m^3] is that at rest. ``quadrature`` are numbers of Gauss points along s1, s2 and s3. The model is
    the body as these points see it: all its mass sits there.

    ``energy`` [J] is an expression of the coordinates, and ``energy_density`` [J/m^3], per volume at rest, one of s1,
    s2 and s3 too; it is summed over the same points. Both may be empty. ``damping`` has a number per coordinate: its
    force by its rate. Density and damping may rest on run-time parameters, and so may energies: these hold the names in
    ``parameters`` too.

    The map fixes the point ``root``, and does not turn the matter there. ``tip`` is the point that carries the link's
    children, in a frame that stays parallel to the link's. If ``tip_turns``, it follows the tangents of the matter
    along s1 and s2 there: one axis is that of s1, one in the plane of both. At rest it is parallel to the link's.
    """

    map: tuple[str, str, str]
    coordinates: tuple[tuple[str, str], ...]
    """Names, with their units m, rad or 1."""
    domain: tuple[tuple[float, float], tuple[float, float], tuple[float, float]]
    density: Number
    quadrature: tuple[int, int, int] = (4, 4, 4)
    energy: str = ""
    energy_density: str = ""
    damping: tuple[Number, ...] = ()
    """Nothing, or one for each coordinate."""
    root: tuple[float, float, float] = (0.0, 0.0, 0.0)
    tip: tuple[float, float, float] | None = None
    """The middle of the domain if left out."""
    parameters: tuple[str, ...] = ()
    """Names of run-time parameters of the robot that energies hold."""
    tip_turns: bool = False
    """Whether the tip's frame turns with the matter."""

    @property
    def rows(self) -> tuple[str, ...]:
        """Names of the coordinates."""
        return tuple(name for name, _ in self.coordinates)

    @property
    def energies(self) -> tuple[str, str]:
        """That of the whole body, and that of its points."""
        return self.energy, self.energy_density

    @property
    def end(self) -> tuple[float, float, float]:
        """The material coordinates of the tip."""
        if self.tip is not None:
            return self.tip
        a, b, c = ((start + end) / 2 for start, end in self.domain)
        return a, b, c
