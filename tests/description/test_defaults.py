"""What is meant where a description says nothing."""

from __future__ import annotations

from symdyn.description.robot import IDENTITY, Joint, JointKind, Losses, Mimic, Placement
from symdyn.description.urdf.read import parse_urdf
from symdyn.description.yaml.json_schema import yaml_schema
from symdyn.description.yaml.read import parse_yaml


def test_a_joint_turns_about_x_and_follows_nothing() -> None:
    joint = Joint("j", JointKind.REVOLUTE, "a", "b")
    assert joint.placement == Placement((0.0, 0.0, 0.0), IDENTITY)
    assert (joint.axis, joint.second_axis, joint.pitch) == ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), 0.0)
    assert (joint.limits, joint.losses, joint.mimic) == (None, Losses(), None)
    assert Mimic("j") == Mimic("j", 1.0, 0.0)


def test_a_follower_does_as_its_leader_does() -> None:
    head = '<robot name="r"><link name="a"/><link name="b"/><link name="c"/>'
    joints = "".join(
        f'<joint name="{name}" type="continuous"><parent link="a"/><child link="{child}"/>{more}</joint>'
        for name, child, more in (("lead", "b", ""), ("follow", "c", '<mimic joint="lead"/>'))
    )
    assert parse_urdf(f"{head}{joints}</robot>".encode(), "r.urdf").joints[1].mimic == Mimic("lead", 1.0, 0.0)
    turns = "type: continuous, parent: a, axis: [0, 0, 1]"
    text = (
        f"name: r\nlinks: {{a: , b: , c: }}\njoints:\n  lead: {{{turns}, child: b}}\n"
        f"  follow: {{{turns}, child: c, mimic: {{joint: lead}}}}\n"
    )
    assert parse_yaml(text.encode(), "r.yaml").joints[1].mimic == Mimic("lead", 1.0, 0.0)


def test_a_beam_bends_only_where_it_is_told_to() -> None:
    text = (
        "name: r\nlinks:\n  boom:\n    flexible: {length: 2, mass_per_length: 3, bending_stiffness: 900, "
        "modes: {bend_y: 1}}\n"
    )
    beam = parse_yaml(text.encode(), "r.yaml").links[0].flexible
    assert beam is not None and [modes.direction.value for modes in beam.modes] == ["bend_y"]
    assert (beam.tip_mass, beam.tip_inertia, beam.hub_inertia, beam.stiffening) == (0.0, 0.0, (0.0,) * 3, False)


def test_the_schema_tells_that_no_direction_bends_by_itself() -> None:
    counts = yaml_schema()["$defs"]["ModesYaml"]["properties"]
    assert {name: count["default"] for name, count in counts.items()} == {
        "bend_y": 0,
        "bend_z": 0,
        "torsion": 0,
        "axial": 0,
    }
