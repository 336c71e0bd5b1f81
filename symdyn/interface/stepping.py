"""Steppers that are asked for: methods, which functions they call, and how coordinates change; it imports no room."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from symdyn.interface.contact_solving import SetKind

RK4, DOP853, TAYLOR, GENERALISED_ALPHA = "rk4", "dop853", "taylor", "generalised-alpha"
METHODS = (RK4, DOP853, TAYLOR, GENERALISED_ALPHA)
CONTACTS = "contacts"
"""The method of robots with rigid contacts."""
SEMI_IMPLICIT_EULER = "semi_implicit_euler"
IMPLICIT_EULER, IMPLICIT_MIDPOINT = "implicit_euler", "implicit_midpoint"
SDIRK2 = "sdirk2"
IMPLICIT_STEPS = {IMPLICIT_EULER: 1.0, IMPLICIT_MIDPOINT: 0.5}
"""Methods of one step that take an acceleration, each with its theta: where in the step forces are met."""
STEP_METHODS = (SEMI_IMPLICIT_EULER, *IMPLICIT_STEPS, SDIRK2, RK4)
"""Methods of the functions of one step, which have derivatives."""
ADAPTIVE = (DOP853, TAYLOR)
"""Methods that choose their steps by tolerances."""
REMEMBERING = (GENERALISED_ALPHA, CONTACTS)
"""Methods that carry accelerations or impulses from step to step."""
FOLLOWING = (GENERALISED_ALPHA,)
"""Methods that take prescribed joints."""


class Rates(StrEnum):
    """How rows of q change with rows of v."""

    EQUAL = "equal"
    """q' = v, row by row."""
    SPHERICAL = "spherical"
    """A quaternion (x, y, z, w) with its angular velocity in the turned axes: Q' = Q (v, 0) / 2."""
    FREE = "free"
    """A position and a quaternion, with (v; omega) in the body's axes."""
    FREE_SPATIAL = "free_spatial"
    """The same with (omega; v) in the fixed axes, v of the point at their origin."""
    SPHERICAL_MUJOCO = "spherical_mujoco"
    """A quaternion (w, x, y, z) with its angular velocity in the turned axes."""
    FREE_MUJOCO = "free_mujoco"
    """A position and such a quaternion, with v in the fixed axes and omega in the body's."""
    PLANAR = "planar"
    """(x, y, theta) with (vx, vy, omega) in the body's axes."""


ROWS = {
    Rates.SPHERICAL: (4, 3),
    Rates.FREE: (7, 6),
    Rates.FREE_SPATIAL: (7, 6),
    Rates.SPHERICAL_MUJOCO: (4, 3),
    Rates.FREE_MUJOCO: (7, 6),
    Rates.PLANAR: (3, 3),
}
"""Rows of q and of v of coordinates whose rates are not equal to rows of v."""
QUATERNION_AT = {
    Rates.SPHERICAL: 0,
    Rates.FREE: 3,
    Rates.FREE_SPATIAL: 3,
    Rates.SPHERICAL_MUJOCO: 0,
    Rates.FREE_MUJOCO: 3,
}
"""Where the quaternion of such rows begins."""


@dataclass(frozen=True, slots=True)
class CoordinateRows:
    """Rows of q from ``q`` on that change with the rows of v from ``v`` on; ``count`` of each where rates are equal."""

    rates: Rates
    q: int
    v: int
    count: int = 0


@dataclass(frozen=True, slots=True)
class Impacting:
    """Impacts that are solved one pair of bodies after another.

    ``pairs`` numbers the pair of each contact; slower approaches than ``least`` [m/s or rad/s] are no impacts.
    """

    pairs: tuple[int, ...]
    least: float


