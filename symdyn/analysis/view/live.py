"""What a page needs to move a robot by itself: its C in WebAssembly, and how that is called and drawn."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from symdyn.analysis.simulation.methods import may_be_stiff
from symdyn.analysis.simulation.servo import BALANCED, CALM, FITS, FLAT, RATE, SHARE, place_of_base, servo_rows
from symdyn.analysis.view.forces import force_axis
from symdyn.analysis.view.scene import Anchor, Array, Line, RodSource, Scene
from symdyn.description.loops import Loop
from symdyn.dynamics.contacts.stance import STANDING
from symdyn.errors import RequestError
from symdyn.generation.called_functions import contact_sets, weight
from symdyn.generation.pipeline import generated, with_options
from symdyn.interface.argument_words import given_choice, given_flag, given_positive
from symdyn.interface.manifest import FILE_NAME, FunctionEntry, Manifest, StepperEntry
from symdyn.interface.options import GenerateOptions
from symdyn.interface.signature import PARAMETERS, Argument
from symdyn.interface.stepping import CONTACTS, GENERALISED_ALPHA, RK4
from symdyn.robot.robot import Robot
from symdyn.robot.state_checks import check_not_filled
from symdyn.toolchain.wasm import wasm_module

STEPS = {RK4: 1e-3, GENERALISED_ALPHA: 2e-3, CONTACTS: 2e-3}
"""Methods that pages can step by, with their usual steps [s]."""
GRAVITY = ("gravity.x", "gravity.y", "gravity.z")
GAPS = "contact_gaps"
"""Where contacts are, for arrows of their forces."""
LOOPS = "constrained_forward_dynamics"
"""What loops exert, for arrows of their forces."""
SHOWN = ("forward_kinematics", "kinetic_energy", "potential_energy")
_CODES = {
    1: "too many steps",
    2: "no convergence",
    3: "too small a step",
    4: "numbers that are not finite",
    5: "bad settings",
    6: "no start",
    7: "a contact that was passed",
}
_SCALES = {"N": 2.0, "N m": 0.5, "Pa": 0.0}
_PRESSURE = 1e5
_GRAVITY_RANGE = 20.0


@dataclass(frozen=True)
class Played:
    """A robot as a page plays it: with gravity as run-time parameters, its method, its step [s], and its files in C.

    ``servo`` are the functions that make the forces of servos, one after another.
    """

    robot: Robot
    method: str
    step: float
    options: GenerateOptions
    servo: tuple[str, ...] = ()

    @classmethod
    def of(cls, robot: Robot, method: str | None = None, step: float | None = None, servo: bool = False) -> Played:
        """The robot with a method that suits it, where none was asked for.

        Raises
        ------
        RequestError
            A method that pages cannot step by, a step that is not above 0, or servos of a robot whose servos need
            more than computed torques and forces in stance.
        """
        check_not_filled(robot.model, "pages that play")
        method = suited(robot) if method is None else given_choice("method", method, STEPS)
        step = STEPS[method] if step is None else given_positive("step", step)
        runtime = dict.fromkeys((*robot.options.runtime, *GRAVITY))
        moved = with_options(robot, runtime=tuple(runtime))
        touching = method == CONTACTS and contact_sets(moved).contacts
        names = (*SHOWN, *(("station_poses",) if moved.model.stations else ()), *((GAPS,) if touching else ()))
        names = (*names, *((LOOPS,) if pulling(moved) and method != CONTACTS else ()))
        driving = servo_functions(moved) if given_flag("servo", servo) else ()
        names = tuple(dict.fromkeys((*names, *driving)))
        asked: dict[str, Any] = {"inputs": "actuators"} if moved.model.actuation.actuators and not servo else {}
        if len(driving) > 1:
            asked["actuated"] = [moved.velocity_names[row] for row in servo_rows(moved)]
        options = GenerateOptions.checked(names, steppers=(method,), external_wrenches="world", **asked)
        return cls(moved, method, step, options, driving)


def servo_functions(robot: Robot) -> tuple[str, ...]:
    """The functions that make the forces of servos: of computed torques alone, or on contacts by those in stance.

    There forward dynamics gives the acceleration that computed torques ask for, which stance forces take. In
    landings joints have theirs by the mass matrix, and rows of loops, under what contacts can give.
    """
    if robot.model.free_bases and contact_sets(robot).contacts:
        loops = ("contact_jacobian",) if robot.constraints else ()
        return ("computed_torque", "forward_dynamics", "stance_forces", "mass_matrix", *loops)
    if robot.constraints or len(servo_rows(robot)) < robot.nv:
        raise RequestError(
            f"servo: a page has servos of trees whose rows all have forces, and of robots on rigid contacts; robot "
            f"'{robot.name}' is none of these, so take symdyn.simulate(.., servo=True)"
        )
    return ("computed_torque",)


def suited(robot: Robot) -> str:
    """The method for a robot: that of rigid contacts where there are some, an implicit one where it may be stiff."""
    sets = contact_sets(robot)
    if sets.contacts or sets.limits or sets.dry:
        return CONTACTS
    return GENERALISED_ALPHA if may_be_stiff(robot) else RK4


def live_data(
    played: Played, scene: Scene, q: Array, v: Array, progress: Callable[[int, int], None] | None = None
) -> dict[str, Any]:
    """The module in WebAssembly with all that a page is to know of it; the robot begins at q (nq,), v (nv,)."""
    robot = played.robot
    files = generated(robot, played.options)
    manifest = Manifest.from_json(next(file.text for file in files if file.path == FILE_NAME))
    stepper = manifest.steppers[0]
    shown = [manifest.function(name) for name in played.options.functions]
    starts = played.method == GENERALISED_ALPHA
    exported = [stepper.c_name, *(entry.c_name for entry in shown), *([f"{stepper.c_name}_start"] if starts else [])]
    held = [own for own in manifest.function(stepper.moved_by).signature.inputs if own.name not in _OWN]
    tubes = [tube.name for tube in scene.tubes]
    touched = played.method == CONTACTS and contact_sets(robot).contacts
    return {
        "wasm": wasm_module(files, manifest, exported, progress),
        "functions": [_function(entry) for entry in shown],
        "stepper": _stepper(played, stepper, [own.name for own in held], starts),
        "inputs": [_input(robot, own, scene) for own in held],
        "nq": robot.nq,
        "nv": robot.nv,
        "neutral": robot.neutral(),
        "q": np.array(q, dtype=np.float64),
        "v": np.array(v, dtype=np.float64),
        "h": played.step,
        "velocities": list(robot.velocity_names),
        "bodies": bodies_of(robot),
        "origins": [robot.frame_names.index(name) for name in robot.body_names],
        "angularFirst": robot.options.convention == "spatial",
        "weight": weight(robot),
        "bend": 0.3 / scene.size,
        "tubes": [_source(tube.source, robot.frame_names) for tube in scene.tubes],
        "ends": [_ends(name, robot.frame_names) for name in tubes],
        "lines": [[_anchor(anchor, robot.frame_names, tubes) for anchor in line.anchors] for line in scene.lines],
        "loops": [
            {"anchors": [_anchor(anchor, robot.frame_names, tubes) for anchor in line.anchors], "rows": rows}
            for line, rows in _pulls(robot, scene)
        ],
        "multipliers": len(robot.model.loop_row_names),
        "servo": _servo(played) if played.servo else None,
        "shows": bool(touched),
        "exerts": bool(touched or pulling(robot)),
    }


def pulling(robot: Robot) -> dict[str, list[tuple[int, int]]]:
    """Per loop the rows of its multipliers that are forces, each with its axis, -1 along the line of its places."""
    found: dict[str, list[tuple[int, int]]] = {}
    first = 0
    for loop in robot.model.loops:
        rows = [(first + number, force_axis(row)) for number, row in enumerate(loop.rows)]
        first += len(loop.rows)
        if isinstance(loop.constraint, Loop) and any(axis is not None for _, axis in rows):
            found[loop.constraint.name] = [(row, axis) for row, axis in rows if axis is not None]
    return found


def _pulls(robot: Robot, scene: Scene) -> Iterator[tuple[Line, list[tuple[int, int]]]]:
    """The lines of loops that exert forces, with the rows of these."""
    forces = pulling(robot)
    return ((line, forces[line.loop]) for line in scene.lines if line.loop in forces)


_OWN = ("q", "v", "a", "h", "lambda")
"""Inputs that a stepper makes itself."""


def bodies_of(robot: Robot) -> list[int]:
    """The row of f_ext of each frame's body, -1 of frames that do not move."""
    links = list(robot.model.links)
    return [links.index(frame.body) if frame.body in links else -1 for frame in robot.model.frames]


