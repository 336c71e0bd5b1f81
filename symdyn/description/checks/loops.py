"""Whether closed loops can be as they are described."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping

from symdyn.description.checks.inertia import LARGEST
from symdyn.description.checks.known_values import value_of
from symdyn.description.checks.rotation import unit_vector
from symdyn.description.loops import Coupling, Loop, LoopKind
from symdyn.description.text.position import hint, shown
from symdyn.errors import DescriptionError


def check_loop(loop: Loop, values: Mapping[str, float], place: str) -> None:
    """Refuse a loop between one place and itself, with axes that are none, or with a distance that is not above 0.

    Raises
    ------
    DescriptionError
        Any of these.
    """
    first, second = loop.between
    if first == second or (first.grounded and second.grounded):
        raise DescriptionError(f"{place}: both places are one; give places on two links")
    for axis in loop.axes:
        if unit_vector(axis) != axis:
            raise DescriptionError(f"{place}: axis {list(axis)} has not length one; expected a unit vector")
    if loop.kind is LoopKind.DISTANCE:
        distance = value_of(loop.distance, dict(values), place)
        if distance is not None and not 0.0 < distance <= LARGEST:
            raise DescriptionError(
                f"{place}: distance is {distance:g} m; it is above 0: to hold two origins together use spherical"
            )


def check_coupling(coupling: Coupling, joints: Collection[str], place: str) -> None:
    """Refuse a coupling of no joints, of joints that are unknown or named twice, or by a factor of zero.

    Raises
    ------
    DescriptionError
        Any of these.
    """
    if not coupling.terms:
        raise DescriptionError(f"{place}: no terms; name at least one joint with its factor")
    names = [name for name, _ in coupling.terms]
    for name, factor in coupling.terms:
        if name not in joints:
            raise DescriptionError(f"{place}: joint {shown(name)} does not exist{hint(name, joints)}")
        if names.count(name) > 1:
            raise DescriptionError(f"{place}: joint {shown(name)} is named twice; add its factors up")
        if not (math.isfinite(factor) and factor != 0.0):
            raise DescriptionError(f"{place}: factor of joint {shown(name)} is {factor:g}; expected one that is not 0")
