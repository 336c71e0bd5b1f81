"""symdyn's YAML declared as pydantic models; scalars arrive as text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, PlainValidator, WithJsonSchema, model_validator
from pydantic_core import PydanticCustomError

from symdyn.description.expression import Expression
from symdyn.description.number import is_number, read_number
from symdyn.description.position import hint
from symdyn.description.robot import JointKind, Number
from symdyn.description.validation import kind_of
from symdyn.errors import DescriptionError

JOINT_TYPES = tuple(kind.value for kind in JointKind)
_NOT_FINITE = frozenset({"nan", "inf", "infinity"})
_SCALAR = {"type": ["number", "string"]}


def _refusal(text: str) -> PydanticCustomError:
    return PydanticCustomError("description", "{problem}", {"problem": text})


def _quantity(value: object) -> Number:
    if not isinstance(value, str):
        raise _refusal(f"expected a number or an expression, got {kind_of(value)}")
    try:
        if is_number(value) or value.strip().lower().lstrip("+-.") in _NOT_FINITE:
            return read_number(value)
        return Expression(value.strip())
    except (ValueError, DescriptionError) as failure:
        raise _refusal(str(failure)) from failure


def _sequence(value: object, item: Callable[[object], Any], what: str) -> tuple[Any, Any, Any]:
    if not isinstance(value, list) or len(value) != 3:
        got = f"{len(value)} entries" if isinstance(value, list) else kind_of(value)
        raise _refusal(f"expected a list of three {what}, got {got}")
    first, second, third = (item(entry) for entry in value)
    return first, second, third


def _vector(value: object) -> tuple[Number, Number, Number]:
    return _sequence(value, _quantity, "numbers")


def _matrix(value: object) -> tuple[tuple[Number, Number, Number], ...]:
    return _sequence(value, _vector, "rows")


def _flag(value: object) -> bool:
    if value not in ("true", "false"):
        raise _refusal(f"expected true or false, got {kind_of(value)}")
    return value == "true"


def _joint_type(value: object) -> JointKind:
    if value not in JOINT_TYPES:
        close = hint(value, JOINT_TYPES) if isinstance(value, str) else ""
        raise _refusal(f"expected one of {', '.join(JOINT_TYPES)}, got {kind_of(value)}{close}")
    return JointKind(value)


def _format(value: object) -> int:
    if value != "1":
        raise _refusal(f"this version reads format 1, got {kind_of(value)}; update symdyn")
    return 1


def _json(schema: dict[str, Any]) -> WithJsonSchema:
    return WithJsonSchema(schema)


_TRIPLE = {"type": "array", "items": _SCALAR, "minItems": 3, "maxItems": 3}
Quantity = Annotated[Number, PlainValidator(_quantity), _json(_SCALAR)]
Vector = Annotated[tuple[Number, Number, Number], PlainValidator(_vector), _json(_TRIPLE)]
Matrix = Annotated[
    tuple[tuple[Number, Number, Number], tuple[Number, Number, Number], tuple[Number, Number, Number]],
    PlainValidator(_matrix),
    _json({"type": "array", "items": _TRIPLE, "minItems": 3, "maxItems": 3}),
]
Flag = Annotated[bool, PlainValidator(_flag), _json({"type": "boolean"})]
JointType = Annotated[JointKind, PlainValidator(_joint_type), _json({"enum": list(JOINT_TYPES)})]
Format = Annotated[int, PlainValidator(_format), _json({"const": 1})]


class YamlMapping(BaseModel):
    """Base of all mappings: keys are those declared, and no others."""

    model_config = ConfigDict(extra="forbid", frozen=True, arbitrary_types_allowed=True)

    @model_validator(mode="before")
    @classmethod
    def _known_keys(cls, data: Any) -> Any:
        if isinstance(data, dict):
            for key in data:
                if key not in cls.model_fields:
                    known = ", ".join(cls.model_fields)
                    problem = f"unknown key{hint(key, cls.model_fields) or f'; known keys are {known}'}"
                    raise PydanticCustomError("description", "{problem}", {"problem": problem, "key": key})
        return data


class ParameterYaml(YamlMapping):
    """A named quantity for expressions."""

    value: Quantity | None = Field(None, description="number or expression; the default where runtime is true")
    unit: str = Field("", description="for documentation")
    runtime: Flag = Field(False, description="an input of the generated functions")


class OrientedYaml(YamlMapping):
    """Something with an orientation, given one way or the other."""

    rpy: Vector | None = Field(None, description="roll, pitch, yaw about fixed axes [rad]: Rz(yaw) Ry(pitch) Rx(roll)")
    rotation: Matrix | None = Field(None, description="rows of the rotation matrix, instead of rpy")

    @model_validator(mode="after")
    def _one_orientation(self) -> OrientedYaml:
        if self.rpy is not None and self.rotation is not None:
            raise _refusal("rpy and rotation say the same thing twice; keep one")
        return self


class InertiaYaml(OrientedYaml):
    """Moments about the centre of mass [kg m^2], in link axes turned by rpy or rotation."""

    xx: Quantity
    yy: Quantity
    zz: Quantity
    xy: Quantity = 0.0
    xz: Quantity = 0.0
    yz: Quantity = 0.0


class LinkYaml(YamlMapping):
    """A rigid link."""

    mass: Quantity | None = Field(None, description="[kg]")
    com: Vector = Field((0.0, 0.0, 0.0), description="centre of mass in the link frame [m]")
    inertia: InertiaYaml | None = None

    @model_validator(mode="after")
    def _mass_given(self) -> LinkYaml:
        if self.mass is None and self.model_fields_set - {"mass"}:
            raise _refusal("mass is missing; write mass: 0 if the link has none")
        return self


class LimitsYaml(YamlMapping):
    """Bounds in rad or m, rad/s or m/s, N m or N; what is left out is unlimited."""

    lower: Quantity | None = None
    upper: Quantity | None = None
    velocity: Quantity | None = None
    effort: Quantity | None = None


class LossesYaml(YamlMapping):
    """Torque or force that a joint loses: damping * v + friction * tanh(v / velocity_scale)."""

    damping: Quantity = 0.0
    friction: Quantity = 0.0
    velocity_scale: Quantity = 0.01


class MimicYaml(YamlMapping):
    """The coordinate is multiplier * q[joint] + offset."""

    joint: str
    multiplier: Quantity = 1.0
    offset: Quantity = 0.0


class JointYaml(OrientedYaml):
    """A joint: child frame = parent frame * (translation, rotation) * motion."""

    type: JointType
    parent: str
    child: str
    translation: Vector = (0.0, 0.0, 0.0)
    axis: Vector | None = None
    second_axis: Vector | None = Field(None, description="universal joints only")
    pitch: Quantity | None = Field(None, description="helical joints only [m/rad]")
    limits: LimitsYaml | None = None
    losses: LossesYaml | None = None
    mimic: MimicYaml | None = None


class FrameYaml(OrientedYaml):
    """An extra frame, fixed to a link."""

    link: str
    translation: Vector = (0.0, 0.0, 0.0)


def _short_parameter(value: object) -> object:
    return {"value": value} if isinstance(value, str) else value


def _empty_mapping(value: object) -> object:
    return {} if value is None else value


ShortParameter = Annotated[ParameterYaml, BeforeValidator(_short_parameter)]
ShortLink = Annotated[LinkYaml, BeforeValidator(_empty_mapping)]


class RobotYaml(YamlMapping):
    """A robot in symdyn's YAML. SI units, angles in radians."""

    format: Format = 1
    name: str
    floating_base: Flag = Field(False, description="the root link moves freely")
    gravity: Vector | None = Field(None, description="in the world frame [m/s^2]")
    parameters: Annotated[dict[str, ShortParameter], BeforeValidator(_empty_mapping)] = {}
    links: dict[str, ShortLink]
    joints: Annotated[dict[str, JointYaml], BeforeValidator(_empty_mapping)] = {}
    frames: Annotated[dict[str, FrameYaml], BeforeValidator(_empty_mapping)] = {}
