"""symdyn's YAML to a RobotDescription."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import nullcontext
from dataclasses import replace
from typing import Any, TypeVar

from pydantic import ValidationError

from symdyn.description.checks.canonical import RIGHT_ANGLE
from symdyn.description.checks.check import check
from symdyn.description.checks.parameters import check_parameter_name, resolve
from symdyn.description.checks.rotation import dot, perpendicular
from symdyn.description.checks.units import check_unit
from symdyn.description.collision import ContactSettings
from symdyn.description.contact_keys import is_rigid
from symdyn.description.declared import family
from symdyn.description.joint import JOINT
from symdyn.description.load_settings import Lock
from symdyn.description.loads import LINK_LOADS
from symdyn.description.loops import Holding
from symdyn.description.pfaffian import LOOPS
from symdyn.description.rigid_contact import rigid_contacts
from symdyn.description.robot import (
    FRAME,
    IDENTITY,
    Frame,
    Inertial,
    Joint,
    JointKind,
    Link,
    LoadSettings,
    Number,
    Parameter,
    Placement,
    RobotDescription,
)
from symdyn.description.text.notice import Notice
from symdyn.description.text.position import at, on_line, shown
from symdyn.description.text.validation import problem
from symdyn.description.yaml.document import YamlDocument, parse_document
from symdyn.description.yaml.looks import read_visuals
from symdyn.description.yaml.mapping import YamlMapping, unknown_key
from symdyn.description.yaml.read_acting import read_acting
from symdyn.description.yaml.read_actuation import read_actuation
from symdyn.description.yaml.read_contacts import (
    Fits,
    Touching,
    named_links,
    read_collisions,
    read_meshes,
    read_obstacles,
    read_rigid,
    read_settings,
    shaped_links,
)
from symdyn.description.yaml.read_control import read_control
from symdyn.description.yaml.read_deforming import read_flexible, read_mapped, read_soft
from symdyn.description.yaml.schema import (
    ContactsYaml,
    LinkYaml,
    LoadYaml,
    LoopsYaml,
    ParameterYaml,
    RobotYaml,
)
from symdyn.description.yaml.values import Places, YamlValues, where
from symdyn.errors import DescriptionError

_RIGHT_ANGLE = 1e-6
"""Cosine up to which the two axes of a joint are meant to be at right angles."""
_Schema = TypeVar("_Schema", bound=YamlMapping)
_Adds = Callable[[RobotDescription, Collection[str]], RobotDescription]
Whole = tuple[_Adds, _Adds]
"""What add the pairs of a robot's own file, and all shapes on the ground; links by name have other shapes."""


def parse_yaml(
    data: bytes,
    source: str,
    *,
    runtime: Collection[str] | None = None,
    repair: bool = False,
    ignore: Collection[str] = (),
) -> RobotDescription:
    """Robot of a document in symdyn's YAML (docs/yaml-format.md).

    Values are in SI units and radians. Whatever does not depend on a run-time parameter is a number afterwards.

    Parameters
    ----------
    data
        The file's bytes.
    source
        The file's name for messages, without folders.
    runtime
        Parameters that the caller will make run-time inputs: what depends on them stays an expression although they
        have a value. Other names are ignored. None leaves it to the file.
    repair
        Mend what :func:`check` can.
    ignore
        Unknown keys that are left out, with a warning each.

    Raises
    ------
    DescriptionError
        Malformed YAML, an unknown key, an ill-formed value or expression, an inconsistent tree, or an impossible
        inertia.
    """
    document = parse_document(data, source)
    values = YamlValues(document, source)
    said = valid(RobotYaml, document, source, ignore, values.warnings)
    return _Reader(values, source, repair).robot(said, runtime)


