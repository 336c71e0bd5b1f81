"""Rods, sections that deform, and bodies given by their map."""

from __future__ import annotations

from support.cases import Case, dealt, rows
from support.parts import DEAR, OF_EVERY_ROBOT, OF_SOFT_LINKS, without

LIGHT = without(OF_EVERY_ROBOT, *DEAR)

ROWS: tuple[Case, ...] = (
    *rows("rod", (*OF_EVERY_ROBOT, *OF_SOFT_LINKS), external_wrenches="world"),
    *rows("thin", (*LIGHT, *OF_SOFT_LINKS), external_wrenches="body"),
    *rows("thin", ("inverse_dynamics_partials", "forward_dynamics_partials", "statics_jacobian")),
    *rows("cone", (*LIGHT, *OF_SOFT_LINKS)),
    *rows("elastic cone", ("potential_energy", "inverse_dynamics_partials")),
    *rows("membrane", OF_EVERY_ROBOT, external_wrenches="world"),
    *rows("cone", ("task_bias", "operational_space_control"), frames=("hand",)),
    *rows("cone", ("task_errors",), tasks=("hand",)),
    *dealt(("growing", "bag"), OF_EVERY_ROBOT),
)