def _function(entry: FunctionEntry) -> dict[str, Any]:
    signature = entry.signature
    return {
        "name": signature.function,
        "c": entry.c_name,
        "inputs": [own.name for own in signature.inputs],
        "outputs": [own.size for own in signature.outputs],
        "work": entry.work_size,
    }


def _stepper(played: Played, entry: StepperEntry, held: list[str], starts: bool) -> dict[str, Any]:
    contacts = None
    if played.method == CONTACTS:
        sets = contact_sets(played.robot)
        contacts = {"rows": sets.rows, "sets": len(sets.names), "slots": sets.contacts}
    return {
        "c": entry.c_name,
        "held": held,
        "starts": starts,
        "work": entry.work_size,
        "contacts": contacts,
        "codes": [_CODES.get(code, "") for code in range(max(_CODES) + 1)],
    }


def _servo(played: Played) -> dict[str, Any]:
    """What a page needs for servos: functions, rows that they drive, limits of these, the rate of errors, the base."""
    robot, effort = played.robot, np.asarray(played.robot.limits.effort)
    rows, layout = servo_rows(robot), robot.model.contact_layout
    known = np.isfinite(effort) & (effort >= 0.0)
    return {
        "functions": list(played.servo),
        "rows": rows,
        "most": [float(effort[row]) if known[row] else 1e300 for row in rows],
        "rate": min(RATE, SHARE / played.step),
        "free": [row for row in range(robot.nv) if row not in rows],
        "loops": list(range(layout.loops, layout.count)),
        "base": place_of_base(robot) or [],
        "standing": STANDING,
        "borne": BALANCED * weight(robot),
        "calm": CALM,
        "fits": FITS,
        "flat": FLAT,
    }