def with_loops(
    robot: RobotDescription,
    data: bytes,
    source: str,
    *,
    runtime: Collection[str] | None = None,
    ignore: Collection[str] = (),
) -> RobotDescription:
    """The robot with the loops of a file beside its own, which may use the parameters of the robot's file.

    Parameters
    ----------
    robot
        A robot without loops.
    data, source, runtime, ignore
        As for :func:`parse_yaml`.

    Raises
    ------
    DescriptionError
        As for :func:`parse_yaml`, or the robot has loops already.
    """
    if any(isinstance(own, Holding) for own in robot.acting):
        raise DescriptionError(
            f"{source}: robot {shown(robot.name)} has loops of its own in {robot.source}; keep one of the two"
        )
    document = parse_document(data, source)
    values = YamlValues(document, source)
    said = valid(LoopsYaml, document, source, ignore, values.warnings)
    return _Reader(values, source, False).beside(robot, said, runtime)


def with_contacts(
    robot: RobotDescription,
    data: bytes,
    source: str,
    fits: Fits,
    whole: Whole,
    *,
    runtime: Collection[str] | None = None,
    ignore: Collection[str] = (),
) -> RobotDescription:
    """The robot with the rigid contacts of a file beside its own, which may use the parameters of the robot's file.

    Parameters
    ----------
    robot
        A robot without rigid contacts.
    data, source, runtime, ignore
        As for :func:`parse_yaml`.
    fits
        How shapes are fitted to meshes.
    whole
        Add what the file asks for by ``file_pairs`` and ``ground``.

    Raises
    ------
    DescriptionError
        As for :func:`parse_yaml`, or the robot has rigid contacts already; a mesh that cannot be read.
    """
    if any(rigid_contacts(robot)) or robot.contact != ContactSettings():
        raise DescriptionError(
            f"{source}: robot {shown(robot.name)} has rigid contacts of its own in {robot.source}; keep one of the two"
        )
    document = parse_document(data, source)
    values = YamlValues(document, source)
    said = valid(ContactsYaml, document, source, ignore, values.warnings)
    return _Reader(values, source, False).touching(robot, said, fits, whole, runtime)


def valid(
    schema: type[_Schema],
    document: YamlDocument,
    source: str,
    ignore: Collection[str] = (),
    warnings: list[str] | None = None,
) -> _Schema:
    """What a document says, by a schema; a DescriptionError tells where it does not fit.

    Unknown keys that ``ignore`` names are taken out of the document, with a warning each.
    """
    try:
        return schema.model_validate(document.data)
    except ValidationError as failure:
        errors = failure.errors()
        left_out = [path for path in map(unknown_key, errors) if path and path[-1] in ignore and document.remove(path)]
        if left_out:
            told = [] if warnings is None else warnings
            for path in left_out:
                said = f"{on_line(document.line(path))}{where(path)} is left out, as asked"
                told.append(Notice(said, "{ignored word}"))
            return valid(schema, document, source, ignore, warnings)
        path, wording = problem(errors[0])
        more = f" (and {len(errors) - 1} more like it)" if len(errors) > 1 else ""
        place = f"{at(source, document.line(path))}: {where(path)}"
        raise DescriptionError(f"{place}{wording}{more}") from None


def read_joint(name: str, said: Any, values: YamlValues) -> Joint:
    """The joint that a file describes.

    Raises
    ------
    DescriptionError
        A value that cannot be, or axes of a universal joint that are not at right angles.
    """
    path = ("joints", name)
    joint: Joint = JOINT.make(said, values, path, name=name, line=values.line(path))
    cosine = abs(dot(joint.axis, joint.second_axis)) if joint.kind is JointKind.UNIVERSAL else 0.0
    if cosine > _RIGHT_ANGLE:
        words = f" is not at right angles to axis (cosine {cosine:.3g}); turn one of them"
        raise values.refusal((*path, "second_axis"), words)
    return replace(joint, second_axis=perpendicular(joint.second_axis, joint.axis)) if cosine > RIGHT_ANGLE else joint


