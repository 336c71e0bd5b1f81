"""Every file of the corpus gets the answer that stands here: its number of velocities, or why it is refused."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from symdyn.description.read import read_robot
from symdyn.description.robot import JointKind, RobotDescription
from symdyn.errors import DescriptionError

FOLDER = Path(__file__).parent / "corpus"

VELOCITIES = {
    JointKind.FIXED: 0,
    JointKind.REVOLUTE: 1,
    JointKind.CONTINUOUS: 1,
    JointKind.PRISMATIC: 1,
    JointKind.HELICAL: 1,
    JointKind.CYLINDRICAL: 2,
    JointKind.UNIVERSAL: 2,
    JointKind.SPHERICAL: 3,
    JointKind.PLANAR: 3,
    JointKind.FLOATING: 6,
}

# File; nv where it is accepted, None where it is refused; line of the first warning or of the error; its words.
ANSWERS: list[tuple[str, int | None, int | None, str]] = [
    ("a_list.yaml", None, 1, "the document: expected a mapping (key: value), got a list"),
    ("alias.yaml", None, 13, "alias *c is refused; write the value out"),
    ("anchor.yaml", None, 13, "anchor &c is refused; write values out, or use 'parameters'"),
    ("axis_default.urdf", 2, None, ""),
    ("axis_long.urdf", 2, 24, "joint 'lift': <axis> has length 2; it is scaled to 1"),
    ("axis_long.yaml", 4, 23, "joint 'slew': axis has length 2; it is scaled to 1"),
    ("axis_missing.yaml", None, 20, "joint 'slew': axis is missing"),
    ("axis_on_spherical.yaml", None, 27, "joint 'swing': axis means nothing on a spherical joint"),
    ("axis_runtime.yaml", None, 23, "joint 'slew': axis: expression 'load' depends on the run-time"),
    ("axis_text.yaml", None, 23, "joint 'slew': axis: expected a list of three numbers, got 'z'"),
    ("axis_two_numbers.urdf", None, 28, "joint 'lift': 'xyz' of <axis>: expected three numbers parted by"),
    ("axis_zero.urdf", None, 24, "joint 'lift': <axis> is 0 0 0, which points nowhere"),
    ("axis_zero.yaml", None, 23, "joint 'slew': axis is the zero vector, which points nowhere"),
    ("axis_zero_on_fixed.urdf", 1, None, ""),
    ("bad_escape.yaml", None, None, "not well-formed YAML"),
    ("bad_utf8.urdf", None, 2, "byte 36 is not valid utf-8; save the file as UTF-8"),
    ("comment_only.yaml", None, None, "expected one YAML document, got 0"),
    ("complex_key.yaml", None, 10, "a key must be text, not a mapping or list"),
    ("continuous.urdf", 2, None, ""),
    ("continuous_bounded.urdf", 2, 24, "joint 'lift': lower and upper limits of a continuous joint are not"),
    ("control_character.yaml", None, None, "not well-formed YAML"),
    ("crane.yaml", 4, None, ""),
    ("crane_utf16.yaml", 4, None, ""),
    ("default_divides_by_zero.yaml", None, 16, "link 'hook': expression '1/(load - 4)' has no finite value"),
    ("default_namespace.urdf", 2, None, ""),
    ("division_by_zero.yaml", None, 12, "link 'jib': mass: expression '1/(L - L)' has no finite value"),
    ("doctype.urdf", None, 2, "a DOCTYPE declaration is refused, because entities can read files"),
    ("doctype_utf16.urdf", None, 1, "a DOCTYPE declaration is refused, because entities can read files"),
    ("empty.urdf", None, None, "the file is empty"),
    ("entity_undeclared.urdf", None, 14, "not well-formed XML at column"),
    ("every_joint.yaml", 20, 8, "joint '5 universal': second_axis has length 3"),
    ("expression_attribute.yaml", None, 12, "link 'jib': mass: expression 'm.real': '.real' is not allowed"),
    ("expression_call.yaml", None, 12, "link 'jib': mass: expression '__import__(\"os\")': '\"os\")' is not"),
    ("expression_huge_power.yaml", None, 12, "link 'jib': mass: expression 'm**99': 'm ** 99' is not allowed"),
    ("expression_overflow.yaml", None, 12, "link 'jib': mass: expression '1e200**2' has no finite value"),
    ("flexible_a_number.yaml", None, 11, "link 'boom': flexible: expected a mapping (key: value), got '3'"),
    ("flexible_at_misspelt.yaml", None, 36, "frame 'camera': at: expected tip or root, got 'end'"),
    ("flexible_at_on_rigid.yaml", None, 28, "joint 'slew': at means nothing on 'ground', a rigid link; delete it"),
    ("flexible_axis_and_rpy.yaml", None, 12, "link 'boom': flexible: axis and rpy or rotation both orient the beam;"),
    ("flexible_basis_beside_shapes.yaml", None, 20, "link 'boom': flexible.basis means nothing for bend_y, whose"),
    ("flexible_basis_expressions.yaml", None, 19, "link 'boom': flexible.basis: give such shapes under 'shapes',"),
    ("flexible_basis_misspelt.yaml", None, 19, "link 'boom': flexible.basis: expected one of clamped-free,"),
    ("flexible_basis_pinned_torsion.yaml", None, 19, "link 'boom': flexible.basis: torsion: pinned-hub is for"),
    ("flexible_basis_tip_mass_without.yaml", None, 19, "link 'boom': flexible.basis: clamped-tip-mass needs"),
    ("flexible_boom.yaml", 8, None, ""),
    ("flexible_damping_list_long.yaml", None, 20, "link 'boom': flexible.damping.ratio.bend_y: bend_y has 2 modes"),
    ("flexible_damping_negative.yaml", None, 20, "link 'boom': flexible.damping.ratio.bend_z is -0.01, which would"),
    ("flexible_damping_twice.yaml", None, 20, "link 'boom': flexible.damping: bend_y has ratios and a"),
    ("flexible_fixed_root.yaml", 7, None, ""),
    ("flexible_frame_named_tip.yaml", None, None, "frame 'boom.tip' has the name of the tip of the flexible link"),
    ("flexible_hub_inertia_negative.yaml", None, 19, "link 'boom': flexible.hub_inertia is -2; it is at least 0"),
    ("flexible_joint_named_coordinate.yaml", None, 31, "joint 'boom.bend_y[1]' has the name of a coordinate of the"),
    ("flexible_length_missing.yaml", None, 12, "link 'boom': flexible.length is missing"),
    ("flexible_length_runtime.yaml", None, 12, "link 'boom': flexible.length: expression 'L + load' depends on the"),
    ("flexible_length_zero.yaml", None, 12, "link 'boom': flexible.length is 0; a beam is longer than 0 m"),
    ("flexible_link_named_tip.yaml", None, 22, "link 'boom.tip' has the name of the tip of the flexible link"),
    ("flexible_mass_a_list.yaml", None, 13, "link 'boom': flexible.mass_per_length: expected a number, an"),
    ("flexible_mass_call.yaml", None, 13, "link 'boom': flexible.mass_per_length: expression 'abs(x)': 'abs(x)' is"),
    ("flexible_mass_grazes_zero.yaml", None, 13, "link 'boom': flexible.mass_per_length is 0 at x = 0.333333; it is"),
    ("flexible_mass_missing.yaml", None, 12, "link 'boom': flexible.mass_per_length is missing"),
    ("flexible_mass_negative.yaml", None, 13, "link 'boom': flexible.mass_per_length is -0.294051 at x = 1.09802;"),
    ("flexible_mass_pole.yaml", None, 13, "link 'boom': flexible.mass_per_length has no finite value at x = 0; it"),
    ("flexible_mass_runtime.yaml", None, 13, "link 'boom': flexible.mass_per_length: expression 'load*(1 -"),
    ("flexible_mass_unknown_name.yaml", None, 13, "link 'boom': flexible.mass_per_length: expression 'rho*(1 -"),
    ("flexible_mass_zero_at_tip.yaml", None, 13, "link 'boom': flexible.mass_per_length is 0 at x = 2; it is"),
    ("flexible_modes_all_zero.yaml", None, 12, "link 'boom': flexible: expected at least one mode; give modes, such"),
    ("flexible_modes_fraction.yaml", None, 19, "link 'boom': flexible.modes.bend_y: expected a number of modes from"),
    ("flexible_modes_missing.yaml", None, 12, "link 'boom': flexible: expected at least one mode; give modes, such"),
    ("flexible_modes_thirteen.yaml", None, 19, "link 'boom': flexible.modes.bend_y: expected a number of modes from"),
    ("flexible_modes_unknown_direction.yaml", None, 19, "link 'boom': flexible.modes.bend_x: unknown key; did you"),
    ("flexible_overdamped.yaml", 8, 10, "link 'boom': a damping ratio of 1 and more does not let a mode swing; 0.01"),
    ("flexible_payload.yaml", 8, None, ""),
    ("flexible_shape_not_clamped.yaml", None, 19, "link 'boom': flexible.shapes.bend_y.1 is 1 at x = 0; a shape is"),
    ("flexible_shape_pole.yaml", None, 19, "link 'boom': flexible.shapes.bend_y.1 has no finite value at x = 1; a"),
    ("flexible_shape_slanted.yaml", None, 19, "link 'boom': flexible.shapes.bend_y.1 has slope 1 at x = 0; expected"),
    ("flexible_shape_twice.yaml", None, 19, "link 'boom': flexible.shapes.bend_y.1 is there twice; shapes are"),
    ("flexible_shape_zero.yaml", None, 19, "link 'boom': flexible.shapes.bend_y.1 is zero everywhere; delete it"),
    ("flexible_shapes.yaml", 8, None, ""),
    ("flexible_shapes_other_count.yaml", None, 20, "link 'boom': flexible.modes.bend_y is 2, and shapes has 1;"),
    ("flexible_slanted.yaml", 8, 13, "link 'boom': flexible.axis has length 1.41421356; it is scaled to 1"),
    ("flexible_start_runtime.yaml", None, 13, "link 'boom': flexible.start: expression 'load' depends on the"),
    ("flexible_stiffening_axial.yaml", None, 19, "link 'boom': flexible.stiffening means nothing without bend_y"),
    ("flexible_steps_beyond.yaml", None, 16, "link 'boom': flexible.bending_stiffness.z.steps.0.to is 2.5; expected"),
    ("flexible_steps_empty.yaml", None, 16, "link 'boom': flexible.bending_stiffness.z.steps is an empty list;"),
    ("flexible_steps_negative.yaml", None, 16, "link 'boom': flexible.bending_stiffness.z.steps.1.value is -12.9146"),
    ("flexible_steps_short.yaml", None, 16, "link 'boom': flexible.bending_stiffness.z.steps.1.to is 1.5, and the"),
    ("flexible_stiffness_both_forms.yaml", None, 15, "link 'boom': flexible.bending_stiffness: expected steps, or y"),
    ("flexible_stiffness_missing.yaml", None, 12, "link 'boom': flexible: bending_stiffness is missing; modes of"),
    ("flexible_stiffness_misspelt.yaml", None, 15, "link 'boom': flexible.bending_stifness: unknown key; did you"),
    ("flexible_stiffness_y_missing.yaml", None, 12, "link 'boom': flexible: bending_stiffness.y is missing; modes"),
    ("flexible_stiffness_zero.yaml", None, 15, "link 'boom': flexible.bending_stiffness.y is 0 at x = 0; it is"),
    ("flexible_table_descends.yaml", None, 21, "link 'boom': flexible.shapes.bend_y.stations: expected at least 4"),
    ("flexible_table_ends_early.yaml", None, 21, "link 'boom': flexible.shapes.bend_y.stations: expected at least 4"),
    ("flexible_table_not_clamped.yaml", None, 24, "link 'boom': flexible.shapes.bend_y.samples.1 begins with 0.3; a"),
    ("flexible_table_row_short.yaml", None, 24, "link 'boom': flexible.shapes.bend_y.samples.1 has 3 values for 4"),
    ("flexible_tip_mass_clamped_free.yaml", None, 19, "link 'boom': flexible.tip_mass means nothing without basis"),
    ("flexible_tip_mass_nowhere.yaml", 8, 10, "link 'boom': tip_mass and tip_inertia shape the modes and are no"),
    ("flexible_torsion_without_sections.yaml", None, 12, "link 'boom': flexible: section_inertia is missing, and"),
    ("flexible_x_is_a_parameter.yaml", None, 14, "link 'boom': flexible.mass_per_length: x is the distance along"),
    ("floating.urdf", 7, None, ""),
    ("floating_base.yaml", 10, None, ""),
    ("floating_limited.urdf", 7, 24, "joint 'lift': <limit> of a floating joint is not used"),
    ("format_2.yaml", None, 1, "format: this version reads format 1, got '2'; update symdyn"),
    ("frame_link_unknown.yaml", None, None, "frame 'eye': link 'hok' does not exist; did you mean 'hook'?"),
    ("frame_named_as_link.yaml", None, None, "frame 'hook' has the name of a link, which is a frame already"),
    ("gravity_two.yaml", None, 2, "gravity: expected a list of three numbers, got 2 entries"),
    ("html.urdf", None, 1, "expected a URDF with root element <robot>, got <html>"),
    ("inertia_incomplete.urdf", None, 15, "link 'boom': 'iyz' of <inertia> is missing"),
    ("inertia_indefinite.urdf", None, 11, "link 'boom': inertia is not positive semi-definite: its"),
    ("inertia_nan.urdf", None, 15, "link 'boom': 'ixx' of <inertia>: expected a finite number, got"),
    ("inertia_noise.urdf", 2, 11, "link 'boom': all moments of inertia are below 1e-18 kg m^2"),
    ("inertia_thin.urdf", 2, 11, "link 'boom': principal moments 0.00199955, 0.0240005, 0.125 kg m^2"),
    ("inertia_zero.urdf", 2, None, ""),
    ("inertial_capital.urdf", None, 12, "link 'boom': unknown element <Inertial> in <link>"),
    ("inertial_misspelt.urdf", None, 12, "link 'boom': unknown element <intertial> in <link>"),
    ("island_cycle.urdf", None, 34, "joint 'ba' closes a cycle of links, 'a' -> 'b' -> 'a', that no"),
    ("joint_name_control.urdf", None, 24, "joint 'li\\tft': the name holds the control character U+0009"),
    ("joint_name_empty.urdf", None, 24, "joint ' ': the name is empty; give the joint a name"),
    ("joint_name_long.urdf", None, 24, "joint"),
    ("joint_name_separator.urdf", None, 24, "joint 'li\\u2028ft': the name holds the control character U+2028"),
    ("joint_names_equal.urdf", None, 24, "two joints are named 'turn', first in line 18; rename one"),
    ("key_twice.yaml", None, 13, "key 'mass' occurs twice in one mapping; keep one"),
    ("latin1_declared.urdf", 2, None, ""),
    ("laughs.yaml", None, 1, "anchor &a is refused; write values out, or use 'parameters'"),
    ("leaf_massless.urdf", 2, 11, "link 'boom' is a massless leaf: inverse dynamics works, forward"),
    ("leaf_massless_with_fixed_mass.urdf", 2, None, ""),
    ("limit_missing.urdf", 2, 24, "joint 'lift': URDF requires <limit> on a revolute joint"),
    ("limit_misspelt.urdf", None, 29, "joint 'lift': unknown attribute 'lowr' of <limit>"),
    ("limit_negative_effort.urdf", 2, 24, "joint 'lift': a negative velocity or effort limit allows nothing"),
    ("limit_reversed.urdf", 2, 24, "joint 'lift': lower limit 1 lies above upper limit -1.4"),
    ("limit_without_bounds.urdf", 2, 24, "joint 'lift': <limit> has neither lower nor upper, which in URDF"),
    ("limit_without_effort.urdf", 2, 24, "joint 'lift': <limit> lacks effort, which URDF requires"),
    ("limits_on_spherical.yaml", None, 27, "joint 'swing': limits means nothing on a spherical joint"),
    ("link_a_number.yaml", None, 10, "link 'ground': expected a mapping (key: value), got '3'"),
    ("link_names_equal.urdf", None, 31, "two links are named 'boom', first in line 11; rename one"),
    ("link_twice.yaml", None, 15, "key 'jib' occurs twice in one mapping; keep one"),
    ("link_unnamed.urdf", None, 11, "link number 3: 'name' of <link> is missing"),
    ("links_a_list.yaml", None, 2, "links: expected a mapping (key: value), got a list"),
    ("links_missing.yaml", None, 1, "links is missing"),
    ("losses.urdf", 2, None, ""),
    ("losses.yaml", 4, None, ""),
    ("losses_foreign_attribute.urdf", 2, 29, "joint 'lift': unknown attribute 'stiction' of <dynamics> ignored"),
    ("losses_negative.urdf", None, 24, "joint 'lift': damping is -0.7, which would add energy"),
    ("mass_a_list.yaml", None, 12, "link 'jib': mass: expected a number or an expression, got a list"),
    ("mass_as_text.urdf", None, 14, "link 'boom': 'value' of <mass> is missing"),
    ("mass_astronomic.urdf", None, 11, "link 'boom': mass is 1e+40, beyond 1e+30"),
    ("mass_comma.urdf", None, 14, "link 'boom': 'value' of <mass>: expected a decimal number such as"),
    ("mass_default_negative.yaml", None, 16, "link 'hook': mass is -3.5 kg; a mass is at least 0"),
    ("mass_hex.urdf", None, 14, "link 'boom': 'value' of <mass>: expected a decimal number such as"),
    ("mass_infinite.urdf", None, 14, "link 'boom': 'value' of <mass>: expected a finite number, got"),
    ("mass_missing.urdf", None, 12, "link 'boom': <mass> in <inertial> is missing"),
    ("mass_missing.yaml", None, 12, "link 'jib': mass is missing"),
    ("mass_nan.yaml", None, 12, "link 'jib': mass: expected a finite number, got '.nan'"),
    ("mass_negative.urdf", None, 11, "link 'boom': mass is -1.1 kg; a mass is at least 0"),
    ("mass_overflow.urdf", None, 14, "link 'boom': 'value' of <mass>: '1e999' is beyond the largest"),
    ("mass_tiny.urdf", None, 11, "link 'boom': mass is 1e-20 kg, below the smallest that is read"),
    ("mass_twice.urdf", None, 15, "link 'boom': <inertial> has a second <mass>; keep one"),
    ("mass_underflow.urdf", None, 14, "link 'boom': 'value' of <mass>: '1e-999' is nearer to zero than"),
    ("mass_underscore.urdf", None, 14, "link 'boom': 'value' of <mass>: expected a decimal number such as"),
    ("mass_zero.urdf", 2, 11, "link 'boom' has moments of inertia but no mass"),
    ("mimic.urdf", 2, None, ""),
    ("mimic.yaml", 4, None, ""),
    ("mimic_chain.urdf", 1, None, ""),
    ("mimic_circle.urdf", None, 24, "joints mimic each other in a circle, 'lift' -> 'grip' -> 'lift'"),
    ("mimic_itself.urdf", None, 37, "joint 'grip' mimics itself"),
    ("mimic_of_fixed.urdf", None, 37, "joint 'grip' cannot mimic 'lift': joint 'lift' is fixed, and only"),
    ("mimic_of_planar.urdf", None, 36, "joint 'grip' cannot mimic 'lift': joint 'lift' is planar, and only"),
    ("mimic_on_fixed.urdf", 2, 37, "joint 'grip': <mimic> on a fixed joint is ignored, because the"),
    ("mimic_unknown.urdf", None, 37, "joint 'grip' mimics the unknown joint 'lifft'"),
    ("mjcf.urdf", None, 1, "this is MJCF (root element <mujoco>), which this version does not"),
    ("name_a_list.yaml", None, 1, "name: expected text, got a list"),
    ("name_unknown.yaml", None, 12, "link 'jib': mass: expression 'M': unknown name 'M'"),
    ("names_circular.yaml", None, 4, "parameter 'L': is defined by itself in a circle, 'L' -> 'm' -> 'L'"),
    ("names_odd.urdf", 2, None, ""),
    ("neighbours.urdf", 2, 31, "<transmission> is not modelled by symdyn and ignored"),
    ("no_links.urdf", None, None, "the robot has no links; describe at least one"),
    ("no_root.urdf", None, 31, "joint 'back' closes a cycle of links, 'foot' -> 'mast' -> 'boom'"),
    ("notes.txt", None, None, "neither XML nor named as YAML"),
    ("number_comma.yaml", None, 12, "link 'jib': mass: expression '1,5': ',5' is not allowed"),
    ("number_underscore.yaml", None, 5, "parameter 'rho': value: expression '2_700': '2_700' is not allowed"),
    ("one_link.urdf", 0, None, ""),
    ("parameter_bare.yaml", None, 4, "parameter 'L': value is missing"),
    ("parameter_keyword.yaml", None, 5, "parameter 'lambda': 'lambda' cannot stand in an expression"),
    ("parameter_named_pi.yaml", None, 5, "parameter 'pi': 'pi' already means something in expressions"),
    ("parameter_unit_control.yaml", None, 5, "parameter 'rho': unit holds a control character"),
    ("parent_missing.urdf", None, 24, "joint 'lift': <parent> in <joint> is missing"),
    ("parent_unknown.yaml", None, 26, "joint 'swing': parent link 'jip' does not exist"),
    ("pitch_missing.yaml", None, 26, "joint 'swing': pitch is missing"),
    ("plain.urdf", 2, None, ""),
    ("planar.urdf", 4, None, ""),
    ("prismatic.urdf", 2, None, ""),
    ("robot_unnamed.urdf", 2, 2, "<robot> has no name; the file gives it 'robot_unnamed'"),
    ("rotation_and_rpy.yaml", None, 31, "frame 'eye': rpy and rotation say the same thing twice"),
    ("rotation_mirrored.yaml", None, 31, "frame 'eye': rotation: the matrix mirrors (determinant -1)"),
    ("rotation_rounded.yaml", 4, None, ""),
    ("rotation_rows.yaml", 4, None, ""),
    ("rotation_skewed.yaml", None, 31, "frame 'eye': rotation: rows are not orthonormal (error 1.0e-01,"),
    ("rotation_two_rows.yaml", None, 31, "frame 'eye': rotation: expected a list of three rows, got 2"),
    ("runtime_default_open.yaml", None, 8, "parameter 'load': is defined by itself in a circle, 'load' ->"),
    ("runtime_not_flag.yaml", None, 8, "parameter 'load': runtime: expected true or false, got 'yes'"),
    ("runtime_without_default.yaml", 4, None, ""),
    ("safety.urdf", 2, 22, "2 elements <safety_controller>, the first of joint 'turn', are not"),
    ("sdf.urdf", None, 1, "this is SDF (root element <sdf>), which this version does not read"),
    ("second_axis_missing.yaml", None, 26, "joint 'swing': second_axis is missing"),
    ("second_axis_slanted.yaml", None, 28, "joint 'swing': second_axis is not at right angles to axis (cosine"),
    ("shapes_elsewhere.urdf", 2, None, ""),
    ("stray_text.urdf", 2, 2, "robot: text 'here' in <robot> is ignored"),
    ("tab.yaml", None, 12, "not well-formed YAML"),
    ("tag.yaml", None, 1, "tag 'tag:yaml.org,2002:python/object/apply:os.system' is refused"),
    ("text_in_origin.urdf", 2, 25, "joint 'lift': text '0 0 0.8' in <origin> is ignored"),
    ("truncated.urdf", None, 25, "not well-formed XML at column"),
    ("two_documents.yaml", None, None, "expected one YAML document, got 2"),
    ("two_parents.urdf", None, 31, "joint 'brace': link 'boom' is already the child of joint 'lift'"),
    ("two_roots.urdf", None, None, "2 links are no joint's child ('foot', 'spare'), but a robot has"),
    ("type_a_list.yaml", None, 26, "joint 'swing': type: expected one of fixed, revolute, continuous,"),
    ("type_missing.urdf", None, 18, "joint 'turn': 'type' of <joint> is missing (and 1 more like it)"),
    ("type_missing.yaml", None, 26, "joint 'swing': type is missing"),
    ("type_misspelt.urdf", None, 24, "joint 'lift': type 'revolut' is not a URDF joint type (revolute,"),
    ("type_misspelt.yaml", None, 26, "joint 'swing': type: expected one of fixed, revolute, continuous,"),
    ("type_spherical.urdf", None, 24, "joint 'lift': type 'spherical' is not a URDF joint type (revolute,"),
    ("unknown_child.urdf", None, 37, "joint 'grip': child link 'clow' does not exist"),
    ("unknown_in_link.urdf", 2, 17, "link 'boom': unknown element <payload> in <link> is ignored with"),
    ("unknown_in_robot.urdf", 2, 31, "robot: unknown element <loop_joint> in <robot> is ignored with all"),
    ("unknown_key.yaml", None, 21, "joint 'slew': axes: unknown key; did you mean 'axis'?"),
    ("unknown_key_far.yaml", None, 21, "joint 'slew': armature: unknown key"),
    ("unknown_parent.urdf", None, 24, "joint 'lift': parent link 'mist' does not exist"),
    ("utf16.urdf", 2, None, ""),
    ("utf7_declared.urdf", None, 1, "encoding 'UTF-7' is not read; save the file as UTF-8"),
    ("velocity_scale_negative.yaml", None, 20, "joint 'slew': velocity_scale is -1"),
    ("version_1_1.yaml", None, 2, "expected YAML 1.2; delete the %YAML line"),
    ("xacro_expanded.urdf", 2, None, ""),
    ("xacro_macro.urdf", None, 3, "<xacro:property> is xacro, not URDF"),
    ("xacro_substitution.urdf", None, 25, "xyz='0 0 ${h}' is xacro, not URDF"),
    ("xinclude.urdf", None, 31, "XInclude is not processed; paste the included elements here"),
]
TWO_WARNINGS = {"neighbours.urdf"}


def velocities(robot: RobotDescription) -> int:
    free = sum(VELOCITIES[joint.kind] for joint in robot.joints if joint.mimic is None)
    bending = sum(modes.count for link in robot.links if link.flexible is not None for modes in link.flexible.modes)
    return free + bending + (6 if robot.floating_base else 0)


def test_every_file_has_an_answer() -> None:
    assert sorted(path.name for path in FOLDER.iterdir()) == sorted(name for name, *_ in ANSWERS)
    assert len(ANSWERS) >= 60


@pytest.mark.parametrize(("name", "nv", "line", "words"), ANSWERS, ids=[row[0] for row in ANSWERS])
def test_answer(name: str, nv: int | None, line: int | None, words: str) -> None:
    if nv is None:
        place = re.escape(name if line is None else f"{name}:{line}")
        with pytest.raises(DescriptionError, match=rf"^{place}: .*{re.escape(words)}"):
            read_robot(FOLDER / name)
        return
    robot = read_robot(FOLDER / name)
    assert velocities(robot) == nv
    assert robot.source == name
    assert len(robot.warnings) == (2 if name in TWO_WARNINGS else 1 if words else 0)
    if words:
        assert robot.warnings[0].startswith(f"line {line}: ")
        assert words in robot.warnings[0]


@pytest.mark.parametrize("name", [row[0] for row in ANSWERS if row[1] is not None and row[3]])
def test_strict_refuses_every_warning(name: str) -> None:
    words = next(row[3] for row in ANSWERS if row[0] == name)
    with pytest.raises(DescriptionError, match=rf"^{re.escape(name)}: strict mode refuses .*{re.escape(words)}"):
        read_robot(FOLDER / name, strict=True)


@pytest.mark.parametrize("name", [row[0] for row in ANSWERS if row[1] is not None and not row[3]])
def test_strict_accepts_what_is_clean(name: str) -> None:
    assert read_robot(FOLDER / name, strict=True) == read_robot(FOLDER / name)
