"""How a file says that a link looks: shapes for viewers, of which dynamics knows nothing."""

from __future__ import annotations

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
