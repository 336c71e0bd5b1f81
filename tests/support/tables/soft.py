"""Rods, sections that deform, and bodies given by their map."""

from __future__ import annotations

from support.cases import Case, dealt, rows
from support.parts import DEAR, DEAREST, OF_EVERY_ROBOT, OF_SOFT_LINKS, OF_STEPS, without
from support.robots.sprung import FEEDFORWARD, OF_ELASTIC_JOINTS

LIGHT = without(OF_EVERY_ROBOT, *DEAR)

ROWS: tuple[Case, ...] = (
    *rows("rod", (*OF_EVERY_ROBOT, *OF_SOFT_LINKS), external_wrenches="world"),
    *rows("rod", OF_STEPS, external_wrenches="world"),
    *rows("rod", OF_STEPS[:4], step="implicit_euler"),
    *rows("thin", (*LIGHT, *OF_SOFT_LINKS), external_wrenches="body"),
    *rows("thin", ("inverse_dynamics_partials", "forward_dynamics_partials", "statics_jacobian")),
    *rows("thin", ("inverse_dynamics_time_derivatives", "forward_dynamics_time_derivatives")),
    *rows("cone", (*without(OF_EVERY_ROBOT, *DEAREST), *OF_SOFT_LINKS)),
    *rows("elastic rod", (OF_ELASTIC_JOINTS, FEEDFORWARD)),
    *rows("rod", ("inverse_dynamics_time_derivatives", "forward_kinematics_time_derivatives"), order=2),
    *rows(("hose", "thin hose"), ("inverse_dynamics", "forward_dynamics", "jacobians", "mass_matrix")),
    *rows("hose", ("inverse_dynamics_regressor",)),
    *rows("thin hose", ("coriolis_matrix",)),
    *rows("elastic cone", ("potential_energy", "inverse_dynamics_partials")),
    *rows("membrane", OF_EVERY_ROBOT, external_wrenches="world"),
    *rows("cone", ("task_bias", "operational_space_control"), frames=("hand",)),
    *rows("cone", ("task_errors",), tasks=("hand",)),
    *dealt(("growing", "bag"), OF_EVERY_ROBOT),
)
