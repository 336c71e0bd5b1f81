"""The key ``soft`` of a link, declared as pydantic models."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from pydantic import Field, PlainValidator, WithJsonSchema, model_validator

from symdyn.description.quantities.beam_expression import BeamExpression
from symdyn.description.quantities.map_expression import MapExpression
from symdyn.description.quantities.number import is_number
from symdyn.description.quantities.placement import Number
from symdyn.description.soft import (
    MAGNUS_ORDERS,
    MOST_FUNCTIONS,
    MOST_STATIONS,
    MOST_SUBSTEPS,
    SECTION_KEYS,
    SECTION_LAWS,
    TURN,
    StrainBasis,
)
from symdyn.description.text.position import hint
from symdyn.description.text.validation import kind_of
from symdyn.description.yaml.mapping import OrShort, YamlMapping
from symdyn.description.yaml.scalars import NOT_FINITE, SCALAR, Quantity, quantity, refusal
from symdyn.description.yaml.slender_schema import SlenderYaml, along
from symdyn.errors import DescriptionError

CONSTANT = "constant"
"""A basis of the file alone: the first function of Legendre's."""
BY_DEGREE = (
    *(basis.value for basis in (StrainBasis.LEGENDRE, StrainBasis.MONOMIAL, StrainBasis.CHEBYSHEV)),
    CONSTANT,
    StrainBasis.FOURIER.value,
)
"""Bases that a degree completes; they may stand for all strains at once."""
BASES = (*BY_DEGREE, *(b.value for b in StrainBasis if b.value not in BY_DEGREE and b is not StrainBasis.EXPRESSIONS))
"""Those that ``basis`` of a strain may name; ``functions`` gives the others."""

_SHAPES = tuple(SECTION_KEYS)


@dataclass(frozen=True, slots=True)
class _Whole:
    """Reads whole numbers between bounds."""

    what: str
    least: int
    most: int

    def __call__(self, value: object) -> int:
        digits = value.strip() if isinstance(value, str) else ""
        if not (digits.isascii() and digits.isdigit() and self.least <= int(digits[:9]) <= self.most):
            raise refusal(f"expected {self.what} from {self.least} to {self.most}, got {kind_of(value)}")
        return int(digits)

    @property
    def json(self) -> dict[str, Any]:
        """Its JSON Schema."""
        return {"type": "integer", "minimum": self.least, "maximum": self.most}


def _one_of(value: object, known: tuple[str, ...]) -> str:
    if value not in known:
        close = hint(value, known) if isinstance(value, str) else ""
        raise refusal(f"expected one of {', '.join(known)}, got {kind_of(value)}{close}")
    return str(value)


def _basis(value: object) -> str:
    if value == StrainBasis.EXPRESSIONS.value:
        raise refusal("give such functions under 'functions', and leave basis out")
    return _one_of(value, BASES)


def _common_basis(value: object) -> str:
    if value in BASES and value not in BY_DEGREE:
        raise refusal(f"{value} needs more than a degree; name it under each strain, with the keys that it needs")
    return _one_of(value, BY_DEGREE)


def _magnus(value: object) -> int:
    orders = tuple(map(str, MAGNUS_ORDERS))
    if value not in orders:
        raise refusal(f"expected {', '.join(orders[:-1])} or {orders[-1]}, got {kind_of(value)}")
    return int(str(value))


def _shear_factors(value: object) -> tuple[Number, Number]:
    if not isinstance(value, list):
        return quantity(value), quantity(value)
    if len(value) != 2:
        raise refusal(f"expected a number, or one for y and one for z, got {len(value)} entries")
    return quantity(value[0]), quantity(value[1])


def _around(value: object) -> MapExpression:
    wanted = "a number or an expression in x and phi"
    if not isinstance(value, str):
        raise refusal(f"expected {wanted}, got {kind_of(value)}")
    if is_number(value) or value.strip().lower().lstrip("+-.") in NOT_FINITE:
        return MapExpression(repr(quantity(value)))
    try:
        return MapExpression(value.strip())
    except DescriptionError as failure:
        raise refusal(str(failure)) from failure


