"""Whether a body can have the masses and moments that a description gives its links.

Inertias with a negative eigenvalue: borne in a body that is sound, mended where that is asked for, else refused.

Links that are fixed to each other move as one body, and as one body they feel what inertia they have.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from symdyn.description.checks.known_values import known_values, value_of
from symdyn.description.checks.tree import from_root
from symdyn.description.quantities.expression import Expression
from symdyn.description.quantities.physical_inertia import Moments, nearest_physical
from symdyn.description.robot import Attachment, Inertial, JointKind, Link, Placement, RobotDescription
from symdyn.description.text.notice import INERTIA, doubt, offer
from symdyn.description.text.position import at, on_line, shown
from symdyn.errors import DescriptionError

Body = tuple[str, Attachment]
"""The link nearest the root, and whether the body is that link or what hangs on its bent tip."""


class RigidBodies:
    """Which links are one body, and where they stand in it."""

    def __init__(self, description: RobotDescription, values: Mapping[str, float]) -> None:
        self._values = dict(values)
        links = {link.name: link for link in description.links}
        root = description.root
        fixed = [joint for joint in description.joints if joint.kind is JointKind.FIXED]
        # whose children at the tip are counted from two frames
        mixed = {joint.parent for joint in fixed if joint.at is Attachment.TIP}
        self._body: dict[str, Body] = {root: (root, Attachment.ROOT)}
        # None where a placement waits for a run-time parameter, or for the shape of a curved rod
        self._pose: dict[str, tuple[Any, Any] | None] = {root: (np.eye(3), np.zeros(3))}
        for joint in from_root(description):
            child = joint.child
            self._body[child], self._pose[child] = (child, Attachment.ROOT), (np.eye(3), np.zeros(3))
            if joint.kind is JointKind.FIXED:
                bends = links[joint.parent].deforms and joint.at.moves
                self._body[child] = (joint.parent, Attachment.TIP) if bends else self._body[joint.parent]
                origin = self._pose[joint.parent]
                if bends:
                    origin = np.eye(3), np.zeros(3)
                    if joint.at is Attachment.END and joint.parent in mixed:
                        origin = self._straight_tip(links[joint.parent])
                self._pose[child] = self._placed(origin, joint.placement)
        self._members: dict[Body, list[str]] = {}
        for name, body in self._body.items():
            self._members.setdefault(body, []).append(name)
        self._inertials = {name: link.inertial for name, link in links.items() if link.inertial is not None}

    def body(self, link: str) -> Body:
        """The body that a link is part of."""
        return self._body[link]

    def members(self, body: Body) -> list[str]:
        """Names of a body's links, parents before children."""
        return self._members[body]

    def principal_moments(self, body: Body) -> list[float] | None:
        """Of all its links about their common centre of mass [kg m^2], ascending; None where one is unknown."""
        parts = []
        for name in self._members[body]:
            inertial, pose = self._inertials.get(name), self._pose[name]
            if inertial is None:
                continue
            place = self._placed(pose, inertial.placement)
            numbers = [value_of(entry, self._values, "inertial") for entry in (inertial.mass, *inertial.moments)]
            known = [entry for entry in numbers if entry is not None]
            if place is None or len(known) < len(numbers):
                return None
            mass, xx, xy, xz, yy, yz, zz = known
            rotation, center = place
            parts.append((mass, center, rotation @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ rotation.T))
        total = sum(mass for mass, _, _ in parts)
        middle = sum(mass * center for mass, center, _ in parts) / total if total > 0.0 else np.zeros(3)
        moments = np.zeros((3, 3))
        for mass, center, own in parts:
            arm = center - middle
            moments += own + mass * ((arm @ arm) * np.eye(3) - np.outer(arm, arm))
        principal: list[float] = np.linalg.eigvalsh(moments).tolist()
        return principal

    def _straight_tip(self, link: Link) -> tuple[Any, Any] | None:
        """The tip's frame in that of a link at rest; None where only the model knows it."""
        beam = link.flexible or link.soft
        if beam is None or (link.soft is not None and link.soft.reference):
            return None
        along = np.array(beam.placement.rotation) @ np.array([beam.length, 0.0, 0.0])
        return self._placed((np.eye(3), along), Placement(beam.placement.translation))

    def _placed(self, pose: tuple[Any, Any] | None, placement: Any) -> tuple[Any, Any] | None:
        shift = [value_of(entry, self._values, "placement") for entry in placement.translation]
        if pose is None or None in shift:
            return None
        rotation, translation = pose
        return rotation @ np.array(placement.rotation), translation + rotation @ np.array(shift)


