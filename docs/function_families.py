"""Families of functions: a page each in docs/functions, in the order of tasks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase


@dataclass(frozen=True)
class Family:
    """Functions for one task: the page's name, its title, what a reader does with them, and patterns of their names."""

    page: str
    title: str
    task: str
    patterns: tuple[str, ...]


FAMILIES = (
    Family(
        "dynamics",
        "Forces and motion",
        "find the forces that a motion needs, or the motion that forces cause",
        ("inverse_dynamics", "forward_dynamics", "hybrid_dynamics", "gravity", "bias", "joint_wrenches"),
    ),
    Family(
        "kinematics",
        "Poses, Jacobians, momentum",
        "find where frames are and how they move, and the momentum of the whole robot",
        ("forward_kinematics*", "jacobians*", "frame_velocity*", "center_of_mass*", "centroidal_momentum*"),
    ),
    Family(
        "mass-matrix",
        "Mass matrix, energies, regressor",
        "take the equations of motion apart: M, C, energies, and the matrix of inertial parameters",
        ("mass_matrix*", "coriolis_matrix", "kinetic_energy", "potential_energy", "*_regressor", "*_rate_terms"),
    ),
    Family(
        "closed-loops",
        "Closed loops and impacts",
        "compute dynamics where loops are closed, their errors and multipliers, and velocities after an impact",
        (
            "constrained_forward_dynamics",
            "constrained_hybrid_dynamics",
            "constrained_inverse_dynamics",
            "impulse_dynamics",
            "constraint_*",
            "operational_inertia",
        ),
    ),
    Family(
        "contacts",
        "Rigid contacts",
        "build and solve the contact problem of a step yourself, or find forces of a stance",
        ("contact_*", "stance_forces"),
    ),
    Family(
        "control",
        "Control and inverse kinematics",
        "control frames and joints by torques, and find positions for poses",
        ("task_*", "operational_space_control", "computed_torque", "elastic_joint_*"),
    ),
    Family("costs", "Costs of optimal control", "evaluate costs with their derivatives", ("stage_cost*", "end_cost*")),
    Family(
        "soft-bodies",
        "Actuators and soft links",
        "map inputs of tendons and chambers to forces, and look into rods",
        ("tendon_*", "chamber_*", "actuation_*", "inverse_actuation*", "elastic_forces", "damping_forces", "station_*"),
    ),
    Family(
        "steps",
        "Steps, states and rests",
        "integrate motions, find rests, and differentiate steps",
        ("state_*", "implicit_*", "statics_*", "step", "step_*"),
    ),
    Family(
        "partials", "Partial derivatives", "get Jacobians of dynamics by q, v and the input", ("*_dynamics_partials",)
    ),
    Family(
        "gradients",
        "Gradients and Hessians",
        "get the gradient, or the Hessian, of a weighted sum of results, without their Jacobians",
        ("*_dynamics_adjoint", "*_dynamics_weighted_hessian"),
    ),
    Family(
        "time-derivatives",
        "Time derivatives of any order",
        "get rates of forces and accelerations, for smooth plans and series",
        ("*_dynamics_time_derivatives", "*_dynamics_time_derivatives_partials"),
    ),
)


def functions_of(names: Iterable[str]) -> dict[Family, list[str]]:
    """Names by family; every name belongs to the first family that has a pattern for it.

    Raises
    ------
    ValueError
        A function of no family.
    """
    found: dict[Family, list[str]] = {family: [] for family in FAMILIES}
    for name in names:
        family = next((own for own in FAMILIES if any(fnmatchcase(name, pattern) for pattern in own.patterns)), None)
        if family is None:
            raise ValueError(f"function '{name}' belongs to no family; add a pattern in docs/function_families.py")
        found[family].append(name)
    return found
