"""What a flexible link in YAML says, and which beams are refused wherever they come from."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from support.places import CHECKOUT, CORPUS

from symdyn.description.checks.check import check
from symdyn.description.checks.rotation import rotation_from_rpy
from symdyn.description.flexible import Basis, Direction, Flexible, Modes, Profile
from symdyn.description.read import read_robot
from symdyn.description.robot import Attachment, Frame, Joint, JointKind, Link, Placement, RobotDescription
from symdyn.description.yaml.read import parse_yaml
from symdyn.description.yaml.write import write_yaml
from symdyn.errors import DescriptionError


def beam_of(robot: RobotDescription, link: str = "boom") -> Flexible:
    flexible = {each.name: each.flexible for each in robot.links}[link]
    assert flexible is not None
    return flexible


def described(**entries: str) -> Flexible:
    """A beam of 2 m, with entries of ``flexible`` as YAML."""
    given = {"length": "2", "mass_per_length": "3", "bending_stiffness": "900", "modes": "{bend_y: 1}"} | entries
    lines = "".join(f"      {key}: {value}\n" for key, value in given.items() if value)
    text = f"name: r\nlinks:\n  boom:\n    flexible:\n{lines}"
    return beam_of(parse_yaml(text.encode(), "r.yaml"))


def uniform(value: float, length: float = 2.0) -> Profile:
    return Profile((length,), (repr(value),))


BEAM = Flexible(2.0, uniform(3.0), (Modes(Direction.BEND_Y, Basis.CLAMPED_FREE, 2, uniform(900.0)),))


def holding(beam: Flexible) -> RobotDescription:
    return RobotDescription("r", (Link("a", flexible=beam),), (), source="r.yaml")


def test_every_value_arrives() -> None:
    robot = read_robot(CORPUS / "flexible_boom.yaml")
    assert beam_of(robot) == Flexible(
        length=2.0,
        mass_per_length=Profile((2.0,), ("3.0 * (1 - x / (2 * 2.0))",)),
        modes=(
            Modes(Direction.BEND_Y, Basis.CLAMPED_FREE, 2, uniform(900.0), damping_ratios=(0.01, 0.02)),
            Modes(
                Direction.BEND_Z,
                Basis.CLAMPED_FREE,
                1,
                Profile((0.5, 2.0), ("800.0", "400 * exp(-x)")),
                damping_ratios=(0.01,),
            ),
            Modes(Direction.TORSION, Basis.CLAMPED_FREE, 1, uniform(50.0), retardation_time=1e-4),
        ),
        section_inertia=(uniform(1e-4), uniform(2e-4)),
    )
    assert [joint.at for joint in robot.joints] == [Attachment.TIP, Attachment.TIP]
    assert robot.frames == (Frame("camera", "boom", Placement((0.0, 0.0, 0.1)), Attachment.ROOT),)
    assert robot.links[1].inertial is not None and robot.links[1].inertial.mass == 0.5


def test_shapes_arrive() -> None:
    bend_y, bend_z, torsion = beam_of(read_robot(CORPUS / "flexible_shapes.yaml")).modes
    assert (bend_y.basis, bend_y.count) == (Basis.EXPRESSIONS, 2)
    assert bend_y.functions == ("x ** 2", "1 - cos(pi * x / (2 * 2.0))")
    assert (bend_z.basis, bend_z.count, bend_z.stations) == (Basis.TABLE, 1, (0.0, 0.5, 1.0, 2.0))
    assert bend_z.samples == ((0.0, 0.1, 0.35, 1.0),)
    assert torsion.functions == ("sin(pi * x / (2 * 2.0))",)


def test_ends_and_stiffening_arrive() -> None:
    beam = beam_of(read_robot(CORPUS / "flexible_payload.yaml"))
    assert [modes.basis for modes in beam.modes] == [Basis.CLAMPED_TIP_MASS, Basis.CLAMPED_FREE, Basis.CLAMPED_FREE]
    assert (beam.tip_mass, beam.tip_inertia, beam.hub_inertia, beam.stiffening) == (1.5, 0.0, (0.0, 0.0, 0.0), True)


def test_a_hub_has_one_moment_or_three() -> None:
    both = {"modes": "{bend_y: 1, bend_z: 2}"}
    basis = "{bend_y: pinned-hub, bend_z: clamped-free}"
    assert described(**both, basis=basis, hub_inertia="0.4").hub_inertia == (0.0, 0.0, 0.4)
    assert described(**both, basis="pinned-hub", hub_inertia="0.4").hub_inertia == (0.0, 0.4, 0.4)
    mapped = described(**both, basis=basis, hub_inertia="{x: 0.1, y: 1/5, z: 0.4}")
    assert mapped.hub_inertia == (0.1, 0.2, 0.4)


def test_a_hub_is_written_as_it_is_shortest() -> None:
    modes = tuple(
        Modes(direction, Basis.PINNED_HUB, 1, uniform(900.0)) for direction in (Direction.BEND_Y, Direction.BEND_Z)
    )
    for moments, text in (
        ((0.0, 0.5, 0.5), "hub_inertia: 0.5\n"),
        ((0.25, 0.5, 0.5), "hub_inertia: {x: 0.25, y: 0.5, z: 0.5}\n"),
        ((0.0, 0.0, 0.5), "hub_inertia: {z: 0.5}\n"),
        ((0.0, 0.0, 0.0), None),
    ):
        beam = replace(BEAM, modes=modes, hub_inertia=moments)
        written = write_yaml(holding(beam))
        assert (text in written) if text else ("hub" not in written.replace("pinned-hub", ""))
        assert beam_of(parse_yaml(written.encode(), "again.yaml"), "a") == beam


@pytest.mark.parametrize(
    ("axis", "columns"),
    [
        ("[1, 0, 0]", ((1, 0, 0), (0, 1, 0), (0, 0, 1))),
        ("[0, 1, 0]", ((0, 1, 0), (-1, 0, 0), (0, 0, 1))),
        ("[-1, 0, 0]", ((-1, 0, 0), (0, -1, 0), (0, 0, 1))),
        ("[0, 0, 1]", ((0, 0, 1), (0, 1, 0), (-1, 0, 0))),
        ("[0, 0, -1]", ((0, 0, -1), (0, 1, 0), (1, 0, 0))),
        ("[0.6, 0, 0.8]", ((0.6, 0, 0.8), (0, 1, 0), (-0.8, 0, 0.6))),
    ],
)
def test_axis_orients_the_beam(axis: str, columns: tuple[tuple[float, ...], ...]) -> None:
    rotation = described(axis=axis).placement.rotation
    assert list(zip(*rotation, strict=True)) == [pytest.approx(column, abs=1e-15) for column in columns]


def test_rpy_orients_the_beam() -> None:
    assert described(rpy="[0.1, 0.2, 0.3]").placement.rotation == rotation_from_rpy(0.1, 0.2, 0.3)


def test_steps_that_end_at_the_length_to_rounding() -> None:
    beam = described(length="0.3", mass_per_length="{steps: [{to: 0.1, value: 5}, {to: 0.1 + 0.2, value: 1 + x}]}")
    assert beam.mass_per_length == Profile((0.1, 0.3), ("5.0", "1 + x"))


def test_one_value_stands_for_both_planes() -> None:
    y, z = described(
        bending_stiffness="{steps: [{to: 1, value: 9}, {to: 2, value: 8}]}", modes="{bend_y: 1, bend_z: 3}"
    ).modes
    assert y.stiffness == z.stiffness == Profile((1.0, 2.0), ("9.0", "8.0"))
    assert (y.count, z.count) == (1, 3)


def test_damping_for_all_modes_or_per_direction() -> None:
    both = {"modes": "{bend_y: 2, bend_z: 2}"}
    assert [m.damping_ratios for m in described(damping="{ratio: 0.03}", **both).modes] == [(0.03, 0.03)] * 2
    assert [m.damping_ratios for m in described(damping="{ratio: [0.03, 0.04]}", **both).modes] == [(0.03, 0.04)] * 2
    assert [m.retardation_time for m in described(damping="{retardation_time: 1e-3}", **both).modes] == [1e-3] * 2
    mixed = described(damping="{ratio: {bend_z: 0.03}, retardation_time: {bend_y: 1e-3}}", **both).modes
    assert [(m.damping_ratios, m.retardation_time) for m in mixed] == [((), 1e-3), ((0.03, 0.03), 0.0)]


def test_a_constant_that_is_kept_open_cannot_shape_a_beam() -> None:
    with pytest.raises(DescriptionError, match=r"mass_per_length: .* depends on the run-time parameter 'rho'"):
        read_robot(CORPUS / "flexible_boom.yaml", runtime=["rho"])


@pytest.mark.parametrize(
    ("entries", "words"),
    [
        (
            {"tip_inertia": "1", "basis": "{axial: clamped-tip-mass}", "axial_stiffness": "7", "modes": "{axial: 1}"},
            "tip_i",
        ),
        ({"shapes": "{bend_z: []}"}, r"shapes\.bend_z is an empty list"),
        ({"shapes": "{bend_z: {stations: [0, 1, 1.5, 2], samples: []}}"}, r"shapes\.bend_z\.samples is an empty list"),
        ({"shapes": "{bend_z: x**2}"}, "expected a list of expressions in x, or stations and samples, got 'x"),
        ({"shapes": "{bend_z: [x**2, {a: 1}]}"}, r"shapes\.bend_z\.1: expected a number, an expression in x"),
        ({"mass_per_length": "{to: 1}"}, "unknown key; known keys are steps"),
        ({"mass_per_length": "{steps: 3}"}, "expected a list, got '3'"),
        ({"mass_per_length": ".nan"}, "expected a finite number"),
        ({"mass_per_length": "10 - 9*sin(7*x) + 10*(x - 1)**2 - 4"}, "mass_per_length is -"),
        ({"damping": "{ratio: [0.1], retardation_time: x}"}, "unknown name 'x'"),
        ({"basis": "{bend_y: pinned-hub}", "tip_mass": "1"}, "tip_mass means nothing"),
        ({"basis": "pinned-hub", "hub_inertia": "{z: -2}"}, r"hub_inertia\.z is -2; it is at least 0"),
        ({"basis": "pinned-hub", "hub_inertia": "{zz: 2}"}, r"hub_inertia\.zz: unknown key"),
        ({"hub_inertia": "{x: 2}"}, "hub_inertia means nothing without basis pinned-hub"),
        ({"stiffening": "yes"}, "expected true or false, got 'yes'"),
        ({"start": "[1e40, 0, 0]"}, "start holds 1e"),
        ({"axis": "[0, 0, 0]"}, "axis is the zero vector"),
    ],
)
def test_refused(entries: dict[str, str], words: str) -> None:
    with pytest.raises(DescriptionError, match=rf"^r.yaml:\d+: link 'boom': flexible.*{words}"):
        described(**entries)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"length": math.nan}, ".length is nan"),
        ({"modes": ()}, ": expected at least one mode"),
        ({"modes": BEAM.modes * 2}, "bend_y, bend_y: expected each direction once"),
        ({"modes": (replace(BEAM.modes[0], count=0),)}, "modes.bend_y is 0; expected 1 to 12"),
        ({"modes": (replace(BEAM.modes[0], functions=("x**2",)),)}, "bend_y has 2 modes and 1 shapes"),
        ({"modes": (replace(BEAM.modes[0], damping_ratios=(0.1,)),)}, "has 2 modes and the list 1 ratios"),
        ({"mass_per_length": Profile((2.0,), ("rho",))}, "holds the name 'rho', which has no value"),
        ({"mass_per_length": Profile((2.0,), ("os.system",))}, "is no expression in x"),
        ({"mass_per_length": Profile((1.0, 2.0), ("1",))}, "2 ends of stretches and 1 values"),
        ({"mass_per_length": Profile((1.0,), ("1",))}, "is 1, and the beam ends at length, 2"),
    ],
)
def test_beams_made_in_python_are_checked_too(change: dict[str, object], words: str) -> None:
    check(holding(BEAM))
    with pytest.raises(DescriptionError, match=rf"^r.yaml: link 'a': flexible.*{words}"):
        check(holding(replace(BEAM, **change)))  # type: ignore[arg-type]


def test_nothing_is_fixed_to_the_root_of_a_rigid_link() -> None:
    robot = RobotDescription("r", (Link("a"),), (), (Frame("f", "a", at=Attachment.ROOT),), source="r.yaml")
    with pytest.raises(
        DescriptionError, match="frame 'f': link 'a' is rigid; only flexible and soft links have a root"
    ):
        check(robot)


@pytest.mark.parametrize("kind", ["joint", "frame"])
def test_names_of_a_tip_are_taken(kind: str) -> None:
    turn = Joint("a.tip" if kind == "joint" else "turn", JointKind.REVOLUTE, "base", "a")
    frame = Frame("a.tip" if kind == "frame" else "eye", "a")
    robot = RobotDescription("r", (Link("base"), Link("a", flexible=BEAM)), (turn,), (frame,), source="r.yaml")
    with pytest.raises(
        DescriptionError, match=f"r.yaml: {kind} 'a.tip' has the name of the tip of the flexible link 'a'"
    ):
        check(robot)


def test_a_beam_has_mass_and_what_hangs_on_it_need_not_move_any() -> None:
    turn = Joint("turn", JointKind.REVOLUTE, "base", "a")
    alone = RobotDescription("r", (Link("base"), Link("a", flexible=BEAM)), (turn,), floating_base=True)
    assert check(alone).warnings == ()
    grip = Joint("grip", JointKind.REVOLUTE, "a", "finger")
    (warning,) = check(replace(alone, links=(*alone.links, Link("finger")), joints=(turn, grip))).warnings
    assert "link 'finger' is a massless leaf" in warning


def test_expressions_get_the_spelling_of_files() -> None:
    free = Modes(Direction.BEND_Y, Basis.EXPRESSIONS, 1, Profile((2.0,), ("9*10**2",)), functions=("x**2*(1+x)",))
    beam = Flexible(2.0, Profile((1.0, 2.0), ("3", "4-x")), (free,), section_inertia=(uniform(1.0), uniform(1.0)))
    checked = check(holding(beam))
    assert beam_of(checked, "a").mass_per_length == Profile((1.0, 2.0), ("3.0", "4 - x"))
    assert beam_of(parse_yaml(write_yaml(checked).encode(), "again.yaml"), "a") == beam_of(checked, "a")


def test_the_examples_of_the_documentation_are_read() -> None:
    page = (CHECKOUT / "docs" / "yaml-format.md").read_text("utf-8")
    blocks = [block.split("```")[0] for block in page.split("```yaml\n")[1:]]
    (example,) = (block for block in blocks if block.startswith("name: boom_crane"))
    robot = parse_yaml(example.encode(), "yaml-format.md")
    assert (robot.name, robot.warnings, beam_of(robot).stiffening) == ("boom_crane", (), True)
    head = "name: r\nparameters: {L: 8}\nlinks:\n  boom:\n    flexible:\n      length: L\n      mass_per_length: 3\n"
    found = []
    for start, others in (("bending_stiffness: {steps", "modes: {bend_y: 1}"), ("shapes:", "bending_stiffness: 7")):
        (block,) = (block for block in blocks if block.startswith(start))
        text = f"{head}      {others}\n" + "".join(f"      {line}\n" for line in block.splitlines())
        found.append(beam_of(parse_yaml(text.encode(), "yaml-format.md")).modes)
    ((stepped,), (expressions, table)) = found
    assert stepped.stiffness == Profile((3.0, 8.0), ("500000.0", "500000.0 * exp(-(x - 3) / 4)"))
    assert (expressions.count, table.count, table.stations) == (2, 1, (0.0, 2.0, 4.0, 8.0))


@pytest.mark.parametrize(
    ("entries", "key"),
    [
        ({"basis": "{bend_z: polynomial}"}, "basis.bend_z"),
        ({"damping": "{ratio: {bend_y: 0.1, torsion: 0.1}}"}, "damping.ratio.torsion"),
        ({"damping": "{retardation_time: {axial: 1e-4}}"}, "damping.retardation_time.axial"),
        ({"modes": "", "shapes": "{bend_y: [x**2]}", "damping": "{ratio: {bend_z: 0.1}}"}, "damping.ratio.bend_z"),
    ],
)
def test_what_is_said_of_directions_without_modes_is_refused(entries: dict[str, str], key: str) -> None:
    direction = key.rpartition(".")[2]
    with pytest.raises(DescriptionError, match=rf"flexible\.{key} means nothing without modes of {direction}; give"):
        described(**entries)


def test_a_count_of_zero_switches_a_direction_off() -> None:
    beam = described(modes="{bend_y: 1, bend_z: 0}", basis="{bend_z: polynomial}", damping="{ratio: {bend_z: 0.1}}")
    assert beam == described()


def test_a_parameter_named_x_is_in_the_way_of_the_distance_only() -> None:
    """An expression over x cannot mean the parameter; a beam whose numbers vary nowhere may stand beside it."""
    beam = "    flexible: {length: 2, mass_per_length: %s, bending_stiffness: 900, modes: {bend_y: 1}}\n"
    text = "name: r\nparameters: {x: 0.5}\nlinks:\n  boom:\n" + beam
    assert beam_of(parse_yaml((text % "3").encode(), "r.yaml")).mass_per_length == uniform(3.0)
    with pytest.raises(DescriptionError, match="rename the parameter 'x'"):
        parse_yaml((text % "3 + x").encode(), "r.yaml")


def test_a_misspelt_basis_is_told_its_likely_name() -> None:
    with pytest.raises(
        DescriptionError, match=r"expected one of .*, got '?clamped-fre'?; did you mean 'clamped-free'\?"
    ):
        described(basis="{bend_y: clamped-fre}")
    with pytest.raises(DescriptionError, match=r"basis.bend_y: expected one of .*, got a list"):
        described(basis="{bend_y: [clamped-free]}")


def test_a_shape_need_not_exist_beyond_the_tip() -> None:
    described(modes="", shapes="{bend_y: ['x**2*sqrt(2 - x)']}")
    with pytest.raises(DescriptionError, match="finite all along the beam"):
        described(modes="", shapes="{bend_y: ['x**2*sqrt(1.99 - x)']}")


def test_the_last_step_ends_at_the_tip_to_nine_digits() -> None:
    def steps(end: str) -> Flexible:
        return described(bending_stiffness=f"{{steps: [{{to: 1, value: 900}}, {{to: {end}, value: 500}}]}}")

    assert steps("2.000000001").modes[0].stiffness.ends == (1.0, 2.0)
    with pytest.raises(DescriptionError, match="at most length, 2"):
        steps("2.000000003")
