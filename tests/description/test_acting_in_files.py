"""What acts from outside in files: what is read, written back, warned of and refused."""

from __future__ import annotations

import json
from dataclasses import replace

import jsonschema
import pytest
from ruamel.yaml import YAML
from support.robots.acted import ACTED, BODY, acted

from symdyn.description.checks.check import check
from symdyn.description.external_loads import Site, Wrench
from symdyn.description.fluid import Buoyancy
from symdyn.description.quantities.expression import Expression
from symdyn.description.robot import Attachment
from symdyn.description.yaml.json_schema import yaml_schema
from symdyn.description.yaml.read import parse_yaml
from symdyn.description.yaml.write import write_yaml
from symdyn.errors import DescriptionError, ModelError
from symdyn.robot.loading import from_description


def test_what_is_read() -> None:
    wind, _, push, spot, mast, _ = acted("soft").acting[:6]
    assert wind == Wrench(
        "wind",
        Site("arm"),
        (0.4, Expression("0.2*(1 - x/k)"), Expression("gain*vy"), 0.0, Expression("0.1*py"), 0.02),
        "world",
        True,
        wind.line,
    )
    assert isinstance(push, Wrench) and push.site == Site("pad", point=(0.1, 0.2, Expression("gain")))
    assert push.entries == (1.0, -2.0, Expression("3*gain"), 0.1, 0.0, 0.3) and push.axes == "body"
    assert spot.sites == (Site(frame="middle"),) and mast.sites[0].at is Attachment.TIP


