"""What a search for a position at rest gives, and the error that keeps what there was."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from symdyn.analysis.statics.stability import is_driven_away
from symdyn.errors import RequestError, SolverError
from symdyn.interface.argument_words import coordinate_places

if TYPE_CHECKING:
    from symdyn.analysis.statics.slopes import RestSlopes

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ContactForces:
    """Forces of rigid contacts at rest.

    Attributes
    ----------
    names, row_names
        Of the k contacts, limits, dry joints and rows of loops, and of the m rows of forces.
    forces
        (m,) [N, N m], in rows t1, t2, n of each contact.
    states
        (k,): 0 open, 1 sticks or bears, 2 slides or at the bound of dry friction.
    gaps, points, normals
        Of contacts: (ns,) [m], (ns, 3) [m] and (ns, 3), in the world.
    """

    names: tuple[str, ...]
    row_names: tuple[str, ...]
    forces: Array
    states: NDArray[np.int32]
    gaps: Array
    points: Array
    normals: Array


@dataclass(frozen=True)
class Equilibrium:
    """A robot at rest.

    Attributes
    ----------
    robot
        Its name.
    q
        The position (nq,); prescribed rows are as given.
    u
        The inputs (na,), or generalised forces (nv,) if no inputs of actuators were given.
    forces
        Generalised forces (nv,) that hold the prescribed rows; 0 in others.
    multipliers
        Those of the loops (m,): they exert A^T lambda.
    residual
        The residual forces, then the errors of the loops, (nv + m,).
    stable
        Whether all eigenvalues are above rounding: every small move that the loops allow needs work.
    eigenvalues
        Of the symmetric part of the stiffness along all moves that loops and prescribed rows allow, ascending. Only
        their signs have a meaning; their sizes mix units.
    iterations
        Of Newton's method, in total.
    load_factors
        The shares of the load at which a rest was found on the way, the last one 1.
    time
        Seconds of the search, without compiling.
    loose
        Names of rows of v in which no force drives the robot back or away, such as a vertical hinge. With such rows the
        robot is not ``stable``.
    contacts
        Forces and states of rigid contacts, where these were asked for. Then ``residual`` contains their forces,
        ``iterations`` counts steps, and moves are those along which contacts stay as they are: ``stable`` leaves out
        that surfaces are curved, and that friction which slides is not symmetric.
    coordinate_names
        Of the rows of q: ``rest["elbow"]`` is that coordinate, or those of a joint with several.
    differentiate, locate
        Find ``slopes`` and ``frames``.
    """

    robot: str
    q: Array
    u: Array
    forces: Array
    multipliers: Array
    residual: Array
    stable: bool
    eigenvalues: Array = field(repr=False)
    iterations: int
    load_factors: tuple[float, ...]
    time: float
    loose: tuple[str, ...] = ()
    contacts: ContactForces | None = None
    coordinate_names: tuple[str, ...] = field(default=(), repr=False)
    differentiate: Callable[[], RestSlopes] | None = field(default=None, repr=False, compare=False)
    locate: Callable[[], dict[str, Array]] | None = field(default=None, repr=False, compare=False)

    @cached_property
    def slopes(self) -> RestSlopes:
        """Derivatives of the rest by inputs, by positions of prescribed rows and by run-time parameters.

        They are found by the implicit function theorem when they are first asked for, with loops closed.

        Raises
        ------
        RequestError
            A rest on rigid contacts, or one that was pickled.
        """
        if self.contacts is not None or self.differentiate is None:
            raise RequestError(
                f"slopes are of rests without contacts=True, since contacts slide; robot '{self.robot}' rests "
                "on contacts, so take differences of rests"
            )
        return self.differentiate()

    @cached_property
    def frames(self) -> dict[str, Array]:
        """The pose (4, 4) of each frame at rest, by name: its axes and its origin [m] in the world.

        Links have frames of their names, and soft and flexible links one at the tip too, such as ``arm.tip``.
        """
        return self.locate() if self.locate is not None else {}

    def __getitem__(self, name: str) -> Array | np.float64:
        """The coordinate of that name, or all coordinates of a joint (k,).

        Raises
        ------
        RequestError
            No coordinate and no joint has that name.
        """
        found: Array | np.float64 = self.q[coordinate_places(f"rest of '{self.robot}'", name, self.coordinate_names)]
        return found

    @property
    def kind(self) -> str:
        """One word: ``stable``, ``unstable``, or ``neutral``, not unstable but without stiffness in a direction."""
        if self.stable:
            return "stable"
        return "unstable" if is_driven_away(self.eigenvalues) else "neutral"

    def __repr__(self) -> str:
        left = float(np.max(np.abs(self.residual), initial=0.0))
        return (
            f"<Equilibrium of '{self.robot}': {self.kind}, {len(self.q)} coordinates, residual {left:.1e}, "
            f"{self.iterations} iterations, {1e3 * self.time:.2f} ms>"
        )


@dataclass(frozen=True)
class Path:
    """Rests along a load.

    Attributes
    ----------
    load_factors
        The share of the load at each point (n,).
    q, multipliers
        Positions (n, nq) and multipliers (n, m).
    stable
        Whether each rest is stable, (n,).
    marks
        Per point ``""``, ``"limit"`` if the load turns there, or ``"bifurcation"`` if another path crosses.
    complete
        Whether the whole load was reached. If not, the path ends after ``points`` points, or where it could not be
        followed further.
    """

    load_factors: Array
    q: Array = field(repr=False)
    multipliers: Array = field(repr=False)
    stable: NDArray[np.bool_] = field(repr=False)
    marks: tuple[str, ...] = field(repr=False)
    complete: bool

    def marked(self, mark: str) -> list[int]:
        """Numbers of the points with a mark."""
        return [number for number, own in enumerate(self.marks) if own == mark]

    def __repr__(self) -> str:
        limits, crossings = len(self.marked("limit")), len(self.marked("bifurcation"))
        end = "the whole load" if self.complete else f"{self.load_factors[-1]:.4g} of the load"
        return f"<Path of {len(self.marks)} rests to {end}, {limits} limit points, {crossings} bifurcations>"


class NoEquilibriumError(SolverError):
    """No position at rest was found.

    Attributes
    ----------
    load_factor
        The share of the load up to which a rest was found.
    row
        The row of v, or of the loops' errors, that is farthest from balance where the search ended.
    partial
        The last rest that was found, under that share of the load, or the :class:`Path` up to there; None if there is
        none.
    """

    def __init__(self, message: str, load_factor: float, row: str, partial: Equilibrium | Path | None) -> None:
        super().__init__(message)
        self.load_factor, self.row, self.partial = load_factor, row, partial
