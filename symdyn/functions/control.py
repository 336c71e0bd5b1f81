"""Control laws without a solver, and the inertia and bias of frames that they rest on."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from symdyn.dynamics.control.computed_torque import computed_torque_plan
from symdyn.dynamics.control.task_space import operational_space_control_plan, task_bias_plan, task_inertia_plan
from symdyn.functions import arguments
from symdyn.functions.arguments import Maker
from symdyn.functions.entry import CatalogueEntry
from symdyn.functions.kinematics import TWIST
from symdyn.functions.parts import OPEN_TREE
from symdyn.functions.request import free_rows
from symdyn.functions.units import mass, quotient
from symdyn.interface.signature import Argument
from symdyn.model.joints import ACCELERATION_UNITS, FORCE_UNITS
from symdyn.model.model import Model

_RATES = ("m/s",) * 3 + ("rad/s",) * 3
_BY_FRAME = ("frames",)


def _of_frames(name: str, units: tuple[str, ...], description: str) -> Maker:
    """An argument (nframes, 6): linear; angular, world axes, at each frame's origin."""

    def made(model: Model) -> Argument:
        count = len(model.frame_names)
        return Argument(name, (count, 6), (model.frame_names, TWIST), units * count, description)

    return made


def task_inertia(model: Model) -> Argument:
    """The inertia L, (6 nframes, 6 nframes), of all rows of the frames, frame by frame; kg, kg m or kg m^2."""
    names = tuple(f"{frame}.{row}" for frame in model.frame_names for row in TWIST)
    rates = _RATES * len(model.frame_names)
    units = tuple(mass(row, column) for row in rates for column in rates)
    return Argument("inertia", (len(names),) * 2, (names, names), units, "inertia of the frames' rows, both triangles")


def null_forces(model: Model) -> Argument:
    """The generalised forces tau_0, (nv,), of which a task leaves what does not move its frames."""
    forces = arguments.generalised_forces(model)
    return Argument("tau_0", forces.shape, forces.rows, forces.units, "forces for what the task leaves free")


def _per_move(name: str, by: str, description: str) -> Maker:
    """An argument (nv,) in 1/s to some power."""
    return lambda model: Argument(name, (model.nv,), (model.velocity_names,), (by,) * model.nv, description)


def desired_coordinates(model: Model) -> Argument:
    """The desired coordinates q_d, (nq,)."""
    return replace(arguments.coordinates(model), name="q_d", description="desired coordinates")


def desired_velocities(model: Model) -> Argument:
    """The desired velocities v_d, (nv,)."""
    return replace(arguments.velocities(model), name="v_d", description="desired velocities")


def desired_accelerations(model: Model) -> Argument:
    """The desired accelerations a_d, (nv,)."""
    return replace(arguments.accelerations(model), name="a_d", description="desired accelerations")


EPS = _of_frames(
    "eps",
    tuple(quotient("1", mass(rate, rate)) for rate in _RATES),
    "added to the diagonal of J M^-1 J^T; 0 for an exact task, large for rows that do not count",
)
TASK_BIAS = _of_frames("mu", tuple(FORCE_UNITS[rate] for rate in _RATES), "forces of the task at a_d = 0")
TASK_ACCELERATION = _of_frames(
    "a_d", tuple(ACCELERATION_UNITS[rate] for rate in _RATES), "desired acceleration of each frame"
)
_FOLLOWED: tuple[Maker, ...] = (
    arguments.coordinates,
    arguments.velocities,
    desired_coordinates,
    desired_velocities,
    desired_accelerations,
    _per_move("K_p", "1/s^2", "gains of position errors"),
    _per_move("K_d", "1/s", "gains of velocity errors"),
)
_SOURCE = "Khatib 1987; Featherstone 2008, section 8.5, for the half-solutions"

_task_entry = partial(
    CatalogueEntry, source=_SOURCE, takes=_BY_FRAME, demands=_BY_FRAME, needs=OPEN_TREE, solves=free_rows
)
"""An entry of the catalogue for chosen frames of a tree without loops."""

ENTRIES = (
    _task_entry(
        "task_inertia",
        "Inertia of frames: q, eps -> inertia, (6 nframes, 6 nframes).",
        arguments.signed(
            "task_inertia",
            (arguments.coordinates, EPS),
            (task_inertia,),
            "Inertia L that the rows of the chosen frames feel at position q.",
            feels_gravity=False,
        ),
        lambda model, _: task_inertia_plan(model),
        equation="L = (J M^-1 J^T + diag(eps))^-1",
    ),
    _task_entry(
        "task_bias",
        "Forces of frames without acceleration: q, v, eps -> mu, (nframes, 6).",
        arguments.signed(
            "task_bias",
            (arguments.coordinates, arguments.velocities, EPS),
            (TASK_BIAS,),
            "Forces mu on the chosen frames that leave their velocities as they are.",
        ),
        lambda model, _: task_bias_plan(model),
        equation="mu = L (J M^-1 bias - J' v), L = (J M^-1 J^T + diag(eps))^-1",
    ),
    _task_entry(
        "operational_space_control",
        "Joint forces that accelerate frames as desired: q, v, a_d, tau_0, eps -> tau.",
        arguments.signed(
            "operational_space_control",
            (arguments.coordinates, arguments.velocities, TASK_ACCELERATION, null_forces, EPS),
            (arguments.generalised_forces,),
            "Joint forces tau that give the chosen frames the accelerations a_d, with tau_0 in what these leave free.",
        ),
        lambda model, _: operational_space_control_plan(model),
        equation="tau = J^T (L a_d + mu) + (1 - J^T L J M^-1) tau_0",
    ),
    CatalogueEntry(
        "computed_torque",
        "Joint forces that follow a desired motion: q, v, q_d, v_d, a_d, K_p, K_d -> tau.",
        lambda model, request: arguments.signature(
            model,
            request,
            "computed_torque",
            tuple(make(model) for make in _FOLLOWED),
            (arguments.generalised_forces(model),),
            "Joint forces tau with which errors of position and velocity fade as gains say, row by row.",
        ),
        lambda model, request: computed_torque_plan(model, request.external),
        equation="tau = inverse_dynamics(q, v, a_d + K_d (v_d - v) + K_p (q_d (-) q)), (-) as robot.difference",
        source="Luh, Walker & Paul 1980; Lynch & Park 2017, section 11.4",
        takes=("external_wrenches",),
        needs=OPEN_TREE,
    ),
)
