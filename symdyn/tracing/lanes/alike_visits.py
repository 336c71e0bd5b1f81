"""Visits of limbs that differ in numbers and offsets only, so that they can run side by side."""

from __future__ import annotations

from collections.abc import Sequence

from symdyn.plan.plan import Access, Given, Sweep, Visit
from symdyn.tracing.lanes.limbs import Limbs, Place


def merged_visits(sweep: Sweep, limbs: Limbs, places: dict[int, Place]) -> list[tuple[int, ...]] | None:
    """The visits of a sweep, by their numbers in it, in a new order: those of limbs where the first one has them.

    Parameters
    ----------
    sweep
        Of the plan before.
    limbs, places
        The limbs, and where each of their bodies stands.

    Returns
    -------
    One number for a visit of the trunk, one per lane where visits run together; None where limbs are not treated alike.
    """
    own: dict[tuple[int, int], list[int]] = {}
    for number, visit in enumerate(sweep.visits):
        if visit.body in places:
            group, lane, _ = places[visit.body]
            own.setdefault((group, lane), []).append(number)
    partners: dict[int, tuple[int, ...]] = {}
    for group in range(len(limbs.groups)):
        rows = [own.get((group, lane), []) for lane in range(limbs.lanes)]
        if len({len(row) for row in rows}) > 1:
            return None
        for numbers in zip(*rows, strict=True):
            if not _alike([sweep.visits[number] for number in numbers], places):
                return None
            partners[numbers[0]] = numbers
    others = {number for numbers in partners.values() for number in numbers[1:]}
    return [partners.get(number, (number,)) for number in range(len(sweep.visits)) if number not in others]


def _alike(visits: Sequence[Visit], places: dict[int, Place]) -> bool:
    """Whether visits differ in numbers and offsets only."""
    return len({(places[visit.body][2], visit.variant, _form(visit)) for visit in visits}) == 1


def _form(visit: Visit) -> object:
    """What is equal in visits that can run side by side."""
    return (
        tuple((name, isinstance(value, Access)) for name, value in visit.constants.items()),
        tuple(
            (name, len(binding.values), 0)
            if isinstance(binding, Given)
            else (name, binding.field, binding.count, binding.stride)
            for name, binding in visit.bindings.items()
        ),
    )
