"""symdyn's YAML to a RobotDescription."""

from __future__ import annotations

from collections.abc import Collection

from pydantic import ValidationError

from symdyn.description.checks.canonical import RIGHT_ANGLE
from symdyn.description.checks.check import check
from symdyn.description.checks.mimic import ONE_COORDINATE
from symdyn.description.checks.parameters import check_parameter_name, resolve
from symdyn.description.checks.rotation import Triple, dot, perpendicular
from symdyn.description.load_settings import Lock
from symdyn.description.robot import (
    IDENTITY,
    Actuator,
    Attachment,
    Elastic,
    Frame,
    Inertial,
    Joint,
    JointKind,
    Limits,
    Link,
    LoadSettings,
    Losses,
    Mimic,
    Number,
    Parameter,
    Placement,
    RobotDescription,
    Spring,
)
from symdyn.description.text.position import at, shown
from symdyn.description.text.validation import Path, problem
from symdyn.description.yaml.document import parse_document
from symdyn.description.yaml.read_flexible import read_flexible
from symdyn.description.yaml.schema import (
    ActuatorYaml,
    ElasticYaml,
    FrameYaml,
    JointYaml,
    LimitsYaml,
    LinkYaml,
    LoadYaml,
    LossesYaml,
    MimicYaml,
    ParameterYaml,
    RobotYaml,
    SpringYaml,
)
from symdyn.description.yaml.values import YamlValues, where
from symdyn.errors import DescriptionError

_RIGHT_ANGLE = 1e-6
_WITHOUT_AXIS = (JointKind.FIXED, JointKind.SPHERICAL, JointKind.FLOATING)
_KINDS_OF_KEY = {
    "axis": tuple(kind for kind in JointKind if kind not in _WITHOUT_AXIS),
    "second_axis": (JointKind.UNIVERSAL,),
    "pitch": (JointKind.HELICAL,),
    "limits": ONE_COORDINATE,
    "mimic": ONE_COORDINATE,
    "losses": tuple(kind for kind in JointKind if kind is not JointKind.FIXED),
    "actuator": ONE_COORDINATE,
    "elastic": ONE_COORDINATE,
    "spring": ONE_COORDINATE,
}


