"""Limbs: branches of a tree that are alike, so that one run of instructions can work on all of them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass

from symdyn.plan.plan import Access, Plan, lane_spacing

MOST_LANES = 8
"""Limbs that are worked on together at most: the doubles in the longest vector registers of today."""

_LEAST_SHARE = 0.2
"""Part of all bodies that lanes must save."""


@dataclass(frozen=True, slots=True)
class Limbs:
    """Groups of alike branches: ``groups[g][lane]`` holds the bodies of one branch, in order."""

    lanes: int
    groups: tuple[tuple[tuple[int, ...], ...], ...]

    @property
    def spacing(self) -> int:
        """Scalars from one value of all lanes to the next in memory: the lanes and what fills up a vector."""
        return lane_spacing(self.lanes)


Place = tuple[int, int, int]
"""Group, lane, and number of a body in its branch."""


def places_of(limbs: Limbs) -> dict[int, Place]:
    """Where each body of a limb stands."""
    return {
        body: (group, lane, number)
        for group, branches in enumerate(limbs.groups)
        for lane, branch in enumerate(branches)
        for number, body in enumerate(branch)
    }


def find_limbs(plan: Plan) -> Limbs | None:
    """The groups of alike branches that save most, or None where they save little.

    Branches of one parent are alike if every step visits their bodies alike: in variant and in ports.
    """
    tree = _Tree(plan)
    best: Limbs | None = None
    saved = _LEAST_SHARE * len(plan.parent)
    for lanes in sorted({len(group) for group in tree.candidates}):
        groups = tuple(tree.outermost(lanes))
        bodies = sum((lanes - 1) * len(group[0]) for group in groups)
        if bodies >= saved and (best is None or bodies > saved):
            best, saved = Limbs(lanes, groups), bodies
    return best


class _Tree:
    """The bodies of a plan, and all groups of alike branches."""

    def __init__(self, plan: Plan) -> None:
        self._children: dict[int, list[int]] = defaultdict(list)
        for body, parent in enumerate(plan.parent):
            self._children[parent].append(body)
        kinds = _kinds(plan)
        numbers: dict[Hashable, int] = {}
        shape = [0] * len(plan.parent)
        self._branch: list[tuple[int, ...]] = [()] * len(plan.parent)
        for body in reversed(range(len(plan.parent))):  # children come after their parents
            children = self._children[body]
            key = (kinds[body], tuple(shape[child] for child in children))
            shape[body] = numbers.setdefault(key, len(numbers))
            self._branch[body] = (body, *(below for child in children for below in self._branch[child]))
        self.candidates: list[tuple[tuple[int, ...], ...]] = []
        for children in self._children.values():
            alike: dict[int, list[int]] = defaultdict(list)
            for child in children:
                alike[shape[child]].append(child)
            for members in alike.values():
                self.candidates += _in_groups([self._branch[member] for member in members])

    def outermost(self, lanes: int) -> Iterator[tuple[tuple[int, ...], ...]]:
        """The groups of this many branches that lie in no other one."""
        taken: set[int] = set()
        for group in sorted(self.candidates, key=lambda group: (-len(group[0]), group)):
            if len(group) == lanes and taken.isdisjoint(group[0]):
                taken.update(body for branch in group for body in branch)
                yield group


def _in_groups(branches: Sequence[tuple[int, ...]]) -> Iterator[tuple[tuple[int, ...], ...]]:
    """Branches in groups of equal size that fit into lanes; a few may be left over."""
    if len(branches) < 2:
        return
    lanes = len(branches) // -(-len(branches) // MOST_LANES)
    for start in range(0, len(branches) - lanes + 1, lanes):
        yield tuple(branches[start : start + lanes])


def _kinds(plan: Plan) -> list[Hashable]:
    """What the steps of a plan do at each body.

    Bodies that have lanes of one field, as the points of a deformable body have, are not alike: limbs run in other
    lanes.
    """
    born = {field.name: field.lanes for field in plan.fields if field.lanes > 1}
    seen: list[Counter[Hashable]] = [Counter() for _ in plan.parent]
    for number, sweep in enumerate(plan.sweeps):
        for visit in sweep.visits:
            if visit.body >= 0:
                lanes = tuple(
                    place.offset % born[place.field]
                    for place in visit.bindings.values()
                    if isinstance(place, Access) and place.lane == 0 and place.field in born
                )
                seen[visit.body][number, visit.variant, tuple(visit.constants), tuple(visit.bindings), lanes] += 1
    return [frozenset(counts.items()) for counts in seen]
