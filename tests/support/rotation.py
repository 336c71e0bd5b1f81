"""Cases of all pairs, of which README's tests take a part that holds every first and, in turn, every second."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest


def in_turn(
    firsts: Sequence[Any], seconds: Sequence[Any], kept: int = 1, fixed: Mapping[Any, Any] | None = None
) -> list[Any]:
    """Parameters of all pairs, first by first; those outside the part are marked ``slow``.

    Parameters
    ----------
    firsts, seconds
        What every pair has one of: functions and robots, say.
    kept
        How many seconds each first keeps: from first to first others, so that all come up.
    fixed
        The one second that a first keeps instead.
    """
    found = []
    for place, first in enumerate(firsts):
        own = {seconds[(kept * place + step) % len(seconds)] for step in range(kept)}
        if fixed is not None and first in fixed:
            own = {fixed[first]}
        found += [pytest.param(first, second, marks=() if second in own else pytest.mark.slow) for second in seconds]
    return found
