"""Tests of which only a part runs at each change: products of many parameters, and what takes seconds.

Of a product those parameters run at each change that together meet most (see ``chosen_cases.py``). What is left runs
with the slow tests. A test that takes seconds is here only where cheaper tests of the same room meet the same code;
with the slow tests it always runs.
"""

from __future__ import annotations

from collections.abc import Iterable

from support.chosen_cases import chosen

ONE_OF: dict[str, dict[str, int]] = {
    "api/test_derivatives_by_rows.py": {
        "test_derivatives_of_mixed_and_looped_problems_are_those_that_casadi_finds": 2,
        "test_values_and_both_derivatives_are_those_that_casadi_finds": 2,
    },
    "api/test_load_options.py": {"test_examples_load_with_options": 2},
    "cases/test_code.py": {"test_single_precision_is_as_good_as_it_can_be": 2},
    "contacts/test_steps.py": {"test_a_tumbling_box_in_c_and_in_numpy": 3},
    "control/test_mpc.py": {"test_c_is_strict_and_takes_no_heap": 2},
    "dynamics/contacts/test_contact_rows.py": {
        "test_code_has_the_bits_of_the_program": 3,
        "test_the_recursion_is_right_to_rounding": 3,
    },
    "dynamics/elements/test_ball_joints.py": {"test_every_function_has_the_truth_and_so_have_its_loops": 3},
    "dynamics/elements/test_parallel_springs.py": {"test_every_function_agrees_in_every_layout": 3},
    "dynamics/forward_dynamics/test_forward_dynamics.py": {"test_layouts_agree": 3},
    "dynamics/inverse_dynamics/test_actuation.py": {"test_every_function_agrees_in_both_layouts": 2},
    "dynamics/loops/test_turned_mounts.py": {
        "test_motions_and_forces_are_those_of_the_aligned_robot": 3,
        "test_the_same_rows_move_without_a_force": 2,
    },
    "dynamics/mass_matrix/test_mass_matrix_inverse.py": {"test_layouts_agree_on_rows_in_several_pieces": 3},
    "dynamics/partials/test_moves_of_integrate.py": {"test_derivatives_by_q_are_along_integrate": 3},
    "dynamics/second_order/test_adjoints.py": {"test_gradients_with_loops": 2},
    "dynamics/second_order/test_hybrid_hessians.py": {
        "test_hessians_of_loops_and_inputs_are_differences_of_partials": 2,
    },
    "dynamics/second_order/test_weighted_hessians.py": {"test_hessians_are_differences_of_partials": 2},
    "dynamics/time_derivatives/test_forward_time_derivatives.py": {
        "test_loops_repeat_little_of_what_lower_orders_have_found": 3,
    },
    "dynamics/time_derivatives/test_partials_of_time_derivatives.py": {
        "test_columns_of_a_free_base": 2,
        "test_order_zero_is_the_partials_of_inverse_dynamics": 3,
    },
    "dynamics/tree/test_plan_places.py": {"test_places_lie_in_their_fields": 4},
    "emit/test_cpp.py": {"test_every_form_gives_the_bits_of_c_without_the_heap": 2},
    "emit/test_lane_numbers.py": {"test_lanes_equal_the_evaluator": 3},
    "equivalence/test_autodiff_partials.py": {"test_analytic_partials_equal_automatic_ones": 3},
    "equivalence/test_compiled_parameters.py": {"test_every_target_and_layout": 3},
    "equivalence/test_every_function.py": {"test_nothing_is_nan_at_awkward_states": 4},
    "equivalence/test_flexible_trees.py": {
        "test_compiled_and_python_targets_agree": 2,
        "test_flexible_limbs_in_lanes": 2,
    },
    "equivalence/test_momentum_series.py": {"test_forces": 2},
    "equivalence/test_same_bits.py": {"test_shipped_robots": 4},
    "flexible/test_functions_of_flexible_links.py": {"test_partial_derivatives_of_inverse_dynamics": 3},
    "flexible/test_steep_tips.py": {"test_in_c_neither_alone_nor_in_lanes": 3},
    "functions/test_costs.py": {"test_exact_hessians_are_differences_of_gradients": 2},
    "functions/test_parameter_regrouping.py": {"test_nothing_that_was_compared_is_cheaper": 3},
    "fuzz/test_smoke.py": {"test_mutants_are_read_or_refused": 2},
    "identification/test_residuals.py": {"test_true_parameters_lie_within_three_deviations": 3},
    "invariance/test_formats.py": {"test_urdf_is_the_same_robot": 3},
    "invariance/test_relations.py": {
        "test_compiled_robots_and_their_twins": 2,
        "test_random_robots_and_their_twins": 2,
        "test_shipped_robots_and_their_twins": 4,
    },
    "lanes/test_lane_builds.py": {"test_sanitizers_find_nothing": 3},
    "lanes/test_lane_layouts.py": {"test_random_trees": 2},
    "lanes/test_lane_sine_cosine.py": {"test_error_is_as_stated": 3},
    "lanes/test_limb_lanes.py": {
        "test_compiled_limbs": 3,
        "test_every_function_in_lanes_means_the_same": 3,
    },
    "model/test_runtime_regrouping.py": {"test_an_arm_in_every_layout": 3},
    "packaging/test_formats_page.py": {"test_each_target_takes_robots_of_each_kind": 3},
    "packaging/test_pages_run.py": {"test_a_page_runs": 4},
    "robots/test_shipped_robots.py": {"test_size_and_mass": 2},
    "shapes/test_beam_integrals.py": {
        "test_tapered_and_stepped_beam_in_space": 2,
        "test_uniform_beam_in_space": 2,
    },
    "shapes/test_tapered_and_stepped_beams.py": {"test_stepped_beam_against_transfer_matrices": 5},
    "shapes/test_wide_ranging_beams.py": {
        "test_all_ends_of_beams_of_exponential_stiffness": 4,
        "test_rods_of_exponential_stiffness": 3,
    },
    "simulation/test_overconstrained_motions.py": {"test_from_python": 2},
    "solvers/test_inverse_kinematics.py": {"test_frames_meet_their_poses": 2},
    "solvers/test_rests_in_kept_workspaces.py": {"test_chosen_rests_are_found": 2},
    "steppers/test_dead_centres.py": {"test_steps_from_a_dead_centre": 3},
    "steppers/test_kept_workspaces.py": {"test_motions": 3},
    "steppers/test_sanitized_calls.py": {"test_sanitizers_find_nothing": 2},
    "steppers/test_taylor_stepper.py": {"test_shipped_robots": 2},
    "tracing/test_auto_by_counts.py": {"test_auto_is_near_the_best": 3},
    "transforms/test_nested_derivatives.py": {"test_second_derivatives": 3},
    "verify/harness/test_verify_functions.py": {"test_every_joint_kind_agrees_with_the_recursion": 2},
    "verify/identities/test_verify_identities.py": {"test_each_identity_notices_one_wrong_entry": 2},
    "verify/oracle/test_truth_flexible_lagrange.py": {"test_beam_that_bends_in_two_planes_and_twists": 2},
    "verify/oracle/test_truth_lagrange.py": {"test_two_link_chain": 3},
}
"""One of so many parameters of these tests, rounded up, runs at each change."""