def parse_yaml(
    data: bytes, source: str, *, runtime: Collection[str] | None = None, repair: bool = False
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

    Raises
    ------
    DescriptionError
        Malformed YAML, an unknown key, an ill-formed value or expression, an inconsistent tree, or an impossible
        inertia.
    """
    document = parse_document(data, source)
    try:
        robot = RobotYaml.model_validate(document.data)
    except ValidationError as failure:
        errors = failure.errors()
        path, wording = problem(errors[0])
        more = f" (and {len(errors) - 1} more like it)" if len(errors) > 1 else ""
        place = f"{at(source, document.line(path))}: {where(path)}"
        raise DescriptionError(f"{place}{wording}{more}") from failure
    return _Reader(YamlValues(document, source), source, repair).robot(robot, runtime)


class _Reader:
    def __init__(self, values: YamlValues, source: str, repair: bool) -> None:
        self._values = values
        self._source = source
        self._repair = repair
        self._rigid: set[str] = set()

    def robot(self, robot: RobotYaml, runtime: Collection[str] | None) -> RobotDescription:
        own = robot.load or LoadYaml()
        parameters = self._parameters(robot.parameters, own.runtime if runtime is None else runtime)
        gravity = None if robot.gravity is None else self._values.numbers(robot.gravity, ("gravity",))
        links = tuple(self._link(name, link) for name, link in robot.links.items())
        self._rigid = {link.name for link in links if link.flexible is None}
        joints = tuple(self._joint(name, joint) for name, joint in robot.joints.items())
        frames = tuple(self._frame(name, frame) for name, frame in robot.frames.items())
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
            ),
            repair=self._repair,
        )

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
        flexible = None
        if link.flexible is not None:
            flexible = read_flexible(link.flexible, self._values, (*path, "flexible"))
        if link.mass is None:
            return Link(name, None, line, flexible)
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
        return Link(name, inertial, line, flexible)

    def _joint(self, name: str, joint: JointYaml) -> Joint:
        path = ("joints", name)
        for key, kinds in _KINDS_OF_KEY.items():
            if getattr(joint, key) is not None and joint.type not in kinds:
                raise self._values.refusal((*path, key), f" means nothing on a {joint.type.value} joint; delete it")
        axis = self._axis(joint, path)
        return Joint(
            name=name,
            kind=joint.type,
            parent=joint.parent,
            child=joint.child,
            placement=self._values.placement(joint, path),
            axis=axis,
            second_axis=self._second_axis(joint, axis, path),
            pitch=self._pitch(joint, path),
            limits=None if joint.limits is None else self._limits(joint.limits, (*path, "limits")),
            losses=Losses() if joint.losses is None else self._losses(joint.losses, (*path, "losses")),
            mimic=None if joint.mimic is None else self._mimic(joint.mimic, (*path, "mimic")),
            line=self._values.line(path),
            actuator=None if joint.actuator is None else self._actuator(joint.actuator, (*path, "actuator")),
            elastic=None if joint.elastic is None else self._elastic(joint.elastic, (*path, "elastic")),
            spring=None if joint.spring is None else self._spring(joint.spring, (*path, "spring")),
            at=self._attachment(joint.at, joint.parent, path),
        )

    def _frame(self, name: str, frame: FrameYaml) -> Frame:
        path = ("frames", name)
        return Frame(
            name, frame.link, self._values.placement(frame, path), self._attachment(frame.at, frame.link, path)
        )

    def _attachment(self, given: Attachment | None, link: str, path: Path) -> Attachment:
        if given is not None and link in self._rigid:
            raise self._values.refusal((*path, "at"), f" means nothing on {shown(link)}, a rigid link; delete it")
        return given or Attachment.TIP

    def _axis(self, joint: JointYaml, path: Path) -> Triple:
        if joint.axis is not None:
            return self._values.direction(joint.axis, (*path, "axis"))
        if joint.type not in _WITHOUT_AXIS:
            raise self._values.refusal(
                path, f": axis is missing; a {joint.type.value} joint needs one, such as [0, 0, 1]"
            )
        return (1.0, 0.0, 0.0)

    def _second_axis(self, joint: JointYaml, axis: Triple, path: Path) -> Triple:
        if joint.second_axis is None:
            if joint.type is JointKind.UNIVERSAL:
                raise self._values.refusal(path, ": second_axis is missing; a universal joint turns about two axes")
            return (0.0, 1.0, 0.0)
        path = (*path, "second_axis")
        second = self._values.direction(joint.second_axis, path)
        cosine = abs(dot(axis, second))
        if cosine > _RIGHT_ANGLE:
            raise self._values.refusal(path, f" is not at right angles to axis (cosine {cosine:.3g}); turn one of them")
        return second if cosine <= RIGHT_ANGLE else perpendicular(second, axis)

    def _pitch(self, joint: JointYaml, path: Path) -> float:
        if joint.pitch is not None:
            return self._values.number(joint.pitch, (*path, "pitch"))
        if joint.type is JointKind.HELICAL:
            raise self._values.refusal(path, ": pitch is missing; a helical joint slides by pitch metres per radian")
        return 0.0

    def _mimic(self, mimic: MimicYaml, path: Path) -> Mimic:
        single = mimic.joints is None
        terms = [
            (name, self._values.number(gain, (*path, "multiplier") if single else (*path, "joints", name)))
            for name, gain in mimic.terms.items()
        ]
        return Mimic(*terms[0], self._values.number(mimic.offset, (*path, "offset")), tuple(terms[1:]))

    def _limits(self, limits: LimitsYaml, path: Path) -> Limits:
        given = {
            key: self._values.number(value, (*path, key))
            for key in ("lower", "upper", "velocity", "effort")
            if (value := getattr(limits, key)) is not None
        }
        return Limits(**given)

    def _losses(self, losses: LossesYaml, path: Path) -> Losses:
        return Losses(
            self._values.fold(losses.damping, (*path, "damping")),
            self._values.fold(losses.friction, (*path, "friction")),
            self._values.number(losses.velocity_scale, (*path, "velocity_scale")),
        )

    def _actuator(self, actuator: ActuatorYaml, path: Path) -> Actuator:
        given = {
            key: self._values.fold(value, (*path, key))
            for key in ("rotor_inertia", "gear_ratio", "armature")
            if (value := getattr(actuator, key)) is not None
        }
        return Actuator(**given)

    def _elastic(self, elastic: ElasticYaml, path: Path) -> Elastic:
        return Elastic(
            self._values.fold(elastic.stiffness, (*path, "stiffness")),
            self._values.fold(elastic.damping, (*path, "damping")),
            self._actuator(elastic, path),
        )

    def _spring(self, spring: SpringYaml, path: Path) -> Spring:
        return Spring(
            self._values.fold(spring.stiffness, (*path, "stiffness")), self._values.fold(spring.rest, (*path, "rest"))
        )
