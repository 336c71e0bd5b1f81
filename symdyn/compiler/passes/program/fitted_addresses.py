"""Addresses that are found from where they lead in every run of the loops around."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from symdyn.compiler.tape.evaluate import resolve
from symdyn.compiler.tape.program import Address, Affine, Buffer, BufferKind, Gather

Runs = Sequence[tuple[int, ...]]
"""The indices of the loops around a statement, per run."""


class Addresses:
    """Finds addresses, and keeps the tables of indices that some of them need."""

    def __init__(self, tables: Mapping[str, Sequence[float]]) -> None:
        self.tables = tables
        self.indexing: dict[tuple[int, ...], Buffer] = {}

    def fitting(self, buffer: str, starts: Sequence[int], runs: Runs) -> Address:
        """The address that means ``starts[k]`` at the indices ``runs[k]`` of the loops around."""
        depth, at = len(runs[0]), dict(zip(runs, starts, strict=True))
        strides = []
        for level in range(depth):
            nexts = ((run, (*run[:level], run[level] + 1, *run[level + 1 :])) for run in runs)
            strides.append(next((at[after] - at[run] for run, after in nexts if after in at), 0))
        base = starts[0] - sum(stride * index for stride, index in zip(strides, runs[0], strict=True))
        even = Affine(buffer, base, tuple(strides))
        if all(resolve(even, self.tables, run) == start for run, start in at.items()):
            return even
        extents = [max(run[level] for run in runs) + 1 for level in range(depth)]
        steps = [1] * depth
        for level in range(depth - 2, -1, -1):
            steps[level] = steps[level + 1] * extents[level + 1]
        values = [0] * (steps[0] * extents[0])
        for run, start in at.items():
            values[sum(step * index for step, index in zip(steps, run, strict=True))] = start
        key = tuple(values)
        if key not in self.indexing:
            name = f"stored_{len(self.indexing)}"
            self.indexing[key] = Buffer(name, BufferKind.INDEX, 1, len(key), values=key)
        return Gather(buffer, self.indexing[key].name, 0, tuple(steps))