SMALLEST_MOMENT = 1e-18
"""Inertias with no entry as large as this [kg m^2] are rounding noise and taken as zero."""

_INDEFINITE = 1e-9


def is_indefinite(principal: Sequence[float]) -> bool:
    """Whether principal moments [kg m^2], ascending, hold a negative one that is not rounding."""
    return principal[0] < -(_INDEFINITE * max(principal[-1], 0.0) + SMALLEST_MOMENT)


def listed(principal: Sequence[float]) -> str:
    """Principal moments for a message."""
    return ", ".join(f"{moment:.6g}" for moment in principal)


def judge_indefinite(
    description: RobotDescription, indefinite: Mapping[str, list[float]], values: Mapping[str, float], repair: bool
) -> tuple[tuple[Link, ...], tuple[str, ...], tuple[str, ...]]:
    """Links, warnings and repairs, where ``indefinite`` names the links in question with their principal moments.

    Raises
    ------
    DescriptionError
        The body that a link is part of has a negative eigenvalue too, and ``repair`` is not asked for or cannot help,
        because moments rest on run-time parameters.
    """
    bodies = RigidBodies(description, values)
    whole: dict[Body, list[float] | None] = {}
    links: list[Link] = []
    warnings: list[str] = []
    repairs: list[str] = []
    for link in description.links:
        principal = indefinite.get(link.name)
        if principal is None or link.inertial is None:
            links.append(link)
            continue
        body = bodies.body(link.name)
        if body not in whole:
            whole[body] = bodies.principal_moments(body)
        together, name = whole[body], f"link {shown(link.name)}"
        fault = f"inertia is not positive semi-definite: its eigenvalues are {listed(principal)} kg m^2"
        if together is not None and not is_indefinite(together):
            used = f"it is used, because the body of {len(bodies.members(body))} links that it is part of is sound"
            warnings.append(doubt(f"{on_line(link.line)}{name}: {fault}; {used}", INERTIA))
            links.append(link)
            continue
        moments = _numbers(link.inertial)
        if not repair or moments is None:
            all_of = (
                ""
                if together is None or listed(together) == listed(principal)
                else (f", and with the links fixed to it {listed(together)}")
            )
            way_out = "" if moments is None else offer("takes the nearest physical inertia")
            raise DescriptionError(
                f"{at(description.source, link.line)}: {name}: {fault}{all_of}; check the signs and the products of "
                f"inertia{way_out}"
            )
        links.append(replace(link, inertial=replace(link.inertial, moments=nearest_physical(moments))))
        repairs.append(f"{name}: {fault}; the nearest physical inertia is taken")
    return tuple(links), tuple(warnings), tuple(repairs)


def _numbers(inertial: Inertial) -> Moments | None:
    """The moments, or None where one is an expression, which a number must not replace."""
    xx, xy, xz, yy, yz, zz = (None if isinstance(entry, Expression) else entry for entry in inertial.moments)
    if xx is None or xy is None or xz is None or yy is None or yz is None or zz is None:
        return None
    return xx, xy, xz, yy, yz, zz


SMALLEST_MASS = 1e-12
"""Positive masses below this [kg] may be slips of a unit or an exponent, and give a warning."""
LARGEST = 1e30
"""Masses, lengths and moments beyond this are refused."""

_TRIANGLE = 1e-6
_ZERO = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


