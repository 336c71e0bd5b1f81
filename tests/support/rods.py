"""Rods for tests: one that is easily changed, and any rod that a description may hold."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

from symdyn.description.checks.rotation import rotation_from_rpy
from symdyn.description.quantities.placement import Placement
from symdyn.description.robot import Link, RobotDescription
from symdyn.description.soft import CoupledStrains, Material, Section, Soft, Strain, StrainBasis, StrainFunctions
from symdyn.description.yaml.read import parse_yaml

MATTER = Material(1e6, 0.5, 1000.0)
ROUND = Section("circle", radius="0.03")


def functions(strain: Strain, count: int, basis: StrainBasis = StrainBasis.LEGENDRE, **said: Any) -> StrainFunctions:
    """The functions of one strain."""
    return StrainFunctions(strain, basis, count, **said)


def rod(*strains: StrainFunctions, length: float = 0.5, **said: Any) -> Soft:
    """A round rod of ``length`` [m] and 0.03 m radius; three functions of curvature_z if nothing is given."""
    given = strains or (functions(Strain.CURVATURE_Z, 3),)
    return Soft(length, said.pop("section", ROUND), said.pop("material", MATTER), given, **said)


def rod_of(robot: RobotDescription, link: str = "arm") -> Soft:
    """The rod of a link."""
    soft = {each.name: each.soft for each in robot.links}[link]
    assert soft is not None
    return soft


def described(**entries: str) -> Soft:
    """A rod of 0.5 m, with entries of ``soft`` as YAML."""
    given = {
        "length": "0.5",
        "section": "{shape: circle, radius: 0.03}",
        "material": "{youngs_modulus: 1e6, poisson_ratio: 0.5, density: 1000}",
        "strain": "{curvature_z: 2}",
    } | entries
    lines = "".join(f"      {key}: {value}\n" for key, value in given.items() if value)
    return rod_of(parse_yaml(f"name: r\nlinks:\n  arm:\n    soft:\n{lines}".encode(), "r.yaml"))


def holding(soft: Soft) -> RobotDescription:
    """A robot of one soft link."""
    return RobotDescription("r", (Link("a", soft=soft),), (), source="r.yaml")


@st.composite
def sections(draw: st.DrawFn, length: float) -> Section:
    """Any shape, along a rod of ``length`` [m]; some taper to half."""
    size = draw(st.floats(0.005, 0.05))
    taper = draw(st.booleans())

    def along(value: float) -> str:
        return f"{value!r} * (1 - x / {2 * length!r})" if taper else repr(value)

    factors = draw(st.sampled_from([(1.0, 1.0), (0.9, 0.9), (5 / 6, 0.75)]))
    match draw(st.sampled_from(["circle", "ring", "rectangle", "numbers"])):
        case "circle":
            return Section("circle", radius=along(size), shear_factors=factors)
        case "ring":
            inner = along(size * draw(st.floats(0.1, 0.9)))
            return Section("ring", radius=along(size), inner_radius=inner, shear_factors=factors)
        case "rectangle":
            height = along(size * draw(st.floats(0.2, 3.0)))
            return Section("rectangle", width=along(size), height=height, shear_factors=factors)
    y, z = size**4 * draw(st.floats(0.2, 2.0)), size**4 * draw(st.floats(0.2, 2.0))
    return Section(
        "numbers",
        area=along(size**2),
        second_moment_x=along((y + z) * draw(st.floats(0.5, 1.0))),
        second_moment_y=along(y),
        second_moment_z=along(z),
        shear_factors=factors,
    )


materials = st.builds(
    lambda modulus, ratio, density, losses: Material(modulus, ratio, density, **losses),
    st.floats(1e4, 1e11),
    st.sampled_from([-0.2, 0.0, 0.3, 0.49, 0.5]),
    st.floats(500.0, 8000.0),
    st.one_of(
        st.just({}),
        st.builds(lambda value: {"viscosity": value}, st.floats(1.0, 1e6)),
        st.builds(lambda value: {"retardation_time": value}, st.floats(1e-6, 0.1)),
    ),
)


@st.composite
def strain_functions(draw: st.DrawFn, strain: Strain, length: float, most: int = 5) -> StrainFunctions:
    """Functions of one strain, of any basis, at most ``most`` of them (and 2 at least where a basis has no fewer)."""
    count = draw(st.integers(1, most))
    match draw(st.sampled_from(list(StrainBasis))):
        case StrainBasis.FOURIER:
            return functions(strain, count - 1 + count % 2, StrainBasis.FOURIER)
        case StrainBasis.PIECEWISE_LINEAR:
            return functions(strain, max(2, count), StrainBasis.PIECEWISE_LINEAR)
        case StrainBasis.GAUSSIAN:
            places = draw(st.lists(st.integers(0, 4), min_size=1, max_size=min(count, 3), unique=True))
            centres = tuple(length * place / 4 for place in places)
            width = length * draw(st.floats(0.1, 0.5))
            return functions(strain, len(centres), StrainBasis.GAUSSIAN, centres=centres, width=width)
        case StrainBasis.EXPRESSIONS:
            pool = ["1.0", f"x / {length!r}", f"cos({4 / length!r} * x)", f"exp(-x / {length!r}) - 2"]
            texts = draw(st.lists(st.sampled_from(pool), min_size=1, max_size=min(count, 4), unique=True))
            return functions(strain, len(texts), StrainBasis.EXPRESSIONS, functions=tuple(texts))
        case StrainBasis.MONOMIAL:
            return functions(strain, min(count, 9), StrainBasis.MONOMIAL)
        case basis:
            return functions(strain, count, basis)


@st.composite
def coupled_strains(draw: st.DrawFn, length: float) -> tuple[CoupledStrains, ...]:
    """Up to two coordinates that move several strains; no basis comes near their functions."""
    helix = (
        (Strain.TWIST, f"sin({17 / length!r} * x)"),
        (Strain.CURVATURE_Y, f"cos({23 / length!r} * x)"),
        (Strain.STRETCH, f"0.1 * sin({29 / length!r} * x)"),
    )
    bow = ((Strain.CURVATURE_Z, f"sin({31 / length!r} * x)"), (Strain.SHEAR_Y, f"cos({37 / length!r} * x)"))
    both = (CoupledStrains("helix", helix), CoupledStrains("bow", bow))
    return draw(st.sampled_from([(), (), both[:1], both[1:], both]))


@st.composite
def references(draw: st.DrawFn, length: float) -> tuple[tuple[Strain, str], ...]:
    """Strains at rest: up to a radian over the rod, and a twentieth of its length."""
    found = []
    for strain in Strain:
        if draw(st.integers(0, 3)) == 0:
            size = draw(st.floats(0.1, 1.0)) / length if strain.angular else draw(st.floats(0.01, 0.05))
            size = draw(st.sampled_from([-size, size]))
            base = 1.0 if strain is Strain.STRETCH else 0.0
            found.append((strain, draw(st.sampled_from([repr(base + size), f"{base!r} + {size!r} * cos(x)"]))))
    return tuple(found)


placements = st.builds(
    lambda x, y, z, angles: Placement((x, y, z), rotation_from_rpy(*angles)),
    *[st.sampled_from([0.0, 0.1, -0.25])] * 3,
    st.sampled_from([(0.0, 0.0, 0.0), (0.3, -0.2, 1.1), (0.0, math.pi / 2, 0.0)]),
)


@st.composite
def rods(draw: st.DrawFn, most: int = 5) -> Soft:
    """Any sound rod, with ``most`` functions of each strain at most; expressions are spelt as the reader does."""
    length = draw(st.floats(0.15, 2.0))
    active = [strain for strain in Strain if draw(st.booleans())]
    strains = tuple(draw(strain_functions(strain, length, most)) for strain in active)
    coupled = draw(coupled_strains(length))
    if not strains and not coupled:
        strains = (functions(Strain.CURVATURE_Y, 2),)
    found = Soft(
        length,
        draw(sections(length)),
        draw(materials),
        strains,
        coupled,
        draw(references(length)),
        draw(placements),
        magnus=draw(st.sampled_from([2, 4, 6])),
        substeps=draw(st.integers(1, 3)),
        max_turn_per_step=draw(st.sampled_from([1.0, 0.5, math.pi])),
    )
    return found if draw(st.booleans()) else _with_stations(found, draw(st.integers(0, 5)))


def _with_stations(found: Soft, more: int) -> Soft:
    # As many as the rules ask for, and some more.
    fewest = max([found.coordinates // (6 * len(found.pieces)) + 1, *(own.count for own in found.strains)])
    return replace(found, stations=fewest + more)
