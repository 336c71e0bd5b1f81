"""Loops that meet in few rows of the solution: what each moves alone, and what they share.

The feet of a legged robot meet in the rows of its trunk, the legs of a platform in those of the platform. With H the
entries of half-solutions in shared rows, and D the pivots there, S = K + H^T D H where K has a block per loop
(``limb_multipliers``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from symdyn.dynamics.loops.constraint_activation import switch_of
from symdyn.dynamics.loops.constraint_set import OWN
from symdyn.dynamics.loops.whitened_jacobian import WhitenedJacobian
from symdyn.plan.plan import Binding


@dataclass(frozen=True, slots=True)
class Group:
    """The rows of a loop, and the body whose limb it holds.

    ``places`` are rows of the solution that it moves, those that it shares at the end; ``whitened`` tell per row where
    the entries stand in the field ``whitened``, by numbers of ``places``. ``switch`` binds what tells whether it holds.
    """

    body: int
    rows: range
    places: tuple[int, ...]
    whitened: tuple[Mapping[int, int], ...]
    switch: Mapping[str, Binding]


@dataclass(frozen=True, slots=True)
class Groups:
    """All of them, and the free rows of the solution that they share."""

    groups: tuple[Group, ...]
    shared: tuple[int, ...]


def groups_of(solutions: WhitenedJacobian) -> Groups | None:
    """The loops of a robot as groups, or None where S in one piece is as well.

    The block of a loop that has fewer free rows of its own than rows could never be inverted.
    """
    constraints = solutions.constraints
    free = {
        place.joint_force_residual + number: given
        for place in solutions.elimination.places
        for number, given in enumerate(place.free)
    }
    loops = [(pair.body(OWN), pair.rows, switch_of(pair.loop)) for pair in constraints.pairs]
    loops += [(-1, range(row, row + 1), switch_of(loop)) for row, loop in constraints.couplings]
    touched = [{place for row in rows for place in solutions.whitened[row].places} for _, rows, _ in loops]
    count = Counter(place for own in touched for place in own)
    shared = tuple(sorted(place for place, loops_there in count.items() if loops_there > 1))
    looped = sum(len(rows) for _, rows, _ in loops)
    if (
        looped < constraints.count
        or not shared
        or not all(free[place] for place in shared)
        or solutions.elimination.blocks
    ):
        return None
    groups = []
    for (body, rows, switch), own in zip(loops, touched, strict=True):
        alone = [place for place in sorted(own) if count[place] == 1]
        if sum(free[place] for place in alone) < len(rows):
            return None
        places = (*alone, *(place for place in shared if place in own))
        numbers = {place: number for number, place in enumerate(places)}
        whitened = tuple({numbers[place]: at for place, at in solutions.whitened[row].places.items()} for row in rows)
        groups.append(Group(body, rows, places, whitened, switch))
    deep = len(shared) + max(len(group.rows) for group in groups)
    return Groups(tuple(groups), shared) if deep < constraints.count else None
