"""What the user said about what drives a robot: actuators of joints, tendons and chambers along soft links."""

from __future__ import annotations

from dataclasses import dataclass, field


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
class JointActuator:
    """A motor or servo with a gear, with the force (g0 + g1 l + g2 l') u + b0 + b1 l + b2 l'.

    l is a sum of factors times coordinates of ``joints``, and their rows of tau get the force times their factors. A
    ball joint has three factors, along the axes of its velocity, and then l' alone. ``bias`` holds b0, b1 and b2: those
    of a position servo are (0, -kp, -kv), with the ``gain`` (kp, 0, 0). A damper has the gain (0, 0, -kv).
    """

    name: str
    joints: tuple[tuple[str, tuple[float, ...]], ...]
    gain: tuple[float, float, float] = (1.0, 0.0, 0.0)
    bias: tuple[float, float, float] = (0.0, 0.0, 0.0)
    line: int | None = field(default=None, compare=False)


Driver = str | RestStrain | JointActuator
"""What has inputs."""


@dataclass(frozen=True, slots=True)
class Actuation:
    """Tendons, chambers, and the ``actuators`` in the order of the inputs.

    These are names of joints, tendons and chambers, rest strains, and actuators of joints by a law of their own.
    ``absent`` tells of actuators that the robot has besides, and symdyn has not: inputs are not known then.
    """

    tendons: tuple[Tendon, ...] = ()
    chambers: tuple[Chamber, ...] = ()
    actuators: tuple[Driver, ...] = ()
    absent: tuple[str, ...] = ()
