"""What the authors of GRiD have published: microseconds of a whole batch on a GPU, by robot and function.

NVIDIA RTX 5090, float32, inputs and outputs on the device, without copies: `resident_us` of `grid_cuda` in the table of
their release (github.com/A2R-Lab/GRiD, docs/source/_static/release, table.csv and decomposition.csv). The forward
dynamics of g1 at 256 states are from an earlier table, where they took 89.6 us instead of 139.4. Their largest batch
has 1024 states. It is another machine, so scripts only quote it.
"""

from __future__ import annotations

from collections.abc import Mapping

STATES = (16, 32, 64, 128, 256, 1024)
_IIWA, _GO2, _G1 = "iiwa14", "go2", "g1"
_INVERSE, _FORWARD, _PARTIALS = "inverse_dynamics", "forward_dynamics", "forward_dynamics_partials"

GRID_MICROSECONDS: dict[tuple[str, str], tuple[float, ...]] = {
    (_IIWA, _INVERSE): (11.7, 11.7, 11.7, 11.7, 11.9, 13.0),
    (_IIWA, _FORWARD): (15.7, 15.7, 15.6, 15.8, 16.0, 26.9),
    (_IIWA, _PARTIALS): (24.3, 24.3, 23.7, 23.6, 23.5, 58.5),
    (_GO2, _INVERSE): (22.7, 22.5, 22.6, 22.4, 21.7, 35.1),
    (_GO2, _FORWARD): (30.4, 30.2, 30.3, 30.2, 31.0, 60.9),
    (_GO2, _PARTIALS): (52.9, 52.5, 52.8, 52.5, 56.2, 198.8),
    (_G1, _INVERSE): (40.1, 39.7, 39.9, 39.3, 38.3, 72.9),
    (_G1, _FORWARD): (74.2, 73.9, 73.0, 73.3, 89.6, 458.9),
    (_G1, _PARTIALS): (190.3, 189.3, 188.4, 196.3, 242.8, 879.6),
}
"""By robot and function, in the order of ``STATES``."""

_ALIKE = {"panda": _IIWA, "seven_dof_arm": _IIWA, "go2": _GO2, "g1": _G1}
"""Their robot for a file's or an example's name: arms of seven joints are compared with iiwa14."""


def grid_microseconds(name: str, function: str) -> tuple[str, Mapping[int, float]] | None:
    """Their robot and the time of a batch by its states, for a robot whose name begins with a known one."""
    for begin, robot in _ALIKE.items():
        if name.startswith(begin) and (robot, function) in GRID_MICROSECONDS:
            return robot, dict(zip(STATES, GRID_MICROSECONDS[robot, function], strict=True))
    return None


def crossover(microseconds_per_state: float, published: Mapping[int, float]) -> float | None:
    """States of a batch from which on the GPU takes less time, by straight lines between its batches; None if never."""
    before = (0, published[min(published)])
    for states, time in published.items():
        if microseconds_per_state * states >= time:
            slope = (time - before[1]) / (states - before[0])
            return (before[1] - slope * before[0]) / (microseconds_per_state - slope)
        before = (states, time)
    return None
