"""Which functions of which robots the rails look at, with which options and in which layouts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

FLOATS = "floats"
"""The target of cases that run the recursion on floats; their hash is that of the bytes of all results."""

ROLLED = ("c/rolled",)
PIECES = ("c/split",)
BOTH = (*PIECES, *ROLLED)
CHOSEN = ("c/auto", "python/auto", "jax/auto")
LANES = ("c/split-lanes", "c/rolled-lanes")


@dataclass(frozen=True, slots=True)
class Set:
    """Functions of one robot with the same options, in some layouts; no ``functions`` are all of the catalogue.

    ``quick`` sets are those of the short check. An option with several names has commas.
    """

    robot: str
    layouts: Sequence[str]
    functions: Sequence[str] = ()
    options: Mapping[str, str] = field(default_factory=dict)
    quick: bool = False


@dataclass(frozen=True, slots=True)
class Case:
    """A function of a robot as it is generated, or run on floats."""

    robot: str
    function: str
    options: str
    target: str
    layout: str

    @property
    def asked(self) -> dict[str, Any]:
        """The options as ``generate`` takes them."""
        found: dict[str, Any] = {}
        for name, text in (item.split("=") for item in self.options.split(";") if item):
            found[name] = float(text) if name == "stabilisation" else tuple(text.split(",")) if name in NAMES else text
        return found


NAMES = ("prescribed", "unknown", "switched", "actuated", "frames", "tasks")
CORE = (
    "inverse_dynamics",
    "forward_dynamics",
    "hybrid_dynamics",
    "forward_dynamics_partials",
    "forward_dynamics_time_derivatives",
    "mass_matrix_inverse",
    "inverse_dynamics_adjoint",
    "forward_dynamics_adjoint",
    "statics_jacobian",
    "constrained_forward_dynamics",
    "constrained_forward_dynamics_partials",
    "constrained_forward_dynamics_time_derivatives",
    "constrained_forward_dynamics_adjoint",
    "constrained_inverse_dynamics",
    "impulse_dynamics_partials",
)
"""Values, partials, orders and gradients, whether or not there is such a function yet."""
VALUES = ("inverse_dynamics", "forward_dynamics", "mass_matrix_inverse", "inverse_dynamics_partials")
LOOP_VALUES = (
    "constrained_forward_dynamics",
    "constrained_inverse_dynamics",
    "impulse_dynamics",
    "operational_inertia",
)
GRADIENTS = ("forward_dynamics_adjoint", "constrained_forward_dynamics_adjoint")
DRIVEN = (
    "forward_dynamics",
    "forward_dynamics_partials",
    "forward_dynamics_weighted_hessian",
    "hybrid_dynamics_partials",
)
SOLVED = ("implicit_residual", "implicit_jacobian", "statics_residual", "statics_jacobian")
LOOPED = (
    "constrained_forward_dynamics",
    "constrained_forward_dynamics_partials",
    "constrained_forward_dynamics_time_derivatives",
    "constrained_forward_dynamics_weighted_hessian",
    "constrained_hybrid_dynamics",
    "constrained_hybrid_dynamics_partials",
    "constrained_hybrid_dynamics_time_derivatives",
)
SHARED = (
    "constrained_inverse_dynamics",
    "constrained_inverse_dynamics_partials",
    "constrained_inverse_dynamics_time_derivatives",
)
STRUCK = ("impulse_dynamics", "impulse_dynamics_partials")

HYBRID = ("hybrid_dynamics", "hybrid_dynamics_partials", "hybrid_dynamics_time_derivatives")
STANDING = (*LOOPED, *SHARED, *STRUCK, *SOLVED, *GRADIENTS, "operational_inertia")
STEPS = ("step", "step_partials", "step_adjoint", "step_equations")
TASKS = ("task_inertia", "task_bias", "operational_space_control", "frame_velocity_partials")
COSTS = ("stage_cost", "stage_cost_derivatives", "end_cost", "end_cost_derivatives")
TOUCHING = (
    *("contact_jacobian", "contact_problem", "contact_system", "contact_slopes", "contact_factors", "contact_gaps"),
    "stance_forces",
)
UNKNOWN = {"inputs": "actuators", "prescribed": "left_shoulder", "unknown": "left_shoulder"}

SETS = (
    Set("seven_dof_arm", ROLLED, quick=True),
    Set("seven_dof_arm", ("c/unrolled", "c/split")),
    Set("seven_dof_arm", CHOSEN, CORE),
    Set("seven_dof_arm", BOTH, (*DRIVEN, "inverse_dynamics_partials"), {"external_wrenches": "world"}),
    Set("parametric_arm", ROLLED, CORE, quick=True),
    Set("parametric_arm", ROLLED),
    Set("hand", LANES, CORE),
    Set("quadruped", ROLLED, CORE, quick=True),
    Set("quadruped", ROLLED),
    Set("quadruped", ("c/auto", *PIECES, *LANES), CORE),
    Set("humanoid", ROLLED, CORE),
    Set("humanoid", ("c/auto", *LANES), VALUES),
    Set("gripper", ROLLED, quick=True),
    Set("gripper", ("c/unrolled", "c/split")),
    Set("elastic_arm", ROLLED, quick=True),
    Set("elastic_arm", ("c/unrolled", "c/split")),
    Set("canadarm", ROLLED, CORE, quick=True),
    Set("canadarm", ROLLED),
    Set("canadarm", PIECES, CORE),
    Set("mixed_arm", ROLLED),
    Set("mixed_arm", ("c/auto",), CORE),
    Set("five_bar", BOTH, quick=True),
    Set("five_bar", ("c/unrolled",)),
    Set("five_bar", CHOSEN, CORE),
    Set("five_bar", BOTH, (*LOOPED, *SHARED, *STRUCK), {"switched": "hand"}, quick=True),
    Set("five_bar", BOTH, (*DRIVEN, *LOOPED, *SOLVED), {"inputs": "actuators"}, quick=True),
    Set("five_bar", BOTH, LOOPED, {"stabilisation": "0.1"}),
    Set("five_bar", BOTH, SHARED, {"objective": "force"}),
    Set("five_bar", BOTH, STRUCK, {"restitution": "input"}, quick=True),
    Set("five_bar", BOTH, HYBRID, UNKNOWN, quick=True),
    Set("parametric_five_bar", ROLLED, CORE, quick=True),
    Set("parametric_five_bar", ROLLED),
    Set("slider_crank", PIECES, quick=True),
    Set("slider_crank", ("c/unrolled", "c/rolled")),
    Set("slider_crank", BOTH, SHARED, {"actuated": "turn"}),
    Set("standing_quadruped", ROLLED, CORE, quick=True),
    Set("standing_quadruped", ROLLED, STANDING),
    Set("standing_quadruped", (*PIECES, *LANES), (*LOOP_VALUES, *GRADIENTS)),
    Set("standing_quadruped", ROLLED, (*LOOPED, *STRUCK), {"switched": "front_left_stand,rear_right_stand"}),
    Set("standing_quadruped", ROLLED, (*LOOPED, *SOLVED), {"inputs": "actuators", "stabilisation": "0.1"}),
    Set("stewart_platform", ROLLED, CORE, quick=True),
    Set("stewart_platform", ROLLED, STANDING),
    Set("stewart_platform", PIECES, (*LOOP_VALUES, *GRADIENTS)),
    Set("tentacle", ROLLED, CORE, quick=True),
    Set("tentacle", ROLLED),
    Set("cable_manipulator", ROLLED, (*DRIVEN, *SOLVED), {"inputs": "actuators"}),
    Set("soft_pair", ROLLED, CORE, quick=True),
    Set("soft_pair", ROLLED),
    Set("soft_pair", PIECES, LOOP_VALUES),
    Set("soft_pair", ROLLED, (*LOOPED, *SOLVED), {"inputs": "actuators", "stabilisation": "0.1"}),
    Set("elastic_arm", ROLLED, STEPS[:3], {"step": "rk4"}, quick=True),
    Set("gripper", ROLLED, STEPS, {"step": "implicit_midpoint"}, quick=True),
    Set("five_bar", ROLLED, STEPS, {"step": "implicit_euler"}, quick=True),
    Set("elastic_arm", ROLLED, STEPS, {"step": "sdirk2"}, quick=True),
    Set("seven_dof_arm", ROLLED, TASKS, {"frames": "tool"}, quick=True),
    Set("elastic_arm", ROLLED, TASKS, {"frames": "lower"}, quick=True),
    Set("gripper", ROLLED, TASKS, {"frames": "left2"}, quick=True),
    Set("seven_dof_arm", ROLLED, ("task_errors",), {"tasks": "tool"}, quick=True),
    Set("elastic_arm", ROLLED, ("task_errors",), {"tasks": "lower:position"}, quick=True),
    Set("gripper", ROLLED, ("task_errors",), {"tasks": "left2:axis"}, quick=True),
    *(Set(f"reaching_{name}", ROLLED, COSTS, quick=True) for name in ("pendulum", "elastic", "gripper")),
    *(Set(name, ROLLED, TOUCHING, quick=True) for name in ("ball", "hopper", "grasp")),
)

BITS = {
    "seven_dof_arm": (
        "inverse_dynamics",
        "forward_dynamics_partials",
        "forward_dynamics_time_derivatives",
        "mass_matrix_inverse",
        "coriolis_matrix",
    ),
    "quadruped": (
        "forward_dynamics",
        "hybrid_dynamics_partials",
        "inverse_dynamics_regressor",
        "inverse_dynamics_weighted_hessian",
        "centroidal_momentum_matrix",
    ),
    "gripper": ("forward_dynamics", "inverse_dynamics_adjoint", "forward_dynamics_weighted_hessian"),
    "canadarm": ("inverse_dynamics", "inverse_dynamics_partials", "forward_dynamics", "forward_dynamics_partials"),
    "parametric_arm": ("inverse_dynamics_partials", "forward_dynamics_partials"),
    "five_bar": (
        "constrained_forward_dynamics_partials",
        "constrained_forward_dynamics_time_derivatives",
        "constrained_forward_dynamics_weighted_hessian",
        "constrained_inverse_dynamics_partials",
        "impulse_dynamics_partials",
        "state_jacobian",
    ),
    "slider_crank": ("constrained_hybrid_dynamics_partials", "statics_jacobian", "implicit_jacobian"),
    "standing_quadruped": (
        "constrained_forward_dynamics",
        "constrained_inverse_dynamics",
        "constrained_hybrid_dynamics",
        "operational_inertia",
    ),
    "tentacle": ("inverse_dynamics", "mass_matrix", "forward_dynamics", "inverse_dynamics_adjoint"),
    "soft_pair": (
        "constrained_forward_dynamics_partials",
        "constrained_forward_dynamics_time_derivatives",
        "inverse_dynamics_partials",
        "statics_jacobian",
    ),
}
"""Forty pairs of robot and function whose recursion is run on floats."""


def cases(catalogue: Sequence[str], quick: bool = False) -> list[Case]:
    """All cases, each once, whether or not a robot has the function; ``quick``: those of the short check."""
    return list(dict.fromkeys(_cases(catalogue, quick)))


def _cases(catalogue: Sequence[str], quick: bool) -> Iterator[Case]:
    for own in SETS:
        if own.quick or not quick:
            options = ";".join(f"{name}={text}" for name, text in own.options.items())
            for function in own.functions or catalogue:
                for layout in own.layouts:
                    yield Case(own.robot, function, options, *layout.split("/"))
    for robot, functions in BITS.items():
        for function in functions:
            yield Case(robot, function, "", FLOATS, "")
