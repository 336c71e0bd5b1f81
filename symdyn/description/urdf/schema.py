"""URDF, as far as it says something about dynamics, declared as pydantic-xml models.

A field whose type is a model is a child element with that model's tag; every other field is an attribute.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

from pydantic import GetPydanticSchema
from pydantic_core import PydanticCustomError, core_schema
from pydantic_xml import BaseXmlModel, attr

from symdyn.description.quantities.number import read_number, read_quaternion, read_vector


def _from_text(read: Callable[[str], Any]) -> GetPydanticSchema:
    """Schema of an attribute that ``read`` turns from text into a value."""

    def convert(text: str) -> Any:
        try:
            return read(text)
        except ValueError as failure:
            raise PydanticCustomError("text", "{problem}", {"problem": str(failure)}) from None

    schema = core_schema.no_info_after_validator_function(convert, core_schema.str_schema())
    return GetPydanticSchema(lambda _source, _handler: schema)


Decimal = Annotated[float, _from_text(read_number)]
Triple = Annotated[tuple[float, float, float], _from_text(read_vector)]
Quaternion = Annotated[tuple[float, float, float, float], _from_text(read_quaternion)]


class Element(BaseXmlModel, search_mode="ordered"):
    """Base of all elements; ``schema_order`` brings their children into the order of the fields."""


class OriginXml(Element, tag="origin"):
    """Placement of a frame: position [m], and fixed-axis roll, pitch, yaw [rad] or, from URDF 1.1, a quaternion."""

    xyz: Triple = attr(default=(0.0, 0.0, 0.0))
    rpy: Triple | None = attr(default=None)
    quat_xyzw: Quaternion | None = attr(default=None)


class MassXml(Element, tag="mass"):
    """Mass [kg]."""

    value: Decimal = attr()


class InertiaXml(Element, tag="inertia"):
    """Moments about the centre of mass, in the axes of the inertial origin [kg m^2]."""

    ixx: Decimal = attr()
    ixy: Decimal = attr()
    ixz: Decimal = attr()
    iyy: Decimal = attr()
    iyz: Decimal = attr()
    izz: Decimal = attr()


class InertialXml(Element, tag="inertial"):
    """Mass, centre of mass and moments of a link."""

    mass: MassXml
    inertia: InertiaXml | None = None
    origin: OriginXml = OriginXml()


class LinkXml(Element, tag="link"):
    """A rigid link."""

    name: str = attr()
    inertial: InertialXml | None = None


class ParentXml(Element, tag="parent"):
    """The link nearer the root."""

    link: str = attr()


class ChildXml(Element, tag="child"):
    """The link that the joint carries."""

    link: str = attr()


class AxisXml(Element, tag="axis"):
    """Direction of motion in the joint's frame."""

    xyz: Triple = attr()


class SecondAxisXml(Element, tag="axis2"):
    """Direction of a universal joint's second turn, carried along by the first."""

    xyz: Triple = attr()


class ScrewThreadPitchXml(Element, tag="screw_thread_pitch"):
    """How far a screw slides per turn [m]; Drake's."""

    value: Decimal = attr()


class LimitXml(Element, tag="limit"):
    """Bounds in rad or m, rad/s or m/s, N m or N; from URDF 1.2 of higher derivatives too."""

    lower: Decimal | None = attr(default=None)
    upper: Decimal | None = attr(default=None)
    effort: Decimal | None = attr(default=None)
    velocity: Decimal | None = attr(default=None)
    acceleration: Decimal | None = attr(default=None)
    deceleration: Decimal | None = attr(default=None)
    jerk: Decimal | None = attr(default=None)


class DynamicsXml(Element, tag="dynamics"):
    """Viscous damping and Coulomb friction."""

    damping: Decimal = attr(default=0.0)
    friction: Decimal = attr(default=0.0)


class MimicXml(Element, tag="mimic"):
    """The coordinate follows another joint's."""

    joint: str = attr()
    multiplier: Decimal = attr(default=1.0)
    offset: Decimal = attr(default=0.0)


class JointXml(Element, tag="joint"):
    """A joint between two links."""

    name: str = attr()
    type: str = attr()
    parent: ParentXml
    child: ChildXml
    origin: OriginXml = OriginXml()
    axis: AxisXml | None = None
    axis2: SecondAxisXml | None = None
    screw_thread_pitch: ScrewThreadPitchXml | None = None
    limit: LimitXml | None = None
    dynamics: DynamicsXml | None = None
    mimic: MimicXml | None = None


class RobotXml(Element, tag="robot"):
    """A whole robot."""

    name: str | None = attr(default=None)
    version: str | None = attr(default=None)
    link: tuple[LinkXml, ...] = ()
    joint: tuple[JointXml, ...] = ()
