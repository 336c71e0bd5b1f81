"""The table of truths: for every function of the catalogue, what it computes to fifty digits, and what that costs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from mpmath import mp

from symdyn.description import rigid_contact
from symdyn.errors import VerificationError
from symdyn.interface.stepping import IMPLICIT_STEPS
from symdyn.verify.oracle import (
    acceleration_derivatives,
    accelerations,
    actuation,
    constrained,
    constrained_derivatives,
    constrained_partials,
    constrained_second_order,
    contact_gaps,
    contact_problem,
    contact_slopes,
    control,
    coriolis,
    costs,
    elastic_joints,
    element_forces,
    frame_motion,
    implicit_steps,
    impulses,
    inverse_actuation,
    joint_forces,
    loops,
    mass_matrix,
    order_slopes,
    partial_derivatives,
    rate_terms,
    residuals,
    rigid_contacts,
    second_order,
    shared_partials,
    staged_steps,
    stance,
    state_space,
    statics,
    stations,
    step_curvature,
    step_length,
    steps,
    task_errors,
    time_derivatives,
    trajectory,
    unknown_inputs,
    weighted,
    world_quantities,
)
from symdyn.verify.oracle.exact import Exact, TruthFunction
from symdyn.verify.oracle.held import method_of
from symdyn.verify.oracle.setting import Inputs, Setting
from symdyn.verify.oracle.switched import without_open_loops
from symdyn.verify.oracle.truth import DIGITS


@dataclass(frozen=True, slots=True)
class Truth:
    """How to compute a function exactly.

    ``poses`` is about how many times the robot's links are walked for it, which decides the number of states.
    """

    compute: TruthFunction
    poses: Callable[[Setting], int]
    switches: bool = False
    """Whether it knows of loops that do not hold; others are told nothing of these."""

    def __call__(self, setting: Setting, inputs: Inputs) -> Exact:
        """The exact result at a state."""
        with mp.workdps(DIGITS):
            if setting.switched and not self.switches:
                return without_open_loops(self.compute, setting, inputs)
            return self.compute(setting, inputs)


def _either(given: TruthFunction, unknown: TruthFunction) -> TruthFunction:
    """The truth where all inputs are given, or the one where some are looked for."""
    return lambda setting, inputs: (unknown if setting.unknown else given)(setting, inputs)


def _gaps(setting: Setting, inputs: Inputs) -> Exact:
    """Of the slots of rigid contacts where there are some, or of penalties."""
    rigid = any(True for _ in rigid_contact.rigid_contacts(setting.description))
    compute = rigid_contacts.contact_gaps if rigid else contact_gaps.contact_gaps
    return compute(setting, inputs)


def _stepping(
    explicit: TruthFunction, implicit: Callable[[Any, Setting, Inputs], Exact], operator: str
) -> TruthFunction:
    """The truth of a method without a given acceleration, of one that has theta, or of one of several stages."""

    def compute(setting: Setting, inputs: Inputs) -> Exact:
        if own := staged_steps.METHODS.get(method_of(setting)):
            found: Exact = getattr(own, operator)(setting, inputs)
            return found
        theta = IMPLICIT_STEPS.get(method_of(setting))
        return explicit(setting, inputs) if theta is None else implicit(mp.mpf(theta), setting, inputs)

    return compute


def _once(_: Setting) -> int:
    return 1


def _thrice(_: Setting) -> int:
    return 3


def _quotients(setting: Setting) -> int:
    return 2 * setting.tree.nv


def _differences(setting: Setting) -> int:
    return 4 * setting.tree.nv + 2 * len(setting.parameter_names)


def _second_differences(setting: Setting) -> int:
    return 12 * setting.tree.nv**2


def _differences_along(setting: Setting) -> int:
    return 2 * setting.tree.nv * (setting.order + 3) * trajectory.samples(setting.order)


def _solved_differences(setting: Setting) -> int:
    return 6 * setting.tree.nv + 4 * len(setting.parameter_names)


def _along(setting: Setting) -> int:
    return trajectory.samples(setting.order)


def _along_twice(setting: Setting) -> int:
    return trajectory.samples(setting.order + elastic_joints.AHEAD) + trajectory.samples(setting.order)


def _two_along(_: Setting) -> int:
    return 2 * trajectory.samples(1)


def _solved_along(setting: Setting) -> int:
    return acceleration_derivatives.solved_samples(setting.order)


def _solved_slopes(setting: Setting) -> int:
    return 2 * setting.tree.nv * (setting.order + 3)


TRUTHS: dict[str, Truth] = {
    "inverse_dynamics": Truth(joint_forces.inverse_dynamics, _once),
    "forward_dynamics": Truth(accelerations.forward_dynamics, _thrice),
    "hybrid_dynamics": Truth(_either(accelerations.hybrid_dynamics, unknown_inputs.hybrid_dynamics), _thrice),
    "mass_matrix": Truth(mass_matrix.mass_matrix, _once),
    "mass_matrix_inverse": Truth(mass_matrix.mass_matrix_inverse, _once),
    "coriolis_matrix": Truth(coriolis.coriolis_matrix, _thrice),
    "gravity": Truth(world_quantities.gravity, _once),
    "bias": Truth(joint_forces.bias, _once),
    "elastic_forces": Truth(element_forces.elastic_forces, _once),
    "damping_forces": Truth(element_forces.damping_forces, _once),
    "kinetic_energy": Truth(world_quantities.kinetic_energy, _once),
    "potential_energy": Truth(world_quantities.potential_energy, _once),
    "center_of_mass": Truth(world_quantities.center_of_mass, _once),
    "center_of_mass_velocity": Truth(world_quantities.center_of_mass_velocity, _once),
    "centroidal_momentum": Truth(world_quantities.centroidal_momentum, _once),
    "centroidal_momentum_matrix": Truth(world_quantities.centroidal_momentum_matrix, _once),
    "forward_kinematics": Truth(frame_motion.forward_kinematics, _once),
    "jacobians": Truth(frame_motion.jacobians, _once),
    "jacobians_time_derivative": Truth(frame_motion.jacobians_time_derivative, _thrice),
    "frame_velocity_partials": Truth(frame_motion.frame_velocity_partials, _quotients),
    "joint_wrenches": Truth(joint_forces.joint_wrenches, _once),
    "station_poses": Truth(stations.station_poses, _once),
    "station_strains": Truth(stations.station_strains, _once),
    "station_wrenches": Truth(joint_forces.station_wrenches, _once),
    "inverse_dynamics_regressor": Truth(joint_forces.inverse_dynamics_regressor, _thrice),
    "inverse_dynamics_partials": Truth(partial_derivatives.inverse_dynamics_partials, _differences),
    "forward_dynamics_partials": Truth(partial_derivatives.forward_dynamics_partials, _solved_differences),
    "hybrid_dynamics_partials": Truth(
        _either(partial_derivatives.hybrid_dynamics_partials, unknown_inputs.hybrid_dynamics_partials),
        _solved_differences,
    ),
    "inverse_dynamics_adjoint": Truth(
        weighted.gradient_of(partial_derivatives.inverse_dynamics_partials), _differences
    ),
    "forward_dynamics_adjoint": Truth(
        weighted.gradient_of(partial_derivatives.forward_dynamics_partials), _solved_differences
    ),
    "hybrid_dynamics_adjoint": Truth(
        weighted.gradient_of(partial_derivatives.hybrid_dynamics_partials), _solved_differences
    ),
    "inverse_dynamics_weighted_hessian": Truth(second_order.inverse_dynamics_weighted_hessian, _second_differences),
    "forward_dynamics_weighted_hessian": Truth(second_order.forward_dynamics_weighted_hessian, _second_differences),
    "hybrid_dynamics_weighted_hessian": Truth(second_order.hybrid_dynamics_weighted_hessian, _second_differences),
    "inverse_dynamics_time_derivatives_partials": Truth(
        time_derivatives.inverse_dynamics_time_derivatives_partials, _differences_along
    ),
    "inverse_dynamics_time_derivatives": Truth(time_derivatives.inverse_dynamics_time_derivatives, _along),
    "forward_dynamics_time_derivatives": Truth(
        acceleration_derivatives.forward_dynamics_time_derivatives, _solved_along
    ),
    "hybrid_dynamics_time_derivatives": Truth(
        _either(
            acceleration_derivatives.hybrid_dynamics_time_derivatives, unknown_inputs.hybrid_dynamics_time_derivatives
        ),
        _solved_along,
    ),
    "forward_kinematics_time_derivatives": Truth(time_derivatives.forward_kinematics_time_derivatives, _along),
    "elastic_joint_inverse_dynamics_time_derivatives": Truth(
        elastic_joints.elastic_joint_inverse_dynamics_time_derivatives, _along_twice
    ),
    "elastic_joint_feedforward": Truth(elastic_joints.elastic_joint_feedforward, _along_twice),
    "inverse_dynamics_rate_terms": Truth(rate_terms.inverse_dynamics_rate_terms, _two_along),
    "task_inertia": Truth(control.task_inertia, _once),
    "task_bias": Truth(control.task_bias, _thrice),
    "operational_space_control": Truth(control.operational_space_control, _thrice),
    "task_errors": Truth(task_errors.task_errors, _quotients),
    "computed_torque": Truth(control.computed_torque, _once),
    "stage_cost": Truth(costs.stage_cost, _once),
    "stage_cost_derivatives": Truth(costs.stage_cost_derivatives, _quotients),
    "end_cost": Truth(costs.end_cost, _once),
    "end_cost_derivatives": Truth(costs.end_cost_derivatives, _quotients),
    "contact_gaps": Truth(_gaps, _once),
    "contact_jacobian": Truth(contact_problem.contact_jacobian, _once),
    "contact_problem": Truth(contact_problem.contact_problem, _differences),
    "contact_factors": Truth(contact_problem.contact_factors, _differences),
    "contact_system": Truth(contact_problem.contact_system, _differences),
    "stance_forces": Truth(stance.stance_forces, _once),
    "contact_slopes": Truth(contact_slopes.contact_slopes, _solved_differences),
    "tendon_lengths": Truth(actuation.tendon_lengths, _once),
    "chamber_volumes": Truth(actuation.chamber_volumes, _once),
    "actuation_matrix": Truth(actuation.actuation_matrix, _quotients),
    "inverse_actuation": Truth(inverse_actuation.inverse_actuation, _quotients),
    "inverse_actuation_partials": Truth(inverse_actuation.inverse_actuation_partials, _second_differences),
    "constraint_error": Truth(loops.constraint_error, _once),
    "constraint_jacobian": Truth(loops.constraint_jacobian, _once),
    "constraint_bias": Truth(loops.constraint_bias, _once),
    "constrained_forward_dynamics": Truth(constrained.constrained_forward_dynamics, _thrice),
    "constrained_hybrid_dynamics": Truth(constrained.constrained_hybrid_dynamics, _thrice),
    "constrained_forward_dynamics_partials": Truth(
        constrained_partials.constrained_forward_dynamics_partials, _solved_differences
    ),
    "constrained_forward_dynamics_weighted_hessian": Truth(
        constrained_second_order.constrained_forward_dynamics_weighted_hessian, _second_differences
    ),
    "constrained_hybrid_dynamics_weighted_hessian": Truth(
        constrained_second_order.constrained_hybrid_dynamics_weighted_hessian, _second_differences
    ),
    "constrained_hybrid_dynamics_partials": Truth(
        constrained_partials.constrained_hybrid_dynamics_partials, _solved_differences
    ),
    "constrained_forward_dynamics_adjoint": Truth(
        weighted.gradient_of(constrained_partials.constrained_forward_dynamics_partials), _solved_differences
    ),
    "constrained_hybrid_dynamics_adjoint": Truth(
        weighted.gradient_of(constrained_partials.constrained_hybrid_dynamics_partials), _solved_differences
    ),
    "constrained_inverse_dynamics": Truth(constrained.constrained_inverse_dynamics, _thrice),
    "constrained_inverse_dynamics_partials": Truth(
        shared_partials.constrained_inverse_dynamics_partials, _solved_differences
    ),
    "statics_residual": Truth(statics.statics_residual, _thrice),
    "statics_jacobian": Truth(statics.statics_jacobian, _differences),
    "constrained_inverse_dynamics_adjoint": Truth(
        weighted.gradient_of(shared_partials.constrained_inverse_dynamics_partials), _solved_differences
    ),
    "constrained_inverse_dynamics_weighted_hessian": Truth(
        weighted.hessian_of(shared_partials.constrained_inverse_dynamics_partials), _second_differences
    ),
    "impulse_dynamics_adjoint": Truth(
        weighted.gradient_of(impulses.impulse_dynamics_partials, given=False), _solved_differences
    ),
    "impulse_dynamics_weighted_hessian": Truth(
        weighted.hessian_of(impulses.impulse_dynamics_partials, given=False), _second_differences
    ),
    "impulse_dynamics": Truth(impulses.impulse_dynamics, _thrice),
    "impulse_dynamics_partials": Truth(impulses.impulse_dynamics_partials, _solved_differences),
    "operational_inertia": Truth(constrained.operational_inertia, _thrice),
    "state_derivative": Truth(state_space.state_derivative, _thrice),
    "state_jacobian": Truth(state_space.state_jacobian, _solved_differences),
    "step": Truth(
        _stepping(steps.step, implicit_steps.newton_step, "step"),
        _solved_differences,
    ),
    "step_partials": Truth(
        _stepping(steps.step_partials, implicit_steps.partials, "partials"),
        _solved_differences,
    ),
    "step_matrices": Truth(
        _stepping(steps.step_matrices, implicit_steps.matrices, "matrices"),
        _solved_differences,
    ),
    "step_equations": Truth(step_length.step_equations, _thrice),
    "implicit_residual_partials": Truth(implicit_steps.residual_partials, _solved_differences),
    "step_weighted_hessian": Truth(step_curvature.weighted_hessian, _second_differences),
    "step_adjoint": Truth(
        step_length.with_length(_stepping(steps.step_adjoint, implicit_steps.adjoint, "adjoint")),
        _solved_differences,
    ),
    "implicit_residual": Truth(residuals.implicit_residual, _once, switches=True),
    "implicit_jacobian": Truth(residuals.implicit_jacobian, _solved_differences, switches=True),
    "constrained_forward_dynamics_time_derivatives": Truth(
        constrained_derivatives.constrained_forward_dynamics_time_derivatives, constrained_derivatives.held_samples
    ),
    "constrained_hybrid_dynamics_time_derivatives": Truth(
        constrained_derivatives.constrained_hybrid_dynamics_time_derivatives, constrained_derivatives.held_samples
    ),
    "constrained_inverse_dynamics_time_derivatives": Truth(
        constrained_derivatives.constrained_inverse_dynamics_time_derivatives, constrained_derivatives.shared_samples
    ),
    "constrained_inverse_dynamics_time_derivatives_partials": Truth(
        order_slopes.order_slopes_of(
            constrained_derivatives.constrained_inverse_dynamics_time_derivatives,
            shared_partials.constrained_inverse_dynamics_partials,
            "V",
        ),
        lambda setting: 2 * setting.tree.nv * (setting.order + 3) * constrained_derivatives.shared_samples(setting),
    ),
    "forward_dynamics_time_derivatives_partials": Truth(
        order_slopes.order_slopes_of(
            acceleration_derivatives.forward_dynamics_time_derivatives,
            partial_derivatives.forward_dynamics_partials,
            "T",
        ),
        lambda setting: _solved_slopes(setting) * _solved_along(setting),
    ),
    "hybrid_dynamics_time_derivatives_partials": Truth(
        order_slopes.order_slopes_of(
            acceleration_derivatives.hybrid_dynamics_time_derivatives, partial_derivatives.hybrid_dynamics_partials, "U"
        ),
        lambda setting: _solved_slopes(setting) * _solved_along(setting),
    ),
    "constrained_forward_dynamics_time_derivatives_partials": Truth(
        order_slopes.order_slopes_of(
            constrained_derivatives.constrained_forward_dynamics_time_derivatives,
            constrained_partials.constrained_forward_dynamics_partials,
            "T",
        ),
        lambda setting: _solved_slopes(setting) * constrained_derivatives.held_samples(setting),
    ),
    "constrained_hybrid_dynamics_time_derivatives_partials": Truth(
        order_slopes.order_slopes_of(
            constrained_derivatives.constrained_hybrid_dynamics_time_derivatives,
            constrained_partials.constrained_hybrid_dynamics_partials,
            "U",
        ),
        lambda setting: _solved_slopes(setting) * constrained_derivatives.held_samples(setting),
    ),
}
"""By name in the catalogue."""


def find_truth(function: str) -> Truth:
    """The truth of a function.

    Raises
    ------
    VerificationError
        A function that the oracle does not know.
    """
    if function not in TRUTHS:
        raise VerificationError(
            f"function '{function}': no independent truth; this version verifies {', '.join(TRUTHS)}"
        )
    return TRUTHS[function]
