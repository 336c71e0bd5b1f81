"""Joints of symdyn's YAML, with what drives them, holds them and takes their energy."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from symdyn.description.checks.canonical import RIGHT_ANGLE
from symdyn.description.checks.loads import kinds_of
from symdyn.description.checks.mimic import DRIVEN, ONE_COORDINATE
from symdyn.description.checks.rotation import Triple, dot, perpendicular
from symdyn.description.declared import family
from symdyn.description.loads import JOINT_LOADS, Load
from symdyn.description.robot import Actuator, Elastic, Joint, JointKind, Limits, Losses, Mimic
from symdyn.description.text.validation import Path
from symdyn.description.yaml.schema import JointYaml, LinkYaml
from symdyn.description.yaml.values import YamlValues

_RIGHT_ANGLE = 1e-6
_KINDS_OF_KEY = {
    "axis": tuple(kind for kind in JointKind if kind.has_axis),
    "second_axis": (JointKind.UNIVERSAL,),
    "pitch": (JointKind.HELICAL,),
    "limits": ONE_COORDINATE,
    "mimic": ONE_COORDINATE,
    "losses": tuple(kind for kind in JointKind if kind is not JointKind.FIXED),
    **DRIVEN,
    **{kind.key: kinds_of(kind) for kind in JOINT_LOADS},
}


def read_joint(name: str, joint: JointYaml, values: YamlValues) -> Joint:
    """A joint, at the tip of its parent if that bends.

    Parameters
    ----------
    name, joint
        What the file says.
    values
        The document's values, whose scope knows its parameters.

    Raises
    ------
    DescriptionError
        A value that cannot be, a key that is missing or means nothing on this kind of joint.
    """
    return _JointReader(values).joint(name, joint)


class _JointReader:
    def __init__(self, values: YamlValues) -> None:
        self._values = values

    def joint(self, name: str, joint: JointYaml) -> Joint:
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
            losses=self._part(Losses, joint.losses, (*path, "losses")) or Losses(),
            mimic=self._part(Mimic, joint.mimic, (*path, "mimic")),
            line=self._values.line(path),
            actuator=self._part(Actuator, joint.actuator, (*path, "actuator")),
            elastic=self._part(Elastic, joint.elastic, (*path, "elastic")),
            loads=read_loads(joint, JOINT_LOADS, self._values, path),
        )

    def _axis(self, joint: JointYaml, path: Path) -> Triple:
        if joint.axis is not None:
            return self._values.direction(joint.axis, (*path, "axis"))
        if joint.type.has_axis:
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

    def _limits(self, said: Any, path: Path) -> Limits:
        limits: Limits = family(Limits).make(said, self._values, path)
        return limits if "deceleration" in said.model_fields_set else replace(limits, deceleration=limits.acceleration)

    def _part(self, record: type, said: Any, path: Path) -> Any:
        return None if said is None else family(record).make(said, self._values, path)


def read_loads(
    owner: LinkYaml | JointYaml, kinds: Iterable[type[Load]], values: YamlValues, path: Path
) -> tuple[Load, ...]:
    """The loads among the keys of a link or joint, in the order of ``kinds``."""
    given = [(kind, load) for kind in kinds if (load := getattr(owner, kind.key)) is not None]
    return tuple(family(kind).make(load, values, (*path, kind.key)) for kind, load in given)
