"""What the field and other libraries call the functions of the catalogue."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from symdyn.interface.rollouts import ROLLOUT_METHODS
from symdyn.interface.solving import SOLVERS

_WORDS = {
    "inverse_dynamics": ("rnea", "id", "newton_euler", "mj_inverse", "mj_rne"),
    "forward_dynamics": ("aba", "fd", "articulated_body"),
    "mass_matrix": (
        "crba",
        "m",
        "inertia",
        "inertia_matrix",
        "joint_space_inertia",
        "joint_space_inertia_matrix",
        "mj_full_m",
    ),
    "mass_matrix_inverse": ("minverse", "inverse_mass_matrix", "compute_minverse"),
    "bias": ("nle", "qfrc_bias", "nonlinear_effects", "non_linear_effects", "coriolis_gravity"),
    "gravity": ("generalized_gravity", "gravity_torques"),
    "coriolis_matrix": ("coriolis",),
    "forward_kinematics": ("fk", "frame_placements", "poses", "mj_kinematics"),
    "jacobians": ("frame_jacobian", "joint_jacobian", "jacobian", "joint_jacobians", "frame_jacobians"),
    "jacobians_time_derivative": ("jdot", "jacobian_dot", "frame_jacobian_time_variation"),
    "frame_velocity_partials": ("frame_velocity_derivatives",),
    "operational_space_control": ("osc", "task_space_control"),
    "task_inertia": ("operational_space_inertia", "lambda"),
    "computed_torque": ("inverse_dynamics_control", "ctc"),
    "elastic_joint_feedforward": ("flexible_joint_control", "elastic_feedforward"),
    "center_of_mass": ("com", "centre_of_mass"),
    "centroidal_momentum_matrix": ("ccrba", "cmm"),
    "inverse_dynamics_regressor": ("regressor", "joint_torque_regressor"),
    "inverse_dynamics_partials": ("rnea_derivatives", "inverse_dynamics_derivatives"),
    "forward_dynamics_partials": ("aba_derivatives", "forward_dynamics_derivatives"),
    "elastic_joint_inverse_dynamics_time_derivatives": (
        "elastic_inverse_dynamics",
        "elastic_joint_dynamics",
        "flexible_joint_inverse_dynamics",
        "motor_torques",
    ),
}
FIELD_WORDS = {word: function for function, words in _WORDS.items() for word in words}
"""The function of the catalogue that each word means."""
_JOINED = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_VERB = re.compile(r"(compute|get|calc|calculate)_")
_LISTED: list[Callable[[], Iterable[str]]] = []
STEPS = {
    "contact_step": "contacts",
    "contact_step_partials": "contacts",
    "advance_contacts": "contacts",
    "step_contacts": "contacts",
    "step": "rk4",
    "integrate": "rk4",
    "step_rk4": "rk4",
    "step_generalised_alpha": "generalised-alpha",
}
"""The stepper that makes each method of modules, or function in C, which no function of the catalogue is."""
_BESIDE = {"contact_step_partials": "functions=['contact_slopes', ..] and "}
_ROLLOUTS = ("rollout", "rollout_gradient")


_OF_ROBOTS = {
    "list(robot.joints)": ("joint_names", "actuated_joints", "movable_joints"),
    "list(robot.links)": ("link_names", "bodies"),
    "robot.frame_names, and robot.frame(name) for one": ("frames", "get_frame", "frame_ids"),
    "robot.nv": ("dof", "dofs", "ndof", "n_dof", "num_dof", "num_dofs", "num_joints", "njoints", "n_joints"),
    "robot.neutral()": ("home", "q0", "neutral_configuration", "zero"),
    "robot.limits": ("joint_limits", "lower_limits", "upper_limits", "position_limits", "velocity_limits"),
    "robot.load_options()['gravity']": ("gravity",),
    "robot.random_state()": ("random_configuration", "random_q", "sample"),
    "symdyn.simulate(robot, ..)": ("simulate", "step"),
    "symdyn.equilibrium(robot, ..)": ("equilibrium", "statics"),
    "symdyn.compile(robot, [..])": ("compile",),
}
"""What of robots others call otherwise."""


def of_robots(name: str) -> str:
    """What is written in place of an attribute that robots do not have; empty where that is not known."""
    for ours, words in _OF_ROBOTS.items():
        if name in words:
            return f"; write {ours}"
    function = None if name.startswith("_") else name if name in known_functions() else field_word(name)
    return f"; '{function}' is a function of modules: symdyn.compile(robot, ['{function}'])" if function else ""


def field_word(name: object) -> str | None:
    """The function that a name of the field means, also written as ``computeJointJacobians`` or ``get_com``."""
    word = str(name)
    words = (word.lower(), _JOINED.sub("_", word).lower())
    return next((FIELD_WORDS[own] for each in words for own in (each, _VERB.sub("", each)) if own in FIELD_WORDS), None)


def list_functions_by(names: Callable[[], Iterable[str]]) -> None:
    """Let messages know all functions of the catalogue, which is imported when a message needs it."""
    _LISTED[:] = [names]


def known_functions() -> list[str]:
    """All functions of the catalogue, where this process can make some."""
    return [name for names in _LISTED for name in names()]


def asked_by(name: str) -> str | None:
    """How to compile a method of modules that is no function of the catalogue; None for all other names."""
    if name in STEPS:
        return f"{_BESIDE.get(name, '')}steppers=['{STEPS[name]}']"
    if name in _ROLLOUTS:
        return f"rollout=.., one of {', '.join(ROLLOUT_METHODS)}"
    solver = "inverse_kinematics" if name == "ik" else name.removeprefix("solve_")
    return f"solvers=['{solver}']" if solver in SOLVERS else None
