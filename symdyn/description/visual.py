"""How a file says that a link looks: shapes for viewers, of which dynamics knows nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from symdyn.description.quantities.placement import Placement

Colour = tuple[float, float, float, float]
"""Red, green, blue and opacity, from 0 to 1."""


def clear_colour(numbers: Sequence[float]) -> Colour:
    """A colour of four numbers; what exceeds 0 or 1 is cut off, as viewers do."""
    red, green, blue, opacity = (min(max(float(own), 0.0), 1.0) for own in numbers)
    return red, green, blue, opacity


@dataclass(frozen=True, slots=True)
class Visual:
    """A shape in a link's frame: a ``mesh``, ``box``, ``cylinder`` (along z), ``sphere`` or ``ellipsoid``.

    ``size`` are the factors of a mesh along x, y and z, the sides of a box, radius and length of a cylinder, the
    radius of a sphere, or the half axes of an ellipsoid [m]. ``address`` is where a mesh is, in the file's words:
    nothing has been opened. ``fault`` says what cannot be read of it; nothing else of such a shape is known.
    ``colour`` is red, green, blue and opacity from 0 to 1; None where the file has none.
    """

    shape: str
    size: tuple[float, ...] = ()
    placement: Placement = field(default_factory=Placement)
    address: str = ""
    fault: str = ""
    colour: Colour | None = None


def capsule(radius: float, length: float, at: Placement) -> Iterator[Visual]:
    """The shapes of a capsule, whose cylinder has this length, along z of a placement that is a number."""
    yield Visual("cylinder", (radius, length), at)
    for half in (-length / 2.0, length / 2.0):
        x, y, z = (float(start) + row[2] * half for start, row in zip(at.translation, at.rotation, strict=True))  # type: ignore[arg-type]
        yield Visual("sphere", (radius,), Placement((x, y, z), at.rotation))
