"""Closed loops of the indexed tree: which rows of their errors hold, and the coordinates of couplings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from symdyn.description.loops import Coupling, Loop
from symdyn.description.pfaffian import Pfaffian
from symdyn.description.robot import RobotDescription
from symdyn.errors import ModelError
from symdyn.model.bodies import Body
from symdyn.model.velocity_rows import VelocityRow, cite, velocity_rows

FORCES = {"m": "N", "rad": "N m"}
"""Units of multipliers by those of errors."""


@dataclass(frozen=True, slots=True)
class Term:
    """A coordinate of a coupling: its rows in q and v, and its factor."""

    q: int
    v: int
    factor: float


@dataclass(frozen=True, slots=True)
class RowSizes:
    """How large the slopes of a row are at random positions, by rows of v.

    ``full`` is how large they would be if nothing cancelled. ``steady`` are groups of rows of v in which the slopes
    have the same length at all positions, so that the row never vanishes. ``nearly`` says that the row follows from
    those before it but for the decimals of a file, and ``slight`` that it holds, by a thousandth of its size at most.
    """

    slopes: tuple[float, ...]
    full: tuple[float, ...]
    steady: tuple[tuple[int, ...], ...] = ()
    nearly: bool = False
    slight: bool = False


@dataclass(frozen=True, slots=True)
class ModelLoop:
    """A loop with the names of those rows of its error that hold; those of a coupling have ``terms``.

    ``dropped`` are rows that follow from others wherever the robot stands, and ``leans`` names the other loops that
    these rows follow from, and those that do so nearly. ``switch`` is the place in the input ``active`` that tells
    whether the loop holds, None where it always does. A constraint on velocities has ``velocity_rows`` by name.
    ``sizes`` are those of the rows that hold. ``steady`` are rows of v whose slopes in all rows that hold together have
    the same length at all positions.
    """

    constraint: Loop | Coupling | Pfaffian
    rows: tuple[str, ...]
    terms: tuple[Term, ...] = ()
    dropped: tuple[str, ...] = ()
    velocity_rows: tuple[tuple[str, VelocityRow], ...] = ()
    leans: tuple[str, ...] = ()
    switch: int | None = None
    sizes: tuple[RowSizes, ...] = ()
    steady: tuple[int, ...] = ()

    @property
    def constraint_rows(self) -> tuple[VelocityRow, ...]:
        """The rows of a constraint on velocities that hold, in their order."""
        return tuple(row for name, row in self.velocity_rows if name in self.rows)

    @property
    def offset(self) -> float:
        """What the sum of the terms is, rad or m."""
        return self.constraint.offset if isinstance(self.constraint, Coupling) else 0.0

    @property
    def near_rows(self) -> tuple[str, ...]:
        """The rows that follow from others but for the decimals of a file."""
        return tuple(row for row, size in zip(self.rows, self.sizes, strict=False) if size.nearly)

    @property
    def slight_rows(self) -> tuple[str, ...]:
        """The rows that hold, though others leave a thousandth of their size at most."""
        return tuple(row for row, size in zip(self.rows, self.sizes, strict=False) if size.slight)

    @property
    def row_names(self) -> tuple[str, ...]:
        """The rows as users see them; a single one has the loop's name."""
        return tuple(f"{self.constraint.name}.{row}" if row else self.constraint.name for row in self.rows)

    @property
    def kind(self) -> str:
        """What the file calls its kind."""
        if isinstance(self.constraint, Loop):
            return self.constraint.kind.value
        return self.constraint.kind if isinstance(self.constraint, Pfaffian) else "coupling"

    @property
    def row_units(self) -> tuple[str, ...]:
        """Units of the errors; of those whose rates a constraint on velocities holds."""
        if isinstance(self.constraint, Pfaffian):
            return (self.constraint.unit,) * len(self.rows)
        return tuple("m" if row in ("x", "y", "z", "distance") else "rad" for row in self.rows)


def model_loops(robot: RobotDescription, bodies: Sequence[Body]) -> tuple[ModelLoop, ...]:
    """The loops of a robot, in the order of its file.

    Raises
    ------
    ModelError
        Places on one body; a coupling of joints that have no coordinate of their own, or several.
    """
    return tuple(_loops(robot, bodies))


def _loops(robot: RobotDescription, bodies: Sequence[Body]) -> Iterator[ModelLoop]:
    placed = {load.owner for body in bodies for load in body.loads if isinstance(load.load, Loop)}
    for acting in robot.acting:
        if isinstance(acting, Loop):
            if acting.name not in placed:
                raise ModelError(
                    f"{cite(acting)} is between two places on one body, which nothing can move apart (links of locked "
                    "joints are one body, and the root link of a robot without floating base is the ground); give "
                    "places on two bodies, lock fewer joints, or delete the loop"
                )
            yield ModelLoop(acting, acting.kind.rows)
        elif isinstance(acting, Coupling):
            yield ModelLoop(acting, ("",), tuple(_terms(acting, bodies)))
        elif isinstance(acting, Pfaffian):
            rows = velocity_rows(acting, bodies)
            yield ModelLoop(acting, tuple(name for name, _ in rows), velocity_rows=rows)


def _terms(coupling: Coupling, bodies: Sequence[Body]) -> Iterator[Term]:
    # the motor of an elastic joint, which comes after it, has the same name
    known = {body.joint.joint: body.joint for body in reversed(bodies) if not body.joint.inner}
    for name, factor in coupling.terms:
        joint = known.get(name)
        if joint is None or joint.leaders or len(joint.coordinates.q) != 1:
            raise ModelError(
                f"{cite(coupling)} couples joint '{name}', which has no coordinate of its own or several; couple "
                "joints with one coordinate that follow no other"
            )
        yield Term(joint.q_index, joint.v_index, factor)
