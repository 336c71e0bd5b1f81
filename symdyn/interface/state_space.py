"""What the state of a robot is called, and where it starts; it imports no room."""

from __future__ import annotations

from dataclasses import dataclass

from symdyn.interface.stepping import CoordinateRows


@dataclass(frozen=True, slots=True)
class StateSpace:
    """Names of the rows of q and of v, a position to start from, and the run-time parameters with their usual values.

    ``rows`` tell how q changes with v. ``start`` closes the robot's loops. A parameter without a usual value has None.
    """

    positions: tuple[str, ...]
    velocities: tuple[str, ...]
    rows: tuple[CoordinateRows, ...]
    start: tuple[float, ...]
    parameters: tuple[str, ...]
    values: tuple[float | None, ...]
