"""Rods that cannot be are refused, whether a file says so or Python; odd ones are warned of."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest
from support.rods import MATTER, ROUND, described, functions, holding, rod

from symdyn.description.checks.check import check
from symdyn.description.flexible import Basis, Direction, Flexible, Modes, Profile
from symdyn.description.robot import Frame, Inertial, Joint, JointKind, Link, Placement, RobotDescription
from symdyn.description.soft import CoupledStrains, Section, Strain, StrainBasis, StrainFunctions
from symdyn.errors import DescriptionError

TWIST = functions(Strain.TWIST, 2)


@pytest.mark.parametrize(
    ("entries", "words"),
    [
        ({"strain": "[1]"}, r"strain: expected a mapping"),
        ({"strain": "{twist: x}"}, r"strain\.twist: expected a degree from 0 to 23, got 'x'"),
        ({"strain": "{twist: [1]}"}, r"strain\.twist: expected a degree from 0 to 23, got a list"),
        ({"strain": "{twist: {basis: [legendre]}}"}, "got a list"),
        ({"strain": "{twist: {pieces: 3}}"}, r"pieces means nothing for basis legendre"),
        ({"strain": "{twist: {basis: gaussian, centres: 0.1, width: 1}}"}, r"centres: expected a list"),
        ({"strain": "{twist: {functions: [1], width: 2}}"}, r"functions say it all; leave out width, or the functions"),
        ({"strain": "{twist: {functions: [1e31]}}"}, r"functions\.0 is 1e\+31 in magnitude at x = .*, beyond 1e\+30"),
        ({"strain": "{twist: {functions: [log(x)]}}"}, r"functions\.0 has no finite value at x = 0"),
        ({"strain": "{twist: {functions: [1, x**17]}}"}, r"functions\.1: expression 'x\*\*17'"),
        ({"coupled": "{a: 1}"}, r"coupled\.a: expected a mapping"),
        ({"coupled": "{a: {twist: x - x}}"}, r"coupled\.a\.twist is zero everywhere"),
        ({"coupled": "{tip: {twist: 1}}"}, r"coupled\.tip: the name is taken"),
        ({"reference": "{twist: 1e40}"}, r"reference\.twist is 1e\+40 in magnitude"),
        ({"reference": "{stretch: -1}"}, r"reference\.stretch is -1 at x = 0; the stretch at rest is above 0"),
        ({"magnus": "six"}, "magnus: expected 2, 4 or 6, got 'six'"),
        ({"stations": "257"}, "stations: expected a number of stations per piece from 1 to 256, got '257'"),
        ({"substeps": "1.5"}, "substeps: expected a number of substeps from 1 to 64"),
        ({"section": "{shape: [circle]}"}, r"section\.shape: expected one of circle, ring, rectangle, numbers, got"),
        ({"section": "{shape: circle}"}, r"section: radius is missing; a section of shape circle needs it"),
        ({"section": "{shape: rectangle, width: 1, height: .inf}"}, r"height: expected a finite number"),
        ({"section": "{shape: circle, radius: 1e-9}"}, r"the rod's mass is 1\.5708e-15 kg"),
        ({"material": "{youngs_modulus: 1e31, poisson_ratio: 0, density: 1}"}, r"youngs_modulus is 1e\+31; a rod"),
        ({"material": "{youngs_modulus: 1, poisson_ratio: .nan, density: 1}"}, r"expected a finite number"),
        ({"start": "[1e40, 0, 0]"}, "start holds 1e"),
        ({"axis": "[0, 0, 0]"}, "axis is the zero vector"),
        ({"tendons": "3"}, "tendons: unknown key"),
        ({"radius": "0.01"}, "radius: unknown key; it is a key of section, so write it below"),
        ({"density": "1000"}, "density: unknown key; it is a key of material, so write it below"),
        ({"length": "300mm"}, "'300mm' is not allowed; .*; write no units: values are in SI"),
    ],
)
def test_refused(entries: dict[str, str], words: str) -> None:
    with pytest.raises(DescriptionError, match=rf"^r.yaml:\d+: link 'arm': soft.*{words}"):
        described(**entries)


def _strains(*given: StrainFunctions) -> dict[str, Any]:
    return {"strains": given}


def _coupled(name: str, *given: tuple[Strain, str]) -> dict[str, Any]:
    return {"coupled": (CoupledStrains(name, given),)}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"length": math.nan}, "length is nan; a rod is longer"),
        ({"length": math.inf}, "length is inf; a rod is longer"),
        ({"strains": ()}, ": expected at least one strain"),
        (_strains(functions(Strain.STRETCH, 1), TWIST), r"strain: stretch, twist: expected each strain once, in the"),
        (_strains(TWIST, TWIST), r"strain: twist, twist: expected each strain once"),
        (_strains(functions(Strain.TWIST, 0)), r"strain\.twist has 0 functions; expected 1 to 24"),
        (_strains(functions(Strain.TWIST, 25)), r"strain\.twist has 25 functions"),
        (_strains(functions(Strain.TWIST, 2, StrainBasis.FOURIER)), r"has 2 functions; fourier has 1 and 2 for each"),
        (_strains(functions(Strain.TWIST, 1, StrainBasis.PIECEWISE_LINEAR)), "piecewise_linear has one more than"),
        (_strains(functions(Strain.TWIST, 1, StrainBasis.EXPRESSIONS)), "has 1 coordinates and 0 functions"),
        (_strains(functions(Strain.TWIST, 1, functions=("x",))), "has 1 coordinates and 1 functions; give"),
        (_strains(functions(Strain.TWIST, 1, centres=(0.1,))), "centres and width mean nothing for basis legendre"),
        (_strains(functions(Strain.TWIST, 2, StrainBasis.GAUSSIAN, centres=(0.1,), width=0.1)), "are 1 for 2 coord"),
        (_strains(functions(Strain.TWIST, 1, StrainBasis.GAUSSIAN, centres=(math.nan,), width=0.1)), "holds nan"),
        (_strains(functions(Strain.TWIST, 1, StrainBasis.GAUSSIAN, centres=(0.1,), width=math.inf)), "width is inf"),
        (_strains(functions(Strain.TWIST, 1, StrainBasis.EXPRESSIONS, functions=("k*x",))), "holds the name 'k'"),
        (_strains(functions(Strain.TWIST, 1, StrainBasis.EXPRESSIONS, functions=("x +",))), "is no expression in x"),
        (_coupled("", (Strain.TWIST, "exp(x)")), "such a name is not read"),
        (_coupled("a\n", (Strain.TWIST, "exp(x)")), "such a name is not read"),
        (_coupled("a"), r"coupled\.a: expected a function for at least one strain"),
        (_coupled("a", (Strain.SHEAR_Y, "1"), (Strain.TWIST, "1")), r"coupled\.a: expected each strain once, in the"),
        ({"coupled": (CoupledStrains("a", ((Strain.TWIST, "1"),)),) * 2}, r"coupled\.a: the name is taken"),
        ({"coupled": tuple(CoupledStrains(f"c{n}", ()) for n in range(25))}, "coupled has 25 entries; at most 24"),
        ({"reference": ((Strain.STRETCH, "1"), (Strain.TWIST, "1"))}, "reference: expected each strain once"),
        ({"section": Section("tube")}, r"section\.shape is 'tube'; expected one of circle"),
        ({"section": replace(ROUND, width="1")}, r"section\.width means nothing for shape circle"),
        ({"section": Section("circle")}, r"section\.radius is no expression in x"),
        ({"section": replace(ROUND, shear_factors=(1.0, math.nan))}, r"section\.shear_factors holds nan"),
        ({"material": replace(MATTER, density=math.inf)}, r"material\.density is inf"),
        ({"material": replace(MATTER, viscosity=math.inf)}, r"material\.viscosity is inf Pa s, and at most 1e\+30"),
        ({"magnus": 3}, r"magnus is 3; expected 2, 4 or 6"),
        ({"substeps": 0}, r"substeps is 0; expected a whole number from 1 to 64"),
        ({"stations": 0}, r"stations is 0; expected a whole number from 1 to 256"),
        ({"max_turn_per_step": math.nan}, r"max_turn_per_step is nan rad"),
        ({"placement": Placement((math.inf, 0.0, 0.0))}, "start holds inf"),
    ],
)
def test_refused_however_made(change: dict[str, Any], words: str) -> None:
    with pytest.raises(DescriptionError, match=rf"^r.yaml: link 'a': soft.*{words}"):
        check(holding(replace(rod(), **change)))


def test_a_link_deforms_in_one_way() -> None:
    stiff = Profile((2.0,), ("900.0",))
    beam = Flexible(2.0, Profile((2.0,), ("3.0",)), (Modes(Direction.BEND_Y, Basis.CLAMPED_FREE, 2, stiff),))
    with pytest.raises(DescriptionError, match="link 'a': flexible and soft both say how it deforms; keep one"):
        check(RobotDescription("r", (Link("a", flexible=beam, soft=rod()),), (), source="r.yaml"))


@pytest.mark.parametrize(
    ("stations", "magnus", "strains", "words"),
    [
        (4, 6, (functions(Strain.TWIST, 12), functions(Strain.STRETCH, 12)), r"stations is 4: .* give at least 5, or"),
        (5, 6, (functions(Strain.TWIST, 12), functions(Strain.STRETCH, 12)), None),
        (3, 6, (functions(Strain.TWIST, 18),), r"stations is 3: .* too few for 18 coordinates"),
        (3, 6, (functions(Strain.TWIST, 13),), r"steps look at strains in 12 places, and twist has 13"),
        (3, 6, (functions(Strain.TWIST, 12),), None),
        (3, 4, (functions(Strain.TWIST, 9),), r"steps look at strains in 8 places, and twist has 9"),
        (
            1,
            6,
            tuple(functions(strain, 2, StrainBasis.PIECEWISE_CONSTANT) for strain in Strain),
            "stations is 1 in each of 2 pieces: 6 motions each are too few for 12 coordinates",
        ),
        (1, 6, (functions(Strain.TWIST, 5, StrainBasis.PIECEWISE_CONSTANT),), None),
    ],
)
def test_stations_tell_all_coordinates_apart(
    stations: int, magnus: int, strains: tuple[StrainFunctions, ...], words: str | None
) -> None:
    soft = holding(rod(*strains, stations=stations, magnus=magnus))
    if words is None:
        assert check(soft).warnings == ()
        return
    with pytest.raises(DescriptionError, match=words):
        check(soft)


def test_steps_that_turn_too_far_at_rest_are_told() -> None:
    arc = rod(reference=((Strain.TWIST, "8.0"), (Strain.CURVATURE_Y, "6.0")), stations=4)
    (warning,) = check(holding(arc)).warnings
    # 4 Gauss points part the length in five; the middle two lie 0.34 of it apart.
    assert warning.startswith("link 'a': a step between stations turns by 1.7 rad at rest already")
    assert check(holding(replace(arc, substeps=2))).warnings == ()
    assert check(holding(replace(arc, max_turn_per_step=math.pi))).warnings == ()
    assert check(holding(replace(arc, stations=None))).warnings == ()


@pytest.mark.parametrize(("kind", "name"), [("link", "a.tip"), ("frame", "a.tip"), ("joint", "a.curvature_z[2]")])
def test_names_of_tips_and_coordinates_are_taken(kind: str, name: str) -> None:
    turn = Joint(name if kind == "joint" else "turn", JointKind.REVOLUTE, "a", name if kind == "link" else "b")
    frames = (Frame(name, "b"),) if kind == "frame" else ()
    links = (Link("a", soft=rod()), Link(turn.child, Inertial(1.0, (1.0, 0.0, 0.0, 1.0, 0.0, 1.0))))
    with pytest.raises(
        DescriptionError, match=rf"{kind} '{name}'.* of the soft link 'a'; rename it".replace("[2]", r"\[2\]")
    ):
        check(RobotDescription("r", links, (turn,), frames, source="r.yaml"))
    named = rod(coupled=(CoupledStrains("bow", ((Strain.TWIST, "1.0"),)),))
    joint = Joint("a.bow", JointKind.REVOLUTE, "a", "b")
    with pytest.raises(DescriptionError, match=r"joint 'a\.bow' has the name of a coordinate of the soft link 'a'"):
        check(RobotDescription("r", (Link("a", soft=named), Link("b")), (joint,), source="r.yaml"))