class _Reader:
    def __init__(self, values: YamlValues, source: str, repair: bool) -> None:
        self._values = values
        self._source = source
        self._repair = repair

    def robot(self, robot: RobotYaml, runtime: Collection[str] | None) -> RobotDescription:
        own = robot.load or LoadYaml()
        parameters = self._parameters(robot.parameters, own.runtime if runtime is None else runtime)
        gravity = None if robot.gravity is None else self._values.numbers(robot.gravity, ("gravity",))
        links = tuple(self._link(name, link) for name, link in robot.links.items())
        self._sort(links, robot.frames)
        joints = tuple(read_joint(name, said, self._values) for name, said in robot.joints.items())
        frames = tuple(self._frames(robot.frames))
        acting = read_acting(robot, {link.name for link in links if link.soft}, self._values)
        obstacles = read_obstacles(robot.obstacles, self._values)
        known = Touching.of(links, robot.frames, robot.obstacles)
        rigid = read_rigid(robot.contacts, known, self._values)
        return check(
            RobotDescription(
                name=robot.name,
                links=links,
                joints=joints,
                frames=frames,
                parameters=parameters,
                repairs=tuple(robot.repaired),
                floating_base=robot.floating_base,
                gravity=gravity,
                source=self._source,
                warnings=tuple(self._values.warnings),
                load=self._load(own),
                actuation=read_actuation(robot, {link.name: link.soft for link in links}, self._values),
                acting=(*acting, *rigid, *self._values.records(LOOPS, robot.loops, "loops")),
                contact=read_settings(
                    obstacles, robot.limits, robot.joint_friction, robot.contact_options, self._values
                ),
                control=read_control(robot.control, self._values, self._source),
            ),
            repair=self._repair,
        )

    def beside(self, robot: RobotDescription, said: LoopsYaml, runtime: Collection[str] | None) -> RobotDescription:
        """A robot with the loops and frames of this file."""
        declared = {parameter.name: parameter for parameter in robot.parameters}
        keep_open = robot.load.runtime if runtime is None else runtime
        _, self._values.scope = resolve(declared, keep_open, lambda _: nullcontext())
        self._sort(robot.links, [*(frame.name for frame in robot.frames), *said.frames])
        frames = (*robot.frames, *self._frames(said.frames))
        acting = (*robot.acting, *self._values.records(LOOPS, said.loops, "loops", source=self._source))
        # Nothing of the robot itself is wrong any more: what is refused now stands in this file.
        checked = check(replace(robot, frames=frames, acting=acting, source=self._source))
        found = (*self._values.warnings, *(text for text in checked.warnings if text not in robot.warnings))
        more = tuple(f"{self._source}: {text}" for text in found)
        return replace(checked, source=robot.source, warnings=(*robot.warnings, *more))

    def touching(
        self, robot: RobotDescription, said: ContactsYaml, fits: Fits, whole: Whole, runtime: Collection[str] | None
    ) -> RobotDescription:
        """A robot with the rigid contacts of this file."""
        declared = {parameter.name: parameter for parameter in robot.parameters}
        _, self._values.scope = resolve(
            declared, robot.load.runtime if runtime is None else runtime, lambda _: nullcontext()
        )
        penalty = next((name for name, own in said.contacts.items() if not is_rigid(own)), None)
        if penalty is not None:
            raise self._values.refusal(
                ("contacts", penalty), ": a contact with stiffness belongs in the robot's own file; leave stiffness out"
            )
        named = named_links(said, [link.name for link in robot.links])
        links = shaped_links(robot, said, named, fits, self._values)
        frames = [frame.name for frame in robot.frames]
        self._sort(links, frames)
        obstacles = read_obstacles(said.obstacles, self._values)
        known = Touching.of(links, frames, said.obstacles)
        acting = (*robot.acting, *read_rigid(said.contacts, known, self._values))
        contact = read_settings(obstacles, said.limits, said.joint_friction, said.contact_options, self._values)
        made = replace(robot, links=links, acting=acting, contact=contact)
        replaced = [name for name, own in said.collision.items() if isinstance(own, dict)]
        for asked, add in zip((said.file_pairs, said.ground), whole, strict=True):
            if asked:
                robot = made = add(made, replaced)
        checked = check(replace(made, source=self._source))
        found = (*self._values.warnings, *(text for text in checked.warnings if text not in robot.warnings))
        more = tuple(f"{self._source}: {text}" for text in found)
        return replace(checked, source=robot.source, warnings=(*robot.warnings, *more))

    def _sort(self, links: Iterable[Link], frames: Collection[str]) -> None:
        links = tuple(links)
        deforming = [link.name for link in links if link.deforms]
        self._values.places = Places([link.name for link in links], frames, deforming)

    def _parameters(self, entries: dict[str, ParameterYaml], keep_open: Collection[str]) -> tuple[Parameter, ...]:
        declared: dict[str, Parameter] = {}
        for name, entry in entries.items():
            path = ("parameters", name)
            with self._values.at(path):
                check_parameter_name(name)
            if entry.value is None and not entry.runtime:
                raise self._values.refusal(path, ": value is missing; give one, or mark the parameter runtime: true")
            if any(not character.isprintable() for character in entry.unit):
                raise self._values.refusal(path, ": unit holds a control character; use printable characters")
            with self._values.at(path):
                check_unit(entry.unit, entry.value)
            declared[name] = Parameter(name, entry.value, entry.unit, entry.runtime)
        parameters, self._values.scope = resolve(
            declared, keep_open, lambda name: self._values.at(("parameters", name))
        )
        return parameters

    def _load(self, load: LoadYaml) -> LoadSettings:
        locked: list[tuple[str, Lock]] = []
        for name, entries in load.locked_joints.items():
            numbers = tuple(self._values.number(entry, ("load", "locked_joints", name)) for entry in entries)
            locked.append((name, numbers[0] if len(numbers) == 1 else numbers))
        return LoadSettings(tuple(locked), tuple(load.runtime), load.joint_losses, load.convention)

    def _link(self, name: str, link: LinkYaml) -> Link:
        path = ("links", name)
        line = self._values.line(path)
        flexible = soft = mapped = None
        if link.flexible is not None:
            flexible = read_flexible(link.flexible, self._values, (*path, "flexible"))
        if link.soft is not None:
            soft = read_soft(link.soft, self._values, (*path, "soft"))
        if link.deformable is not None:
            mapped = read_mapped(link.deformable, self._values, (*path, "deformable"))
        told = [(kind, own) for kind in LINK_LOADS if (own := getattr(link, kind.key)) is not None]
        loads = tuple(family(kind).make(own, self._values, (*path, kind.key)) for kind, own in told)
        shapes = read_collisions(link.collision, (*path, "collision"), self._values)
        meshes = read_meshes(link.collision, (*path, "collision"), self._values)
        looks = read_visuals(link.visuals, (*path, "visuals"), self._values)
        if link.mass is None:
            return Link(name, None, line, flexible, soft, loads, mapped, looks, shapes, meshes)
        inertia = link.inertia
        moments: tuple[Number, ...] = (0.0,) * 6
        rotation = IDENTITY
        if inertia is not None:
            moments = tuple(
                self._values.fold(getattr(inertia, entry), (*path, "inertia", entry))
                for entry in ("xx", "xy", "xz", "yy", "yz", "zz")
            )
            rotation = self._values.rotation(inertia, (*path, "inertia"))
        xx, xy, xz, yy, yz, zz = moments
        placement = Placement(self._values.vector(link.com, (*path, "com")), rotation)
        inertial = Inertial(self._values.fold(link.mass, (*path, "mass")), (xx, xy, xz, yy, yz, zz), placement)
        return Link(name, inertial, line, flexible, soft, loads, mapped, looks, shapes, meshes)

    def _frames(self, said: Mapping[str, Any]) -> Iterator[Frame]:
        for name, own in said.items():
            path = ("frames", name)
            yield FRAME.make(own, self._values, path, name=name, line=self._values.line(path))
