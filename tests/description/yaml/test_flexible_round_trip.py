"""Any beam that is written to YAML returns exactly, and the schema for editors knows all of its keys."""

from __future__ import annotations

import json

import jsonschema
from hypothesis import given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML
from support.places import CORPUS

from symdyn.description.checks.rotation import rotation_from_rpy
from symdyn.description.flexible import Basis, Direction, Flexible, Modes, Profile
from symdyn.description.read import read_robot
from symdyn.description.robot import Link, Placement, RobotDescription
from symdyn.description.yaml.json_schema import yaml_schema
from symdyn.description.yaml.read import parse_yaml
from symdyn.description.yaml.write import write_yaml

SOUND = ("flexible_boom", "flexible_shapes", "flexible_slanted", "flexible_fixed_root", "flexible_payload")
WRONG_SHAPES = (
    "flexible_a_number",
    "flexible_at_misspelt",
    "flexible_basis_misspelt",
    "flexible_length_missing",
    "flexible_mass_a_list",
    "flexible_modes_fraction",
    "flexible_modes_thirteen",
    "flexible_modes_unknown_direction",
    "flexible_steps_empty",
    "flexible_stiffness_misspelt",
)

_BENDS = {Direction.BEND_Y, Direction.BEND_Z}
numbers = st.floats(1e-3, 1e6)
ends = st.lists(st.floats(0.01, 1.99), max_size=3, unique=True).map(lambda found: (*sorted(found), 2.0))


@st.composite
def profiles(draw: st.DrawFn) -> Profile:
    stretches = draw(ends)
    value = st.one_of(numbers.map(repr), st.builds("{!r} * (3.0 - x) ** 2".format, numbers))
    return Profile(stretches, tuple(draw(value) for _ in stretches))


@st.composite
def modes_of(draw: st.DrawFn, direction: Direction) -> Modes:
    stiffness = draw(profiles())
    given: dict[str, object] = draw(
        st.one_of(
            st.builds(lambda n: {"basis": Basis.CLAMPED_FREE, "count": n}, st.integers(1, 12)),
            st.builds(lambda n: {"basis": Basis.POLYNOMIAL, "count": n}, st.integers(1, 12)),
            st.just({"basis": Basis.CLAMPED_TIP_MASS, "count": 1}),
            st.just({"basis": Basis.PINNED_HUB if direction in _BENDS else Basis.CLAMPED_FREE, "count": 2}),
            st.builds(
                lambda k: {"basis": Basis.EXPRESSIONS, "count": 2, "functions": (f"{k!r} * x ** 2", "1 - cosh(x)")},
                numbers,
            ),
            st.builds(
                lambda a, b: {
                    "basis": Basis.TABLE,
                    "count": 1,
                    "stations": (0.0, 0.5, 1.1, 2.0),
                    "samples": ((0.0, a, b, 1.0),),
                },
                numbers,
                numbers,
            ),
        )
    )
    count = given["count"]
    assert isinstance(count, int)
    if draw(st.booleans()):
        given["damping_ratios"] = tuple(draw(st.lists(st.floats(1e-6, 0.9), min_size=count, max_size=count)))
    elif draw(st.booleans()):
        given["retardation_time"] = draw(st.floats(1e-6, 1.0))
    return Modes(direction, stiffness=stiffness, **given)  # type: ignore[arg-type]


@st.composite
def beams(draw: st.DrawFn) -> Flexible:
    directions = [direction for direction in Direction if draw(st.booleans())] or [Direction.BEND_Z]
    modes = tuple(draw(modes_of(direction)) for direction in directions)
    loaded = {each.direction for each in modes if each.basis is Basis.CLAMPED_TIP_MASS}
    hubs = any(each.basis is Basis.PINNED_HUB for each in modes)
    moments = st.one_of(st.just(0.0), numbers)
    rotation = rotation_from_rpy(*draw(st.tuples(*[st.floats(-4, 4)] * 3)))
    return Flexible(
        length=2.0,
        mass_per_length=draw(profiles()),
        modes=modes,
        placement=Placement(
            draw(st.tuples(*[st.floats(-9.0, 9.0).filter(lambda x: x == 0 or abs(x) > 1e-9)] * 3)), rotation
        ),
        section_inertia=(draw(profiles()), draw(profiles())),
        tip_mass=draw(numbers) if loaded & {*_BENDS, Direction.AXIAL} else 0.0,
        tip_inertia=draw(numbers) if loaded & {*_BENDS, Direction.TORSION} else 0.0,
        hub_inertia=draw(st.tuples(moments, moments, moments)) if hubs else (0.0, 0.0, 0.0),
        stiffening=directions != [Direction.AXIAL] and draw(st.booleans()),
    )


@settings(max_examples=50)
@given(beams())
def test_round_trip_is_exact(beam: Flexible) -> None:
    robot = RobotDescription("r", (Link("a", flexible=beam),), (), source="r.yaml")
    text = write_yaml(robot)
    again = parse_yaml(text.encode(), "again.yaml")
    assert again.links[0].flexible == beam
    assert write_yaml(again) == text and text.isascii()


def _typed(name: str) -> object:
    return json.loads(json.dumps(YAML(typ="safe", pure=True).load((CORPUS / f"{name}.yaml").read_text("utf-8"))))


def test_schema_accepts_what_is_read_and_refuses_wrong_shapes() -> None:
    schema = yaml_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    for name in SOUND:
        assert list(validator.iter_errors(_typed(name))) == [], name
        resolved = YAML(typ="safe", pure=True).load(write_yaml(read_robot(CORPUS / f"{name}.yaml")))
        assert list(validator.iter_errors(resolved)) == [], name
    for name in WRONG_SHAPES:
        assert list(validator.iter_errors(_typed(name))), name


def test_schema_describes_every_key_of_a_beam() -> None:
    properties = yaml_schema()["$defs"]["FlexibleYaml"]["properties"]
    assert set(properties) >= {"length", "modes", "shapes", "stiffening", "damping"}
    for key, entry in properties.items():
        assert "description" in entry or "$ref" in str(entry), key
