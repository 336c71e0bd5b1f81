"""Actuators: gears and laws on rigid trees, tendons, chambers and strains at rest on soft ones; unknown inputs."""

from __future__ import annotations

from support.cases import Case, dealt, rows
from support.parts import DEAREST, OF_EVERY_ROBOT, OF_STEPS, without
from symdyn.functions.catalogue import CATALOGUE

DRIVEN = tuple(name for name in OF_EVERY_ROBOT if "inputs" in CATALOGUE[name].takes)
LIGHT = without(DRIVEN, *DEAREST)
SOLVED = without(LIGHT, "hybrid")
ACTUATION = ("actuation_matrix", "inverse_actuation")
SLOPES = ("inverse_actuation_partials",)
UNKNOWN = ("hybrid_dynamics", "hybrid_dynamics_partials", "hybrid_dynamics_time_derivatives")

ROWS: tuple[Case, ...] = (
    *rows("geared", LIGHT, inputs="actuators"),
    *dealt(("varied", "lengthened"), LIGHT, inputs="actuators", external_wrenches="world"),
    *dealt(("lengthened", "varied"), SOLVED, inputs="actuators"),
    *rows("small", without(DRIVEN, "time_derivatives_partials"), inputs="actuators"),
    *dealt(("driven", "pulled", "pulled thin"), DRIVEN[:3], inputs="actuators"),
    *rows("small", ("forward_dynamics_time_derivatives",), inputs="actuators", order=2),
    *rows("pulled thin", ("forward_dynamics_partials",), inputs="actuators"),
    *rows(("geared", "small", "driven", "pulled", "pulled thin", "pulled hose"), ACTUATION),
    *rows(("geared", "small"), ("inverse_actuation",), weights="input"),
    *rows(("geared", "small", "driven", "pulled thin"), SLOPES),
    *rows("small", SLOPES, weights="input", external_wrenches="world"),
    *rows(("small", "pulled", "pulled thin", "pulled hose"), ("tendon_lengths", "chamber_volumes")),
    *rows("driven", ("chamber_volumes",)),
    *rows("geared", UNKNOWN, inputs="actuators", prescribed=("yaw", "swing"), unknown=("servo", "swing")),
    *rows("varied", UNKNOWN, inputs="actuators", prescribed=("yaw",), unknown=("servo",)),
    *rows("small", OF_STEPS, inputs="actuators"),
    *rows("geared", OF_STEPS, inputs="actuators"),
    *rows("small", UNKNOWN, inputs="actuators", prescribed=("turn",), unknown=("turn",)),
)
