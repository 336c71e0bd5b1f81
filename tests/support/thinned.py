"""Tests of which only a part runs at each change: products of many parameters, and what takes seconds.

Of a product those parameters run at each change that together meet most (see ``chosen_cases.py``). What is left runs
with the slow tests. A test that takes seconds is here only where cheaper tests of the same room meet the same code;
with the slow tests it always runs.
"""

from __future__ import annotations

from collections.abc import Iterable

from support.chosen_cases import chosen

ONE_OF: dict[str, dict[str, int]] = {
    "api/test_changed_robots.py": {"test_a_method_and_a_file_say_the_same": 4},
    "api/test_checked_modules.py": {"test_what_is_right_gives_what_the_module_gives": 2},
    "api/test_chosen_names.py": {"test_what_is_no_name_is_refused": 4},
    "api/test_compiled_modules.py": {"test_a_compiled_module_equals_the_recursion": 3},
    "api/test_derivatives_by_rows.py": {
        "test_derivatives_of_mixed_and_looped_problems_are_those_that_casadi_finds": 12,
        "test_each_layout_is_stored_by_columns": 3,
        "test_values_and_both_derivatives_are_those_that_casadi_finds": 8,
    },
    "api/test_explanation.py": {"test_what_auto_takes_of_shipped_robots": 3},
    "api/test_following_names.py": {"test_the_last_coordinate_of_every_example": 3},
    "api/test_generated_folders.py": {"test_a_written_folder_verifies": 6},
    "api/test_load_options.py": {"test_examples_load_with_options": 4},
    "api/test_reloaded_robots.py": {
        "test_what_was_generated_is_what_is_loaded": 3,
        "test_an_option_that_is_given_replaces_that_of_the_file": 3,
    },
    "api/test_symbolic_forms.py": {"test_symbolic_equals_recursion_and_program": 2},
    "api/test_warm_start.py": {"test_what_is_in_the_cache_is_neither_read_nor_traced": 2},
    "cases/test_cases.py": {"test_the_program_is_the_truth": 3},
    "cases/test_code.py": {
        "test_code_gives_the_bits_of_the_evaluator": 6,
        "test_python_gives_the_truth": 2,
        "test_single_precision_is_as_good_as_it_can_be": 2,
    },
    "compare/test_rivals.py": {"test_graphs_and_tapes_on_a_free_base": 2},
    "contacts/test_impacts_in_turn.py": {
        "test_c_is_the_step_in_numpy": 2,
        "test_a_cradle_lets_as_many_balls_leave_as_arrive": 4,
    },
    "contacts/test_known_motions.py": {
        "test_a_ball_rolls_or_slides_down": 2,
        "test_a_block_at_the_angle_of_friction": 2,
    },
    "contacts/test_motions_with_contacts.py": {"test_a_prescribed_cart_takes_a_block_along": 2},
    "contacts/test_steps.py": {"test_a_tumbling_box_in_c_and_in_numpy": 3},
    "contacts/test_steps_in_graphs.py": {"test_casadi_calls_and_differentiates_a_step": 3},
    "control/test_mpc.py": {
        "test_c_is_strict_and_takes_no_heap": 2,
        "test_goals_that_jump_leave_plans_finite_and_inputs_within_limits": 2,
        "test_iterates_are_those_of_the_twin": 2,
        "test_samples_that_are_not_solved_are_those_of_the_twin": 2,
    },
    "description/test_drives.py": {"test_the_resolved_file_says_the_same": 3},
    "description/yaml/test_yaml_meaning.py": {"test_round_trip_of_the_corpus": 3},
    "dynamics/actuation/test_joint_laws.py": {"test_gains_may_depend_on_lengths_and_rates": 2},
    "dynamics/contacts/test_contact_rows.py": {
        "test_all_layouts_agree": 3,
        "test_code_has_the_bits_of_the_program": 3,
        "test_normals_are_slopes_of_gaps": 2,
        "test_the_problem_is_that_of_dense_equations": 3,
        "test_the_recursion_is_right_to_rounding": 4,
    },
    "dynamics/elements/test_ball_joints.py": {"test_every_function_has_the_truth_and_so_have_its_loops": 8},
    "dynamics/elements/test_body_loads.py": {"test_partials_are_those_of_the_forces": 2},
    "dynamics/elements/test_joint_stops.py": {
        "test_every_function_agrees_with_the_oracle": 2,
        "test_orders_beyond_the_kinks_are_refused": 2,
    },
    "dynamics/elements/test_parallel_springs.py": {"test_every_function_agrees_in_every_layout": 5},
    "dynamics/forward_dynamics/test_forward_dynamics.py": {"test_layouts_agree": 3},
    "dynamics/inverse_dynamics/test_actuation.py": {"test_every_function_agrees_in_both_layouts": 2},
    "dynamics/kinematics/test_chosen_frames.py": {"test_rows_are_those_of_all_frames_in_the_order_asked": 2},
    "dynamics/kinematics/test_contact_gaps.py": {"test_gaps_are_exact": 3},
    "dynamics/loops/test_few_decimals.py": {"test_dynamics_are_those_of_exact_axes": 3},
    "dynamics/loops/test_shipped_loops.py": {"test_they_close_from_where_their_files_say": 2},
    "dynamics/loops/test_switched_loops.py": {"test_switches_that_are_neither_one_nor_zero_give_nan": 4},
    "dynamics/loops/test_turned_mounts.py": {
        "test_motions_and_forces_are_those_of_the_aligned_robot": 3,
        "test_the_same_rows_move_without_a_force": 4,
    },
    "dynamics/mass_matrix/test_factored_inverse.py": {"test_layouts_agree": 2},
    "dynamics/mass_matrix/test_mass_matrix_inverse.py": {"test_layouts_agree_on_rows_in_several_pieces": 3},
    "dynamics/partials/test_coriolis.py": {"test_layouts_agree_on_lemma_1": 3},
    "dynamics/partials/test_forward_dynamics_partials.py": {"test_forward_dynamics": 2, "test_hybrid_dynamics": 2},
    "dynamics/partials/test_inverse_dynamics_partials.py": {"test_every_joint_with_several_coordinates": 2},
    "dynamics/partials/test_moves_of_integrate.py": {"test_derivatives_by_q_are_along_integrate": 20},
    "dynamics/second_order/test_adjoints.py": {"test_gradients_with_loops": 3},
    "dynamics/second_order/test_constrained_hessians.py": {"test_hessians_are_differences_of_partials": 2},
    "dynamics/second_order/test_hybrid_hessians.py": {
        "test_hessians_of_loops_and_inputs_are_differences_of_partials": 6,
        "test_hessians_of_trees_are_differences_of_partials": 3,
    },
    "dynamics/second_order/test_shared_forces_and_impulses.py": {"test_shared_forces_are_differentiated_twice": 2},
    "dynamics/second_order/test_weighted_hessians.py": {"test_hessians_are_differences_of_partials": 6},
    "dynamics/time_derivatives/test_forward_time_derivatives.py": {
        "test_forward_dynamics_undoes_inverse_dynamics": 3,
        "test_loops_repeat_little_of_what_lower_orders_have_found": 3,
    },
    "dynamics/time_derivatives/test_partials_of_time_derivatives.py": {
        "test_columns_of_a_free_base": 3,
        "test_columns_of_a_free_base_of_which_rows_are_prescribed": 2,
        "test_order_zero_is_the_partials_of_inverse_dynamics": 3,
    },
    "dynamics/time_derivatives/test_time_derivatives.py": {"test_against_fifty_digits": 3},
    "dynamics/time_derivatives/test_time_series.py": {"test_derivatives_along_a_trajectory": 3},
    "dynamics/tree/test_plan_places.py": {"test_places_lie_in_their_fields": 14},
    "dynamics/tree/test_several_leaders.py": {"test_layouts_agree": 3},
    "dynamics/world_frame/test_spatial_formulation.py": {"test_layouts_agree_with_the_recursion": 3},
    "emit/test_cpp.py": {"test_every_form_gives_the_bits_of_c_without_the_heap": 2},
    "emit/test_emitted_numbers.py": {"test_compiled_c": 2},
    "emit/test_lane_numbers.py": {"test_lanes_equal_the_evaluator": 4},
    "emit/test_module_files.py": {"test_symbols_are_own_or_of_the_mathematical_library": 2},
    "emit/test_sine_cosine.py": {
        "test_floats_in_lanes_are_as_good_as_stated": 4,
        "test_four_angles_at_once_are_as_good": 4,
    },
    "equivalence/test_autodiff_partials.py": {"test_analytic_partials_equal_automatic_ones": 3},
    "equivalence/test_compiled_parameters.py": {"test_every_target_and_layout": 3},
    "equivalence/test_every_function.py": {"test_nothing_is_nan_at_awkward_states": 8},
    "equivalence/test_flexible_trees.py": {
        "test_compiled_and_python_targets_agree": 2,
        "test_flexible_limbs_in_lanes": 2,
    },
    "equivalence/test_momentum_series.py": {"test_forces": 2},
    "equivalence/test_same_bits.py": {"test_shipped_robots": 4},
    "flexible/test_block_elimination.py": {"test_blocks_find_what_one_kernel_finds": 3},
    "flexible/test_directions_in_lanes.py": {"test_lanes_find_what_single_directions_find": 3},
    "flexible/test_flexible_limits.py": {"test_stiff_beams_tend_to_rods": 3},
    "flexible/test_functions_of_flexible_links.py": {
        "test_coriolis_matrix": 3,
        "test_jacobians_of_all_frames_and_their_rates": 3,
        "test_partial_derivatives_of_inverse_dynamics": 3,
    },
    "flexible/test_planar_link.py": {"test_forward_dynamics_solves_the_same_equations": 2},
    "flexible/test_spatial_flexible_links.py": {"test_gravity_and_bias": 2, "test_tau": 2},
    "flexible/test_steep_tips.py": {"test_in_c_neither_alone_nor_in_lanes": 3},
    "functions/test_catalogue.py": {
        "test_plans_and_signatures_name_the_same_arrays": 3,
        "test_sentences_of_dynamics_list_the_arguments": 3,
    },
    "functions/test_parameter_regrouping.py": {"test_nothing_that_was_compared_is_cheaper": 5},
    "fuzz/test_smoke.py": {"test_mutants_are_read_or_refused": 4},
    "identification/test_residuals.py": {"test_true_parameters_lie_within_three_deviations": 6},
    "invariance/test_cut_rods.py": {"test_errors_of_other_strains_fall_by_the_order_of_the_steps": 2},
    "invariance/test_formats.py": {"test_urdf_is_the_same_robot": 3},
    "invariance/test_opened_loops.py": {"test_a_loop_may_be_opened_at_another_joint": 2},
    "invariance/test_relations.py": {
        "test_compiled_robots_and_their_twins": 2,
        "test_random_robots_and_their_twins": 10,
        "test_shipped_robots_and_their_twins": 8,
    },
    "lanes/test_lane_builds.py": {"test_cmake_library": 2, "test_sanitizers_find_nothing": 3},
    "lanes/test_lane_sine_cosine.py": {"test_awkward_angles_stay_in_their_lanes": 3, "test_error_is_as_stated": 3},
    "lanes/test_limb_exchange.py": {"test_numbers_of_one_lane": 2, "test_tables_of_indices_that_others_use_too": 2},
    "lanes/test_limb_lanes.py": {"test_compiled_limbs": 3, "test_every_function_in_lanes_means_the_same": 5},
    "lanes/test_python_batches.py": {"test_each_state_is_that_of_a_single_call": 6, "test_threads_change_nothing": 2},
    "lanes/test_series_lanes.py": {"test_compiled_series": 3},
    "model/test_finite_moves.py": {"test_slopes_of_moves_are_those_of_differences": 2},
    "model/test_runtime_regrouping.py": {"test_an_arm_in_every_layout": 3},
    "model/test_small_tilts.py": {
        "test_weight_along_a_tilted_slide": 12,
        "test_weight_along_a_tilted_axis": 6,
        "test_two_axes_that_are_nearly_perpendicular": 3,
        "test_a_tilt_of_a_fixed_joint": 3,
    },
    "packaging/test_formats_page.py": {"test_each_target_takes_robots_of_each_kind": 9},
    "packaging/test_pages_run.py": {"test_a_page_runs": 6},
    "passes/program/test_unread_results.py": {"test_loops_compute_little_that_pieces_do_without": 3},
    "robots/test_shipped_robots.py": {"test_size_and_mass": 4},
    "shapes/test_beam_integrals.py": {"test_tapered_and_stepped_beam_in_space": 4, "test_uniform_beam_in_space": 4},
    "shapes/test_characteristic_roots.py": {
        "test_bending_roots_solve_the_equation_of_the_literature": 8,
        "test_no_root_is_missed": 4,
        "test_rods_with_an_inertia_at_the_tip": 3,
    },
    "shapes/test_natural_shapes.py": {
        "test_floats_sympy_and_fifty_digits_agree_up_to_the_twelfth_mode": 6,
        "test_orthogonal_with_the_mass_of_the_beam": 3,
    },
    "shapes/test_tapered_and_stepped_beams.py": {
        "test_stepped_beam_against_transfer_matrices": 5,
        "test_uniform_modes_are_the_limit_of_rayleigh_ritz": 4,
    },
    "shapes/test_wide_ranging_beams.py": {
        "test_all_ends_of_beams_of_exponential_stiffness": 12,
        "test_beams_of_exponential_stiffness": 2,
        "test_rods_of_exponential_stiffness": 6,
    },
    "simulation/test_auto_method.py": {
        "test_a_mass_is_integrated_as_its_fast_move_asks": 2,
        "test_stabilisation_of_loops_is_no_fast_move": 2,
    },
    "simulation/test_contacts_are_met.py": {
        "test_a_ball_comes_back_from_a_post": 2,
        "test_a_ball_that_flies_away_and_falls_back": 2,
    },
    "simulation/test_cvode_combinations.py": {"test_loops_on_velocities": 2},
    "simulation/test_jumps.py": {
        "test_the_integrator_alone_takes_jumps_in_a_loop": 2,
        "test_a_pulse_of_a_table_is_not_stepped_over": 2,
        "test_prescribed_velocities_jump_with_an_impulse": 2,
        "test_corners_of_a_linear_table_are_met": 2,
        "test_parameters_say_where_they_jump": 2,
        "test_the_longest_step_shows_a_pulse": 2,
    },
    "simulation/test_limits.py": {"test_accelerations_and_jerks_are_told": 2},
    "simulation/test_not_finite.py": {"test_every_solver_ends_where_accelerations_do": 2},
    "simulation/test_overconstrained_motions.py": {"test_from_python": 4},
    "solvers/test_inverse_kinematics.py": {"test_frames_meet_their_poses": 3},
    "solvers/test_linear_systems.py": {"test_regular_systems": 3},
    "solvers/test_rests_in_kept_workspaces.py": {"test_what_was_in_a_workspace_does_not_matter": 2},
    "solvers/test_soft_inverse_kinematics.py": {"test_a_soft_arm_rests_at_a_pose": 2},
    "steppers/test_coordinates_of_every_kind.py": {"test_series_of_other_conventions": 2},
    "steppers/test_dead_centres.py": {"test_steps_from_a_dead_centre": 12},
    "steppers/test_kept_workspaces.py": {"test_motions": 8},
    "steppers/test_taylor_stepper.py": {"test_shipped_robots": 2},
    "tape/test_jacobian.py": {"test_random_tapes": 2},
    "toolchain/test_cached_builds.py": {"test_a_module_that_cannot_be_loaded_is_built_once_more": 3},
    "toolchain/test_call_memory.py": {"test_calls_do_not_leak": 4},
    "toolchain/test_casadi_rollouts.py": {"test_a_rollout_and_its_derivatives_in_casadi": 3},
    "toolchain/test_compile_folder.py": {"test_other_compilers_give_the_same_numbers": 2},
    "toolchain/test_ended_with_us.py": {"test_no_compiler_outlives_us": 3},
    "toolchain/test_remembered_sources.py": {"test_another_request_is_generated": 3},
    "toolchain/test_targets_agree.py": {"test_parameters_broadcast": 3},
    "tracing/rolled/test_unequal_rows.py": {
        "test_long_branches_give_short_code_and_the_same_numbers": 2,
        "test_unequal_branches_give_the_same_numbers": 2,
    },
    "tracing/test_auto_by_counts.py": {"test_auto_is_near_the_best": 3},
    "tracing/test_layout_choice.py": {"test_no_layout_that_was_left_out_is_better": 3},
    "transforms/test_nested_derivatives.py": {"test_second_derivatives": 6},
    "verify/harness/test_verify_functions.py": {"test_every_joint_kind_agrees_with_the_recursion": 3},
    "verify/identities/test_verify_identities.py": {"test_each_identity_notices_one_wrong_entry": 4},
    "verify/oracle/test_truth_flexible_lagrange.py": {"test_beam_that_bends_in_two_planes_and_twists": 2},
    "verify/oracle/test_truth_lagrange.py": {"test_two_link_chain": 3},
    "verify/oracle/test_truth_pendulum.py": {"test_the_pendulum": 3},
    "verify/oracle/test_truth_relations.py": {"test_coriolis_matrices": 2},
    "verify/test_rod_poses.py": {"test_every_basis_and_order_is_a_product_of_exponentials": 3},
    "verify/test_terms_that_cancel_in_beams.py": {"test_what_cancels_is_not_held_against_the_code": 3},
    "view/test_view_scene.py": {"test_poses_of_many_positions_are_those_of_each": 2},
}
"""One of so many parameters of these tests, rounded up, runs at each change."""

