"""What to say of loops that cannot close because they are overconstrained, and which kinds of loops would close."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from symdyn.description.loops import Loop, LoopKind
from symdyn.model.loop import ModelLoop
from symdyn.robot.loop_closure.search import NEAR, Closing, Found, Loops
from symdyn.robot.loop_closure.sizes import RANK

Array = NDArray[np.float64]

_TRIED = 12
"""Most choices of kinds that are tried: each takes a search."""


def overconstrained(loops: Loops, found: Found, p: Array, held: Collection[int], row: int) -> str:
    """How loops are overconstrained where least squares ended, and what would not be; empty where they are not.

    Parameters
    ----------
    loops
        The loops.
    found
        Where least squares ended with an error.
    p
        Run-time parameters (np,).
    held
        Rows of v that did not move: where loops close with them, nothing is overconstrained.
    row
        The row with the largest error.
    """
    if found.wrong or not (loops.crowded and np.all(np.isfinite(found.error))):
        return ""
    closing = Closing(loops, p)
    if held and closing.from_here(found.q).closed:
        return ""
    slopes = closing.slopes(found.q)
    rows, columns = _part(loops, slopes, row)
    sizes, part = loops.sizes.part(rows, columns), np.ix_(rows, columns)
    anywhere = max((sizes.rank(own[part]) for own in loops.looks), default=0)
    rank = sizes.rank(slopes[part])
    near = found.settled and rank < len(rows) and loops.sizes.largest(found.error) <= NEAR
    if anywhere == len(rows) and not near:
        return ""
    names = [own.constraint.name for own, at in _placed(loops) if at & set(rows)]
    independent = rank if near else anywhere
    said = f"{len(rows)} rows of {_listed('loop', names)} hold {len(columns)} coordinates, {independent} independently"
    return said + _looser(loops, found, p, names, loops.model.loop_row_names[row].split(".")[0])


def _placed(loops: Loops) -> Iterator[tuple[ModelLoop, set[int]]]:
    """Loops that hold positions, with their rows."""
    start = 0
    for own in loops.model.loops:
        if not own.velocity_rows:
            yield own, set(range(start, start + len(own.rows)))
        start += len(own.rows)


def _part(loops: Loops, slopes: Array, row: int) -> tuple[list[int], list[int]]:
    """The rows of all loops that share coordinates with that of a row, also through others, and these coordinates."""
    looks = [loops.sizes.scaled(own) for own in loops.looks]
    touched = np.max(np.abs(np.stack([loops.sizes.scaled(slopes), *looks])), axis=0) > RANK
    groups = [(at, set(np.flatnonzero(np.any(touched[sorted(at)], axis=0)).tolist())) for _, at in _placed(loops)]
    rows, columns = next((set(at), set(own)) for at, own in groups if row in at)
    grown = True
    while grown:
        grown = False
        for at, own in groups:
            if own & columns and not at <= rows:
                rows, columns, grown = rows | at, columns | own, True
    return sorted(rows), sorted(columns)


def _looser(loops: Loops, found: Found, p: Array, names: list[str], worst: str) -> str:
    """Kinds of loops with which they close from there, best such of which no row depends on others."""
    closing = ""
    for changed, kind in _choices(loops, names, worst):
        made = tuple(
            replace(own, constraint=replace(own.constraint, kind=kind), rows=kind.rows, dropped=())
            if own.constraint.name in changed and isinstance(own.constraint, Loop)
            else own
            for own in loops.model.loops
            if own.constraint.name in names
        )
        tried = Loops(replace(loops.model, loops=made))
        independent = tried.rank == len(tried.positions)
        search = Closing(tried, p)
        near = search.from_here(found.q) if len(changed) == 1 else search.search(found.q, ())
        if (independent or not closing) and near.closed:
            said = f"; take kind: {kind.value} for {_listed('loop', changed)}, with which they close"
            if independent:
                return said
            closing = f"{said}, although they stay overconstrained"
    return closing or "; take kinds with fewer rows"


def _choices(loops: Loops, names: list[str], worst: str) -> Iterator[tuple[list[str], LoopKind]]:
    """First one loop, that of the largest error before others, then all of a kind."""
    own = {loop.constraint.name: loop.constraint for loop, _ in _placed(loops) if isinstance(loop.constraint, Loop)}
    ordered = sorted((name for name in names if name in own), key=lambda name: name != worst)
    single = [([name], kind) for name in ordered for kind in own[name].kind.looser]
    kinds = dict.fromkeys(own[name].kind for name in ordered)
    every = [([name for name in ordered if own[name].kind is kind], new) for kind in kinds for new in kind.looser]
    yield from [*single[: _TRIED - len(every)], *(choice for choice in every if len(choice[0]) > 1)]


def _listed(word: str, names: list[str]) -> str:
    quoted = [f"'{name}'" for name in names]
    return f"{word} {quoted[0]}" if len(quoted) == 1 else f"{word}s {', '.join(quoted[:-1])} and {quoted[-1]}"
