"""What the user said about what drives a robot besides motors on joints: tendons and chambers along soft links."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Strand:
    """The part of a tendon that runs along one soft link, from ``start`` to ``end`` [m] from the root.

    ``y`` and ``z`` are expressions in ``x`` [m]: where it crosses the section, in the section's axes [m].
    """

    link: str
    y: str
    z: str
    start: float
    end: float


@dataclass(frozen=True, slots=True)
class Tendon:
    """A cable without friction that is anchored where its last strand ends; its tension [N] pulls it towards the first.

    Its length [m] is that of all strands. What lies between two of them is taken to have a constant length.
    """

    name: str
    strands: tuple[Strand, ...]
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Chamber:
    """A chamber inside one soft link, from ``start`` to ``end`` [m] from the root, whose walls move with the sections.

    ``area`` [m^2] and its first moments ``moment_y`` and ``moment_z`` [m^3], the integrals of y and of z over it, are
    expressions in ``x`` [m]. Its pressure [Pa] is that above the pressure outside.

    In a rod whose sections deform they are those of the sections at rest, and it moves with the matter around it. It
    lies between two ``angles`` [rad], below ``skin`` of matter, and is ``wall`` deep: expressions in ``x`` [m].
    """

    name: str
    link: str
    area: str
    moment_y: str
    moment_z: str
    start: float
    end: float
    line: int | None = None
    skin: str = "0"
    wall: str = ""
    angles: tuple[float, float] = (0.0, 0.0)

    def radii(self, radius: str) -> tuple[str, str]:
        """Where it lies in a section of an outer radius: its own outer and inner radius, expressions in ``x`` [m]."""
        outer = f"({radius}) - ({self.skin})"
        return outer, f"{outer} - ({self.wall})"


@dataclass(frozen=True, slots=True)
class RestStrain:
    """The strain that a soft link has where nothing pulls, as an input: growth, swelling, muscles inside its matter.

    ``of`` names a soft link, one of its strains or one coordinate: ``arm``, ``arm.curvature_z``,
    ``arm.curvature_z[0]``. There is an input per coordinate: how far it rests from ``reference``.
    """

    of: str

    def names(self, coordinate: str, link: str) -> bool:
        """Whether it means a coordinate, ``arm.curvature_z[0]``, of a link."""
        return self.of in (link, coordinate, coordinate.partition("[")[0])


@dataclass(frozen=True, slots=True)
class Actuation:
    """Tendons, chambers, and the ``actuators`` in the order of the inputs.

    These are names of joints, tendons and chambers, and rest strains.
    """

    tendons: tuple[Tendon, ...] = ()
    chambers: tuple[Chamber, ...] = ()
    actuators: tuple[str | RestStrain, ...] = ()
