"""Rigid trees: each function on joints of all kinds, free bases, followers, springs, rotors and losses."""

from __future__ import annotations

from dataclasses import replace

from support.cases import Case, dealt, rows
from support.parts import CURVED_STEPS, DEAREST, OF_EVERY_ROBOT, OF_STEPS, TRANSCRIBED_STEPS, without
from support.robots.sprung import FEEDFORWARD, OF_ELASTIC_JOINTS
from symdyn.functions.catalogue import CATALOGUE

WITH_WRENCHES = tuple(name for name in OF_EVERY_ROBOT if "external_wrenches" in CATALOGUE[name].takes)
ORDERS = tuple(name for name in OF_EVERY_ROBOT if "order" in CATALOGUE[name].takes)
SPATIAL = tuple(name for name in OF_EVERY_ROBOT if "formulation" in CATALOGUE[name].takes)
FRAMES = (
    *("forward_kinematics", "jacobians", "jacobians_time_derivative", "forward_kinematics_time_derivatives"),
    "frame_velocity_partials",
)
TASKS = ("task_inertia", "task_bias", "operational_space_control")
LIGHT = without(OF_EVERY_ROBOT, *DEAREST)
NARROW = (
    "inverse_dynamics",
    "forward_dynamics",
    "mass_matrix",
    "forward_kinematics",
    "inverse_dynamics_partials",
    "centroidal_momentum",
    "coriolis_matrix",
)
"""Also in single precision."""

ROWS: tuple[Case, ...] = (
    *rows("tree", OF_EVERY_ROBOT),
    *rows("chain", LIGHT),
    *rows("followers", [name for name in OF_EVERY_ROBOT if name not in LIGHT]),
    *dealt(("fork", "followers", "thrown"), LIGHT),
    *dealt(("body twist", "spatial fork", "ball", "branches"), LIGHT),
    *dealt(("followers", "fork"), without(WITH_WRENCHES, *DEAREST), external_wrenches="world"),
    *dealt(("tree", "elastic_arm"), WITH_WRENCHES, external_wrenches="body"),
    *dealt(("chain", "spatial fork"), without(ORDERS, *DEAREST), order=2, external_wrenches="world"),
    *rows("elastic_arm", ORDERS, order=2),
    *dealt(("followers", "fork"), without(ORDERS, "partials"), order=3),
    *rows(("elastic chain", "elastic tree"), (OF_ELASTIC_JOINTS, FEEDFORWARD)),
    *rows("elastic tree", (OF_ELASTIC_JOINTS,), order=2, external_wrenches="world"),
    *rows("double_pendulum", SPATIAL, rule="world", formulation="spatial", order=2),
    *rows("seven_dof_arm", SPATIAL, rule="world", formulation="spatial", order=1, external_wrenches="world"),
    *rows(("tree", "chain", "ball"), ("coriolis_matrix",), factorization="lemma1"),
    *dealt(("chain", "fork"), FRAMES, frames=("tool",)),
    *rows(("chain", "fork", "seven_dof_arm"), TASKS, frames=("tool",)),
    *rows(
        ("chain", "fork", "spatial fork", "followers"), ("task_errors",), tasks=("tool", "link1:position", "tool:axis")
    ),
    *rows(("tree", "elastic_arm", "ball", "spatial fork", "thrown"), ("computed_torque",)),
    *rows("fork", ("computed_torque",), external_wrenches="world"),
    *rows(("double_pendulum", "fork", "spatial fork", "ball"), OF_STEPS[:4]),
    *rows("followers", OF_STEPS),
    *rows("double_pendulum", OF_STEPS[:4], step="implicit_euler"),
    *rows("ball", OF_STEPS[:4], step="implicit_midpoint"),
    *rows("double_pendulum", OF_STEPS[:4], step="rk4"),
    *rows("ball", OF_STEPS[:4], rule="stages", step="sdirk2"),
    *rows("thrown", OF_STEPS[:4], step="rk4"),
    *rows("double_pendulum", OF_STEPS[4:]),
    *rows("planar", OF_STEPS[2:4], gradient="parameters"),
    *rows("planar", OF_STEPS[2:3], gradient="parameters", step="implicit_midpoint"),
    *rows("planar", OF_STEPS[2:4], gradient="parameters", step="rk4"),
    *rows("planar", OF_STEPS[2:4], rule="stages", gradient="parameters", step="sdirk2"),
    *rows(("double_pendulum", "fork"), TRANSCRIBED_STEPS),
    *rows("ball", TRANSCRIBED_STEPS, step="implicit_midpoint"),
    *rows("ball", TRANSCRIBED_STEPS, rule="stages", step="sdirk2"),
    *rows(("ball", "planar"), OF_STEPS[3:4], gradient="step"),
    *rows("ball", OF_STEPS[3:4], gradient="step", step="rk4"),
    *rows("double_pendulum", OF_STEPS[3:4], gradient="step", step="implicit_midpoint"),
    *rows("ball", OF_STEPS[3:4], rule="stages", gradient="step", step="sdirk2"),
    *rows(("double_pendulum", "fork", "ball"), CURVED_STEPS),
    *rows("double_pendulum", CURVED_STEPS, step="rk4"),
    *rows("double_pendulum", CURVED_STEPS, step="implicit_midpoint"),
    *rows("double_pendulum", CURVED_STEPS, rule="stages", step="sdirk2"),
    *(replace(case, dtypes=("float64", "float32")) for case in rows(("double_pendulum", "seven_dof_arm"), NARROW)),
)