def _angles(value: object) -> tuple[Number, Number]:
    if not isinstance(value, list) or len(value) != 2:
        raise refusal(f"expected two angles, got {kind_of(value)}")
    return quantity(value[0]), quantity(value[1])


_DEGREE = _Whole("a degree", 0, MOST_FUNCTIONS - 1)
_PIECES = _Whole("a number of pieces", 1, MOST_FUNCTIONS)
_STATIONS = _Whole("a number of stations per piece", 1, MOST_STATIONS)
_SUBSTEPS = _Whole("a number of substeps", 1, MOST_SUBSTEPS)
_PAIR = {"anyOf": [SCALAR, {"type": "array", "items": SCALAR, "minItems": 2, "maxItems": 2}]}

Along = Annotated[BeamExpression, PlainValidator(along), WithJsonSchema(SCALAR)]
Degree = Annotated[int, PlainValidator(_DEGREE), WithJsonSchema(_DEGREE.json)]
Pieces = Annotated[int, PlainValidator(_PIECES), WithJsonSchema(_PIECES.json)]
Stations = Annotated[int, PlainValidator(_STATIONS), WithJsonSchema(_STATIONS.json)]
Substeps = Annotated[int, PlainValidator(_SUBSTEPS), WithJsonSchema(_SUBSTEPS.json)]
Magnus = Annotated[int, PlainValidator(_magnus), WithJsonSchema({"enum": list(MAGNUS_ORDERS)})]
BasisName = Annotated[str, PlainValidator(_basis), WithJsonSchema({"enum": list(BASES)})]
CommonBasis = Annotated[str, PlainValidator(_common_basis), WithJsonSchema({"enum": list(BY_DEGREE)})]
ShapeName = Annotated[
    str, PlainValidator(lambda value: _one_of(value, _SHAPES)), WithJsonSchema({"enum": list(_SHAPES)})
]
ShearFactors = Annotated[tuple[Number, Number], PlainValidator(_shear_factors), WithJsonSchema(_PAIR)]


Around = Annotated[MapExpression, PlainValidator(_around), WithJsonSchema(SCALAR)]
Angles = Annotated[
    tuple[Number, Number],
    PlainValidator(_angles),
    WithJsonSchema({"type": "array", "items": SCALAR, "minItems": 2, "maxItems": 2}),
]
LawName = Annotated[
    str, PlainValidator(lambda value: _one_of(value, SECTION_LAWS)), WithJsonSchema({"enum": list(SECTION_LAWS)})
]


class SectionYaml(YamlMapping):
    """The cross-section along the rod, centred on its axis; y and z are its principal axes."""

    shape: ShapeName
    radius: Along | None = Field(None, description="of circle and ring, outside [m]")
    inner_radius: Along | None = Field(None, description="of ring [m]")
    width: Along | None = Field(None, description="of rectangle, along y [m]")
    height: Along | None = Field(None, description="of rectangle, along z [m]")
    area: Along | None = Field(None, description="of numbers [m^2]")
    second_moment_x: Along | None = Field(None, description="of numbers: the torsion constant [m^4]")
    second_moment_y: Along | None = Field(None, description="of numbers: about y [m^4]")
    second_moment_z: Along | None = Field(None, description="of numbers: about z [m^4]")
    shear_factors: ShearFactors = Field((1.0, 1.0), description="of shear along y and z, or one for both")

    @model_validator(mode="after")
    def _keys_of_the_shape(self) -> SectionYaml:
        own = SECTION_KEYS[self.shape]
        for key in (key for keys in SECTION_KEYS.values() for key in keys):
            if key in own and getattr(self, key) is None:
                raise refusal(f"{key} is missing; a section of shape {self.shape} needs it")
            if key not in own and getattr(self, key) is not None:
                raise refusal(f"{key} means nothing for shape {self.shape}; delete it, or choose another shape")
        return self


