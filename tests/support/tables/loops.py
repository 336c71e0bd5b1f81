"""Closed loops: each function of loops with each kind of loop, switches, impacts, stabilisation, actuators, rods."""

from __future__ import annotations

from support.cases import Case, dealt, rows
from support.parts import DEAR, DEAREST, OF_LOOPS, OF_STEPS, without
from support.robots.loop_chains import KINDS
from symdyn.functions.catalogue import CATALOGUE

SOLVERS = (
    "state_derivative",
    "state_jacobian",
    "implicit_residual",
    "implicit_jacobian",
    "statics_residual",
    "statics_jacobian",
)
WEIGHED = tuple(
    name
    for name in OF_LOOPS
    if name.startswith(("impulse", "constrained_inverse")) and name.endswith(("adjoint", "hessian"))
)
"""Gradients and second derivatives of impulses and shared forces: on the smallest robot alone."""
WITHOUT_WEIGHED = tuple(name for name in OF_LOOPS if name not in WEIGHED)
LOOPED = (*WITHOUT_WEIGHED, *SOLVERS)
ALONG_MOTIONS = tuple(f"constrained_{of}_dynamics_time_derivatives_partials" for of in ("forward", "hybrid"))
"""With a truth that takes minutes: of the smallest linkages alone; others are compared with 40-digit differences."""
CHAINS = tuple(f"{kind} loop" for kind in KINDS)


def taking(option: str) -> tuple[str, ...]:
    """Those that take an option."""
    return tuple(name for name in LOOPED if option in CATALOGUE[name].takes)


LIGHT = without(WITHOUT_WEIGHED, *DEAR)

INVERSE = tuple(name for name in WITHOUT_WEIGHED if name.startswith("constrained_inverse"))
STRUCK = ("impulse_dynamics", "impulse_dynamics_partials")
WITH_SWITCHES, STABILISED, DRIVEN = taking("switched"), taking("stabilisation"), taking("inputs")
FORCES = ("left_shoulder", "left_elbow", "right_shoulder")


def has_truth(case: Case) -> bool:
    """Whether the oracle computes it: not where all loops are open, nor rows of velocities in implicit equations.

    The prismatic loop has a row that vanishes at the state at which its gradients would be checked. Where loops and
    prescribed rows determine the motion of four_bar, accelerations do not depend on forces. In any precision the fixed
    number of corrections after the proximal factor leaves 3e-15 there, and more at higher orders, where the truth is 0.
    """
    if case.function in ALONG_MOTIONS:
        hybrid = "hybrid" in case.function
        return case.robot in ("five_bar", *(() if hybrid else ("four_bar", "sleigh"))) and not (
            hybrid and "inputs" in case.options
        )
    if case.robot == "prismatic loop":
        return not any(part in case.function for part in ("adjoint", "hessian"))
    if case.robot in ("pfaffian loop", "sleigh", "disc"):
        return not case.function.startswith("implicit")
    if "switched" in case.options:
        shared = case.function.startswith("constrained_inverse") and case.function.endswith("_partials")
        return not (shared or case.function == "statics_residual") and not (
            case.robot == "five_bar" and any(part in case.function for part in ("adjoint", "hessian"))
        )
    return True


ALL_ROWS: tuple[Case, ...] = (
    *rows(CHAINS, LOOPED, prescribed=("wrist",)),
    *rows("five_bar", LOOPED, prescribed=("left_shoulder",)),
    *rows("five_bar", without(WITH_SWITCHES, "inverse"), prescribed=("left_shoulder",), switched=("hand",)),
    *rows("five_bar", DRIVEN, prescribed=("left_shoulder",), inputs="actuators", stabilisation=0.1),
    *rows("five_bar", INVERSE, actuated=FORCES, weights=(1.0, 2.0, 0.5, 1.0)),
    *rows("five_bar", INVERSE, actuated=FORCES, objective="force"),
    *rows("four_bar", OF_LOOPS, prescribed=("input",), external_wrenches="world"),
    *rows("four_bar", INVERSE, actuated=("input",), external_wrenches="body"),
    *rows("geared loop", WITH_SWITCHES, prescribed=("a",), switched=("pin", "gear")),
    *rows("standing", without(WITHOUT_WEIGHED, "inverse", *DEAREST), prescribed=("left0_joint",)),
    *rows("standing", without(WITH_SWITCHES, "inverse", *DEAR), prescribed=("left0_joint",), switched=("left_foot",)),
    *dealt(CHAINS, without(STABILISED, *DEAREST), prescribed=("wrist",), stabilisation=0.3),
    *rows(CHAINS[::3], STRUCK, restitution="input"),
    *dealt(("sleigh", "disc"), LOOPED, prescribed=("yaw",)),
    *rows("rolling", without(LIGHT, "inverse", "impulse"), prescribed=("a b",)),
    *rows("parallel rods", without(LIGHT, "inverse", "impulse"), prescribed=("drive",)),
    *rows("bent rod", without(WITHOUT_WEIGHED, "inverse", "impulse"), prescribed=("rod.stretch[0]",)),
)
ROWS = (
    *filter(has_truth, ALL_ROWS),
    *rows("five_bar", OF_STEPS, stabilisation=0.1, inputs="actuators"),
    *rows("five_bar", OF_STEPS, stabilisation=0.1),
)
