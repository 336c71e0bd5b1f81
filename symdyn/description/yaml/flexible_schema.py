"""The key ``flexible`` of a link, declared as pydantic models."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from pydantic import Field, PlainValidator, TypeAdapter, WithJsonSchema, model_validator

from symdyn.description.flexible import MOST_MODES, Basis
from symdyn.description.forms import SCALAR, along_of, quantity
from symdyn.description.quantities.beam_expression import BeamExpression
from symdyn.description.robot import Number
from symdyn.description.text.position import hint
from symdyn.description.text.validation import kind_of, refusal
from symdyn.description.yaml.mapping import OrShort, YamlMapping
from symdyn.description.yaml.scalars import Flag, Quantity
from symdyn.description.yaml.slender_schema import SlenderYaml

BASES = tuple(basis.value for basis in Basis if basis not in (Basis.EXPRESSIONS, Basis.TABLE))
"""Those that ``basis`` may name; ``shapes`` gives the others."""

_NUMBERS = {"type": "array", "items": SCALAR, "minItems": 1}


def _beam_expression(value: object) -> BeamExpression:
    return along_of(value, "a number, an expression in x, or steps")


def _count(value: object) -> int:
    digits = value.strip() if isinstance(value, str) else ""
    if not (digits.isascii() and digits.isdigit() and int(digits[:9]) <= MOST_MODES):
        raise refusal(f"expected a number of modes from 0 to {MOST_MODES}, got {kind_of(value)}")
    return int(digits)


def _basis(value: object) -> Basis:
    if value in (Basis.EXPRESSIONS.value, Basis.TABLE.value):
        raise refusal("give such shapes under 'shapes', and leave basis out")
    if value not in BASES:
        close = hint(value, BASES) if isinstance(value, str) else ""
        raise refusal(f"expected one of {', '.join(BASES)}, got {kind_of(value)}{close}")
    return Basis(value)


Along = Annotated[BeamExpression, PlainValidator(_beam_expression), WithJsonSchema(SCALAR)]
Count = Annotated[int, PlainValidator(_count), WithJsonSchema({"type": "integer", "minimum": 0, "maximum": MOST_MODES})]
BasisName = Annotated[Basis, PlainValidator(_basis), WithJsonSchema({"enum": list(BASES)})]
_numbers = TypeAdapter(list[Quantity]).validate_python
_expressions = TypeAdapter(list[Along]).validate_python


def _ratios(value: object) -> Any:
    return _numbers(value) if isinstance(value, list) else quantity(value)


def _shapes(value: object) -> Any:
    if not isinstance(value, list):
        raise refusal(f"expected a list of expressions in x, or stations and samples, got {kind_of(value)}")
    return _expressions(value)


class StepYaml(YamlMapping):
    """A stretch of the beam."""

    to: Quantity = Field(description="distance of its far end from the beam's root [m]")
    value: Along = Field(description="number or expression in x, the distance from the beam's root")


class StepsYaml(YamlMapping):
    """A quantity that changes from stretch to stretch."""

    steps: list[StepYaml] = Field(min_length=1, description="from the root on; the last one ends at length")


AlongBeam = Annotated[BeamExpression | StepsYaml, OrShort(StepsYaml, _beam_expression, SCALAR)]


class BendingStiffnessYaml(YamlMapping):
    """One value per plane, or the stretches of one for both."""

    y: AlongBeam | None = Field(None, description="E I against deflection along y")
    z: AlongBeam | None = Field(None, description="E I against deflection along z")
    steps: list[StepYaml] | None = Field(None, min_length=1, description="as for any quantity along the beam")

    @model_validator(mode="after")
    def _one_form(self) -> BendingStiffnessYaml:
        if (self.steps is None) == (self.y is None and self.z is None):
            raise refusal("expected steps, or y and z")
        return self


class SectionInertiaYaml(YamlMapping):
    """Second moments of the mass of a cross-section [kg m]."""

    y: AlongBeam = Field(description="integral of density * y^2 over the section")
    z: AlongBeam = Field(description="integral of density * z^2 over the section")


class ModesYaml(YamlMapping):
    """How many shapes each direction has; 0 leaves the beam rigid in it."""

    bend_y: Count = Field(0, description="deflection along y")
    bend_z: Count = Field(0, description="deflection along z")
    torsion: Count = Field(0, description="turn about x")
    axial: Count = Field(0, description="displacement along x")


class BasisYaml(YamlMapping):
    """The kind of shapes per direction; clamped-free where nothing is said."""

    bend_y: BasisName | None = Field(None, description="bending along y")
    bend_z: BasisName | None = Field(None, description="bending along z")
    torsion: BasisName | None = Field(None, description="twist about x")
    axial: BasisName | None = Field(None, description="stretch along x")


class TableYaml(YamlMapping):
    """Sampled shapes, joined by splines."""

    stations: list[Quantity] = Field(description="distances from the beam's root [m], from 0 to length, ascending")
    samples: list[list[Quantity]] = Field(description="one list per shape: its values at the stations")


_SHAPE_LIST = {"type": "array", "items": SCALAR, "minItems": 1, "maxItems": MOST_MODES}
Shapes = Annotated[list[BeamExpression] | TableYaml, OrShort(TableYaml, _shapes, _SHAPE_LIST)]


class ShapesYaml(YamlMapping):
    """Shapes in place of a basis: expressions in x, or tables."""

    bend_y: Shapes | None = Field(None, description="bending along y")
    bend_z: Shapes | None = Field(None, description="bending along z")
    torsion: Shapes | None = Field(None, description="twist about x")
    axial: Shapes | None = Field(None, description="stretch along x")


Ratios = Annotated[Number | list[Number], PlainValidator(_ratios), WithJsonSchema({"anyOf": [SCALAR, _NUMBERS]})]


class RatiosYaml(YamlMapping):
    """Damping ratios per direction: one for all its modes, or one for each."""

    bend_y: Ratios | None = Field(None, description="bending along y")
    bend_z: Ratios | None = Field(None, description="bending along z")
    torsion: Ratios | None = Field(None, description="twist about x")
    axial: Ratios | None = Field(None, description="stretch along x")


class TimesYaml(YamlMapping):
    """Retardation times per direction [s]."""

    bend_y: Quantity | None = Field(None, description="bending along y")
    bend_z: Quantity | None = Field(None, description="bending along z")
    torsion: Quantity | None = Field(None, description="twist about x")
    axial: Quantity | None = Field(None, description="stretch along x")


class DampingYaml(YamlMapping):
    """Damping of the beam's own motion; each direction has one kind at most."""

    ratio: (
        Annotated[Number | list[Number] | RatiosYaml, OrShort(RatiosYaml, _ratios, {"anyOf": [SCALAR, _NUMBERS]})]
        | None
    ) = Field(None, description="fraction of critical damping, for all modes, per mode, or per direction")
    retardation_time: Annotated[Number | TimesYaml, OrShort(TimesYaml, quantity, SCALAR)] | None = Field(
        None, description="of a Kelvin-Voigt material [s]: damping matrix = time * stiffness matrix"
    )