def check_links(
    description: RobotDescription, repair: bool
) -> tuple[tuple[Link, ...], tuple[str, ...], tuple[str, ...]]:
    """Links with noise in place of an inertia removed, warnings, and what was repaired.

    A negative eigenvalue is judged on all links together that are fixed to each other: on one of them alone it is often
    rounding, which nothing feels.

    Raises
    ------
    DescriptionError
        A negative mass, a value beyond ``LARGEST``, or, without ``repair``, a body whose inertia
        has a negative eigenvalue.
    """
    values = known_values(description)
    links: list[Link] = []
    warnings: list[str] = []
    solid: list[Link] = []
    moments: list[tuple[float, ...]] = []
    for link in description.links:
        place = _place(link, description.source)
        inertial = link.inertial
        warnings.extend(_tiny(link, values, place))
        known = None if inertial is None else _known_moments(inertial, values, place)
        if inertial is None or known is None or not any(known):
            links.append(link)
        elif max(abs(entry) for entry in known) < SMALLEST_MOMENT:
            said = f"all moments of inertia are below {SMALLEST_MOMENT:g} kg m^2; they are taken as zero"
            warnings.append(doubt(f"{on_line(link.line)}link {shown(link.name)}: {said}", INERTIA))
            links.append(replace(link, inertial=replace(inertial, moments=_ZERO)))
        else:
            links.append(link)
            solid.append(link)
            moments.append(known)
            if value_of(inertial.mass, values, place) == 0.0:
                said = f"{on_line(link.line)}link {shown(link.name)} has moments of inertia but no mass"
                warnings.append(doubt(said, INERTIA))
    # One call for all links: robots of a thousand links are read without a thousand small eigenproblems.
    indefinite: dict[str, list[float]] = {}
    for link, principal in zip(solid, _principal_moments(moments), strict=True):
        if is_indefinite(principal):
            indefinite[link.name] = principal
        elif principal[2] > (principal[0] + principal[1]) * (1.0 + _TRIANGLE):
            said = (
                f"{on_line(link.line)}link {shown(link.name)}: principal moments {listed(principal)} kg m^2 break the "
                "triangle inequality: no distribution of mass has them"
            )
            warnings.append(doubt(said, INERTIA))
    if not indefinite:
        return tuple(links), tuple(warnings), ()
    judged = replace(description, links=tuple(links))
    mended, doubts, repairs = judge_indefinite(judged, indefinite, values, repair)
    return mended, (*warnings, *doubts), repairs


def check_range(place: str, what: str, value: float | None) -> None:
    """Raise a DescriptionError for a value that is not finite or beyond ``LARGEST``."""
    if value is not None and not abs(value) <= LARGEST:
        try:
            shown = f"{value:g}"
        except OverflowError:
            shown = "a whole number that no double holds"
        raise DescriptionError(f"{place}: {what} is {shown}, beyond {LARGEST:g}; check the unit (SI is expected)")


def _known_moments(inertial: Inertial, values: dict[str, float], place: str) -> tuple[float, ...] | None:
    """Moments, or None where one of them waits for a run-time parameter; mass and centre of mass are checked too."""
    mass = value_of(inertial.mass, values, place)
    moments = [value_of(entry, values, place) for entry in inertial.moments]
    center = [value_of(entry, values, place) for entry in inertial.placement.translation]
    for what, group in (("mass", [mass]), ("inertia", moments), ("centre of mass", center)):
        for value in group:
            check_range(place, what, value)
    if mass is not None and mass < 0.0:
        raise DescriptionError(f"{place}: mass is {mass:g} kg; a mass is at least 0")
    complete = tuple(moment for moment in moments if moment is not None)
    return complete if len(complete) == len(moments) else None


def _tiny(link: Link, values: dict[str, float], place: str) -> Iterator[str]:
    mass = None if link.inertial is None else value_of(link.inertial.mass, values, place)
    if mass is not None and 0.0 < mass < SMALLEST_MASS:
        said = f"mass is {mass:g} kg; it is kept, but a link that small is often a slip of the unit or stands for none"
        yield doubt(f"{on_line(link.line)}link {shown(link.name)}: {said}", "mass of {link}")


def _principal_moments(moments: list[tuple[float, ...]]) -> list[list[float]]:
    rows = np.array(moments, dtype=float).reshape(-1, 6)[:, [0, 1, 2, 1, 3, 4, 2, 4, 5]]
    principal: list[list[float]] = np.linalg.eigvalsh(rows.reshape(-1, 3, 3)).tolist()
    return principal


def _place(link: Link, source: str) -> str:
    return f"{at(source, link.line)}: link {shown(link.name)}"
