"""The key ``soft`` of a link, declared as pydantic models."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from pydantic import Field

from symdyn.description.declared import family
from symdyn.description.soft import SECTION_LAWS, SECTIONS, TURN, Material
from symdyn.description.yaml.declared_schema import Lazily
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
    Stations,
    Substeps,
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
    section: Annotated[Any, Lazily(SECTIONS)]
    material: Annotated[Any, Lazily(family(Material))]
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
