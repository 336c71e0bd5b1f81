"""What weighs in a robot besides beams: the rigid parts of its links, and the sections of rods."""

from __future__ import annotations

from dataclasses import dataclass

from mpmath import mp

from symdyn.description.robot import Inertial, RobotDescription
from symdyn.verify.base.matrices import (
    Matrix,
    Real,
    Vector,
    VectorSeries,
    add,
    nearest_rotation,
    product,
    times,
    transpose,
    vector,
)
from symdyn.verify.oracle.motion import LinkMotion, RobotMotion
from symdyn.verify.oracle.quantities import Quantities

_MOMENTS = ("xx", "xy", "xz", "yy", "yz", "zz")


@dataclass(frozen=True, slots=True)
class RigidPart:
    """A rigid body with mass, in motion: ``center`` and the central ``inertia`` are in the axes of its frame."""

    name: str
    frame: LinkMotion
    mass: Real
    center: Vector
    inertia: Matrix
    bare: bool = False
    """Whether it is a mass point."""

    @property
    def centers(self) -> VectorSeries:
        """Its centre of mass in the world."""
        if not any(self.center):
            return self.frame.origin
        return [
            add(origin, times(turning, self.center))
            for origin, turning in zip(self.frame.origin, self.frame.rotation, strict=True)
        ]


def rigid_parts(description: RobotDescription, quantities: Quantities, motion: RobotMotion) -> list[RigidPart]:
    """The links with inertia, in the order of the file, then the sections of rods."""
    found = []
    for link in description.links:
        if link.inertial is not None:
            own = _link_inertial(quantities, link.name, link.inertial)
            found.append(RigidPart(link.name, motion.links[link.name], *own))
    for section in motion.sections:
        moments = [
            [moment if row == column else mp.mpf(0) for column in range(3)]
            for row, moment in enumerate(section.moments)
        ]
        own = section.mass, vector((0, 0, 0)), moments
        found.append(RigidPart(section.name, motion.links[section.name], *own, bare=not any(section.moments)))
    return found


def _link_inertial(quantities: Quantities, link: str, inertial: Inertial) -> tuple[Real, Vector, Matrix]:
    """Mass, centre of mass and central inertia, both in link axes."""
    center = quantities.all(inertial.placement.translation, f"{link}.com", "xyz")
    xx, xy, xz, yy, yz, zz = quantities.all(inertial.moments, f"{link}.inertia", _MOMENTS)
    turned = nearest_rotation([vector(row) for row in inertial.placement.rotation])
    moments = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]
    return quantities(inertial.mass, f"{link}.mass"), center, product(product(turned, moments), transpose(turned))
