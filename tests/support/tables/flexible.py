"""Beams: each function on links that bend in a plane, that bend, twist and stretch on a free base, and on a clamp."""

from __future__ import annotations

from support.cases import Case, rows
from support.parts import DEAR, OF_EVERY_ROBOT, without
from support.robots.sprung import FEEDFORWARD, OF_ELASTIC_JOINTS

LIGHT = without(OF_EVERY_ROBOT, *DEAR)

ROWS: tuple[Case, ...] = (
    *rows("planar", OF_EVERY_ROBOT, external_wrenches="world"),
    *rows("planar", ("inverse_dynamics_time_derivatives", "forward_dynamics_time_derivatives"), order=2),
    *rows("elastic planar", (OF_ELASTIC_JOINTS, FEEDFORWARD)),
    *rows("spatial", LIGHT, external_wrenches="body"),
    *rows("clamped", LIGHT),
    *rows("clamped", ("forward_dynamics_partials", "inverse_dynamics_time_derivatives", "inverse_dynamics_adjoint")),
)