LONG: dict[str, tuple[str, ...]] = {
    "api/test_derivatives_by_rows.py": ("test_loops_give_accelerations_and_multipliers",),
    "api/test_generated_folders.py": ("test_bytes_do_not_depend_on_the_hash_seed",),
    "cli/test_cli_compare.py": ("test_one_rival_at_one_order_in_processes_of_their_own",),
    "contacts/test_known_motions.py": ("test_a_pinched_block_does_not_creep",),
    "contacts/test_rests_on_contacts.py": ("test_a_block_sticks_and_a_lever_rests_on_its_limit",),
    "contacts/test_step_partials.py": (
        "test_a_ball_on_a_belt_and_a_hill",
        "test_parameters_of_friction_and_bounds",
    ),
    "contacts/test_steps.py": (
        "test_others_take_the_place_of_contacts_that_bear_nothing",
        "test_sanitizers_find_nothing",
        "test_too_many_contacts",
    ),
    "control/test_hostile_inputs.py": ("test_hostile_calls_end_with_codes_and_inputs_within_limits",),
    "control/test_mpc.py": ("test_one_iteration_of_a_linear_robot_is_a_dense_quadratic_program",),
    "dynamics/forward_dynamics/test_forward_dynamics.py": ("test_hybrid_dynamics_undoes_inverse_dynamics",),
    "dynamics/loops/test_few_decimals.py": ("test_motions_are_those_of_exact_axes",),
    "dynamics/partials/test_forward_dynamics_partials.py": ("test_long_sums_are_added_piece_by_piece",),
    "dynamics/partials/test_soft_partials.py": ("test_inverse_dynamics",),
    "dynamics/partials/test_tangent_partials.py": ("test_half_the_slope_less_the_brackets_is_christoffels_matrix",),
    "equivalence/test_autodiff_partials.py": ("test_both_modes_equal_differences",),
    "equivalence/test_compiled_trees.py": ("test_compiled_and_python_targets_agree_in_doubles",),
    "equivalence/test_flexible_trees.py": ("test_random_trees_in_every_layout",),
    "equivalence/test_layouts_agree.py": ("test_recursion_and_both_layouts_agree",),
    "flexible/test_block_elimination.py": ("test_few_rows_stay_in_one_kernel",),
    "flexible/test_directions_in_lanes.py": (
        "test_compiled",
        "test_every_layout",
        "test_lanes_halve_the_code",
        "test_written_out_nothing_is_lost",
    ),
    "flexible/test_flexible_motion.py": (
        "test_energy_of_the_free_canadarm",
        "test_momentum_and_energy_in_space",
    ),
    "flexible/test_flexible_time_derivatives.py": ("test_inverse_dynamics_to_the_fourth_order",),
    "flexible/test_planar_link.py": ("test_tau_mass_matrix_and_bias_follow_from_the_lagrangian",),
    "identification/test_residuals.py": ("test_torques_that_were_filtered_alone_are_noticed",),
    "lanes/test_limb_lanes.py": (
        "test_compiled_random_limbs",
        "test_sanitizers_find_nothing",
    ),
    "model/test_overconstrained_loops.py": ("test_rests_are_those_of_the_aligned_robot",),
    "packaging/test_pages_run.py": ("test_the_programs_in_cpp_run",),
    "robots/test_soft_robots.py": (
        "test_robots_with_loops_have_the_coordinates_of_the_papers",
        "test_the_parallel_robot_stands_by_itself",
    ),
    "shapes/test_tapered_and_stepped_beams.py": ("test_tapered_cantilever_against_fine_finite_elements",),
    "simulation/test_auto_method.py": ("test_a_start_beside_states_without_accelerations",),
    "simulation/test_overconstrained_motions.py": ("test_lengths_of_ten_micrometres",),
    "solvers/test_rests_in_kept_workspaces.py": ("test_prescribed_rows_stay",),
    "statics/test_modes.py": ("test_a_slender_rod_is_a_cantilever_of_euler_and_bernoulli",),
    "steppers/test_contacts_in_steps.py": (
        "test_a_hull_that_turns_meets_a_post",
        "test_series_end_where_contacts_begin_and_end",
    ),
    "steppers/test_sanitized_calls.py": ("test_sanitizers_find_nothing_where_contacts_are_followed",),
    "toolchain/test_cached_builds.py": (
        "test_many_processes_fill_one_empty_cache",
        "test_what_shapes_the_result_changes_the_key",
    ),
    "toolchain/test_fmu.py": ("test_contacts_are_met_and_told",),
    "verify/oracle/test_truth_flexible_relations.py": (
        "test_coriolis_matrix",
        "test_mass_matrix_is_the_slope_of_inverse_dynamics",
        "test_the_coriolis_matrix_of_simple_joints_is_christoffels",
    ),
    "verify/oracle/test_truth_lagrange.py": (
        "test_free_body_through_euler_angles",
        "test_spherical_pendulum_through_euler_angles",
    ),
    "verify/test_rod_springs.py": ("test_stiffness_of_a_tapered_rod_with_coupled_strains",),
    "verify/test_truth_rod_lagrange.py": ("test_inverse_dynamics_and_mass_matrix_are_lagranges",),
}
"""Tests that take seconds; they run with the slow tests, all of them."""

WHOLE = ("packaging/", "robots/", "api/test_load_options")
"""Where each parameter is a page or a robot that no other test reads: what is left always runs with the slow tests."""


def late(tests: Iterable[tuple[str, str]]) -> dict[tuple[str, str], bool]:
    """Of tests, as their file in ``tests`` and their name, those that do not run at each change.

    True says of one that it always runs with the slow tests.
    """
    products: dict[tuple[str, str], list[tuple[str, str]]] = {}
    found: dict[tuple[str, str], bool] = {}
    for file, name in tests:
        test = name.partition("[")[0]
        if test in LONG.get(file, ()):
            found[file, name] = True
        elif test in ONE_OF.get(file, {}):
            products.setdefault((file, test), []).append((file, name))
    for (file, test), own in products.items():
        kept = chosen(own, ONE_OF[file][test])
        found |= {(file, name): file.startswith(WHOLE) for _, name in own if f"{file}::{name}" not in kept}
    return found
