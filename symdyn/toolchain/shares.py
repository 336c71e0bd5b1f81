"""How a batch is shared among threads where calls go through ctypes, which lets other threads run meanwhile."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import ceil

OPERATIONS = 1e7
"""A thread that has less to do is not worth starting."""

STATES = 64
"""A share is a multiple of this, so that it holds whole blocks of lanes."""


@dataclass(slots=True)
class Threads:
    """Threads that a module's batches may use; 0 for as many as this process has processors."""

    count: int = 0

    def set(self, count: int) -> None:
        """Change the number."""
        self.count = count

    def worth(self, states: int, operations: int) -> int:
        """Threads for a batch of functions of so many operations."""
        return max(1, min(self.count or processors(), int(states * operations / OPERATIONS)))

    def run(self, states: int, operations: int, work: Callable[[int, int], None]) -> None:
        """Call ``work(first, count)`` for shares of the states, side by side."""
        threads = self.worth(states, operations)
        if threads == 1:
            work(0, states)
            return
        from concurrent.futures import ThreadPoolExecutor  # takes longer to load than a folder does

        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(lambda share: work(*share), _shares(states, threads)))


def _shares(states: int, threads: int) -> Iterator[tuple[int, int]]:
    each = ceil(states / threads / STATES) * STATES
    for first in range(0, states, each):
        yield first, min(each, states - first)


def processors() -> int:
    """Processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
