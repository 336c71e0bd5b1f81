"""What acts on a robot from outside: the keys of the YAML format to their kinds."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import chain

from symdyn.description.bushing import Bushing, Strut
from symdyn.description.contact import Contact, Surface
from symdyn.description.declared import family
from symdyn.description.external_loads import ALONG, MOVING, Acting, Site, Six, Wrench
from symdyn.description.fluid import AddedMass, Buoyancy, Drag
from symdyn.description.robot import Attachment, Number
from symdyn.description.text.position import shown
from symdyn.description.text.validation import Path
from symdyn.description.yaml.acting_schema import (
    ContactYaml,
    FluidYaml,
    ImmersedYaml,
    SiteYaml,
    SurfaceYaml,
    WrenchYaml,
)
from symdyn.description.yaml.schema import RobotYaml
from symdyn.description.yaml.values import YamlValues

_ZERO: tuple[Number, Number, Number] = (0.0, 0.0, 0.0)


def read_acting(robot: RobotYaml, rods: Collection[str], values: YamlValues) -> tuple[Acting, ...]:
    """All that acts on a robot whose soft links are ``rods``, in the order of the file.

    Raises
    ------
    DescriptionError
        An expression that cannot be, or a place on a rigid link that only others have.
    """
    wrenches = (_wrench(name, said, values) for name, said in robot.loads.items())
    immersed = [] if robot.fluid is None else _fluid(robot.fluid, rods, values)
    contacts = (_contact(name, said, robot, rods, values) for name, said in robot.contacts.items() if not said.is_rigid)
    bushings = values.records(family(Bushing, Bushing.word), robot.bushings, Bushing.key)
    struts = values.records(family(Strut, Strut.word), robot.struts, Strut.key)
    return (*wrenches, *immersed, *contacts, *bushings, *struts)


def read_site(said: SiteYaml, path: Path, values: YamlValues) -> Site:
    """A place."""
    if said.frame is not None or said.link is None:
        return Site(frame=said.frame or "")
    return values.site(said.link, said.at, said.point, path)


def _fluid(said: FluidYaml, rods: Collection[str], values: YamlValues) -> Iterator[Acting]:
    path: Path = ("fluid",)
    density = values.fold(said.density, (*path, "density"))
    slowest = values.number(said.velocity_scale, (*path, "velocity_scale"))
    for link, body in said.bodies.items():
        own, name, soft = (*path, "bodies", link), f"fluid.{link}", link in rods
        if soft and body.model_fields_set & {"volume", "center"}:
            raise values.refusal(own, f": volume and center mean nothing on {shown(link)}, whose sections tell them")
        if not soft and body.volume is None and body.drag is None and body.added_mass is None:
            raise values.refusal(own, f": expected 'volume', 'drag' or 'added_mass' on {shown(link)}, a rigid link")
        if not soft and body.model_fields_set & {"start", "end"}:
            raise values.refusal(own, f": from and to mean nothing on {shown(link)}, a rigid link; leave them out")
        start, end = _part(body, own, values)
        site = Site(link, Attachment.ROOT if soft else Attachment.TIP, values.vector(body.center or _ZERO, own))
        volume = values.fold(body.volume or 0.0, (*own, "volume"))
        if soft or body.volume is not None:
            yield Buoyancy(name, site, density, volume, soft, values.line(own), start, end)
        if body.drag is not None:
            entries = _six(body.drag, (*own, "drag"), soft, values)
            yield Drag(f"{name}.drag", site, entries, slowest, soft, values.line(own), start, end)
        if body.added_mass is not None:
            entries = _six(body.added_mass, (*own, "added_mass"), soft, values)
            yield AddedMass(f"{name}.added_mass", site, entries, soft, values.line(own), start, end)


def _six(said: tuple[Number, ...], path: Path, soft: bool, values: YamlValues) -> Six:
    known = {ALONG} if soft else set[str]()
    x, y, z, turn_x, turn_y, turn_z = (values.fold_among(entry, path, known) for entry in said)
    return x, y, z, turn_x, turn_y, turn_z


def _contact(name: str, said: ContactYaml, robot: RobotYaml, rods: Collection[str], values: YamlValues) -> Contact:
    path: Path = ("contacts", name)
    assert isinstance(said.of, str) and isinstance(said.surface, SurfaceYaml)
    place = {"frame": said.of} if said.of in robot.frames else {"link": said.of, "at": said.at, "point": said.point}
    if said.of in robot.frames and said.model_fields_set & {"at", "point"}:
        raise values.refusal(path, ": the frame says where it stands; leave out at and point")
    along = said.of in rods and said.at is None
    if along and said.point is not None:
        raise values.refusal(path, ": point means nothing at all stations; give 'at' for a sphere at one place")
    if not along and said.model_fields_set & {"start", "end"}:
        raise values.refusal(path, ": from and to are of a contact all along a soft link; leave them out")
    site = Site(said.of, Attachment.ROOT) if along else read_site(SiteYaml.model_construct(**place), path, values)
    fixed = {key: values.number(getattr(said, key), (*path, key)) for key in ("exponent", "velocity_scale")}
    radius = None if said.radius is None else values.number(said.radius, (*path, "radius"))
    assert said.stiffness is not None
    stiffness, damping, friction = (
        values.fold(own, (*path, key))
        for key, own in (("stiffness", said.stiffness), ("damping", said.damping), ("friction", said.friction))
    )
    surface = read_surface(said.surface, (*path, "with"), values)
    return Contact(
        name,
        site,
        surface,
        stiffness,
        fixed["exponent"],
        damping,
        friction,
        fixed["velocity_scale"],
        radius,
        along,
        values.line(path),
        *_part(said, path, values),
    )


def read_surface(said: SurfaceYaml, path: Path, values: YamlValues) -> Surface:
    """A surface in the world."""
    if said.plane is not None:
        own = (*path, "plane")
        normal = values.direction(said.plane.normal, (*own, "normal"), any_length=True)
        return Surface("plane", values.numbers(said.plane.point, (*own, "point")), normal)
    if said.cylinder is not None:
        own, cylinder = (*path, "cylinder"), said.cylinder
        point = values.numbers(cylinder.point, (*own, "point"))
        axis = values.direction(cylinder.axis, (*own, "axis"), any_length=True)
        return Surface("cylinder", point, axis, values.number(cylinder.radius, (*own, "radius")), cylinder.inside)
    assert said.sphere is not None
    own, sphere = (*path, "sphere"), said.sphere
    center, radius = values.numbers(sphere.center, (*own, "center")), values.number(sphere.radius, (*own, "radius"))
    return Surface("sphere", center, radius=radius, inside=sphere.inside)


def _wrench(name: str, said: WrenchYaml, values: YamlValues) -> Wrench:
    path: Path = ("loads", name)
    if said.per_length is None:
        known, site = MOVING, read_site(said, path, values)
        parts = {"force": said.force or _ZERO, "moment": said.moment or _ZERO}
        entries = list(chain.from_iterable(((key, entry) for entry in own) for key, own in parts.items()))
    else:
        known, site = MOVING | {ALONG}, Site(said.link or "")
        entries = [("per_length", entry) for entry in said.per_length]
    x, y, z, turn_x, turn_y, turn_z = (values.fold_among(entry, (*path, key), known) for key, entry in entries)
    six, along = (x, y, z, turn_x, turn_y, turn_z), said.per_length is not None
    x, y, z = values.numbers(said.wind, (*path, "wind"))
    return Wrench(name, site, six, said.axes, along, values.line(path), *_part(said, path, values), (x, y, z))


def _part(
    said: WrenchYaml | ImmersedYaml | ContactYaml, path: Path, values: YamlValues
) -> tuple[float | None, float | None]:
    """The part of a soft link that something acts on."""
    ends = (("from", said.start), ("to", said.end))
    start, end = (None if own is None else values.number(own, (*path, key)) for key, own in ends)
    return start, end
