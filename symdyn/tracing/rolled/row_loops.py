"""Rows that were laid over one list of patterns, as loops: over groups of rows, rows, and repetitions of a pattern."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from symdyn.compiler.tape.program import Address, Call, Loop, Statement
from symdyn.tracing.rolled.fits import Indices, fitted
from symdyn.tracing.rolled.flat_calls import FlatCall
from symdyn.tracing.rolled.index_tables import IndexTables
from symdyn.tracing.rolled.rows import Folding
from symdyn.tracing.rolled.tokens import Token

_CALL, _PORT, _LOOP, _ENTRY = 64, 10, 24, 2
"""Bytes of code on x86-64 for a call, which may be a copy of the kernel, for an address and for a loop, and of an entry
of an index table."""

Place = tuple[int, int]
"""Group and row."""


def code_size(statements: Sequence[Statement], tables: IndexTables) -> int:
    """About how many bytes statements and index tables take."""
    return _ENTRY * tables.size + sum(map(_size, statements))


def _size(statement: Statement) -> int:
    if isinstance(statement, Loop):
        return _LOOP + sum(map(_size, statement.body))
    return _CALL + _PORT * (len(statement.inputs) + len(statement.outputs))


class RowLoops:
    """Makes loops of one sequence of calls.

    Parameters
    ----------
    calls
        The calls in their order.
    independent
        Whether their order is free. Repetitions then advance evenly, without index tables, and are loops of free
        order; those around them are not, for one row may add to what another one has set.
    """

    def __init__(self, calls: Sequence[FlatCall], independent: bool) -> None:
        self._calls = calls
        self._offsets = [tuple(offset for _, offset in call.places) for call in calls]
        self._independent = independent

    def statements(self, folding: Folding, tables: IndexTables, most_bytes: float) -> tuple[Statement, ...] | None:
        """Loops that make the calls of a folding in their order.

        Parameters
        ----------
        folding
            How the calls are laid over patterns.
        tables
            Takes the tables that are needed.
        most_bytes
            Size of code and tables at which to give up.

        Returns
        -------
        None where independent repetitions do not advance evenly, and where the size is reached.
        """
        rows = {
            (group, row): tokens for group, members in enumerate(folding.rows) for row, tokens in enumerate(members)
        }
        lengths = [len(members) for members in folding.rows]
        extents = (len(lengths), max(lengths))
        loops = (0, 1) if extents[0] > 1 else (1,)
        body: list[Statement] = []
        calls_size = 0
        last: Mapping[Place, int] = {}
        for number in range(len(folding.patterns)):
            found = {place: token for place, tokens in rows.items() if (token := tokens[number]) is not None}
            counts = {place: found[place].count if place in found else 0 for place in rows}
            always = set(counts.values()) == {1}  # every row has the pattern once: no loop over repetitions
            repeats = loops if always else (*loops, 2)
            made = self._pattern(found, (*extents, max(counts.values())), repeats, tables)
            if made is None:
                return None
            if always:
                body += made
            elif body and counts == last and set(counts.values()) == {0, 1}:  # the same condition again
                before = body[-1]
                assert isinstance(before, Loop)
                body[-1] = Loop(before.count, (*before.body, *made))
            else:
                count = fitted([(*place, 0, value) for place, value in counts.items()], (*extents, 1), steps=False)
                assert count is not None
                free = self._independent and max(counts.values()) > 1
                body.append(Loop(tables.trips(count.over(loops)), tuple(made), independent=free))
            last = counts
            calls_size += sum(map(_size, made))
            if calls_size + _ENTRY * tables.size >= most_bytes:
                return None
        if extents[0] == 1:
            return (Loop(extents[1], tuple(body)),)
        in_group = fitted(
            [(group, 0, 0, length) for group, length in enumerate(lengths)], (len(lengths), 1, 1), steps=False
        )
        assert in_group is not None
        return (Loop(extents[0], (Loop(tables.trips(in_group.over((0,))), tuple(body)),)),)

    def _pattern(
        self, found: Mapping[Place, Token], extents: Indices, loops: Sequence[int], tables: IndexTables
    ) -> list[Statement] | None:
        """The calls of one pattern, with addresses over its rows and its repetitions."""
        made: list[Statement] = []
        for place in range(len(next(iter(found.values())).pattern)):
            members = [
                (group, row, repeat, token.start + len(token.pattern) * repeat + place)
                for (group, row), token in found.items()
                for repeat in range(token.count)
            ]
            first = self._calls[members[0][3]]
            addresses: list[Address] = []
            for port, (buffer, _) in enumerate(first.places):
                numbers = [(group, row, repeat, self._offsets[call][port]) for group, row, repeat, call in members]
                fit = fitted(numbers, extents, even=self._independent)
                if fit is None:
                    return None
                addresses.append(tables.address(buffer, fit.over(loops)))
            inputs = len(first.inputs)
            made.append(Call(first.tape, tuple(addresses[:inputs]), tuple(addresses[inputs:])))
        return made
