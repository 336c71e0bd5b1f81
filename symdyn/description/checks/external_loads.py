"""Whether what acts on a robot from outside can be as it is described."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from symdyn.description.bushing import Bushing, Strut
from symdyn.description.checks.contacts import check_contact_shapes, check_rigid_contact
from symdyn.description.checks.inertia import LARGEST, check_range
from symdyn.description.checks.known_values import known_values, value_of
from symdyn.description.checks.loops import check_coupling, check_loop, standing_of
from symdyn.description.checks.pfaffian import check_pfaffian
from symdyn.description.checks.rotation import unit_vector
from symdyn.description.contact import EXPONENTS, SHAPES, Contact, rod_at
from symdyn.description.external_loads import ALONG, AXES, ENTRIES, Acting, Along, Entries, Wrench, parameter_of
from symdyn.description.fluid import AddedMass, Buoyancy, Drag, Immersed
from symdyn.description.loops import Coupling, Loop
from symdyn.description.pfaffian import Pfaffian
from symdyn.description.quantities.beam_expression import BeamExpression
from symdyn.description.quantities.expression import Expression
from symdyn.description.rigid_contact import RigidContact
from symdyn.description.robot import Link, RobotDescription
from symdyn.description.soft import Soft
from symdyn.description.text.position import at, hint, on_line, shown
from symdyn.errors import DescriptionError

_SAMPLES = 64
"""Places along a rod at which its radius, and entries of what is in a fluid, are looked at."""
_ROUNDING = 1e-12
"""Part of the largest entry that one which ends at 0 may miss it by."""
_FLUID_PARTS: dict[type[Acting], str] = {Buoyancy: "", Drag: ".drag", AddedMass: ".added_mass"}
_ORDER = tuple(kind.key for kind in (Wrench, Buoyancy, Contact, Bushing, Strut, Loop))


def acting_place(acting: Acting) -> str:
    """What messages call one."""
    if isinstance(acting, Immersed):
        return f"fluid.bodies.{acting.site.link}"
    return f"{acting.word} {shown(acting.name)}"


def ordered(acting: Sequence[Acting]) -> tuple[Acting, ...]:
    """Kind by kind as a file has them, what a fluid does link by link."""
    links = list(dict.fromkeys(own.site.link for own in acting if isinstance(own, Immersed)))

    def place(own: Acting) -> tuple[int, int]:
        link = links.index(own.site.link) if isinstance(own, Immersed) else 0
        return _ORDER.index(own.key), link

    in_fluid = sorted(acting, key=lambda own: (isinstance(own, Drag), isinstance(own, AddedMass)))
    return tuple(sorted(in_fluid, key=place))


def check_acting(description: RobotDescription) -> Iterator[str]:
    """Warnings about what acts from outside.

    Raises
    ------
    DescriptionError
        A link or frame that is unknown, no soft link where one is needed, an expression with an unknown name, or a
        number out of range.
    """
    links = {link.name: link for link in description.links}
    frames = [*(frame.name for frame in description.frames), *description.tips]
    values, standing = known_values(description), standing_of(description)
    _check_one_fluid(description)
    check_contact_shapes(description)
    parameters = {parameter.name for parameter in description.parameters}
    for acting in description.acting:
        place = f"{at(description.source, acting.line)}: {acting_place(acting)}"
        for site in acting.stands:
            if site.frame and site.frame not in frames:
                raise DescriptionError(f"{place}: frame {shown(site.frame)} does not exist{hint(site.frame, frames)}")
            if not site.frame and not (site.grounded and isinstance(acting, Loop)) and site.link not in links:
                raise DescriptionError(f"{place}: link {shown(site.link)} does not exist{hint(site.link, links)}")
        if acting.rod and acting.rod not in links:
            raise DescriptionError(f"{place}: link {shown(acting.rod)} does not exist{hint(acting.rod, links)}")
        if acting.rod and links[acting.rod].soft is None:
            raise DescriptionError(
                f"{place}: link {shown(acting.rod)} is not soft; only soft links have loads per length: give a force"
            )
        for item, number in acting.numbers.items():
            check_range(place, item, value_of(number, values, place))
        if isinstance(acting, Entries):
            _check_entries(acting, parameters, place)
        if isinstance(acting, Wrench) and acting.axes not in AXES:
            raise DescriptionError(f"{place}: axes are {shown(acting.axes)}; expected {' or '.join(AXES)}")
        if isinstance(acting, Along) and not isinstance(acting, RigidContact) and acting.part is not None:
            _check_part(acting, links, place)
        if isinstance(acting, Immersed):
            _check_fluid(acting, links[acting.site.link], values, place)
        if isinstance(acting, Drag | AddedMass):
            _check_along(acting, links[acting.site.link], values, place)
        if isinstance(acting, Contact):
            _check_contact(acting, rod_at(description, acting.site), values, place)
        if isinstance(acting, Bushing | Strut):
            _check_pair(acting, values, place)
        if isinstance(acting, Loop):
            check_loop(acting, values, standing, place)
        elif isinstance(acting, Coupling):
            check_coupling(acting, description.joints, place)
        elif isinstance(acting, Pfaffian):
            check_pfaffian(acting, parameters, place)
        elif isinstance(acting, RigidContact):
            check_rigid_contact(acting, description, values, place)
        elif not acting.shown:
            yield f"{on_line(acting.line)}{acting_place(acting)} is zero and does nothing"


def _check_entries(acting: Entries, parameters: set[str], place: str) -> None:
    known = acting.knows
    for name, entry in zip(ENTRIES, acting.entries, strict=True):
        for used in entry.names if isinstance(entry, Expression) else ():
            if used not in parameters and used not in known:
                more = f" and {', '.join(sorted(known))}" if known else ""
                raise DescriptionError(
                    f"{place}: {name}: unknown name {shown(used)}; expressions may use parameters{more}"
                )
            if used in parameters and used in known:
                raise DescriptionError(f"{place}: {name}: {clash(used)}")


def _check_part(acting: Along, links: dict[str, Link], place: str) -> None:
    soft = links[acting.rod].soft if acting.rod else None
    if soft is None:
        raise DescriptionError(f"{place}: from and to are of what acts along a soft link; leave them out")
    start = 0.0 if acting.start is None else acting.start
    end = soft.length if acting.end is None else acting.end
    if not 0.0 <= start < end <= soft.length:
        raise DescriptionError(
            f"{place}: from {start:g} m to {end:g} m is no part of link {shown(acting.rod)}; expected "
            f"0 <= from < to <= {soft.length:g} m, its length"
        )


def _check_contact(acting: Contact, on: tuple[Soft, float] | None, values: dict[str, float], place: str) -> None:
    surface = acting.surface
    if surface.shape not in SHAPES or unit_vector(surface.axis) is None:
        raise DescriptionError(f"{place}: expected a plane, a cylinder or a sphere, with an axis that points somewhere")
    if acting.exponent not in EXPONENTS:
        raise DescriptionError(f"{place}: exponent is {acting.exponent:g}; expected 1, 1.5, 2, .. up to 12")
    if not 0.0 < acting.velocity_scale <= LARGEST:
        raise DescriptionError(f"{place}: velocity_scale is {acting.velocity_scale:g} m/s; it is above 0")
    largest = acting.radius
    if acting.radius is None:
        if on is None or not on[0].section.radius:
            raise DescriptionError(
                f"{place}: radius: only sections of a soft link that are round have one; give a number"
            )
        rod, x = on
        if rod.deforms and not acting.along and x in (0.0, rod.length):
            raise DescriptionError(
                f"{place}: radius: the section there deforms, and is told at stations between root and tip; give a "
                "number, or a place in between"
            )
        places = [rod.length * k / _SAMPLES for k in range(_SAMPLES + 1)] if acting.along else [x]
        largest = max(BeamExpression(rod.section.radius).at(place) for place in places)
    elif not 0.0 <= acting.radius <= LARGEST:
        raise DescriptionError(f"{place}: radius is {acting.radius:g} m; it is at least 0")
    if surface.shape != "plane" and not 0.0 < surface.radius <= LARGEST:
        raise DescriptionError(f"{place}: with.{surface.shape}.radius is {surface.radius:g} m; it is above 0")
    if surface.shape != "plane" and surface.inside and largest is not None and surface.radius <= largest:
        raise DescriptionError(
            f"{place}: with.{surface.shape}.radius is {surface.radius:g} m; what is inside needs more than its own "
            f"radius, {largest:g} m"
        )
    for name, number in acting.numbers.items():
        value = value_of(number, values, place)
        if value is not None and value < 0.0:
            raise DescriptionError(f"{place}: {name} is {value:g}; it is at least 0")


def _check_pair(acting: Bushing | Strut, values: dict[str, float], place: str) -> None:
    first, second = acting.between
    if first == second:
        raise DescriptionError(f"{place}: both places are one; give places on two links")
    for name, number in acting.numbers.items():
        value = value_of(number, values, place)
        if value is not None and value < 0.0 and not name.startswith("translation"):
            raise DescriptionError(f"{place}: {name} is {value:g}; it is at least 0")


def _check_one_fluid(description: RobotDescription) -> None:
    """All that is in the fluid is in the same one, and a link is in it once."""
    immersed = [own for own in description.acting if isinstance(own, Immersed)]
    known: dict[str, object] = {}
    for own in immersed:
        place, link = acting_place(own), own.site.link
        name = f"fluid.{link}{_FLUID_PARTS[type(own)]}"
        if own.name != name:
            raise DescriptionError(
                f"{description.source}: {place}: expected the name {shown(name)}, got {shown(own.name)}"
            )
        shared: list[tuple[str, object]] = [(f"center of {shown(link)}", own.site)]
        shared.append((f"part of {shown(link)}", own.part))
        shared += [("density", own.density)] if isinstance(own, Buoyancy) else []
        shared += [("velocity_scale", own.velocity_scale)] if isinstance(own, Drag) else []
        for what, value in shared:
            if known.setdefault(what, value) != value:
                raise DescriptionError(f"{description.source}: {place}: there is one fluid; give it one {what}")


def _check_fluid(acting: Immersed, link: Link, values: dict[str, float], place: str) -> None:
    if link.deforms and link.soft is None:
        how = "flexible" if link.flexible is not None else "deformable"
        raise DescriptionError(
            f"{place}: link {shown(link.name)} is {how}; only rigid and soft links are in a fluid: describe it as "
            "soft, or give loads at its tip"
        )
    if isinstance(acting, Drag) and not 0.0 < acting.velocity_scale <= LARGEST:
        raise DescriptionError(
            f"{place}: velocity_scale is {acting.velocity_scale:g} m/s; it is above 0, so that drag is smooth at rest"
        )
    for name, number in acting.numbers.items():
        value = value_of(number, values, place)
        if value is not None and value < 0.0 and not parameter_of(name):
            raise DescriptionError(f"{place}: {name} is {value:g}; it is at least 0")


def _check_along(acting: Drag | AddedMass, link: Link, values: dict[str, float], place: str) -> None:
    """Entries that change along a rod, at many places on it, with run-time parameters as they are by default."""
    start = acting.start or 0.0
    part = _FLUID_PARTS[type(acting)].removeprefix(".") + "."
    end = link.soft.length if link.soft is not None and acting.end is None else acting.end or 0.0
    for name, entry in zip(ENTRIES, acting.varying, strict=True):
        if entry is None or not set(entry.names) <= {*values, ALONG}:
            continue
        places = [start + (end - start) * (k + 0.5) / _SAMPLES for k in range(_SAMPLES)]
        found = [value_of(entry, {**values, ALONG: x}, f"{place}: {part}{name} at x = {x:.6g}") or 0.0 for x in places]
        least, x = min(zip(found, places, strict=True))
        if least < -_ROUNDING * max(map(abs, found)):
            raise DescriptionError(f"{place}: {part}{name} is {least:.6g} at x = {x:.6g}; it is at least 0")


def clash(name: str) -> str:
    """Why a name that is a parameter's too means nothing in an expression of what acts from outside."""
    return f"{shown(name)} is a parameter's name, and that of what a load knows of its place; rename the parameter"
