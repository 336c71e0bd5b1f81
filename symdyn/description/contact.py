"""Contact of spheres on a robot with surfaces that rest in the world."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from symdyn.description.external_loads import Along, Site
from symdyn.description.quantities.placement import Number

if TYPE_CHECKING:
    from symdyn.description.robot import RobotDescription
    from symdyn.description.soft import Soft

SHAPES = ("plane", "cylinder", "sphere")
EXPONENTS = tuple(half / 2 for half in range(2, 25))
"""Of the depth, from 1 to 12 in halves: whole powers and a root, which round alike everywhere."""
Triple = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class Surface:
    """A plane, a cylinder or a sphere in the world.

    ``point`` [m] is on the plane or on the cylinder's axis, or is the sphere's centre; ``axis`` has length one and
    points out of the plane's matter, or along the cylinder. The robot is ``inside`` a cylinder or sphere, or outside.
    """

    shape: str
    point: Triple = (0.0, 0.0, 0.0)
    axis: Triple = (0.0, 0.0, 1.0)
    radius: float = 0.0
    inside: bool = False


@dataclass(frozen=True, slots=True)
class Contact(Along):
    """A penalty where a sphere of ``radius`` [m] is deeper than 0 in the matter beyond a surface.

    The normal force is N = stiffness depth^exponent (1 + damping depth'), the tangential one friction N against the
    velocity v of the point of contact, smoothed as v / sqrt(v . v + velocity_scale^2). Along a soft link spheres
    stand at the stations, or at points from ``start`` to ``end`` [m], and the stiffness is per metre at rest; a
    radius of None is that of the sections, or of the one in which a single sphere stands.
    """

    key = "contacts"
    word = "contact"
    words = "a contact"
    title = "contacts (normal force = stiffness depth^exponent (1 + damping depth'))"
    strengths = ("stiffness",)
    name: str
    site: Site
    surface: Surface
    stiffness: Number
    exponent: float = 1.5
    damping: Number = 0.0
    friction: Number = 0.0
    velocity_scale: float = 0.01
    radius: float | None = 0.0
    along: bool = False
    line: int | None = field(default=None, compare=False)
    start: float | None = None
    end: float | None = None

    @property
    def numbers(self) -> dict[str, Number]:
        """Stiffness, damping and friction."""
        return {"stiffness": self.stiffness, "damping": self.damping, "friction": self.friction}

    def units(self, slides: bool) -> dict[str, str]:
        """Units of its numbers."""
        power = self.exponent + self.along
        return {"stiffness": f"N/m^{power:g}", "damping": "s/m", "friction": "1"}

    @property
    def smooth(self) -> float:
        """The most derivatives that exist where contact begins."""
        return self.exponent - 1.0

    def smoother(self, order: int) -> str:
        """A higher exponent."""
        return f"give it an exponent of {order + 1} or more"

    def acts(self, constants: Mapping[str, Any]) -> bool:
        """Whether it has a stiffness."""
        return bool(constants["stiffness"] != 0.0)

    @property
    def sites(self) -> tuple[Site, ...]:
        """The centre of its sphere."""
        return () if self.along else (self.site,)

    @property
    def rod(self) -> str:
        """The soft link at whose stations spheres are."""
        return self.site.link if self.along else ""


def gauged_rods(robot: RobotDescription) -> Iterator[str]:
    """The links of whose sections a contact asks for the radius."""
    for acting in robot.acting:
        if isinstance(acting, Contact) and acting.radius is None:
            frames = {frame.name: frame.link for frame in robot.frames} | robot.tips
            yield frames[acting.site.frame] if acting.site.frame else acting.site.link


def rod_at(robot: RobotDescription, site: Site) -> tuple[Soft, float] | None:
    """The rod that a place, or its frame, stands on, and how far from the root [m]; None on other links."""
    name, at = robot.tips.get(site.frame, site.link), site.at
    for frame in robot.frames if site.frame else ():
        if frame.name == site.frame:
            name, at = frame.link, frame.at
    soft = next((link.soft for link in robot.links if link.name == name), None)
    if soft is None:
        return None
    if isinstance(at, float):
        return soft, at
    return soft, soft.length if at.moves else 0.0
