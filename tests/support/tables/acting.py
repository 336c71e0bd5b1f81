"""What acts from outside: wrenches, contacts, bushings, struts and fluid, of which some numbers are inputs."""

from __future__ import annotations

from support.cases import Case, dealt, rows
from support.parts import DEAREST, OF_EVERY_ROBOT, without

LIGHT = without(OF_EVERY_ROBOT, *DEAREST)
ACTED_ON = (
    "inverse_dynamics",
    "bias",
    "forward_dynamics",
    "joint_wrenches",
    "potential_energy",
    "damping_forces",
    "elastic_forces",
    "mass_matrix",
)
DIFFERENTIATED = ("inverse_dynamics_partials", "forward_dynamics_partials", "inverse_dynamics_rate_terms")

ROWS: tuple[Case, ...] = (
    *rows("acted", OF_EVERY_ROBOT),
    *dealt(("acted floating", "acted tree", "acted chain"), LIGHT, external_wrenches="body"),
    *rows("acted floating", ACTED_ON, external_wrenches="world"),
    *rows(("acted soft", "touching", "touching thin"), ACTED_ON),
    *dealt(("acted soft", "touching", "touching thin"), DIFFERENTIATED),
    *rows(("acted", "acted floating", "acted soft", "touching"), ("contact_gaps",)),
    *rows(("acted soft", "touching"), ("station_wrenches", "station_strains")),
    *rows("pairs", ("contact_gaps", "contact_jacobian")),
    *rows("foot", ("contact_problem", "contact_system"), external_wrenches="body"),
    *rows("foot", ("stance_forces",), external_wrenches="world", actuated=("turn.wx", "turn.wy", "turn.wz")),
    *rows("foot", ("contact_slopes",), gradient="step"),
    *rows("touched", ("contact_gaps", "contact_jacobian", "contact_system", "contact_slopes", "stance_forces")),
)
