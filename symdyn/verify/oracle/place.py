"""A joint with its rows of q and v, among them what lies between a link that bends and its tip."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mpmath import mp

from symdyn.description.mapped import Mapped
from symdyn.description.robot import Flexible, Joint, JointKind
from symdyn.description.soft import Soft
from symdyn.errors import ModelError
from symdyn.verify.base.curves import rows
from symdyn.verify.base.matrices import Real, Vector
from symdyn.verify.oracle.beam import Beam
from symdyn.verify.oracle.beam_points import beam_of
from symdyn.verify.oracle.rod import Rod, rod_of

WORLD = ""
"""Parent of the root link: no link of the description, because names are never empty."""


@dataclass(frozen=True, slots=True)
class Place:
    """A joint in public order.

    ``locked`` holds the coordinates of a joint that does not move. A joint that moves has its rows of q at ``q_row``
    and of v at ``v_row``, unless it mimics others: then its one coordinate is ``offset`` and the sum over ``leads``,
    rows of q and of v with a multiplier. ``body`` is the public index of the child's moving body, -1 for the ground;
    ``names_body`` says whether the child is the link that names it. The motor of an elastic joint has the row after the
    link's.

    What lies between a link that bends and its tip counts as a joint too, with ``flexible``, ``soft`` or ``mapped`` and
    rows that behave as those of a joint that slides.
    """

    joint: Joint
    locked: tuple[Real, ...] | None
    q_row: int
    v_row: int
    leads: tuple[tuple[int, int, Real], ...]
    offset: Real
    body: int
    names_body: bool
    flexible: Flexible | None = None
    soft: Soft | None = None
    mapped: Mapped | None = None
    mujoco: bool = False
    """Whether quaternions and velocities of free joints are those of MuJoCo's convention."""

    @property
    def bends(self) -> bool:
        """Whether it is no joint but what lies between a link and its tip."""
        return self.shape is not None

    @property
    def shape(self) -> Flexible | Soft | Mapped | None:
        """What bends between a link and its tip."""
        return self.flexible or self.soft or self.mapped

    @property
    def map(self) -> Mapped:
        """The body given by its map.

        Raises
        ------
        ModelError
            A joint that is none.
        """
        if self.mapped is None:
            raise ModelError(f"joint '{self.joint.name}' is no body given by its map")
        return self.mapped

    @property
    def beam(self) -> Beam:
        """The beam of a link that bends.

        Raises
        ------
        ModelError
            A joint that is no beam.
        """
        if self.flexible is None:
            raise ModelError(f"joint '{self.joint.name}' is no flexible link")
        return beam_of(self.flexible)

    @property
    def rod(self) -> Rod:
        """The rod of a soft link.

        Raises
        ------
        ModelError
            A joint that is no rod, or a rod whose stations are yet to be found.
        """
        if self.soft is None:
            raise ModelError(f"joint '{self.joint.name}' is no soft link")
        if self.soft.stations is None:
            raise ModelError(f"soft link '{self.joint.parent}': expected its number of stations; give 'stations'")
        return rod_of(self.soft)

    @property
    def steepest(self) -> tuple[Real, ...]:
        """How far one unit of each coordinate of what bends turns a section, at the most [rad]."""
        if self.mapped is not None:
            return (mp.mpf(0),) * len(self.mapped.rows)
        return self.rod.steepest if self.soft is not None else self.beam.steepest

    @property
    def rows(self) -> tuple[int, int]:
        """Rows of q and v, without those of a motor."""
        return place_rows(self.joint, self.shape)

    @property
    def owns_rows(self) -> bool:
        """Whether it moves by coordinates of its own."""
        return self.locked is None and self.joint.mimic is None and self.joint.kind is not JointKind.FIXED

    @property
    def implicit(self) -> bool:
        """Whether it is the floating base's joint, which no file declares."""
        return self.joint.parent == WORLD

    def coordinates(self, q: Sequence[Real]) -> Vector:
        """The joint's own coordinates."""
        if self.locked is not None:
            return list(self.locked)
        if self.joint.mimic is not None:
            return [self.offset + mp.fsum(multiplier * q[row] for row, _, multiplier in self.leads)]
        return list(q[self.q_row : self.q_row + self.rows[0]])

    def velocities(self, v: Sequence[Real]) -> Vector:
        """The joint's own velocity rows, or their rates for rates."""
        if self.locked is not None:
            return [mp.mpf(0)] * self.rows[1]
        if self.joint.mimic is not None:
            return [mp.fsum(multiplier * v[row] for _, row, multiplier in self.leads)]
        return list(v[self.v_row : self.v_row + self.rows[1]])

    def moved_by(self, own: int) -> tuple[tuple[int, Real], ...]:
        """The rows of v that move one of the joint's own rows, each with how fast it does."""
        if self.joint.mimic is not None:
            return tuple((row, multiplier) for _, row, multiplier in self.leads)
        return ((self.v_row + own, mp.mpf(1)),)


def place_rows(joint: Joint, bends: Flexible | Soft | Mapped | None) -> tuple[int, int]:
    """Rows of q and v of a joint, or of what bends."""
    if bends is None:
        return rows(joint.kind)
    if isinstance(bends, Mapped):
        return len(bends.rows), len(bends.rows)
    size = bends.coordinates if isinstance(bends, Soft) else sum(modes.count for modes in bends.modes)
    return size, size
