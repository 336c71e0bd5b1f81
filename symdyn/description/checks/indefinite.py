"""Inertias with a negative eigenvalue: borne in a body that is sound, mended where that is asked for, else refused."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from symdyn.description.checks.rigid_bodies import Body, RigidBodies
from symdyn.description.quantities.expression import Expression
from symdyn.description.quantities.physical_inertia import Moments, nearest_physical
from symdyn.description.robot import Inertial, Link, RobotDescription
from symdyn.description.text.notice import INERTIA, doubt
from symdyn.description.text.position import at, on_line, shown
from symdyn.description.text.repair import offer
from symdyn.errors import DescriptionError

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