@pytest.mark.parametrize("which", ACTED)
def test_round_trip_is_exact_and_the_schema_accepts_it(which: str) -> None:
    robot = acted(which)
    text = write_yaml(robot)
    again = parse_yaml(text.encode(), "again.yaml")
    assert write_yaml(again) == text
    bare = [tuple(replace(own, line=None) for own in each.acting) for each in (robot, again)]
    assert bare[0] == bare[1] and check(robot).acting == robot.acting
    validator = jsonschema.Draft202012Validator(yaml_schema())
    for each in (ACTED[which][0], text):
        typed = json.loads(json.dumps(YAML(typ="safe", pure=True).load(each)))
        assert list(validator.iter_errors(typed)) == []


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("{link: arn, force: [1, 0, 0]}", "link 'arn' does not exist; did you mean 'arm'"),
        ("{frame: tol, force: [1, 0, 0]}", "frame 'tol' does not exist; did you mean 'tool'"),
        ("{link: arm, frame: tool, force: [1, 0, 0]}", "expected where it acts: 'link' or 'frame', one of the two"),
        ("{force: [1, 0, 0]}", "expected where it acts: 'link' or 'frame', one of the two"),
        ("{frame: tool, point: [1, 0, 0], force: [1, 0, 0]}", "the frame says where it stands; leave out at and"),
        ("{link: arm}", "expected 'force', 'moment' or 'per_length'"),
        ("{link: arm, force: [1, 0]}", "force: expected a list of three numbers, got 2 entries"),
        ("{link: arm, per_length: [1, 0, 0]}", "per_length: expected a list of six numbers, of force and"),
        (
            "{link: arm, per_length: 3}",
            "per_length: expected a list of six numbers, of force and moment, got '3'",
        ),
        ("{link: arm, per_length: [1, 0, 0, 0, 0, 0], force: [1, 0, 0]}", "per_length is a force and a moment already"),
        ("{link: arm, per_length: [1, 0, 0, 0, 0, 0], at: 0.2}", "per_length acts all along a soft link; name the"),
        (
            "{link: arm, per_length: [1, 0, 0, 0, 0, 0], from: 0.1, to: 0.6}",
            "from 0.1 m to 0.6 m is no part of link 'arm'",
        ),
        (
            "{link: arm, per_length: [1, 0, 0, 0, 0, 0], from: -0.1}",
            "from -0.1 m to 0.5 m is no part of link 'arm'; exp",
        ),
        ("{link: arm, per_length: [1, 0, 0, 0, 0, 0], from: 0.3, to: 0.2}", "from 0.3 m to 0.2 m is no part of link"),
        ("{link: arm, per_length: [1, 0, 0, 0, 0, 0], from: gain}", "depends on the run-time parameter 'gain'"),
        ("{link: arm, force: [1, 0, 0], to: 0.2}", "from and to are of a load per_length; leave them out"),
        ("{link: hand, per_length: [1, 0, 0, 0, 0, 0]}", "link 'hand' is not soft; only soft links have loads per"),
        ("{link: arm, force: [1, 0, 0], axes: link}", "axes: expected body or world, got 'link'"),
        ("{link: arm, at: 0.6, force: [1, 0, 0]}", "at is 0.6; expected more than 0 m and at most the length of"),
        ("{link: hand, at: 0.2, force: [1, 0, 0]}", "at is 0.2, a place along a rod, and link 'hand' is not soft"),
        ("{link: hand, at: root, force: [1, 0, 0]}", "at means nothing on 'hand', a rigid link; delete it"),
        ("{link: arm, force: [1, x, 0]}", "force: unknown name 'x'; declare it under 'parameters', or use one of px,"),
        ("{link: arm, force: [1, 'q*vx', 0]}", "force: unknown name 'q'; declare it"),
        ("{link: arm, force: [1, 'exp(vx)', 0]}", "is not allowed"),
        ("{link: arm, force: [1e31, 0, 0]}", "force.x is 1e"),
        ("{link: arm, force: [.nan, 0, 0]}", "force: expected a finite number"),
        ("{link: arm, forces: [1, 0, 0]}", "forces: unknown key; did you mean 'force'"),
        ("3", "expected a mapping"),
    ],
)
def test_refused_loads(said: str, words: str) -> None:
    with pytest.raises(DescriptionError, match=rf"^r.yaml:\d+: load 'w': .*{words}|^r.yaml:\d+: load 'w'.*{words}"):
        parse_yaml(f"{BODY}loads:\n  w: {said}\n".encode(), "r.yaml")


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("{density: 1, bodies: {arn: {drag: [1, 0, 0, 0, 0, 0]}}}", "bodies.arn: link 'arn' does not exist; did you"),
        ("{bodies: {arm: {}}}", "density is missing"),
        ("{density: 1}", "bodies is missing"),
        ("{density: -1, bodies: {arm: {}}}", "bodies.arm: density is -1; it is at least 0"),
        ("{density: 1, bodies: {hand: {}}}", "bodies.hand: expected 'volume', 'drag' or 'added_mass' on 'hand'"),
        ("{density: 1, bodies: {hand: {volume: -1}}}", "bodies.hand: volume is -1; it is at least 0"),
        ("{density: 1, bodies: {arm: {volume: 1}}}", "bodies.arm: volume and center mean nothing on 'arm', whose"),
        ("{density: 1, bodies: {boom: {volume: 1}}}", "bodies.boom: link 'boom' is flexible; only rigid and"),
        ("{density: 1, bodies: {hand: {drag: [1, 2]}}}", "drag: expected a list of six numbers, of force and moment,"),
        ("{density: 1, bodies: {hand: {drag: [-1, 0, 0, 0, 0, 0]}}}", "force.x is -1; it is at least 0"),
        ("{density: 1, bodies: {hand: {drag: [x, 0, 0, 0, 0, 0]}}}", "drag: .*unknown name 'x'; declare it under"),
        ("{density: 1, bodies: {arm: {drag: [vx, 0, 0, 0, 0, 0]}}}", "drag: unknown name 'vx'; declare it under"),
        ("{density: 1, velocity_scale: 0, bodies: {hand: {drag: [1, 0, 0, 0, 0, 0]}}}", "velocity_scale is 0 m/s; it"),
        ("{density: 1, velocity_scale: gain, bodies: {arm: {}}}", "depends on the run-time parameter 'gain'"),
        (
            "{density: 1, bodies: {arm: {added_mass: [1, 0, 0]}}}",
            "added_mass: expected a list of six numbers, of force",
        ),
        ("{density: 1, bodies: {hand: {added_mass: [1, 0, 0, 0, 0, -2]}}}", "moment.z is -2; it is at least 0"),
        ("{density: 1, bodies: {hand: {added_mass: [x, 0, 0, 0, 0, 0]}}}", "added_mass: unknown name 'x'; declare it"),
        ("{density: 1, bodies: {arm: {added_mass: [vy, 0, 0, 0, 0, 0]}}}", "added_mass: unknown name 'vy'; declare it"),
        ("{density: 1, bodies: {boom: {added_mass: [1, 0, 0, 0, 0, 0]}}}", "'boom' is flexible; only rigid and soft"),
    ],
)
def test_refused_fluids(said: str, words: str) -> None:
    with pytest.raises(DescriptionError, match=rf"^r.yaml:\d+: fluid.*{words}"):
        parse_yaml(f"{BODY}fluid: {said}\n".encode(), "r.yaml")


