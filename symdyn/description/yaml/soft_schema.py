"""The key ``soft`` of a link, declared as pydantic models."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import Field, model_validator

from symdyn.description.soft import SECTION_KEYS, SECTION_LAWS, TURN
from symdyn.description.text.validation import refusal
from symdyn.description.yaml.mapping import OrShort, YamlMapping
from symdyn.description.yaml.scalars import Flag, Quantity
from symdyn.description.yaml.slender_schema import SlenderYaml
from symdyn.description.yaml.soft_values import (
    DEGREE,
    Along,
    Angles,
    Around,
    BasisName,
    CommonBasis,
    Degree,
    LawName,
    Magnus,
    Pieces,
    ShapeName,
    ShearFactors,
    Stations,
    Substeps,
)


class SectionYaml(YamlMapping):
    """The cross-section along the rod, centred on its axis; y and z are its principal axes."""

    shape: ShapeName = Field(description="of the section, with its sizes")
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
    return FunctionsYaml.model_construct(degree=DEGREE(value))


Functions = Annotated[FunctionsYaml, OrShort(FunctionsYaml, _by_degree, DEGREE.json)]


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

    twist: Along | None = Field(None, description="about x [rad/m]")
    curvature_y: Along | None = Field(None, description="about y [rad/m]")
    curvature_z: Along | None = Field(None, description="about z [rad/m]")
    stretch: Along | None = Field(None, description="along x")
    shear_y: Along | None = Field(None, description="along y")
    shear_z: Along | None = Field(None, description="along z")


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
    volume_preserving: Flag = Field(False, description="whether sections get thinner as the rod stretches")
    max_turn_per_step: Quantity = Field(1.0, description="[rad], above 0 and up to pi")
