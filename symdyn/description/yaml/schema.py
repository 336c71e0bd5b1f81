"""symdyn's YAML declared as pydantic models; scalars arrive as text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BeforeValidator, Field, create_model, model_validator

from symdyn.description.actuation import CHAMBERS, DRIVER, TENDONS
from symdyn.description.bushing import Bushing, Strut
from symdyn.description.contact_keys import CONTACT
from symdyn.description.control.problem import PROBLEM
from symdyn.description.declared import family
from symdyn.description.external_loads import WRENCHES
from symdyn.description.flexible import BEAM
from symdyn.description.fluid import FLUID
from symdyn.description.joint import JOINT
from symdyn.description.load_settings import CONVENTIONS
from symdyn.description.loads import LINK_LOADS
from symdyn.description.mapped import MAPS
from symdyn.description.pfaffian import LOOPS
from symdyn.description.robot import FRAME
from symdyn.description.soft import ROD
from symdyn.description.text.validation import refusal
from symdyn.description.yaml.collision_schema import (
    ContactOptionsYaml,
    Friction,
    LimitsYaml,
    LinkFitting,
    LinkMeshes,
    LinkShapes,
    Obstacles,
)
from symdyn.description.yaml.declared_schema import Formed, Lazily
from symdyn.description.yaml.looks_schema import VisualYaml
from symdyn.description.yaml.mapping import OrientedYaml, YamlMapping
from symdyn.description.yaml.scalars import Convention, Flag, Format, Name, Quantities, Quantity, Vector


class ParameterYaml(YamlMapping):
    """A named quantity for expressions."""

    value: Quantity | None = Field(None, description="number or expression; the default where runtime is true")
    unit: str = Field("", description="a product of SI units, such as m, kg/m^3 or N m/rad")
    runtime: Flag = Field(False, description="an input of the generated functions")


class InertiaYaml(OrientedYaml):
    """Moments about the centre of mass [kg m^2], in link axes turned by rpy or rotation."""

    xx: Quantity = Field(description="[kg m^2]")
    yy: Quantity = Field(description="[kg m^2]")
    zz: Quantity = Field(description="[kg m^2]")
    xy: Quantity = Field(0.0, description="[kg m^2]")
    xz: Quantity = Field(0.0, description="[kg m^2]")
    yz: Quantity = Field(0.0, description="[kg m^2]")


class _Link(YamlMapping):
    """A link: a rigid body, a beam that bends, a soft rod, or one of these with a rigid hub at its root."""

    mass: Quantity | None = Field(None, description="[kg]")
    com: Vector = Field((0.0, 0.0, 0.0), description="centre of mass in the link frame [m]")
    inertia: InertiaYaml | None = Field(None, description="about the centre of mass [kg m^2]")
    flexible: Annotated[Any, Lazily(BEAM)] | None = Field(
        None, description="a slender beam; mass, com and inertia are then its hub's"
    )
    soft: Annotated[Any, Lazily(ROD)] | None = Field(
        None, description="a soft rod; mass, com and inertia are then its hub's"
    )
    deformable: Annotated[Any, Lazily(MAPS)] | None = Field(
        None, description="a body given by its map; mass, com and inertia are then its hub's"
    )
    collision: LinkShapes = Field(default_factory=dict, description="shapes for rigid contacts, by name")
    visuals: list[VisualYaml] = Field(default_factory=list, description="shapes by which viewers show it")

    @model_validator(mode="after")
    def _mass_given(self) -> _Link:
        if self.mass is None and self.model_fields_set & {"com", "inertia"}:
            raise refusal("mass is missing; write mass: 0 if the link has none")
        if self.flexible is not None and self.soft is not None:
            raise refusal("flexible and soft both say how it deforms; keep one")
        if self.deformable is not None and (self.flexible is not None or self.soft is not None):
            other = "flexible" if self.flexible is not None else "soft"
            raise refusal(f"{other} and deformable both say how it deforms; keep one")
        return self


if TYPE_CHECKING:
    LinkYaml = _Link
else:
    _LOADS: dict[str, Any] = {
        kind.key: (Annotated[Any, Lazily(family(kind))] | None, Field(None, description=kind.title))
        for kind in LINK_LOADS
    }
    LinkYaml = create_model("LinkYaml", __base__=_Link, __doc__=_Link.__doc__, **_LOADS)


def _empty_mapping(value: object) -> object:
    return {} if value is None else value


class LoadYaml(YamlMapping):
    """How the robot is loaded; what the caller of ``load`` gives comes first."""

    locked_joints: Annotated[dict[str, Quantities], BeforeValidator(_empty_mapping)] = Field(
        default_factory=dict, description="joints to freeze, with their coordinate [rad or m], or one per row of q"
    )
    runtime: list[Name] = Field(default_factory=list, description="quantities that become inputs, as hook.mass")
    joint_losses: Flag = Field(False, description="damping and friction are part of tau")
    convention: Convention = Field(CONVENTIONS[0], description="what the velocity of a free base means")


def _short_parameter(value: object) -> object:
    return {"value": value} if isinstance(value, str) else value


Contacts = Annotated[dict[str, Annotated[Any, Lazily(CONTACT)]], BeforeValidator(_empty_mapping)]
Loops = Annotated[dict[str, Annotated[Any, Lazily(LOOPS)]], BeforeValidator(_empty_mapping)]
Frames = Annotated[dict[str, Annotated[Any, Lazily(FRAME)]], BeforeValidator(_empty_mapping)]
ShortParameter = Annotated[ParameterYaml, BeforeValidator(_short_parameter)]
ShortLink = Annotated[LinkYaml, BeforeValidator(_empty_mapping)]


Control = Annotated[Any, Lazily(PROBLEM)]


class RobotYaml(YamlMapping):
    """A robot in symdyn's YAML. SI units, angles in radians."""

    format: Format = 1
    name: str
    floating_base: Flag = Field(False, description="the root link moves freely")
    gravity: Vector | None = Field(None, description="in the world frame [m/s^2]")
    load: LoadYaml | None = Field(None, description="options of loading, where the caller gives none")
    parameters: Annotated[dict[str, ShortParameter], BeforeValidator(_empty_mapping)] = Field(default_factory=dict)
    links: dict[str, ShortLink]
    joints: Annotated[dict[str, Annotated[Any, Lazily(JOINT)]], BeforeValidator(_empty_mapping)] = Field(
        default_factory=dict
    )
    frames: Frames = Field(default_factory=dict)
    tendons: Annotated[dict[str, Annotated[Any, Lazily(TENDONS)]], BeforeValidator(_empty_mapping)] = Field(
        default_factory=dict, description="cables along soft links"
    )
    chambers: Annotated[dict[str, Annotated[Any, Lazily(CHAMBERS)]], BeforeValidator(_empty_mapping)] = Field(
        default_factory=dict, description="chambers inside soft links"
    )
    actuators: list[Annotated[Any, Formed(DRIVER)]] = Field(
        default_factory=list,
        description="joints, tendons, chambers, rest strains and actuators of joints in the order of the inputs",
    )
    absent_actuators: list[str] = Field(
        default_factory=list, description="actuators that the robot has besides, and what has no counterpart here"
    )
    loads: Annotated[dict[str, Annotated[Any, Lazily(WRENCHES)]], BeforeValidator(_empty_mapping)] = Field(
        default_factory=dict, description="forces and moments from outside"
    )
    fluid: Annotated[Any, Lazily(FLUID)] | None = Field(None, description="a fluid that links are in")
    contacts: Contacts = Field(
        default_factory=dict, description="shapes on the robot against surfaces: rigid, or with stiffness a penalty"
    )
    obstacles: Obstacles = Field(default_factory=dict, description="surfaces in the world for rigid contacts, by name")
    limits: LimitsYaml | None = Field(None, description="ranges of joints in steps with contacts")
    joint_friction: Friction = Field(
        "smooth", description="in steps with contacts: smooth as elsewhere, or dry, which needs joint_losses"
    )
    contact_options: ContactOptionsYaml | None = Field(None, description="numbers of rigid contact and its solver")
    bushings: Annotated[dict[str, Annotated[Any, Lazily(family(Bushing))]], BeforeValidator(_empty_mapping)] = Field(
        default_factory=dict, description="springs and dampers between two places"
    )
    struts: Annotated[dict[str, Annotated[Any, Lazily(family(Strut))]], BeforeValidator(_empty_mapping)] = Field(
        default_factory=dict, description="springs and dampers on the line between two places"
    )
    loops: Loops = Field(default_factory=dict, description="what holds two places to each other, and couplings")
    control: Control | None = Field(None, description="costs and limits of an optimal-control problem")
    repaired: list[str] = Field(default_factory=list, description="what was changed against an earlier file")


