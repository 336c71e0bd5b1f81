"""What a soft link in YAML says, and what the rest of the robot makes of it."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pytest
from support.rods import described, functions, holding, rod, rod_of

from symdyn.description.checks.check import check
from symdyn.description.checks.rotation import rotation_from_rpy
from symdyn.description.quantities.expression import Expression
from symdyn.description.read import read_robot
from symdyn.description.robot import Attachment, Frame, Inertial, Joint, JointKind, Link, Placement, RobotDescription
from symdyn.description.soft import CoupledStrains, Material, Section, Soft, Strain, StrainBasis
from symdyn.description.yaml.read import parse_yaml
from symdyn.description.yaml.write import write_yaml
from symdyn.errors import DescriptionError

FOLDER = Path(__file__).parent / "corpus"


def test_every_value_arrives() -> None:
    robot = read_robot(FOLDER / "soft_arm.yaml")
    degrees = {"twist": 4, "curvature_y": 4, "curvature_z": 4, "stretch": 2, "shear_y": 2, "shear_z": 2}
    assert rod_of(robot) == Soft(
        length=0.5,
        section=Section("circle", radius="0.03 * (1 - x)"),
        material=Material(1e6, 0.5, 1000.0, viscosity=1e4),
        strains=tuple(functions(strain, degrees[strain.value] + 1) for strain in Strain),
        stations=5,
    )
    assert rod_of(robot).coordinates == 24
    assert [joint.at for joint in robot.joints] == [Attachment.TIP, Attachment.TIP]
    assert robot.frames == (Frame("camera", "arm", Placement((0.0, 0.0, 0.1)), Attachment.ROOT),)
    assert robot.links[1].inertial is not None and robot.links[1].inertial.mass == 0.2
    assert robot.links[1].deforms and not robot.links[0].deforms


def test_every_basis_arrives() -> None:
    assert rod_of(read_robot(FOLDER / "soft_bases.yaml")).strains == (
        functions(Strain.TWIST, 1),
        functions(Strain.CURVATURE_Y, 2, StrainBasis.PIECEWISE_CONSTANT),
        functions(Strain.CURVATURE_Z, 2, StrainBasis.GAUSSIAN, centres=(0.125, 0.375), width=0.125),
        functions(Strain.STRETCH, 3, StrainBasis.FOURIER),
        functions(Strain.SHEAR_Y, 4, StrainBasis.PIECEWISE_LINEAR),
        functions(Strain.SHEAR_Z, 2, StrainBasis.EXPRESSIONS, functions=("1.0", "cos(pi * x / 0.5)")),
    )


def test_coupled_and_reference_strains_arrive_in_the_order_of_strains() -> None:
    soft = rod_of(read_robot(FOLDER / "soft_coupled.yaml"))
    y, z = ((f"{wave}(2 * pi * x / 0.5)") for wave in ("cos", "sin"))
    helix = ((Strain.TWIST, repr(2 * math.pi)), (Strain.CURVATURE_Y, y), (Strain.CURVATURE_Z, z))
    assert soft.coupled == (CoupledStrains("helix", helix), CoupledStrains("bow", ((Strain.CURVATURE_Z, "1.0"),)))
    assert soft.reference == ((Strain.CURVATURE_Z, "1.0"), (Strain.STRETCH, "1.1"))
    assert soft.rows == ("stretch[0]", "helix", "bow") and soft.magnus == 4
    turned = described(coupled="{a: {shear_z: 1, twist: exp(x)}}", reference="{stretch: 1.1, twist: 2*x}")
    assert [strain for strain, _ in turned.coupled[0].functions] == [Strain.TWIST, Strain.SHEAR_Z]
    assert [strain for strain, _ in turned.reference] == [Strain.TWIST, Strain.STRETCH]


def test_sections_and_losses_arrive() -> None:
    soft = rod_of(read_robot(FOLDER / "soft_numbers.yaml"))
    assert soft.section == Section(
        "numbers",
        area="0.001",
        second_moment_x="1e-07",
        second_moment_y="8e-08 * (1 - x)",
        second_moment_z="9e-08",
        shear_factors=(0.9, 0.8),
    )
    assert (soft.material.viscosity, soft.material.retardation_time) == (0.0, 0.01)
    assert described(section="{shape: rectangle, width: 0.1, height: 0.2, shear_factors: 5/6}").section == Section(
        "rectangle", width="0.1", height="0.2", shear_factors=(5 / 6, 5 / 6)
    )


def test_a_basis_for_all_strains_gives_way_to_their_own() -> None:
    y, z, stretch = described(
        basis="monomial", strain="{curvature_z: {degree: 2}, curvature_y: 1, stretch: {basis: legendre, degree: 0}}"
    ).strains
    assert (y.basis, y.count) == (StrainBasis.MONOMIAL, 2)
    assert (z.basis, z.count) == (StrainBasis.MONOMIAL, 3)
    assert (stretch.basis, stretch.count) == (StrainBasis.LEGENDRE, 1)
    assert described(basis="constant", strain="{twist: 0}").strains == (functions(Strain.TWIST, 1),)


def test_what_a_rod_has_by_default() -> None:
    soft = described()
    assert soft == rod(functions(Strain.CURVATURE_Z, 3))
    assert (soft.stations, soft.magnus, soft.substeps, soft.max_turn_per_step) == (None, 6, 1, 1.0)


@pytest.mark.parametrize(
    ("entries", "columns"),
    [
        ({}, ((1, 0, 0), (0, 1, 0), (0, 0, 1))),
        ({"axis": "[0, 0, 2]"}, ((0, 0, 1), (0, 1, 0), (-1, 0, 0))),
        ({"rpy": "[0, 0, pi/2]"}, ((0, 1, 0), (-1, 0, 0), (0, 0, 1))),
    ],
)
def test_axis_and_rpy_orient_the_rod(entries: dict[str, str], columns: tuple[tuple[float, ...], ...]) -> None:
    rotation = described(**entries).placement.rotation
    assert list(zip(*rotation, strict=True)) == [pytest.approx(column, abs=1e-15) for column in columns]


@pytest.mark.parametrize("key", ["axis", "rpy", "rotation"])
def test_an_orientation_of_a_rod_has_a_value(key: str) -> None:
    with pytest.raises(DescriptionError, match=f"soft.{key}: expected a list of (three )?"):
        described(**{key: "null"})


def test_a_constant_that_is_kept_open_cannot_shape_a_rod() -> None:
    with pytest.raises(DescriptionError, match=r"soft.section.radius: .* depends on the run-time parameter 'r'"):
        read_robot(FOLDER / "soft_arm.yaml", runtime=["r"])


def test_a_rod_has_mass_and_what_hangs_on_it_need_not_move_any() -> None:
    turn = Joint("turn", JointKind.REVOLUTE, "base", "a")
    alone = RobotDescription("r", (Link("base"), Link("a", soft=rod())), (turn,), floating_base=True)
    assert check(alone).warnings == ()
    grip = Joint("grip", JointKind.REVOLUTE, "a", "finger")
    (warning,) = check(replace(alone, links=(*alone.links, Link("finger")), joints=(turn, grip))).warnings
    assert "link 'finger' is a massless leaf" in warning


def test_links_fixed_to_a_tip_are_no_part_of_the_hub() -> None:
    """An indefinite inertia on the tip is not mended by the hub's."""
    hub = Inertial(5.0, (9.0, 0.0, 0.0, 9.0, 0.0, 9.0))
    wrong = Inertial(1.0, (-0.1, 0.0, 0.0, 1.0, 0.0, 1.0))
    fixed = Joint("weld", JointKind.FIXED, "a", "b")
    robot = RobotDescription("r", (Link("a", hub, soft=rod()), Link("b", wrong)), (fixed,), source="r.yaml")
    with pytest.raises(DescriptionError, match="link 'b': inertia is not positive semi-definite"):
        check(robot)
    rigid = replace(robot, links=(Link("a", hub), Link("b", wrong)))
    assert len(check(rigid).warnings) == 1
    assert len(check(replace(robot, joints=(replace(fixed, at=Attachment.ROOT),))).warnings) == 1


