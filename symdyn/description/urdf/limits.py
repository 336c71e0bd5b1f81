"""Limits of joints as URDF has them."""

from __future__ import annotations

import math

from symdyn.description.robot import JointKind, Limits
from symdyn.description.text.notice import LIMITS, Notice, doubt
from symdyn.description.urdf.schema import LimitXml
from symdyn.description.urdf.versions import WITH_FULL_LIMITS, Version, spelt
from symdyn.errors import DescriptionError

_LIMITED = (JointKind.REVOLUTE, JointKind.PRISMATIC)
_UNBOUNDED = (JointKind.CONTINUOUS, JointKind.HELICAL)
"""One coordinate, and bounds of it only where they are given, or none."""


def limits_of(
    limit: LimitXml | None, kind: JointKind, version: Version, place: str, noted: str, warnings: list[str]
) -> Limits | None:
    """The limits of a joint.

    Those of acceleration, deceleration and jerk are of URDF 1.2, and are read in every version. As in urdfdom, that of
    deceleration is that of acceleration where it is not given.

    Parameters
    ----------
    limit, kind, version
        The element, the joint's kind, the file's version.
    place, noted
        The joint, for errors and for warnings.
    warnings
        Takes what is odd.

    Raises
    ------
    DescriptionError
        From URDF 1.2, a limited joint without ``lower`` or ``upper``.
    """
    if kind not in (*_LIMITED, *_UNBOUNDED):
        if limit is not None:
            warnings.append(Notice(f"{noted}: <limit> of a {kind.value} joint is not used", LIMITS))
        return None
    if limit is None:
        if kind in _LIMITED:
            said = f"{noted}: URDF requires <limit> on a {kind.value} joint; it is taken as unlimited"
            warnings.append(doubt(said, LIMITS))
        return None
    absent = [name for name in ("effort", "velocity") if getattr(limit, name) is None]
    if absent and kind in _LIMITED and version < WITH_FULL_LIMITS:
        said = f"{noted}: <limit> lacks {' and '.join(absent)}, which URDF requires; taken as unlimited"
        warnings.append(doubt(said, LIMITS))
    lower, upper = _bounds(limit, kind, version, place, noted, warnings)
    acceleration = _or_infinite(limit.acceleration)
    return Limits(
        lower,
        upper,
        _or_infinite(limit.velocity),
        _or_infinite(limit.effort),
        acceleration,
        acceleration if limit.deceleration is None else limit.deceleration,
        _or_infinite(limit.jerk),
    )


def _bounds(
    limit: LimitXml, kind: JointKind, version: Version, place: str, noted: str, warnings: list[str]
) -> tuple[float, float]:
    if kind is JointKind.CONTINUOUS:
        if limit.lower is not None or limit.upper is not None:
            warnings.append(Notice(f"{noted}: lower and upper limits of a continuous joint are not used", LIMITS))
        return -math.inf, math.inf
    if kind is JointKind.HELICAL:
        return (-math.inf if limit.lower is None else limit.lower), _or_infinite(limit.upper)
    absent = [name for name in ("lower", "upper") if getattr(limit, name) is None]
    if absent and version >= WITH_FULL_LIMITS:
        raise DescriptionError(
            f"{place}: <limit> lacks {' and '.join(absent)}, which URDF {spelt(WITH_FULL_LIMITS)} requires; add what "
            "is missing, or make the joint continuous"
        )
    if len(absent) == 2:
        said = f"{noted}: <limit> has neither lower nor upper, which in URDF means 0 for both"
        warnings.append(doubt(said, LIMITS))
    return limit.lower or 0.0, limit.upper or 0.0


def _or_infinite(value: float | None) -> float:
    return math.inf if value is None else value
