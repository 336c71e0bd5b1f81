"""symdyn's YAML to a RobotDescription."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator
from contextlib import contextmanager

from pydantic import ValidationError

from symdyn.description.check import check
from symdyn.description.mimic import ONE_COORDINATE
from symdyn.description.parameters import Scope, check_parameter_name, resolve
from symdyn.description.position import at, shown
from symdyn.description.robot import (
    IDENTITY,
    Frame,
    Inertial,
    Joint,
    JointKind,
    Limits,
    Link,
    Losses,
    Matrix3,
    Mimic,
    Number,
    Parameter,
    Placement,
    RobotDescription,
    Vector3,
)
from symdyn.description.rotation import (
    Triple,
    dot,
    perpendicular,
    rotation_from_matrix,
    rotation_from_rpy,
    unit_vector,
)
from symdyn.description.validation import Path, problem
from symdyn.description.yaml_document import YamlDocument, parse_document
from symdyn.description.yaml_schema import (
    FrameYaml,
    JointYaml,
    LimitsYaml,
    LinkYaml,
    LossesYaml,
    OrientedYaml,
    ParameterYaml,
    RobotYaml,
)
from symdyn.errors import DescriptionError

_AXIS_TOLERANCE = 1e-6
_RIGHT_ANGLE = 1e-6
_RIGHT_ANGLE_EXACT = 1e-15
_WITHOUT_AXIS = (JointKind.FIXED, JointKind.SPHERICAL, JointKind.FLOATING)
_KINDS_OF_KEY = {
    "axis": tuple(kind for kind in JointKind if kind not in _WITHOUT_AXIS),
    "second_axis": (JointKind.UNIVERSAL,),
    "pitch": (JointKind.HELICAL,),
    "limits": ONE_COORDINATE,
    "mimic": ONE_COORDINATE,
    "losses": tuple(kind for kind in JointKind if kind is not JointKind.FIXED),
}
_SINGULAR = {"links": "link", "joints": "joint", "frames": "frame", "parameters": "parameter"}


def parse_yaml(data: bytes, source: str, *, runtime: Collection[str] = ()) -> RobotDescription:
    """Robot of a document in symdyn's YAML (docs/yaml-format.md).

    Values are in SI units and radians. Whatever does not depend on a run-time parameter is a number afterwards.

    Parameters
    ----------
    data
        The file's bytes.
    source
        The file's name for messages, without folders.
    runtime
        Parameters to leave open until run time although the file gives them a value; other names are ignored.

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
        place = f"{at(source, document.line(path))}: {_where(path)}"
        raise DescriptionError(f"{place}{wording}{more}") from failure
    return _Reader(document, source, frozenset(runtime)).robot(robot)


def _where(path: Path) -> str:
    """Words for a path, such as ``joint 'elbow': limits.lower``."""
    if not path:
        return "the document"
    head = _SINGULAR.get(str(path[0]))
    if head is None or len(path) == 1:
        return ".".join(str(step) for step in path)
    rest = ".".join(str(step) for step in path[2:])
    return f"{head} {shown(path[1])}" + (f": {rest}" if rest else "")