FLOOR = "with: {plane: {}}, stiffness: 1"


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("{of: arn, FLOOR}", "link 'arn' does not exist; did you mean 'arm'"),
        ("{of: arm, with: {plane: {}}}", "stiffness is missing"),
        ("{of: arm, stiffness: 1}", "with is missing"),
        ("{of: arm, with: {}, stiffness: 1}", "with: expected one of plane, cylinder and sphere"),
        ("{of: arm, with: {plane: {}, sphere: {radius: 1}}, stiffness: 1}", "expected one of plane, cylinder and"),
        ("{of: arm, with: {cylinder: }, stiffness: 1}", "with: cylinder has no value; give its numbers"),
        ("{of: arm, with: {cone: {}}, stiffness: 1}", "with.cone: unknown key"),
        ("{of: arm, with: {plane: {normal: [0, 0, 0]}}, stiffness: 1}", "normal is the zero vector, which points"),
        ("{of: arm, with: {cylinder: {axis: [1, 0, 0]}}, stiffness: 1}", "radius is missing"),
        ("{of: arm, with: {sphere: {radius: 0}}, stiffness: 1}", "with.sphere.radius is 0 m; it is above 0"),
        (
            "{of: arm, with: {sphere: {radius: 0.04, inside: true}}, radius: section, stiffness: 1}",
            "needs more than its",
        ),
        ("{of: hand, radius: section, FLOOR}", "radius: only sections of a soft link that are round have one"),
        ("{of: hand, radius: -1, FLOOR}", "radius is -1 m; it is at least 0"),
        ("{of: arm, FLOOR, exponent: 0.5}", "exponent is 0.5; expected 1, 1.5, 2, .. up to 12"),
        ("{of: arm, FLOOR, exponent: gain}", "depends on the run-time parameter 'gain'"),
        ("{of: arm, with: {plane: {}}, stiffness: -1}", "stiffness is -1; it is at least 0"),
        ("{of: arm, FLOOR, friction: -1}", "friction is -1; it is at least 0"),
        ("{of: arm, FLOOR, velocity_scale: 0}", "velocity_scale is 0 m/s; it is above 0"),
        ("{of: tool, at: 0.2, FLOOR}", "the frame says where it stands; leave out at and point"),
        ("{of: arm, point: [1, 0, 0], FLOOR}", "point means nothing at all stations; give 'at' for a sphere at one"),
    ],
)
def test_refused_contacts(said: str, words: str) -> None:
    with pytest.raises(DescriptionError, match=rf"^r.yaml:\d+: contact 'w'.*{words}"):
        parse_yaml(f"{BODY}contacts:\n  w: {said.replace('FLOOR', FLOOR)}\n".encode(), "r.yaml")