def _input(robot: Robot, own: Argument, scene: Scene) -> dict[str, Any]:
    """An input with its values at the start, and the rows of it that have a slider."""
    start = list(robot.runtime_defaults) if own.name == PARAMETERS else [0.0] * own.size
    rows: list[dict[str, Any]] = []
    titles = {"tau": "forces", "u": "inputs of actuators", PARAMETERS: "parameters"}
    if own.name in titles:
        effort = robot.limits.effort if own.name == "tau" else np.full(own.size, np.inf)
        deforming = tuple(f"{link.name}." for link in robot.description.links if link.deforms)
        for row, (name, unit) in enumerate(zip(own.element_names, own.element_units, strict=True)):
            if own.name == "tau" and name.startswith(deforming):
                continue
            low, high = _range(name, unit, start[row], float(effort[row]), weight(robot), scene.size)
            rows.append({"row": row, "name": name, "unit": unit, "low": low, "high": high, "start": start[row]})
    return {
        "name": own.name,
        "count": own.size,
        "title": titles.get(own.name, own.name),
        "rows": rows,
        "start": np.array(start, dtype=np.float64),
    }


def _range(name: str, unit: str, start: float, effort: float, heavy: float, size: float) -> tuple[float, float]:
    """Between which values a slider goes."""
    if name in GRAVITY:
        return -_GRAVITY_RANGE, _GRAVITY_RANGE
    if math.isfinite(effort) and effort > 0.0:
        return -effort, effort
    if unit in _SCALES:
        most = {"N": 2.0 * heavy, "N m": 0.5 * heavy * size, "Pa": _PRESSURE}[unit]
        return -most, most
    if start:
        return min(0.0, 2.0 * start), max(0.0, 2.0 * start)
    return -1.0, 1.0


def _source(source: Any, frames: Sequence[str]) -> dict[str, Any]:
    """How a page finds the sections of a tube."""
    found = {"frame": frames.index(source.frame), "root": source.root.ravel(), "x": source.x}
    if isinstance(source, RodSource):
        return {**found, "rows": list(source.rows), "places": source.places}
    shapes = [
        {"direction": own.direction, "rows": list(own.rows), "table": np.ascontiguousarray(own.table).ravel()}
        for own in source.shapes
    ]
    return {**found, "shapes": shapes, "stiffening": source.stiffening}


def _ends(link: str, frames: Sequence[str]) -> list[int]:
    return [frames.index(name) for name in (link, f"{link}.tip") if name in frames]


def _anchor(anchor: Anchor, frames: Sequence[str], tubes: Sequence[str]) -> dict[str, Any]:
    return {
        "point": list(anchor.point),
        "frame": frames.index(anchor.frame) if anchor.frame else -1,
        "tube": tubes.index(anchor.tube) if anchor.tube else -1,
        "place": anchor.place,
        "turn": [entry for row in anchor.turn for entry in row],
    }
