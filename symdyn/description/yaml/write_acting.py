"""What acts on a robot from outside to symdyn's YAML, read back to the last bit."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from symdyn.description.bushing import Bushing, Strut
from symdyn.description.contact import Contact
from symdyn.description.declared import family
from symdyn.description.external_loads import WRENCHES, Site, Wrench, written_part, written_site
from symdyn.description.fluid import AddedMass, Buoyancy, Drag, Immersed
from symdyn.description.loops import Holding
from symdyn.description.pfaffian import LOOPS
from symdyn.description.quantities.written import key, listed, mapping, number
from symdyn.description.rigid_contact import RigidContact
from symdyn.description.robot import Attachment, RobotDescription
from symdyn.description.surfaces import written_surface
from symdyn.description.yaml.words import SECTION
from symdyn.description.yaml.write_contacts import rigid_contact


def acting_lines(robot: RobotDescription) -> Iterator[str]:
    """Lines of all that acts on a robot."""
    acting, rods = robot.acting, {link.name for link in robot.links if link.soft is not None}
    deforming = {link.name for link in robot.links if link.deforms}
    wrenches = [own for own in acting if isinstance(own, Wrench)]
    if wrenches:
        yield "loads:"
        yield from (f"{key(own.name, '  ')} {mapping(WRENCHES.written(own, deforming))}" for own in wrenches)
    contacts = [own for own in acting if isinstance(own, Contact | RigidContact)]
    if contacts:
        yield "contacts:"
    for own in contacts:
        entries = rigid_contact(own) if isinstance(own, RigidContact) else _contact(own, rods, deforming)
        yield f"{key(own.name, '  ')} {mapping(entries)}"
    for kind in (Bushing, Strut):
        pairs = [own for own in acting if isinstance(own, kind)]
        if pairs:
            yield f"{kind.key}:"
            yield from (f"{key(own.name, '  ')} {mapping(family(kind).written(own, deforming))}" for own in pairs)
    yield from _fluid([own for own in acting if isinstance(own, Immersed)])
    loops = [own for own in acting if isinstance(own, Holding)]
    if loops:
        yield "loops:"
        yield from (f"{key(own.name, '  ')} {mapping(LOOPS.written(own, deforming))}" for own in loops)


def _fluid(immersed: list[Immersed]) -> Iterator[str]:
    """The fluid, with a mapping for each link in it."""
    if not immersed:
        return
    bodies: dict[str, dict[str, str]] = {}
    for own in immersed:
        entries = bodies.setdefault(own.site.link, {})
        if isinstance(own, Buoyancy) and not own.along:
            entries["volume"] = number(own.volume)
        entries |= written_part(own)
        if own.site.point != Site().point:
            entries["center"] = listed(own.site.point)
        if isinstance(own, Drag):
            entries["drag"] = listed(own.entries)
        if isinstance(own, AddedMass):
            entries["added_mass"] = listed(own.entries)
    yield "fluid:"
    densities = [own.density for own in immersed if isinstance(own, Buoyancy)]
    yield f"  density: {number(densities[0] if densities else 0.0)}"
    scales = [own.velocity_scale for own in immersed if isinstance(own, Drag)]
    if scales:
        yield f"  velocity_scale: {number(scales[0])}"
    yield "  bodies:"
    yield from (f"{key(link, '    ')} {mapping(entries)}" for link, entries in bodies.items())


def _contact(own: Contact, rods: Collection[str], deforming: Collection[str]) -> dict[str, str]:
    place = written_site(own.site, deforming)
    entries = {"of": place.pop("frame", "") or place.pop("link")} | ({} if own.along else place)
    if own.site.link in rods and not own.along and "at" not in entries:
        entries["at"] = Attachment.TIP.value
    radius = SECTION if own.radius is None else number(own.radius)
    numbers = {name: number(value) for name, value in own.numbers.items()}
    fixed = {"exponent": number(own.exponent), "velocity_scale": number(own.velocity_scale)}
    entries |= written_part(own)
    return entries | {"radius": radius, "with": mapping(written_surface(own.surface))} | numbers | fixed