def test_rotations_become_exact() -> None:
    nearly = tuple(tuple(entry + 1e-12 for entry in row) for row in rotation_from_rpy(0.1, 0.2, 0.3))
    soft = rod(placement=Placement(rotation=nearly))  # type: ignore[arg-type]
    exact = rod_of(check(holding(soft)), "a").placement.rotation
    assert exact != nearly and exact[0] == pytest.approx(nearly[0], abs=1e-11)
    assert rod_of(parse_yaml(write_yaml(check(holding(soft))).encode(), "again.yaml"), "a").placement.rotation == exact


def test_expressions_get_the_spelling_of_files() -> None:
    """What is made in Python returns from a file as the same robot, also with expressions that are spelt freely."""
    soft = rod(
        functions(Strain.TWIST, 2, StrainBasis.EXPRESSIONS, functions=("1", "x**2")),
        section=Section("rectangle", width="3*0.01", height="0.02+x/9"),
        coupled=(CoupledStrains("bow", ((Strain.SHEAR_Y, "sin( 3*x )"),)),),
        reference=((Strain.CURVATURE_Z, "2"),),
    )
    checked = check(holding(soft))
    assert rod_of(checked, "a").section == Section("rectangle", width="0.03", height="0.02 + x / 9")
    assert rod_of(parse_yaml(write_yaml(checked).encode(), "again.yaml"), "a") == rod_of(checked, "a")
    assert rod_of(checked, "a").coupled[0].functions == ((Strain.SHEAR_Y, "sin(3 * x)"),)