class LoopsYaml(YamlMapping):
    """A file beside that of a robot: closed loops, and frames for them."""

    format: Format = 1
    loops: Loops
    frames: Frames = Field(default_factory=dict)


class ContactsYaml(YamlMapping):
    """A file beside that of a robot: rigid contacts, obstacles and shapes for them."""

    format: Format = 1
    collision: Annotated[dict[str, LinkFitting], BeforeValidator(_empty_mapping)] = Field(
        default_factory=dict, description="by link: fit sphere or {hull: 16} for its mesh, or shapes by name"
    )
    meshes: LinkMeshes | None = Field(
        None, description="fit sphere or {hull: 16} for all collision meshes without a line of their own"
    )
    ground: Flag = Field(False, description="all collision shapes against the plane z = 0, with friction 0.8")
    file_pairs: Flag = Field(False, description="the pairs of geoms that an MJCF file lets touch are contacts, too")
    contacts: Contacts = Field(default_factory=dict)
    obstacles: Obstacles = Field(default_factory=dict)
    limits: LimitsYaml | None = None
    joint_friction: Friction = "smooth"
    contact_options: ContactOptionsYaml | None = None


class ControlYaml(YamlMapping):
    """A file beside that of a robot: an optimal-control problem."""

    format: Format = 1
    control: Control