class _Reader:
    def __init__(self, document: YamlDocument, source: str, runtime: frozenset[str]) -> None:
        self._document = document
        self._source = source
        self._runtime = runtime
        self._scope = Scope()
        self._warnings: list[str] = []

    def robot(self, robot: RobotYaml) -> RobotDescription:
        parameters = self._parameters(robot.parameters)
        gravity = None if robot.gravity is None else self._numbers(robot.gravity, ("gravity",))
        links = tuple(self._link(name, link) for name, link in robot.links.items())
        joints = tuple(self._joint(name, joint) for name, joint in robot.joints.items())
        frames = tuple(self._frame(name, frame) for name, frame in robot.frames.items())
        return check(
            RobotDescription(
                name=robot.name,
                links=links,
                joints=joints,
                frames=frames,
                parameters=parameters,
                floating_base=robot.floating_base,
                gravity=gravity,
                source=self._source,
                warnings=tuple(self._warnings),
            )
        )

    def _parameters(self, entries: dict[str, ParameterYaml]) -> tuple[Parameter, ...]:
        declared: dict[str, Parameter] = {}
        for name, entry in entries.items():
            path = ("parameters", name)
            runtime = entry.runtime or name in self._runtime
            with self._at(path):
                check_parameter_name(name)
            if entry.value is None and not runtime:
                raise self._refusal(path, ": value is missing; give one, or mark the parameter runtime: true")
            if any(not character.isprintable() for character in entry.unit):
                raise self._refusal(path, ": unit holds a control character; use printable characters")
            declared[name] = Parameter(name, entry.value, entry.unit, runtime)
        with self._at(("parameters",)):
            parameters, self._scope = resolve(declared)
        return parameters

    def _link(self, name: str, link: LinkYaml) -> Link:
        path = ("links", name)
        line = self._document.line(path)
        if link.mass is None:
            return Link(name, None, line)
        inertia = link.inertia
        moments: tuple[Number, ...] = (0.0,) * 6
        rotation = IDENTITY
        if inertia is not None:
            moments = tuple(
                self._fold(getattr(inertia, entry), (*path, "inertia", entry))
                for entry in ("xx", "xy", "xz", "yy", "yz", "zz")
            )
            rotation = self._rotation(inertia, (*path, "inertia"))
        xx, xy, xz, yy, yz, zz = moments
        placement = Placement(self._vector(link.com, (*path, "com")), rotation)
        return Link(name, Inertial(self._fold(link.mass, (*path, "mass")), (xx, xy, xz, yy, yz, zz), placement), line)

    def _joint(self, name: str, joint: JointYaml) -> Joint:
        path = ("joints", name)
        for key, kinds in _KINDS_OF_KEY.items():
            if getattr(joint, key) is not None and joint.type not in kinds:
                raise self._refusal((*path, key), f" means nothing on a {joint.type.value} joint; delete it")
        axis = self._axis(joint, path)
        mimic = joint.mimic
        if mimic is not None:
            multiplier = self._number(mimic.multiplier, (*path, "mimic", "multiplier"))
            offset = self._number(mimic.offset, (*path, "mimic", "offset"))
        return Joint(
            name=name,
            kind=joint.type,
            parent=joint.parent,
            child=joint.child,
            placement=Placement(self._vector(joint.translation, (*path, "translation")), self._rotation(joint, path)),
            axis=axis,
            second_axis=self._second_axis(joint, axis, path),
            pitch=self._pitch(joint, path),
            limits=None if joint.limits is None else self._limits(joint.limits, (*path, "limits")),
            losses=Losses() if joint.losses is None else self._losses(joint.losses, (*path, "losses")),
            mimic=None if mimic is None else Mimic(mimic.joint, multiplier, offset),
            line=self._document.line(path),
        )

    def _frame(self, name: str, frame: FrameYaml) -> Frame:
        path = ("frames", name)
        translation = self._vector(frame.translation, (*path, "translation"))
        return Frame(name, frame.link, Placement(translation, self._rotation(frame, path)))

    def _axis(self, joint: JointYaml, path: Path) -> Triple:
        if joint.axis is not None:
            return self._direction(joint.axis, (*path, "axis"))
        if joint.type not in _WITHOUT_AXIS:
            raise self._refusal(path, f": axis is missing; a {joint.type.value} joint needs one, such as [0, 0, 1]")
        return (1.0, 0.0, 0.0)

    def _second_axis(self, joint: JointYaml, axis: Triple, path: Path) -> Triple:
        if joint.second_axis is None:
            if joint.type is JointKind.UNIVERSAL:
                raise self._refusal(path, ": second_axis is missing; a universal joint turns about two axes")
            return (0.0, 1.0, 0.0)
        path = (*path, "second_axis")
        second = self._direction(joint.second_axis, path)
        cosine = abs(dot(axis, second))
        if cosine > _RIGHT_ANGLE:
            raise self._refusal(path, f" is not at right angles to axis (cosine {cosine:.3g}); turn one of them")
        return second if cosine <= _RIGHT_ANGLE_EXACT else perpendicular(second, axis)

    def _pitch(self, joint: JointYaml, path: Path) -> float:
        if joint.pitch is not None:
            return self._number(joint.pitch, (*path, "pitch"))
        if joint.type is JointKind.HELICAL:
            raise self._refusal(path, ": pitch is missing; a helical joint slides by pitch metres per radian")
        return 0.0

    def _limits(self, limits: LimitsYaml, path: Path) -> Limits:
        given = {
            key: self._number(value, (*path, key))
            for key in ("lower", "upper", "velocity", "effort")
            if (value := getattr(limits, key)) is not None
        }
        return Limits(**given)

    def _losses(self, losses: LossesYaml, path: Path) -> Losses:
        return Losses(
            self._fold(losses.damping, (*path, "damping")),
            self._fold(losses.friction, (*path, "friction")),
            self._number(losses.velocity_scale, (*path, "velocity_scale")),
        )

    def _rotation(self, oriented: OrientedYaml, path: Path) -> Matrix3:
        if oriented.rpy is not None:
            return rotation_from_rpy(*self._numbers(oriented.rpy, (*path, "rpy")))
        if oriented.rotation is None:
            return IDENTITY
        path = (*path, "rotation")
        x, y, z = (self._numbers(row, path) for row in oriented.rotation)
        try:
            return rotation_from_matrix((x, y, z))
        except ValueError as failure:
            raise self._refusal(path, f": {failure}; give rpy instead, or more digits") from failure

    def _direction(self, vector: Vector3, path: Path) -> Triple:
        numbers = self._numbers(vector, path)
        unit = unit_vector(numbers)
        if unit is None:
            raise self._refusal(path, " is the zero vector, which points nowhere; give a direction such as [0, 0, 1]")
        length = math.hypot(*numbers)
        if abs(length - 1.0) > _AXIS_TOLERANCE:
            place = f"{at(self._source, self._document.line(path))}: {_where(path)}"
            self._warnings.append(f"{place} has length {length:.9g}; it is scaled to 1")
        return unit

    def _vector(self, vector: Vector3, path: Path) -> Vector3:
        x, y, z = (self._fold(entry, path) for entry in vector)
        return x, y, z

    def _numbers(self, vector: Vector3, path: Path) -> Triple:
        x, y, z = (self._number(entry, path) for entry in vector)
        return x, y, z

    def _fold(self, quantity: Number, path: Path) -> Number:
        with self._at(path):
            return self._scope.fold(quantity)

    def _number(self, quantity: Number, path: Path) -> float:
        with self._at(path):
            return self._scope.number(quantity)

    @contextmanager
    def _at(self, path: Path) -> Iterator[None]:
        """Say where a value stands when it is refused."""
        try:
            yield
        except DescriptionError as failure:
            raise self._refusal(path, f": {failure}") from failure

    def _refusal(self, path: Path, reason: str) -> DescriptionError:
        return DescriptionError(f"{at(self._source, self._document.line(path))}: {_where(path)}{reason}")