class HubInertiaYaml(YamlMapping):
    """Moments of inertia of the hub about the beam's axes, through the centre of the root section [kg m^2]."""

    x: Quantity = Field(0.0, description="about the beam")
    y: Quantity = Field(0.0, description="about y, as bend_z turns it")
    z: Quantity = Field(0.0, description="about z, as bend_y turns it")


class FlexibleYaml(SlenderYaml):
    """A slender elastic beam. Values are fixed when code is generated."""

    thing: ClassVar[str] = "beam"
    mass_per_length: AlongBeam = Field(description="[kg/m]")
    bending_stiffness: (
        Annotated[BeamExpression | BendingStiffnessYaml, OrShort(BendingStiffnessYaml, _beam_expression, SCALAR)] | None
    ) = Field(None, description="E I [N m^2], for both planes or for each")
    torsional_stiffness: AlongBeam | None = Field(None, description="G J [N m^2]")
    axial_stiffness: AlongBeam | None = Field(None, description="E A [N]")
    section_inertia: SectionInertiaYaml | None = Field(None, description="required for torsion")
    modes: ModesYaml | None = Field(None, description="how many, per direction")
    basis: Annotated[Basis | BasisYaml, OrShort(BasisYaml, _basis, {"enum": list(BASES)})] | None = Field(
        None, description="for all directions or for each; clamped-free if left out"
    )
    shapes: ShapesYaml | None = Field(None, description="in place of a basis, per direction")
    damping: DampingYaml | None = None
    tip_mass: Quantity = Field(0.0, description="boundary condition of clamped-tip-mass [kg]")
    tip_inertia: Quantity = Field(0.0, description="boundary condition of clamped-tip-mass [kg m^2]")
    hub_inertia: Annotated[Number | HubInertiaYaml, OrShort(HubInertiaYaml, quantity, SCALAR)] = Field(
        0.0, description="of pinned-hub [kg m^2]: about the axes of its planes, or about each axis"
    )
    stiffening: Flag = Field(
        False, description="the beam keeps its length as it bends, and sections turn to second order as it twists"
    )