@dataclass(frozen=True, slots=True)
class ContactSets:
    """Sets of the contact problem of a robot: so many contacts, then limits, dry joints and rows of loops.

    ``names`` of sets; at most ``most`` contacts are solved at once; ``allowed`` is the residual that is allowed per
    length of a step [N], and ``effort`` one of ``EFFORTS``. ``impacting`` is of robots whose impacts are solved one
    pair of bodies after another.
    """

    contacts: int
    limits: int
    dry: int
    loops: int
    names: tuple[str, ...]
    most: int
    allowed: float
    effort: str
    impacting: Impacting | None = None

    @property
    def kinds(self) -> tuple[SetKind, ...]:
        """The kind of each set."""
        counts = (self.contacts, SetKind.CONE), (self.limits, SetKind.NOT_NEGATIVE), (self.dry, SetKind.INTERVAL)
        return tuple(kind for count, kind in (*counts, (self.loops, SetKind.FREE)) for _ in range(count))

    @property
    def rows(self) -> int:
        """Rows of all sets."""
        return len(self.names) + 2 * self.contacts

    @property
    def solved_rows(self) -> int:
        """Rows of the largest problem that is solved."""
        return self.rows - 3 * max(0, self.contacts - self.most)


@dataclass(frozen=True, slots=True)
class Stepping:
    """What steppers of a robot are made of.

    ``methods`` in the order asked for; ``rows`` of all coordinates; ``looped`` where the robot has closed loops, which
    the functions of ``constraint_functions`` then tell of; ``added`` functions that nobody asked for by name;
    ``prescribed`` pairs of rows of q and v whose motion is given; ``least`` the squared lengths of slopes below which
    rows of loops vanish, 0 for rows that never do; ``touching`` where places of the robot may touch surfaces;
    ``crowded`` where loops have rows enough to hold their coordinates still, so that they move by rows alone that
    depend on each other; ``contacts`` the sets of rigid contacts, for the method of that name.
    """

    methods: tuple[str, ...]
    rows: tuple[CoordinateRows, ...]
    looped: bool
    added: tuple[str, ...] = ()
    prescribed: tuple[tuple[int, int], ...] = ()
    least: tuple[float, ...] = ()
    touching: bool = False
    crowded: bool = False
    contacts: ContactSets | None = None

    def acceleration(self, method: str) -> str:
        """The function that moves a robot by a method."""
        return acceleration(method, self.looped)


CONSTRAINT_FUNCTIONS = ("constraint_error", "constraint_jacobian")
"""Errors of closed loops, and their slopes in coordinates of v."""

CONTACT_FUNCTION = "contact_gaps"
"""Gaps of contacts, and how fast they change."""

CONTACT_SYSTEM = "contact_system"
"""The contact problem of a step, with what a solver needs beside it."""

CONTACT_FACTORS = "contact_factors"
"""The same by a root of the inverse of the mass matrix, as a stepper takes it."""

CONTACT_SLOPES = "contact_slopes"
"""What derivatives of such a step are made of: beside the stepper of contacts, this has its partials emitted."""

IMPLICIT_FUNCTIONS = ("implicit_residual", "implicit_jacobian")
"""What an implicit step leaves over, and the matrix of its Newton steps."""


def acceleration(method: str, looped: bool) -> str:
    """The function of the catalogue by which a method moves a robot with or without closed loops."""
    if method == GENERALISED_ALPHA:
        return IMPLICIT_FUNCTIONS[0]
    if method == CONTACTS:
        return CONTACT_FACTORS
    plain = "constrained_forward_dynamics" if looped else "forward_dynamics"
    return f"{plain}_time_derivatives" if method == TAYLOR else plain


def called(method: str, looped: bool, touching: bool) -> tuple[str, ...]:
    """The functions of the catalogue that a method calls."""
    implicit = IMPLICIT_FUNCTIONS if method == GENERALISED_ALPHA else (acceleration(method, looped),)
    gaps = (CONTACT_FUNCTION,) if touching and method != CONTACTS else ()
    return (*implicit, *(CONSTRAINT_FUNCTIONS if looped else ()), *gaps)
