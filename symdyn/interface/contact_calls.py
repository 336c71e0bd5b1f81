"""Steps with rigid contacts, and their derivatives, as functions of arrays alone, for frameworks; it imports no room.

States and reports are numbers there, of the type of the module, because frameworks pass arrays of one type.
"""

from __future__ import annotations

from symdyn.interface.contact_solving import ContactReport, set_rows
from symdyn.interface.manifest import FunctionEntry, Manifest, StepperEntry
from symdyn.interface.signature import PARAMETERS, Argument, Signature
from symdyn.interface.stepping import CONTACT_SLOPES, CONTACTS

STEP, PARTIALS = "contact_step", "contact_step_partials"
IMPULSES, GUESS, STATE, LENGTH = "impulses", "guess", "state", "h"
STEP_ENDS = ("q_next", "v_next", "lambda")
"""What derivatives of a step are of, in the order of its outputs."""


def partials_of(manifest: Manifest) -> dict[str, tuple[int, int]]:
    """Derivatives of a step with rigid contacts in the order of the C function, with their shapes."""
    slopes = manifest.function(CONTACT_SLOPES).signature
    nv, rows = slopes.input("v").size, slopes.input("lambda").size
    sizes = dict(zip(STEP_ENDS, (nv, nv, rows), strict=True))
    columns = slope_columns(slopes)
    return {f"d{of}_d{by}": (size, width) for of, size in sizes.items() for by, width in columns.items()}


def slope_columns(slopes: Signature) -> dict[str, int]:
    """What a step with rigid contacts is differentiated by, in order, with numbers of columns."""
    inputs = {item.name: item.size for item in slopes.inputs}
    by_length = {LENGTH: 1} if any(item.name == "dimpulse_dh" for item in slopes.outputs) else {}
    by_parameters = {name: inputs[name] for name in (PARAMETERS,) if name in inputs}
    forces = "u" if "u" in inputs else "tau"
    return {"q": inputs["v"], "v": inputs["v"], **by_parameters, **by_length, forces: inputs[forces]}


def step_calls(manifest: Manifest) -> tuple[FunctionEntry, ...]:
    """A step with rigid contacts and, where they were asked for, its derivatives; nothing without such a stepper."""
    stepper = next((stepper for stepper in manifest.steppers if stepper.method == CONTACTS), None)
    if stepper is None:
        return ()
    return (_step(manifest, stepper), *((_partials(manifest, stepper),) if stepper.partials else ()))


def called(manifest: Manifest, name: str) -> FunctionEntry | None:
    """A function of the catalogue or a step of a module by its name; None where the module has none."""
    return next(
        (function for function in (*manifest.functions, *step_calls(manifest)) if function.python_name == name), None
    )


def _given(manifest: Manifest, stepper: StepperEntry) -> tuple[Argument, ...]:
    """The inputs that a step takes before its length."""
    inputs = manifest.function(stepper.moved_by).signature.inputs
    return tuple(item for item in inputs if item.name != LENGTH)


def _length(manifest: Manifest, stepper: StepperEntry) -> Argument:
    return manifest.function(stepper.moved_by).signature.input(LENGTH)


def _solved(manifest: Manifest, stepper: StepperEntry) -> tuple[Argument, Argument]:
    """Impulses and states of a step."""
    outputs = {item.name: item for item in manifest.function(stepper.moved_by).signature.outputs}
    rows, sets = outputs["c_free"], set_rows(outputs["c_free"], outputs["gap"]).names
    units = tuple("N m s" if unit.startswith("rad") else "N s" for unit in rows.element_units)
    impulses = Argument(
        IMPULSES, rows.shape, rows.rows, units, "rows t1, t2, n of contacts, then those of joints, loops"
    )
    meaning = "0 open, 1 sticks or bears, 2 slides or at a bound"
    return impulses, Argument(STATE, (len(sets),), (sets,), ("",), meaning)


def _entry(
    manifest: Manifest,
    stepper: StepperEntry,
    name: str,
    arguments: tuple[tuple[Argument, ...], tuple[Argument, ...]],
    description: str,
) -> FunctionEntry:
    moved_by = manifest.function(stepper.moved_by)
    signature = Signature(manifest.robot, name, *arguments, description, moved_by.signature.options)
    c_name, work = (stepper.c_name, stepper.work_size) if name == STEP else (stepper.partials, stepper.partials_work)
    return FunctionEntry(signature, c_name, name, work, moved_by.layout, {}, moved_by.operations)


def _step(manifest: Manifest, stepper: StepperEntry) -> FunctionEntry:
    inputs = _given(manifest, stepper)
    impulses, state = _solved(manifest, stepper)
    q, v = (next(item for item in inputs if item.name == name) for name in ("q", "v"))
    guess = Argument(GUESS, impulses.shape, impulses.rows, impulses.units, "impulses to start from, or zeros")
    fields = ContactReport._fields
    report = Argument("report", (len(fields),), (fields,), ("N s", "J", "N s", "", "", ""), "how they were solved")
    outputs = (
        Argument("q_next", q.shape, q.rows, q.units, "coordinates after the step"),
        Argument("v_next", v.shape, v.rows, v.units, "velocities after the step"),
        impulses,
        state,
        report,
    )
    description = "One step with rigid contacts, limits, dry friction and loops by exact laws."
    given = (*inputs, _length(manifest, stepper), guess)
    return _entry(manifest, stepper, STEP, (given, outputs), description)


def _partials(manifest: Manifest, stepper: StepperEntry) -> FunctionEntry:
    inputs = _given(manifest, stepper)
    impulses, state = _solved(manifest, stepper)
    (velocities,) = next(item.rows for item in inputs if item.name == "v")
    (rows,) = impulses.rows
    columns = {
        item.name: item.rows[0] if item.name in ("p", "u") else velocities for item in inputs if len(item.shape) == 1
    } | {LENGTH: (LENGTH,)}
    outputs = []
    for name in partials_of(manifest):
        of, by = name[1:].rsplit("_d", 1)
        named = (rows if of == "lambda" else velocities), columns[by]
        outputs.append(Argument(name, (len(named[0]), len(named[1])), named, ("",), f"derivatives of {of} by {by}"))
    description = "Derivatives of a step with rigid contacts, in the state that the step gave."
    given = (*inputs, _length(manifest, stepper), impulses, state)
    return _entry(manifest, stepper, PARTIALS, (given, tuple(outputs)), description)