@pytest.mark.parametrize(
    ("kind", "said", "words"),
    [
        ("bushings", "{between: [hand], stiffness: [1, 1, 1, 1, 1, 1]}", "between: expected two places, got 1"),
        ("bushings", "{between: [hand, arn], stiffness: [1, 1, 1, 1, 1, 1]}", "place 'arn' does not exist; .*did you"),
        (
            "bushings",
            "{between: [hand, hand], stiffness: [1, 1, 1, 1, 1, 1]}",
            "both places are one; give places on",
        ),
        ("bushings", "{between: [hand, tool]}", "stiffness is missing"),
        ("bushings", "{between: [hand, tool], stiffness: [1, 1, 1]}", "stiffness: expected a list of six numbers"),
        ("bushings", "{between: [hand, tool], stiffness: [-1, 1, 1, 0, 0, 0]}", "stiffness.x is -1; it is at least 0"),
        (
            "bushings",
            "{between: [hand, [1]], stiffness: [1, 1, 1, 0, 0, 0]}",
            "expected a place: the name of a link",
        ),
        ("struts", "{between: [hand, {link: arm, at: 0.9}], stiffness: 1}", "at is 0.9; expected more than 0 m and at"),
        (
            "struts",
            "{between: [hand, {link: base, at: tip}], stiffness: 1}",
            "at means nothing on 'base', a rigid link",
        ),
        ("struts", "{between: [hand, {frame: tol}], stiffness: 1}", "frame 'tol' does not exist; did you mean 'tool'"),
        ("struts", "{between: [hand, {frame: tool, link: arm}], stiffness: 1}", "'link' or 'frame', one of the two"),
        ("struts", "{between: [hand, base], damping: 1}", "stiffness is missing"),
        ("struts", "{between: [hand, base], stiffness: 1, damping: -2}", "damping is -2; it is at least 0"),
    ],
)
def test_refused_pairs(kind: str, said: str, words: str) -> None:
    with pytest.raises(DescriptionError, match=rf"^r.yaml:\d+: {kind.removesuffix('s')} 'w'.*{words}"):
        parse_yaml(f"{BODY}{kind}:\n  w: {said}\n".encode(), "r.yaml")


def test_there_is_one_fluid() -> None:
    robot = acted("rigid")
    first = next(own for own in robot.acting if isinstance(own, Buoyancy))
    denser = replace(first, name="fluid.arm", site=Site("arm"), density=5.0)
    for wrong, words in (
        ((first, denser), "there is one fluid; give it one density"),
        ((replace(first, name="other"),), "expected the name 'fluid.hand', got 'other'"),
    ):
        with pytest.raises(DescriptionError, match=words):
            check(replace(robot, acting=wrong))


def test_names_that_mean_two_things_are_refused() -> None:
    text = BODY.replace("parameters:", "parameters:\n  vx: 3") + "loads:\n  w: {link: arm, force: [vx, 0, 0]}\n"
    with pytest.raises(DescriptionError, match="'vx' is a parameter's name, and that of what a load knows"):
        parse_yaml(text.encode(), "r.yaml")
    twice = replace(acted("rigid"), acting=acted("rigid").acting[:1] * 2)
    with pytest.raises(DescriptionError, match="two loads are named 'push', first in line"):
        check(twice)


def test_what_is_made_in_python_is_checked_too() -> None:
    robot, push = acted("rigid"), acted("rigid").acting[0]
    assert isinstance(push, Wrench)
    for wrong, words in (
        (replace(push, axes="link"), "axes are 'link'; expected body or world"),
        (replace(push, entries=(Expression("x"), *push.entries[1:])), "force.x: unknown name 'x'; expressions may use"),
        (replace(push, per_length=True), "link 'pad' is not soft"),
        (replace(push, site=Site("leg")), "link 'leg' does not exist"),
    ):
        with pytest.raises(DescriptionError, match=words):
            check(replace(robot, acting=(wrong,)))
    none = check(replace(robot, acting=(replace(push, entries=(0.0,) * 6),)))
    assert any("load 'push' is zero and does nothing" in warning for warning in none.warnings)


def test_numbers_of_loads_are_inputs_by_name() -> None:
    robot = from_description(acted("rigid"), runtime=["push.force.x", "sail.moment.y"])
    slots = robot.model.slots
    assert slots.names == ("gain", "push.force.x", "sail.moment.y") and slots.units == ("", "N", "N m")
    assert robot.runtime_defaults.tolist() == [0.3, 1.0, 0.2]
    with pytest.raises(ModelError, match=r"run-time parameter 'sail\.force\.x' is not a quantity"):
        from_description(acted("rigid"), runtime=["sail.force.x"])
