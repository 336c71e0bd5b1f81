"""What acts on a robot from outside: the keys of the YAML format to their kinds."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from symdyn.description.bushing import Bushing, Strut
from symdyn.description.contact import Contact
from symdyn.description.contact_keys import CONTACT, is_rigid
from symdyn.description.declared import family
from symdyn.description.external_loads import ALONG, VELOCITY_SCALE, WRENCHES, Acting, Site, Six, Wrench
from symdyn.description.fluid import FLUID, AddedMass, Buoyancy, Drag
from symdyn.description.robot import Attachment, Number
from symdyn.description.text.position import shown
from symdyn.description.text.validation import Path
from symdyn.description.yaml.schema import RobotYaml
from symdyn.description.yaml.values import YamlValues
from symdyn.description.yaml.words import SECTION

_ZERO: tuple[Number, Number, Number] = (0.0, 0.0, 0.0)


def read_acting(robot: RobotYaml, rods: Collection[str], values: YamlValues) -> tuple[Acting, ...]:
    """All that acts on a robot whose soft links are ``rods``, in the order of the file.

    Raises
    ------
    DescriptionError
        An expression that cannot be, or a place on a rigid link that only others have.
    """
    wrenches = values.records(WRENCHES, robot.loads, Wrench.key)
    immersed = [] if robot.fluid is None else _fluid(robot.fluid, rods, values)
    contacts = (
        _contact(name, said, robot, rods, values) for name, said in robot.contacts.items() if not is_rigid(said)
    )
    bushings = values.records(family(Bushing, Bushing.word), robot.bushings, Bushing.key)
    struts = values.records(family(Strut, Strut.word), robot.struts, Strut.key)
    return (*wrenches, *immersed, *contacts, *bushings, *struts)


def _fluid(said: Any, rods: Collection[str], values: YamlValues) -> Iterator[Acting]:
    path: Path = ("fluid",)
    fluid = FLUID.make(said, values, path)
    slowest = VELOCITY_SCALE if fluid.velocity_scale is None else fluid.velocity_scale
    for link, body in fluid.bodies:
        own, name, soft = (*path, "bodies", link), f"fluid.{link}", link in rods
        told = [
            key for key in ("volume", "center", "start", "end", "drag", "added_mass") if getattr(body, key) is not None
        ]
        if soft and {"volume", "center"}.intersection(told):
            raise values.refusal(own, f": volume and center mean nothing on {shown(link)}, whose sections tell them")
        if not soft and not {"volume", "drag", "added_mass"}.intersection(told):
            raise values.refusal(own, f": expected 'volume', 'drag' or 'added_mass' on {shown(link)}, a rigid link")
        if not soft and {"start", "end"}.intersection(told):
            raise values.refusal(own, f": from and to mean nothing on {shown(link)}, a rigid link; leave them out")
        line, ends = values.line(own), (body.start, body.end)
        site = Site(link, Attachment.ROOT if soft else Attachment.TIP, body.center or _ZERO)
        if soft or body.volume is not None:
            yield Buoyancy(name, site, fluid.density, 0.0 if soft else body.volume, soft, line, *ends)
        if body.drag is not None:
            entries = _six(body.drag, (*own, "drag"), soft, values)
            yield Drag(f"{name}.drag", site, entries, slowest, soft, line, *ends)
        if body.added_mass is not None:
            entries = _six(body.added_mass, (*own, "added_mass"), soft, values)
            yield AddedMass(f"{name}.added_mass", site, entries, soft, line, *ends)


def _six(said: tuple[Number, ...], path: Path, soft: bool, values: YamlValues) -> Six:
    known = {ALONG} if soft else set[str]()
    x, y, z, turn_x, turn_y, turn_z = (values.fold_among(entry, path, known) for entry in said)
    return x, y, z, turn_x, turn_y, turn_z


def _contact(name: str, said: Any, robot: RobotYaml, rods: Collection[str], values: YamlValues) -> Contact:
    path: Path = ("contacts", name)
    framed = said.of in robot.frames
    if framed and said.model_fields_set & {"at", "point"}:
        raise values.refusal(path, ": the frame says where it stands; leave out at and point")
    along = said.of in rods and said.at is None
    if along and said.point is not None:
        raise values.refusal(path, ": point means nothing at all stations; give 'at' for a sphere at one place")
    if not along and said.model_fields_set & {"from", "to"}:
        raise values.refusal(path, ": from and to are of a contact all along a soft link; leave them out")
    own = CONTACT.make(said, values, path)
    if framed:
        site = Site(frame=own.of)
    else:
        site = Site(own.of, Attachment.ROOT) if along else values.site(own.of, own.at, own.point, path)
    radius = None if own.radius is None else values.number(own.radius, (*path, "radius"), (SECTION,))
    return Contact(
        name,
        site,
        own.surface,
        own.stiffness,
        own.exponent,
        own.damping,
        own.friction,
        own.velocity_scale,
        radius,
        along,
        values.line(path),
        own.start,
        own.end,
    )
