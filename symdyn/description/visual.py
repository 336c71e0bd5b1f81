"""How a file says that a link looks: shapes for viewers, of which dynamics knows nothing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from symdyn.description.quantities.placement import Placement


@dataclass(frozen=True, slots=True)
class Visual:
    """A shape in a link's frame: a ``mesh``, ``box``, ``cylinder`` (along z), ``sphere`` or ``ellipsoid``.

    ``size`` are the factors of a mesh along x, y and z, the sides of a box, radius and length of a cylinder, the
    radius of a sphere, or the half axes of an ellipsoid [m]. ``address`` is where a mesh is, in the file's words:
    nothing has been opened. ``fault`` says what cannot be read of it; nothing else of such a shape is known.
    """

    shape: str
    size: tuple[float, ...] = ()
    placement: Placement = field(default_factory=Placement)
    address: str = ""
    fault: str = ""


def capsule(radius: float, length: float, at: Placement) -> Iterator[Visual]:
    """The shapes of a capsule, whose cylinder has this length, along z of a placement that is a number."""
    yield Visual("cylinder", (radius, length), at)
    for half in (-length / 2.0, length / 2.0):
        x, y, z = (float(start) + row[2] * half for start, row in zip(at.translation, at.rotation, strict=True))  # type: ignore[arg-type]
        yield Visual("sphere", (radius,), Placement((x, y, z), at.rotation))
