"""Whether the loads of joints and links make sense."""

from __future__ import annotations

from symdyn.description.checks.inertia import check_range
from symdyn.description.checks.known_values import known_values, value_of
from symdyn.description.declared import keys
from symdyn.description.joint import kinds_of
from symdyn.description.loads import JOINT_LOADS, LINK_LOADS, Stop
from symdyn.description.robot import Joint, Limits, Link, RobotDescription
from symdyn.description.text.position import at, shown
from symdyn.errors import DescriptionError


def _check_limited(owner: Link | Joint, stop: Stop, place: str) -> None:
    """Refuse stops without a limit to be at, or beyond each other."""
    limits = owner.limits if isinstance(owner, Joint) and owner.limits is not None else Limits()
    if not stop.bounds(limits.lower, limits.upper):
        raise DescriptionError(f"{place} has stops and no limits to put them at; give limits lower, upper or both")
    if limits.lower > limits.upper:
        raise DescriptionError(
            f"{place} has stops, and its lower limit {limits.lower:g} lies above its upper limit {limits.upper:g}; "
            "exchange the two"
        )


def check_loads(description: RobotDescription) -> None:
    """Refuse loads that mean nothing.

    Raises
    ------
    DescriptionError
        A joint's load on a link or on a joint of a kind that it is not for, a link's load on a joint, two of a kind, a
        number below its least value, or out of range.
    """
    values = known_values(description)
    owners: list[Link | Joint] = [*description.links, *description.joints]
    for owner in owners:
        what, foreign = ("joint", LINK_LOADS) if isinstance(owner, Joint) else ("link", JOINT_LOADS)
        place = f"{at(description.source, owner.line)}: {what} {shown(owner.name)}"
        for load in owner.loads:
            if type(load) in foreign:
                raise DescriptionError(f"{place}: '{load.key}' is no load of a {what}; delete it")
            if isinstance(owner, Joint) and owner.kind not in kinds_of(type(load)):
                kinds = ", ".join(kind.value for kind in kinds_of(type(load)))
                whom = "ball joints" if load.ball else "joints with one coordinate"
                raise DescriptionError(
                    f"{place} is {owner.kind.value}, and '{load.key}' is for {whom} ({kinds}); delete it"
                )
            if sum(type(other) is type(load) for other in owner.loads) > 1:
                raise DescriptionError(f"{place} has {load.key} twice; keep one")
            for own in keys(type(load)):
                value, name = value_of(getattr(load, own.field), values, place), f"{load.key} {own.name}"
                check_range(place, name, value)
                if value is not None and value < own.key.least:
                    raise DescriptionError(f"{place}: {name} is {value:g}; it is at least {own.key.least:g}")
                if value is not None and value <= own.key.above:
                    raise DescriptionError(f"{place}: {name} is {value:g}; it is above {own.key.above:g}")
            if isinstance(load, Stop):
                _check_limited(owner, load, place)