def test_the_examples_of_the_documentation_are_read() -> None:
    page = (Path(__file__).parents[2] / "docs" / "yaml-format.md").read_text("utf-8")
    blocks = [block.split("```")[0] for block in page.split("```yaml\n")[1:]]
    (example,) = (block for block in blocks if block.startswith("name: soft_arm"))
    robot = parse_yaml(example.encode(), "yaml-format.md")
    assert (robot.name, robot.warnings, rod_of(robot).coordinates) == ("soft_arm", (), 24)
    (bases,) = (block for block in blocks if block.startswith("strain:"))
    head = (
        "name: r\nparameters: {L: 0.5}\nlinks:\n  arm:\n    soft:\n      length: L\n"
        "      section: {shape: circle, radius: 0.01}\n"
        "      material: {youngs_modulus: 1e6, poisson_ratio: 0.3, density: 1000}\n"
    )
    (coupled,) = (block for block in blocks if block.startswith("coupled:"))
    text = head + "".join(f"      {line}\n" for line in (bases + coupled).splitlines())
    soft = rod_of(parse_yaml(text.encode(), "yaml-format.md"))
    assert soft.rows[-1] == "helix"
    assert {own.basis for own in soft.strains} >= set(StrainBasis) - {StrainBasis.CHEBYSHEV, StrainBasis.FOURIER}


def test_matter_may_rest_on_run_time_parameters() -> None:
    text = (FOLDER / "soft_arm.yaml").read_text()
    assert "youngs_modulus: 1e6" in text and "density: 1000" in text
    text = text.replace("youngs_modulus: 1e6", "youngs_modulus: 1e7*load").replace("density: 1000", "density: 500*2")
    robot = parse_yaml(text.encode(), "r.yaml")
    material = rod_of(robot).material
    assert material == Material(Expression("1e7*load"), 0.5, 1000.0, viscosity=1e4)
    written = write_yaml(robot)
    assert 'youngs_modulus: "1e7*load"' in written
    assert rod_of(parse_yaml(written.encode(), "r.yaml")) == rod_of(robot)
