"""Impulses of rows in sets: kinds of sets, and the bounds and numbers of the solver; it imports no room."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from symdyn.errors import RequestError
from symdyn.interface.signature import Argument

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    Array = NDArray[np.floating]


class SetKind(IntEnum):
    """The set in which an impulse lies; the values are those of the C code."""

    FREE = 0
    """All numbers: rows of closed loops."""
    NOT_NEGATIVE = 1
    """Limits of joints."""
    INTERVAL = 2
    """[-bound, bound]: dry friction of joints."""
    CONE = 3
    """Three rows t1, t2 and n with |lambda_t| <= mu lambda_n: contacts with friction."""

    @property
    def width(self) -> int:
        """Rows of such a set."""
        return 3 if self is SetKind.CONE else 1


class ContactCode(IntEnum):
    """How a search for impulses ended; the values are those of the header."""

    SOLVED = 0
    NOT_SOLVED = 1
    TOO_MANY = 2
    NOT_FINITE = 3


class ContactReport(NamedTuple):
    """How the impulses of a step were solved.

    ``residual`` is max |F| of the law [N s], ``work`` that of friction [J], ``margin`` the least impulse by which a
    state would be another one. ``newton`` counts iterations of Newton's method, ``sweeps`` those of Gauss-Seidel and
    of ADMM.
    """

    residual: float
    work: float
    margin: float
    newton: int
    sweeps: int
    code: ContactCode


class ContactStep(NamedTuple):
    """What a step with rigid contacts gives: ``q_next`` (nq,), ``v_next`` (nv,), impulses, states and a report.

    ``impulses`` (m,) [N s, N m s] have rows t1, t2, n of each contact, then those of limits, dry joints and loops.
    ``state`` of each contact, limit, dry joint and row of loops is 0 open, 1 sticks or bears, 2 slides or at a bound.
    """

    q_next: Array
    v_next: Array
    impulses: Array
    state: NDArray[np.int32]
    report: ContactReport


class ContactPartials(NamedTuple):
    """Derivatives of a step with rigid contacts, in the state that the step reports.

    Rows are q_next as moves along rows of v (nv,), v_next (nv,), and impulses (m,); columns moves of q along rows of v
    (nv,), v, tau and, of robots that have some, run-time parameters p. Where inputs u of actuators are given in place
    of tau, they are by u (nu,). Where these are asked for, there are derivatives by the length h, (n, 1).
    """

    dq_next_dq: Array
    dq_next_dv: Array
    dv_next_dq: Array
    dv_next_dv: Array
    dlambda_dq: Array
    dlambda_dv: Array
    dq_next_dtau: Array | None = None
    dv_next_dtau: Array | None = None
    dlambda_dtau: Array | None = None
    dq_next_dp: Array | None = None
    dv_next_dp: Array | None = None
    dlambda_dp: Array | None = None
    dq_next_du: Array | None = None
    dv_next_du: Array | None = None
    dlambda_du: Array | None = None
    dq_next_dh: Array | None = None
    dv_next_dh: Array | None = None
    dlambda_dh: Array | None = None


def given_states(state: ArrayLike, count: int) -> NDArray[np.int32]:
    """States (k,) of a step as users give them.

    Raises
    ------
    RequestError
        Another shape, or numbers that are not 0, 1 or 2.
    """
    import numpy as np

    states = np.asarray(state)
    if states.shape != (count,) or not np.isin(states, (0, 1, 2)).all():
        raise RequestError(
            f"state: expected 0, 1 or 2 of {count} contacts, limits, dry joints and loops, got {state!r}"
        )
    return np.ascontiguousarray(states, np.intc)


class SetRows(NamedTuple):
    """Sets of a contact problem by their names: ``contacts`` of them, then ``limits``, then dry joints and loops."""

    names: tuple[str, ...]
    contacts: int
    limits: int


def set_rows(c_free: Argument, gap: Argument) -> SetRows:
    """The sets, by the rows of the outputs of ``contact_system``."""
    rows, closing = c_free.rows[0], gap.rows[0]
    contacts = sum(rows[3 * number + 2 : 3 * number + 3] == (f"{name}.n",) for number, name in enumerate(closing))
    return SetRows((*closing, *rows[2 * contacts + len(closing) :]), contacts, len(closing) - contacts)


TOUCHING = "touching"
"""The input of slots that are filled at run time, (n, 10)."""
TOUCHING_COLUMNS = ("a", "b", "x", "y", "z", "nx", "ny", "nz", "gap", "friction")
"""Its columns: bodies by their place among those of f_ext, -1 for the ground and, as a, for an empty slot; the point
and the unit normal out of b in the world; the gap, and the coefficient of friction."""
EMPTY_SLOT = (-1.0, -1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0)
"""A row of it that is no contact."""
TOUCHED_BODIES = "bodies of touching"
"""The option of a signature that has their names."""
EMPTY_GAP = 1e3
"""Gap of an empty slot [m]."""
UNIT = 1e-6
"""By what the squared length of a normal may differ from 1."""
FEW_ROWS = 24
"""Rows up to which ``contact_factors`` gives G of all; of more a step makes G of those that take part."""
ROUNDS = 4
"""Times that a step takes up contacts which impulses close; the last time it takes all."""
IMPACTS_PER_SET = 8
"""Impacts that a step solves one after another at most, per contact and range of a joint."""
TIE = 1.0 + 1e-9
"""Factor by which an approach must be faster than another to come first."""
EFFORTS = ("full", "newton")
"""``full`` with continuation in compliance and with ADMM where Newton's method fails; ``newton`` without."""


