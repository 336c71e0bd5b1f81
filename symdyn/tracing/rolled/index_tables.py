"""Index tables: whole numbers that loops look up, offsets of scalars and numbers of runs, equal tables stored once."""

from __future__ import annotations

from collections.abc import Sequence

from symdyn.compiler.tape.program import Address, Affine, Buffer, BufferKind, Gather, Trips
from symdyn.tracing.rolled.fits import Fit

_COMPARED_UP_TO = 512
"""Entries up to which a table is compared with others that leave some entries open."""

Values = tuple[int | None, ...]
"""Entries that nobody looks up are None."""


class IndexTables:
    """The index tables of a program."""

    def __init__(self) -> None:
        self._names: dict[Values, str] = {}
        self._counts: set[str] = set()
        self.size = 0
        """Entries of all tables."""

    def copy(self) -> IndexTables:
        """The same tables, to be added to on trial."""
        made = IndexTables()
        made._names, made._counts, made.size = dict(self._names), set(self._counts), self.size
        return made

    def name(self, values: Sequence[int | None]) -> str:
        """The table with these values; entries that one use leaves open may be those of another."""
        wanted = tuple(values)
        if wanted in self._names:
            return self._names[wanted]
        for known in list(self._names) if len(wanted) <= _COMPARED_UP_TO else ():
            if len(known) == len(wanted) and (None in known or None in wanted):
                both = _joined(known, wanted)
                if both is not None:
                    if both not in self._names:
                        self._names[both] = self._names.pop(known)
                    return self._names[both]
        self.size += len(wanted)
        return self._names.setdefault(wanted, f"index_{len(self._names)}")

    def buffers(self) -> tuple[Buffer, ...]:
        """One buffer per table, in the order of their names."""
        values = {name: tuple(entry or 0 for entry in entries) for entries, name in self._names.items()}
        return tuple(
            Buffer(
                name,
                BufferKind.INDEX,
                1,
                len(values[name]),
                "index",
                values=values[name],
                description="numbers of runs" if name in self._counts else "offsets of scalars",
            )
            for name in sorted(values, key=lambda name: (len(name), name))
        )

    def address(self, buffer: str, fit: Fit) -> Address:
        """The address of a fitted offset."""
        if not fit.table:
            return Affine(buffer, fit.base, fit.steps)
        steps = fit.steps if any(fit.steps) else ()
        return Gather(buffer, self.name(fit.table), 0, fit.strides, steps, fit.base)

    def trips(self, fit: Fit) -> int | Trips:
        """The number of runs of a fitted count, to whose table entries nothing is added."""
        if not fit.table:
            return Trips(fit.base, fit.steps) if any(fit.steps) else fit.base
        assert not any(fit.steps) and not fit.base, fit
        name = self.name(fit.table)
        self._counts.add(name)
        return Trips(0, fit.strides, name)


def _joined(one: Values, other: Values) -> Values | None:
    """Both tables in one, or None where they differ."""
    if any(a is not None and b is not None and a != b for a, b in zip(one, other, strict=True)):
        return None
    return tuple(b if a is None else a for a, b in zip(one, other, strict=True))
