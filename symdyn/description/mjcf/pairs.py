"""Which geoms of a compiled model may touch, and with what friction, by MuJoCo's rules.

Two geoms may touch where a bit of the one's ``contype`` is set in the other's ``conaffinity``, unless they are on one
rigid body, on two that no joint moves, on a body and its parent (where the parent is not the world), or on bodies of an
``<exclude>``. Of both the geom with the higher ``priority`` says friction and ``condim``; where these are equal, the
larger numbers hold. A ``<pair>`` says all of it itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from symdyn.description.collision import OfferedPair
from symdyn.description.mjcf.record import ModelRecord

_BODY_BITS = 16
"""By which the lower body's number is shifted in the signature of an ``<exclude>``."""
_FRICTIONLESS = 1
_RESISTED = {4: "condim 4, friction against spinning", 6: "condim 6, friction against spinning and rolling"}


def pairs_of(model: ModelRecord, links: Sequence[str], names: Mapping[int, str]) -> tuple[OfferedPair, ...]:
    """All pairs of geoms that may touch, in the order of their numbers.

    Parameters
    ----------
    model
        The compiled model.
    links
        The link of each body, by its number.
    names
        The name of each geom that may touch, by its number.
    """
    fields = model.fields
    if {"CONSTRAINT", "CONTACT"} & set(fields["untouched"]):
        return ()
    found = {
        (first, second): _mixed(model, first, second)
        for first, second in combinations(range(len(fields["geom_bodyid"])), 2)
        if _may_touch(model, first, second)
    }
    found |= _explicit(model)

    def end(geom: int) -> tuple[str, str]:
        return links[fields["geom_bodyid"][geom]], names[geom]

    return tuple(
        OfferedPair(end(first), end(second), 0.0 if directions == _FRICTIONLESS else min(friction), beyond)
        for (first, second), (directions, friction) in sorted(found.items())
        for beyond in [_beyond(directions, friction)]
    )


def _beyond(directions: int, friction: Sequence[float]) -> str:
    if directions > _FRICTIONLESS and friction[0] != friction[1]:
        return f"friction {friction[0]:g} and {friction[1]:g} along two tangents"
    return _RESISTED.get(directions, "")


def _may_touch(model: ModelRecord, first: int, second: int) -> bool:
    fields = model.fields
    types, affinities = fields["geom_contype"], fields["geom_conaffinity"]
    if not (types[first] & affinities[second] or types[second] & affinities[first]):
        return False
    bodies = sorted((fields["geom_bodyid"][first], fields["geom_bodyid"][second]))
    if (bodies[0] << _BODY_BITS) + bodies[1] in fields["exclude_signature"]:
        return False
    rigid: list[int] = [fields["body_weldid"][body] for body in bodies]
    if rigid[0] == rigid[1] or not any(fields["body_jntnum"][body] for body in rigid):
        return False
    if "FILTERPARENT" in fields["untouched"] or not all(rigid):
        return True
    parents: list[int] = [fields["body_weldid"][fields["body_parentid"][body]] for body in rigid]
    return rigid[0] != parents[1] and rigid[1] != parents[0]


def _mixed(model: ModelRecord, first: int, second: int) -> tuple[int, Sequence[float]]:
    fields = model.fields
    priorities = fields["geom_priority"]
    highest = max(priorities[first], priorities[second])
    said = [geom for geom in (first, second) if priorities[geom] == highest]
    friction = max(float(fields["geom_friction"][geom][0]) for geom in said)
    return max(int(fields["geom_condim"][geom]) for geom in said), (friction, friction)


def _explicit(model: ModelRecord) -> dict[tuple[int, int], tuple[int, Sequence[float]]]:
    fields = model.fields
    arrays = ("pair_geom1", "pair_geom2", "pair_dim", "pair_friction")
    rows: Iterator[tuple[int, int, int, list[float]]] = zip(*(fields.get(name, ()) for name in arrays), strict=True)
    return {
        (min(first, second), max(first, second)): (directions, friction[:2])
        for first, second, directions, friction in rows
    }