class MaterialYaml(YamlMapping):
    """Linear elastic matter."""

    youngs_modulus: Quantity = Field(description="[Pa], above 0")
    poisson_ratio: Quantity = Field(description="above -1 and up to 0.5")
    density: Quantity = Field(description="[kg/m^3], above 0")
    viscosity: Quantity = Field(0.0, description="[Pa s]")
    retardation_time: Quantity = Field(
        0.0, description="in place of viscosity [s]: damping matrix = time * stiffness matrix"
    )


class FunctionsYaml(YamlMapping):
    """The functions of x that a strain is made of, a coordinate each."""

    basis: BasisName | None = Field(None, description="that of the rod if left out")
    degree: Degree | None = Field(None, description="of legendre, monomial, chebyshev and fourier")
    pieces: Pieces | None = Field(None, description="of piecewise_constant and piecewise_linear, of equal length")
    centres: list[Quantity] | None = Field(None, min_length=1, description="of gaussian: distances from the root [m]")
    width: Quantity | None = Field(None, description="of gaussian: exp(-((x - centre) / width)**2) [m]")
    functions: list[Along] | None = Field(None, min_length=1, description="expressions in x, in place of a basis")


def _by_degree(value: object) -> FunctionsYaml:
    return FunctionsYaml.model_construct(degree=_DEGREE(value))


Functions = Annotated[FunctionsYaml, OrShort(FunctionsYaml, _by_degree, _DEGREE.json)]


class StrainYaml(YamlMapping):
    """Which strains the rod has, each by a degree of the rod's basis or by its own functions; others it has not."""

    twist: Functions | None = Field(None, description="turn about x per length")
    curvature_y: Functions | None = Field(None, description="turn about y per length")
    curvature_z: Functions | None = Field(None, description="turn about z per length")
    stretch: Functions | None = Field(None, description="along x")
    shear_y: Functions | None = Field(None, description="along y")
    shear_z: Functions | None = Field(None, description="along z")


class StrainsAlongYaml(YamlMapping):
    """An expression in x for some of the strains."""

    twist: Along | None = None
    curvature_y: Along | None = None
    curvature_z: Along | None = None
    stretch: Along | None = None
    shear_y: Along | None = None
    shear_z: Along | None = None


class SectionShapeYaml(YamlMapping):
    """A coordinate that changes the radius of all sections."""

    radius: Around = Field(description="change [m] per unit of the coordinate, an expression in x and phi")
    on: Angles = Field((0.0, TURN), description="angles phi [rad] from y towards z between which it changes")


class SoftYaml(SlenderYaml):
    """A soft rod. Values are fixed when code is generated."""

    thing: ClassVar[str] = "rod"
    section: SectionYaml
    material: MaterialYaml
    strain: StrainYaml | None = Field(None, description="the functions of each strain")
    coupled: dict[str, StrainsAlongYaml] = Field(
        default_factory=dict, description="coordinates that move several strains at once, by name"
    )
    basis: CommonBasis | None = Field(None, description="of strains that name none; legendre if left out")
    reference: StrainsAlongYaml | None = Field(None, description="the strain at rest; straight, stretch 1, if left out")
    stations: Stations | None = Field(None, description="Gauss points per piece; found on loading if left out")
    magnus: Magnus = Field(6, description="order of a step between two stations")
    substeps: Substeps = Field(1, description="exponentials in a step")
    section_shapes: list[SectionShapeYaml] = Field(
        default_factory=list, description="how round sections change their radius, a coordinate each"
    )
    section_law: LawName = Field(SECTION_LAWS[0], description="what holds sections in their shapes")
    max_turn_per_step: Quantity = Field(1.0, description="[rad], above 0 and up to pi")