LONG: dict[str, tuple[str, ...]] = {
    "api/test_checked_modules.py": ("test_what_breaks_a_rule_is_refused",),
    "api/test_derivatives_by_rows.py": ("test_loops_give_accelerations_and_multipliers",),
    "api/test_generated_folders.py": ("test_bytes_do_not_depend_on_the_hash_seed",),
    "api/test_reloaded_robots.py": ("test_what_is_written_fits_the_schema_of_editors",),
    "cli/test_cli_compare.py": (
        "test_layouts_stand_beside_each_other",
        "test_one_rival_at_one_order_in_processes_of_their_own",
    ),
    "cli/test_cli_loops.py": ("test_bad_loop_files_are_refused_in_one_line",),
    "cli/test_cli_soft_files.py": ("test_bad_soft_files_are_refused_in_one_line",),
    "contacts/test_actuated_partials.py": ("test_derivatives_by_u_are_those_by_forces_times_b",),
    "contacts/test_filled_slots.py": ("test_derivatives_of_a_step_are_those_of_forty_digits",),
    "contacts/test_known_motions.py": (
        "test_a_pinched_block_does_not_creep",
        "test_a_stack_of_growing_masses_stands",
    ),
    "contacts/test_motions_with_contacts.py": (
        "test_actuators_and_laws_drive_it",
        "test_soft_and_rigid_contacts_at_once",
    ),
    "contacts/test_rests_on_contacts.py": (
        "test_a_block_sticks_and_a_lever_rests_on_its_limit",
        "test_loops_and_prescribed_rows_beside_contacts",
    ),
    "contacts/test_step_partials.py": (
        "test_a_ball_on_a_belt_and_a_hill",
        "test_a_turned_world_turns_nothing_of_the_robot",
        "test_parameters_of_friction_and_bounds",
    ),
    "contacts/test_steps.py": (
        "test_all_kinds_of_rows_at_once",
        "test_floats",
        "test_others_take_the_place_of_contacts_that_bear_nothing",
        "test_sanitizers_find_nothing",
        "test_too_many_contacts",
    ),
    "control/test_exact_hessians.py": ("test_exact_hessians_converge_as_newtons_method_where_errors_stay_large",),
    "control/test_hostile_inputs.py": ("test_hostile_calls_end_with_codes_and_inputs_within_limits",),
    "control/test_input_rates.py": ("test_inputs_change_no_faster_from_call_to_call_whatever_happens",),
    "control/test_mpc.py": (
        "test_one_iteration_of_a_linear_robot_is_a_dense_quadratic_program",
        "test_plans_by_steps_of_order_four",
    ),
    "control/test_multiple_shooting.py": (
        "test_samples_from_a_converged_plan_lead_to_the_target_with_a_plant_that_differs",
    ),
    "control/test_stances.py": ("test_a_five_bar_moves_its_hand_with_its_loop_closed",),
    "control/test_step_methods.py": ("test_errors_fall_with_the_order",),
    "description/test_odd_text.py": ("test_names_reach_a_terminal_of_ascii",),
    "description/yaml/test_written_numbers.py": (
        "test_axes_of_any_length_come_back",
        "test_second_axes_come_back",
    ),
    "dynamics/contacts/test_contact_rows.py": ("test_compiled_and_emitted_code_agree",),
    "dynamics/elements/test_external_wrench.py": ("test_virtual_power",),
    "dynamics/forward_dynamics/test_forward_dynamics.py": ("test_hybrid_dynamics_undoes_inverse_dynamics",),
    "dynamics/loops/test_few_decimals.py": ("test_motions_are_those_of_exact_axes",),
    "dynamics/mass_matrix/test_factored_inverse.py": ("test_factors_are_taken_where_they_save_products",),
    "dynamics/mass_matrix/test_mass_matrix_inverse.py": ("test_inverse_of_a_block",),
    "dynamics/partials/test_forward_dynamics_partials.py": ("test_long_sums_are_added_piece_by_piece",),
    "dynamics/partials/test_inverse_dynamics_partials.py": ("test_random_trees",),
    "dynamics/partials/test_parameter_partials.py": ("test_random_trees",),
    "dynamics/partials/test_soft_partials.py": ("test_inverse_dynamics",),
    "dynamics/partials/test_tangent_partials.py": ("test_half_the_slope_less_the_brackets_is_christoffels_matrix",),
    "dynamics/second_order/test_weighted_hessians.py": (
        "test_hessians_by_inputs_of_actuators_are_differences_of_partials",
    ),
    "dynamics/time_derivatives/test_elastic_inverse_dynamics.py": ("test_an_elastic_pendulum",),
    "equivalence/test_against_truth.py": ("test_recursion_equals_truth",),
    "equivalence/test_autodiff_partials.py": ("test_both_modes_equal_differences",),
    "equivalence/test_compiled_trees.py": ("test_compiled_and_python_targets_agree_in_doubles",),
    "equivalence/test_flexible_trees.py": ("test_random_trees_in_every_layout",),
    "equivalence/test_float32_accuracy.py": ("test_single_precision_loses_what_rounding_takes",),
    "equivalence/test_layouts_agree.py": ("test_recursion_and_both_layouts_agree",),
    "flexible/test_block_elimination.py": (
        "test_compiled",
        "test_few_rows_stay_in_one_kernel",
        "test_time_derivatives_of_tips_with_more_rows_than_a_free_joint",
    ),
    "flexible/test_directions_in_lanes.py": (
        "test_compiled",
        "test_every_layout",
        "test_lanes_halve_the_code",
        "test_written_out_nothing_is_lost",
    ),
    "flexible/test_flexible_limits.py": (
        "test_a_load_at_the_end_of_a_cantilever",
        "test_a_spinning_beam_is_longer_by_the_centrifugal_pull",
    ),
    "flexible/test_flexible_motion.py": (
        "test_energy_of_the_free_canadarm",
        "test_momentum_and_energy_in_space",
    ),
    "flexible/test_flexible_time_derivatives.py": ("test_inverse_dynamics_to_the_fourth_order",),
    "flexible/test_planar_link.py": (
        "test_energies_are_those_of_the_lagrangian",
        "test_stiffening_is_felt",
        "test_tau_mass_matrix_and_bias_follow_from_the_lagrangian",
    ),
    "flexible/test_propeller_moment.py": ("test_two_shapes_of_torsion_against_their_lagrangian",),
    "functions/test_control.py": ("test_frames_accelerate_as_desired_and_the_rest_follows_tau_0",),
    "functions/test_costs.py": ("test_exact_hessians_are_differences_of_gradients",),
    "identification/test_identify.py": ("test_consistent_parameters",),
    "identification/test_residuals.py": ("test_torques_that_were_filtered_alone_are_noticed",),
    "lanes/test_lane_layouts.py": ("test_random_trees",),
    "lanes/test_limb_lanes.py": (
        "test_compiled_random_limbs",
        "test_random_limbs_in_both_layouts",
        "test_sanitizers_find_nothing",
    ),
    "model/test_joint_origins.py": ("test_functions_that_hide_frames_give_the_same",),
    "model/test_overconstrained_loops.py": (
        "test_a_linkage_of_special_dimensions",
        "test_paths_are_those_of_the_aligned_robot",
        "test_rests_are_those_of_the_aligned_robot",
    ),
    "model/test_regrouping.py": ("test_tau_is_unchanged",),
    "model/test_runtime_regrouping.py": ("test_results_are_unchanged",),
    "packaging/test_pages_run.py": ("test_the_programs_in_cpp_run",),
    "passes/test_values_survive.py": (
        "test_every_pass_keeps_the_value",
        "test_signs_are_moved_and_divisions_shared_without_other_new_cost",
    ),
    "robots/test_deferred_robots.py": ("test_a_second_process_builds_no_model_until_it_is_asked",),
    "robots/test_recalled_models.py": ("test_a_second_process_loads_without_sympy",),
    "robots/test_soft_robots.py": (
        "test_points_of_the_rods_are_those_of_the_papers",
        "test_robots_with_loops_have_the_coordinates_of_the_papers",
        "test_the_parallel_robot_stands_by_itself",
    ),
    "shapes/test_tapered_and_stepped_beams.py": (
        "test_a_profile_that_is_far_from_smooth_is_refused",
        "test_stepped_shapes_are_orthogonal_to_rounding",
        "test_tapered_cantilever_against_fine_finite_elements",
    ),
    "shapes/test_wide_ranging_beams.py": ("test_many_steps_of_every_quantity_at_different_places",),
    "simulation/test_auto_method.py": ("test_a_start_beside_states_without_accelerations",),
    "simulation/test_changing_parameters.py": ("test_loops_take_parameters_that_stay",),
    "simulation/test_overconstrained_motions.py": (
        "test_in_c",
        "test_lengths_of_ten_micrometres",
    ),
    "solvers/test_rests_in_kept_workspaces.py": (
        "test_chosen_rests_are_found",
        "test_prescribed_rows_stay",
    ),
    "solvers/test_soft_inverse_kinematics.py": (
        "test_bounds_of_inputs_hold_and_targets_out_of_reach_have_a_code",
        "test_loops_and_sanitizers",
        "test_the_search_in_c_takes_the_steps_of_numpy",
    ),
    "statics/test_modes.py": ("test_a_slender_rod_is_a_cantilever_of_euler_and_bernoulli",),
    "statics/test_rests.py": (
        "test_a_floating_base_rests_alike_in_every_convention",
        "test_a_linkage_by_virtual_work",
    ),
    "steppers/test_contacts_in_steps.py": (
        "test_a_hull_that_turns_meets_a_post",
        "test_series_end_where_contacts_begin_and_end",
    ),
    "steppers/test_kept_workspaces.py": (
        "test_order_two",
        "test_single_steps_from_open_starts",
    ),
    "steppers/test_sanitized_calls.py": (
        "test_sanitizers_find_nothing",
        "test_sanitizers_find_nothing_where_contacts_are_followed",
    ),
    "toolchain/test_cached_builds.py": (
        "test_many_processes_fill_one_empty_cache",
        "test_what_shapes_the_result_changes_the_key",
    ),
    "toolchain/test_fmu.py": (
        "test_contacts_are_met_and_told",
        "test_rates_and_derivatives_are_those_of_the_functions",
        "test_steps_are_those_of_the_stepper",
    ),
    "toolchain/test_lanes_later.py": ("test_two_processes_compile_once",),
    "verify/harness/test_verify_functions.py": ("test_a_wrong_evaluator_fails_and_its_worst_state_is_named",),
    "verify/identities/test_verify_identities.py": ("test_they_hold_in_the_spatial_convention",),
    "verify/oracle/test_truth_flexible_relations.py": (
        "test_centre_of_mass_and_momentum",
        "test_coriolis_matrix",
        "test_energies",
        "test_mass_matrix_is_the_slope_of_inverse_dynamics",
        "test_the_coriolis_matrix_of_simple_joints_is_christoffels",
        "test_wrenches_and_regressor_are_inverse_dynamics",
    ),
    "verify/oracle/test_truth_lagrange.py": (
        "test_free_body_through_euler_angles",
        "test_spherical_pendulum_through_euler_angles",
    ),
    "verify/test_rod_springs.py": ("test_stiffness_of_a_tapered_rod_with_coupled_strains",),
    "verify/test_truth_rod_lagrange.py": ("test_inverse_dynamics_and_mass_matrix_are_lagranges",),
    "verify/test_truth_rod_motion.py": ("test_centre_of_mass_and_momentum",),
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
