"""Files and declarations of steppers: one C file per method, and what the header says of them.

What the C that looks for contacts along a step needs: gaps, places in the workspace, numbers.

The rules are those of ``dynamics.kinematics.passing`` and of ``simulation.contacts``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from symdyn.compiler.emit.arguments import WIDTH, wrap_items
from symdyn.compiler.emit.contents import SCALARS, Contents
from symdyn.compiler.emit.names import comment
from symdyn.compiler.emit.render import render
from symdyn.compiler.emit.source import SourceFile
from symdyn.compiler.emit.steppers.alpha import places
from symdyn.compiler.emit.steppers.contents import PRESCRIBED, Stepper, call_of, held_name
from symdyn.compiler.emit.steppers.coordinates import normalise_lines, rate_lines
from symdyn.compiler.emit.steppers.loops import loops_context
from symdyn.compiler.emit.steppers.methods import METHODS
from symdyn.compiler.emit.steppers.spelling import number, spelling
from symdyn.interface.signature import Argument
from symdyn.interface.stepping import ADAPTIVE, DOP853, GENERALISED_ALPHA, RK4, TAYLOR

_SHIFT = {"double": 1e-6, "float": 1e-3}
"""Part of a step for differences of rates of coordinates."""
_NEGLIGIBLE = 1e-3
"""Change of velocity that a contact within a step may leave out, relative to the largest velocity."""
_NUMBERS = {
    "late": 0.1,  # of the tolerance, what the change of acceleration in a contact may add before it is taken up
    "shortest": 2.0**-15,
    "three": 3.0,
    "four": 4.0,
    "seven": 7.0,
    "ten": 10.0,
    "fifteen": 15.0,
    "negligible": _NEGLIGIBLE,
}
_ROUNDING = {"double": 2.0**-46, "float": 2.0**-17}
"""Shortest step, relative to the time: of its stages several are different times."""
_HALVINGS = {"double": 60, "float": 30}


def pairs(stepper: Stepper) -> int:
    """Gaps that are followed, 0 where the robot has no contacts that move."""
    return stepper.gaps.signature.outputs[0].size if stepper.gaps is not None else 0


def contact_work(stepper: Stepper) -> int:
    """Scalars at the end of the workspace."""
    return sum(size for _, size in _room(stepper))


def _room(stepper: Stepper) -> list[tuple[str, int]]:
    """What lies there, one behind the other."""
    count, size = pairs(stepper), stepper.nq + stepper.nv
    if not count:
        return []
    own, kept = 0, 0
    if stepper.method == TAYLOR:
        own = (stepper.moved_by.signature.outputs[0].shape[0] + 1) * size
    elif stepper.method == GENERALISED_ALPHA:
        own, kept = stepper.nv + stepper.loop_rows, places(stepper)["order"]
    gaps = [("here", 2 * count), ("next", 2 * count), ("begun", count), ("deepest", count)]
    states = [(name, size) for name in ("state", "ahead", "outside", "inside", "start", "slope_start", "slope_end")]
    return [*gaps, *states, ("bends", 2 * stepper.nq), ("own", own), ("kept", kept)]


def contacts_context(stepper: Stepper, scalar: str, begins: int) -> dict[str, Any] | None:
    """What ``step_contacts`` needs, in a workspace where that begins at ``begins``; None without contacts."""
    if stepper.gaps is None:
        return None
    starts, at = {}, 0
    for name, size in _room(stepper):
        starts[name] = at
        at += size
    count = pairs(stepper)
    return {
        **{name: number(value, scalar) for name, value in _NUMBERS.items()},
        "shift": number(_SHIFT[scalar], scalar),
        "rounding": number(_ROUNDING[scalar], scalar),
        "halvings": _HALVINGS[scalar],
        "pairs": count,
        "gaps": call_of(stepper.gaps, ["found", f"found + {count}"], "rest"),
        "at": starts,
        "begins": begins,
        "negligible_text": f"{_NEGLIGIBLE:g}",
        "explicit": stepper.method in (RK4, DOP853),
        "series": stepper.method == TAYLOR,
        "implicit": stepper.method == GENERALISED_ALPHA,
        "cuts": stepper.method in ADAPTIVE,
    }


_CONTACTS = (
    "A step that goes into a contact and out of it again, so that its force is not felt, ends with CONTACT_PASSED.",
)
STEP_CODES = {
    "done": "DONE",
    "too_many": "TOO_MANY_STEPS",
    "no_convergence": "NO_CONVERGENCE",
    "too_small": "TOO_SMALL",
    "not_finite": "NOT_FINITE",
    "bad_settings": "BAD_SETTINGS",
    "not_started": "NOT_STARTED",
    "contact": "CONTACT_PASSED",
}


def steppers_of(contents: Contents) -> tuple[Stepper, ...]:
    """The steppers of a folder, none where nobody asked for any."""
    stepping = contents.stepping
    return () if stepping is None else tuple(Stepper(method, contents, stepping) for method in stepping.methods)


def emit_steppers(contents: Contents) -> tuple[SourceFile, ...]:
    """One C file per method."""
    return tuple(
        SourceFile(f"{stepper.c_name}.c", render(METHODS[stepper.method].template, _context(stepper)))
        for stepper in steppers_of(contents)
    )


def declarations(contents: Contents) -> Mapping[str, Any] | None:
    """What the header says of steppers; None where there are none."""
    found = steppers_of(contents)
    if not found:
        return None
    added = ", ".join(f"`{name}`" for name in (contents.stepping.added if contents.stepping else ()))
    shown = {"methods": [_declaration(stepper) for stepper in found], "added": added}
    touching = any(stepper.gaps is not None for stepper in found)
    records = [own for stepper in found if (own := METHODS[stepper.method].declared(stepper)) is not None]
    return {**_codes(contents), **shown, "touching": touching, "records": records}


def work_size(stepper: Stepper) -> int:
    """Scalars of workspace."""
    method = METHODS[stepper.method]
    return method.own_work(stepper) + max(stepper.rest, method.rest(stepper)) + contact_work(stepper)


def _codes(contents: Contents) -> dict[str, Any]:
    stem = contents.identifier
    return {
        "code": f"{stem}_step_code",
        "codes": {name: f"{stem.upper()}_STEP_{text}" for name, text in STEP_CODES.items()},
    }


def _declaration(stepper: Stepper) -> dict[str, Any]:
    method, nq, nv = METHODS[stepper.method], stepper.nq, stepper.nv
    remembers = bool(method.memory(stepper)) and not method.results(stepper)
    called = f"It calls {', '.join(function.c_name for function in (stepper.moved_by, *stepper.constraints))}."
    return {
        "name": stepper.c_name,
        "title": method.title(stepper),
        "documentation": [
            *method.notes_of(stepper),
            *(_CONTACTS if stepper.gaps is not None else ()),
            called,
            f"in  q[{nq}], v[{nv}]: the state; quaternions are brought to length 1 first",
            *(
                f"in  {held_name(item)}[{item.size}]: {_held_note(stepper, item)}; see {stepper.moved_by.c_name}"
                for item in stepper.held
            ),
            *_prescribed_notes(stepper),
            "in  h: length of the step [s], above 0",
            f"out q_next[{nq}], v_next[{nv}]: the state after it",
            *(line for result in method.results(stepper) for line in result.documentation),
            f"work[{work_size(stepper)}]: scratch"
            + (
                f", of which the first {method.memory(stepper)} go from step to step; {stepper.c_name}_start fills them"
                if remembers
                else ", contents undefined before and after"
            ),
            *([_unstarted(stepper)] if remembers else []),
        ],
        "called": called,
        "start_note": method.start_note,
        "advance_note": method.advance_note,
        "parameters": _parameters(stepper),
        "start_parameters": _start_parameters(stepper) if method.memory(stepper) else [],
        "advance_parameters": _advance_parameters(stepper),
        "work": (f"{stepper.c_name.upper()}_WORK", work_size(stepper)),
    }


def _unstarted(stepper: Stepper) -> str:
    """What a step does with a workspace that holds zeros."""
    does = "refused, since prescribed joints begin somewhere" if stepper.prescribed else "a start as well"
    return f"    before it; a workspace of zeros is {does}"


def _held_note(stepper: Stepper, item: Argument) -> str:
    return "as derivatives at the start tell" if item in stepper.driving else "held during the step"


def _prescribed_notes(stepper: Stepper) -> list[str]:
    """Lines on motions of prescribed joints."""
    count, names = len(stepper.prescribed), stepper.moved_by.signature.input("v").rows[0]
    if not count:
        return []
    rows = ", ".join(comment(names[row]) for _, row in stepper.prescribed)
    return [
        f"in  {PRESCRIBED}[{3 * count}]: positions, velocities and accelerations of {rows} after the step;",
        f"    {stepper.c_name}_start takes those at the start, and _advance a row of {3 * count} for each time,",
        "    between which polynomials of degree 5 lead",
    ]


def _held_names(stepper: Stepper) -> list[str]:
    """What is held during a step, and where prescribed joints are after it."""
    return [*map(held_name, stepper.held), *([PRESCRIBED] if stepper.prescribed else [])]


def _given(stepper: Stepper) -> list[str]:
    scalar = SCALARS[stepper.contents.dtype]
    return [f"const {scalar} *{name}" for name in ("q", "v", *_held_names(stepper))]


def _parameters(stepper: Stepper) -> list[str]:
    scalar, method = SCALARS[stepper.contents.dtype], METHODS[stepper.method]
    outputs = [f"{scalar} *q_next", f"{scalar} *v_next", *(own.parameter for own in method.results(stepper))]
    texts = [*_given(stepper), f"{scalar} h", *outputs, f"{scalar} *work"]
    return wrap_items(texts, WIDTH - 4)


def _start_parameters(stepper: Stepper) -> list[str]:
    return wrap_items([*_given(stepper), f"{SCALARS[stepper.contents.dtype]} *work"], WIDTH - 4)


def _advance_parameters(stepper: Stepper) -> list[str]:
    scalar = SCALARS[stepper.contents.dtype]
    settings = [f"{scalar} {name}" for name in METHODS[stepper.method].settings]
    texts = [*_given(stepper), f"const {scalar} *times", "size_t rows", *settings, "size_t max_steps"]
    return wrap_items([*texts, f"{scalar} *q_at", f"{scalar} *v_at", "size_t *counts", f"{scalar} *work"], WIDTH - 4)


def _context(stepper: Stepper) -> dict[str, Any]:
    contents, scalar = stepper.contents, SCALARS[stepper.contents.dtype]
    spell = spelling(scalar)
    method = METHODS[stepper.method]
    rows, constraints, least = stepper.stepping.rows, stepper.constraints, stepper.stepping.least
    state = 0 if stepper.method in ADAPTIVE else method.memory(stepper) + stepper.nq + stepper.nv
    return {
        **spell,
        **_codes(contents),
        "name": stepper.c_name,
        "title": method.title(stepper),
        "robot": comment(contents.robot),
        "version": contents.version,
        "header": f"{contents.identifier}.h",
        "scalar": scalar,
        "nq": stepper.nq,
        "nv": stepper.nv,
        "size": stepper.nq + stepper.nv,
        "held": _held_names(stepper),
        "settles": True,
        "tolerances": stepper.method in ADAPTIVE,
        "driven": [{"q": q, "v": v} for q, v in stepper.prescribed],
        "rates": rate_lines(rows, scalar, spell),
        "normalise": normalise_lines(rows, scalar, spell),
        "acceleration": _acceleration(stepper),
        "during": "a step",
        "loops": loops_context(constraints, scalar, least=least) if constraints else None,
        "parameters": _parameters(stepper),
        "start_parameters": _start_parameters(stepper),
        "advance_parameters": _advance_parameters(stepper),
        "memory": method.memory(stepper),
        "contacts": contacts_context(stepper, scalar, work_size(stepper) - contact_work(stepper) - state),
        **method.context(stepper, scalar),
    }


def _acceleration(stepper: Stepper) -> list[str]:
    if not METHODS[stepper.method].explicit:
        return []
    outputs = [f"slope + {stepper.nq}"]
    at = 0
    for item in stepper.moved_by.signature.outputs[1:]:
        outputs.append(f"work + {at}")
        at += item.size
    return call_of(stepper.moved_by, outputs, f"work + {at}")
