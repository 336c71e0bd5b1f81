"""The arguments that functions of a robot share, with row names and units from the model."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from symdyn.functions.request import Request
from symdyn.functions.units import move, quotient
from symdyn.interface.signature import SWITCHES, Argument, Option, Signature
from symdyn.model.body_choices import BodyChoice, body_choices
from symdyn.model.joints import ACCELERATION_UNITS, FORCE_UNITS
from symdyn.model.model import Model
from symdyn.model.rod import Rod

Maker = Callable[[Model], Argument]
LINEAR = ("fx", "fy", "fz")
ANGULAR = ("mx", "my", "mz")


def coordinates(model: Model) -> Argument:
    """The coordinates q, (nq,); rad, m, or 1 for a quaternion's rows."""
    return Argument("q", (model.nq,), (model.coordinate_names,), model.coordinate_units, "coordinates")


def velocities(model: Model) -> Argument:
    """The velocities v, (nv,); rad/s or m/s per row."""
    return Argument("v", (model.nv,), (model.velocity_names,), model.velocity_units, "velocities")


def accelerations(model: Model) -> Argument:
    """The accelerations a, (nv,), the time derivative of v, row by row."""
    units = tuple(ACCELERATION_UNITS[unit] for unit in model.velocity_units)
    return Argument("a", (model.nv,), (model.velocity_names,), units, "accelerations, the time derivative of v")


def generalised_forces(model: Model) -> Argument:
    """The generalised forces tau, (nv,), dual to v: their product with v is power. N m or N per row."""
    units = tuple(FORCE_UNITS[unit] for unit in model.velocity_units)
    return Argument("tau", (model.nv,), (model.velocity_names,), units, "generalised forces, dual to v")


def step_length(model: Model) -> Argument:
    """The length h of a step [s]."""
    return Argument("h", (), (), ("s",), "length of the step, above 0")


def square(
    model: Model, name: str, unit: Callable[[str, str], str], description: str, columns: tuple[str, ...] = ()
) -> Argument:
    """A matrix (nv, nv), both its rows and columns named as those of v, or the columns otherwise.

    ``unit`` is that of an entry, from the units of its row and of its column in v.
    """
    units = tuple(unit(row, column) for row in model.velocity_units for column in model.velocity_units)
    names = (model.velocity_names, columns or model.velocity_names)
    return Argument(name, (model.nv, model.nv), names, units, description)


def linear_and_angular(model: Model, linear: str, angular: str, *by: str) -> tuple[str, ...]:
    """Units of a matrix (6, nv) of three linear and three angular rows, per move of each row of v and by others."""
    rows = (linear,) * 3 + (angular,) * 3
    return tuple(quotient(unit, move(column), *by) for unit in rows for column in model.velocity_units)


def external_wrenches(model: Model, axes: str) -> Argument:
    """The wrenches f_ext, (nbodies, 6), that the environment exerts on the public bodies.

    Each is taken about the origin of its body's frame, in ``axes``: ``"body"`` or ``"world"``. Columns are ordered as
    v of a free base; N or N m.
    """
    angular_first = model.convention == "spatial"
    rows = ANGULAR + LINEAR if angular_first else LINEAR + ANGULAR
    units = (("N m",) * 3 + ("N",) * 3) if angular_first else (("N",) * 3 + ("N m",) * 3)
    return Argument(
        "f_ext",
        (len(model.body_names), 6),
        (model.body_names, rows),
        units * len(model.body_names),
        f"wrench of the environment on each body at its frame's origin, {axes} axes",
    )


def activity(model: Model) -> Argument:
    """The switches, (ns,), of loops that hold or not: 1 or 0."""
    names = model.switches
    return Argument(SWITCHES, (len(names),), (names,), ("",), "1 where a loop holds, 0 where it is as if left out")


def parameters(model: Model) -> Argument:
    """The run-time parameters p, (np,), in the order of the model's slots."""
    return Argument(
        "p", (len(model.slots.names),), (model.slots.names,), model.slots.units or ("",), "run-time parameters"
    )