@dataclass(frozen=True, slots=True)
class SolverNumbers:
    """Bounds and numbers of the solver, in one type of scalars."""

    compliance: float
    """Proximal term on the diagonal of G, relative to the power of two at or below the largest entry of each set."""
    stages: tuple[float, ...]
    """Compliances of the continuation, the last of which is the proximal term."""
    proximal: float
    """Proximal term of ADMM."""
    singular: float
    """Numbers up to which a pivot or a diagonal is none."""
    tolerance: float
    """Residual that is allowed, relative to the weight of the robot times the step."""
    rounding: float
    """Residual that is allowed, relative to an impulse that stops what moves: some units of rounding."""
    iterations: int = 12
    stage_iterations: int = 10
    bursts: int = 12
    burst: int = 60
    burst_iterations: int = 8
    trials: int = 6
    """Parts of Newton's step that are tried, each half of the one before."""
    sweeps: int = 8
    """Of Gauss-Seidel where no part of a step helps."""
    first_trials: int = 2
    """The same from a guess, while Newton's method may begin again without impulses."""
    leaps: int = 2
    """Whole steps of Newton that the continuation takes where no part helps, before Gauss-Seidel."""
    decrease: float = 1e-3
    thousand: float = 1e3
    """Tolerance of stages before the last, relative to that of the last."""
    penalties: tuple[float, ...] = (1e-1, 1e-2, 1e-3, 1e-4)
    """First penalties of bursts of ADMM, one after another and again, relative to 1 / scale."""
    unequal: float = 8.0
    """Ratio of the residuals of ADMM from which the penalty changes."""
    change: float = 4.0

    @property
    def slack(self) -> float:
        """Velocity, relative to that which the impulses stop, by which the proximal term alone closes contacts."""
        return 10.0 * self.compliance


NUMBERS: Mapping[str, SolverNumbers] = MappingProxyType(
    {
        "float64": SolverNumbers(
            1e-9, (0.3, 0.03, 3e-3, 3e-4, 3e-5, 3e-6, 3e-7, 3e-8, 3e-9, 1e-9), 1e-6, 1e-300, 1e-9, 2.0**-48
        ),
        "float32": SolverNumbers(1e-5, (0.3, 0.03, 3e-3, 3e-4, 3e-5, 1e-5), 1e-4, 1e-37, 1e-5, 2.0**-19),
    }
)
