"""Which public names belong to which task, for docs/python-api.md; see ``reference.py``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import symdyn
import symdyn.api
import symdyn.errors
import symdyn.statics
from symdyn.analysis.simulation.smooth_inputs import SmoothInputs
from symdyn.interface.contact_solving import ContactCode, ContactReport, ContactStep
from symdyn.interface.rollouts import Rollout, RolloutCode, RolloutGradient
from symdyn.interface.signature import Argument
from symdyn.robot.records import Constraint
from symdyn.toolchain.module import LoadedSignature, Module
from symdyn.toolchain.solvers import Reached, SolveCode, Solved, Velocities
from symdyn.toolchain.steppers import Advanced, StepCode


@dataclass(frozen=True)
class Task:
    """A section of the page: what a user wants to do, a paragraph on it, and the names that do it.

    ``public`` are names of ``symdyn`` itself. ``others`` are the objects that these functions return, and functions of
    other modules, by the names that the page gives them.
    """

    title: str
    text: str
    public: tuple[str, ...]
    others: dict[str, Any]


TASKS = (
    Task(
        "Read a robot",
        "A robot comes from a file, from text, or from the shipped examples. All other functions take the `Robot` "
        "that these return, or the name of a file, which they load with its own options. [Robot "
        "files](robot-files.md) and [closed loops](closed-loops.md) are the guides.",
        ("load", "loads", "load_example", "examples", "from_description", "Robot"),
        {"symdyn.robot.records.Constraint": Constraint},
    ),
    Task(
        "Generate, compile and check functions",
        "`compile` returns a `Module`. Its functions are attributes, and each takes arrays by position, in the order "
        "of its signature. Leading dimensions broadcast, and `out=` takes an array, or a tuple of arrays, for the "
        "results. For example, `module.inverse_dynamics(q, v, a)` with q of shape (1000, 6) evaluates 1000 states. A "
        "module also has what `steppers`, `solvers` and `rollout` ask for: `step_rk4` and `advance_rk4` "
        "([steppers](steppers.md)), `solve_statics` ([statics](statics.md#in-c)), `solve_inverse_kinematics`, "
        "`solve_differential_ik` and `solve_soft_inverse_kinematics` ([inverse kinematics](inverse-kinematics.md)), "
        "and `rollout` with `rollout_gradient` ([rollouts](steps-and-rollouts.md)). `generate` writes the same code "
        "as source files, because a firmware or another build needs these and no Python.",
        ("compile", "generate", "open", "symbolic", "closed_form", "export_fmu"),
        {
            "symdyn.api.verify": symdyn.api.verify,
            "symdyn.api.explain": symdyn.api.explain,
            "symdyn.api.compare": symdyn.api.compare,
            "symdyn.api.trace": symdyn.api.trace,
            "Module": Module,
            "LoadedSignature": LoadedSignature,
            "Argument": Argument,
        },
    ),
    Task(
        "Simulate a motion",
        "`simulate` integrates a motion and returns a `Trajectory`. `contact_step` and `rollout` take steps of fixed "
        "length, because controllers and optimisers differentiate these. `play` writes a page in which the robot "
        "moves. [Simulation](simulation.md), [a robot on the ground](ground.md) and [rollouts](steps-and-rollouts.md) "
        "are the guides.",
        (
            "simulate",
            "play",
            "contact_step",
            "contact_step_partials",
            "rollout",
            "Trajectory",
            "PolynomialInputs",
            "HarmonicInputs",
        ),
        {
            "symdyn.analysis.simulation.smooth_inputs.SmoothInputs": SmoothInputs,
            "Advanced": Advanced,
            "StepCode": StepCode,
            "ContactStep": ContactStep,
            "ContactReport": ContactReport,
            "ContactCode": ContactCode,
            "Rollout": Rollout,
            "RolloutCode": RolloutCode,
            "RolloutGradient": RolloutGradient,
        },
    ),
    Task(
        "Find positions at rest and natural modes",
        "`symdyn.statics` solves R(q, 0, 0) = 0 and follows its solutions while a load grows, so that buckling and "
        "snapping are seen. [Statics](statics.md) is the guide.",
        ("equilibrium", "modes"),
        {
            **{f"symdyn.statics.{name}": getattr(symdyn.statics, name) for name in symdyn.statics.__all__},
            "Solved": Solved,
            "SolveCode": SolveCode,
        },
    ),
    Task(
        "Reach goals of frames",
        "Inverse kinematics of positions, of velocities, and of soft robots, where the unknowns are inputs of "
        "actuators. [Inverse kinematics](inverse-kinematics.md) is the guide.",
        ("inverse_kinematics", "differential_ik", "soft_inverse_kinematics"),
        {"Reached": Reached, "Velocities": Velocities},
    ),
    Task(
        "Plan and control",
        "An optimal-control problem is written once, in Python or YAML. Then it is solved here, compiled as a "
        "controller in C, or exported to CasADi and acados. [Costs and limits](costs-and-limits.md) and [optimal "
        "control](optimal-control.md) are the guides.",
        (
            "optimal_control",
            "load_problem",
            "export_ocp",
            "OptimalControlProblem",
            "Horizon",
            "SolverSettings",
            "Limits",
            "JointLimits",
            "StateCost",
            "InputCost",
            "InputRate",
            "FramePose",
            "FramePosition",
            "FrameVelocity",
            "FrameAxis",
            "CenterOfMass",
            "Momentum",
            "Energy",
            "Effort",
        ),
        {},
    ),
    Task(
        "Identify parameters from measurements",
        "`excitation` designs a motion, and `identify` estimates masses, inertias, friction and rotors from the "
        "torques that were measured along it. [Identify a robot](identification.md) is the guide.",
        ("excitation", "identify"),
        {},
    ),
    Task(
        "Errors and warnings",
        "All errors that symdyn raises on purpose derive from `SymdynError`, so one `except` catches them. It and "
        "`SymdynWarning` are also names of `symdyn` itself.",
        (),
        {
            f"symdyn.errors.{name}": value
            for name, value in vars(symdyn.errors).items()
            if isinstance(value, type) and issubclass(value, Exception)
        },
    ),
)


def members(task: Task) -> dict[str, Any]:
    """The objects of a section by the names that the page gives them."""
    return {f"symdyn.{name}": getattr(symdyn, name) for name in task.public} | task.others