def signature(
    model: Model,
    request: Request,
    function: str,
    inputs: tuple[Argument, ...],
    outputs: tuple[Argument, ...],
    description: str,
    feels_gravity: bool = True,
    external: tuple[Argument, ...] | None = None,
    **asked: Option,
) -> Signature:
    """The signature of a function: its own inputs, active and f_ext where asked for, p where there are parameters.

    ``feels_gravity`` tells what the recorded options must say of gravity, ``external`` what stands for f_ext if not
    the wrenches alone, and ``asked`` what else is recorded.
    """
    if external is None:
        external = (external_wrenches(model, request.external),) if request.external else ()
    given = (parameters(model),) if model.slots.names else ()
    switched = (activity(model),) if model.switches else ()
    return Signature(
        model.name,
        function,
        (*inputs, *switched, *external, *given),
        outputs,
        description,
        {**options(model, request, feels_gravity), **asked},
    )


def signed(
    function: str,
    inputs: Sequence[Maker],
    outputs: Sequence[Maker],
    description: str,
    feels_gravity: bool = True,
) -> Callable[[Model, Request], Signature]:
    """What makes the :func:`signature` of a function whose arguments rest on the model alone."""
    return lambda model, request: signature(
        model,
        request,
        function,
        tuple(make(model) for make in inputs),
        tuple(make(model) for make in outputs),
        description,
        feels_gravity,
    )


def options(model: Model, request: Request, feels_gravity: bool = True) -> dict[str, Option]:
    """What changes the meaning of a function, for headers and manifests."""
    gravity = [
        "p" if model.slots.index(f"gravity.{axis}") is not None else repr(value)
        for axis, value in zip("xyz", model.gravity, strict=True)
    ]
    choices = body_choices(model, bool(request.external))
    notes: dict[str, str] = {}
    for choice in choices:
        if choice.changes:
            # the inner body of a universal joint may have the name of a link
            key = f"regrouping of {choice.name}"
            notes[key] = f"{notes[key]}; {choice.changes}" if key in notes else choice.changes
    found: dict[str, Option] = {
        "convention": model.convention,
        "gravity": " ".join(gravity) if feels_gravity else "plays no part",
        "joint_losses": "included" if model.joint_losses else "left out",
        "external_wrenches": request.external or "none",
        "regrouping": _regrouping(choices),
        **notes,
        **{f"stations of {rod.link}": _stations(rod) for rod in model.rods if isinstance(rod, Rod)},
    }
    if request.prescribed:
        found["prescribed"] = tuple(model.velocity_names[row] for row in request.prescribed)
    if request.unknown:
        found["unknown"] = tuple(model.actuator_inputs[number].name for number in request.unknown)
    if request.actuated is not None:
        found["actuated"] = tuple(model.velocity_names[row] for row in request.actuated)
    if request.stabilisation is not None:
        found["stabilisation"] = repr(request.stabilisation)
    if request.switched:
        found["switched"] = tuple(model.loop_names[number] for number in request.switched)
    if request.frames is not None:
        found["frames"] = model.frame_names
    if isinstance(request.weights, tuple):
        found["weights"] = tuple(map(repr, request.weights))
    return found | request.unusual


def _stations(rod: Rod) -> str:
    """How fine a soft link is computed, and how far it may turn; robot.yaml gives stations that the file left open."""
    steps = rod.tables.steps
    points, chain = sum(step.point for step in steps), rod.tables.chain
    weighing = sum(step.mass != 0.0 for step in steps) if not points else sum(steps[k + 1].point for k in chain[:-1])
    sections = f", {points} points of sections" if points else ""
    return (
        f"{weighing}, error {rod.error:.1e}; {len(chain)} steps of Magnus "
        f"order {rod.tables.order}, NaN where one turns more than {rod.turn:g} rad{sections}"
    )


def _regrouping(choices: Sequence[BodyChoice]) -> str:
    """How much inertia is counted elsewhere, and how many frames stand elsewhere, than in the description."""
    said = []
    moved = sum(len(choice.moved) for choice in choices)
    if moved:
        counted = "1 inertial parameter is" if moved == 1 else f"{moved} inertial parameters are"
        from_p = sum(len(choice.from_p) for choice in choices)
        said.append(f"{counted} counted with the parent body" + (f" ({from_p} from p, at run time)" if from_p else ""))
    frames = sum(choice.shift != 0.0 for choice in choices)
    if frames:
        said.append("1 frame moves along its joint's axis" if frames == 1 else f"{frames} frames move along joint axes")
    return "; ".join(said) or "none"
