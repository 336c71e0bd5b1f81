"""The step with rigid contacts: what its C needs, and what the header says of it."""

from __future__ import annotations

from typing import Any

from symdyn.compiler.emit.arguments import WIDTH, wrap_items
from symdyn.compiler.emit.contents import SCALARS
from symdyn.compiler.emit.names import comment
from symdyn.compiler.emit.steppers.contact_partials import partials_context, partials_declared
from symdyn.compiler.emit.steppers.contact_rows import bounds_text, problem_work, rows_context
from symdyn.compiler.emit.steppers.contents import OWN, Stepper, call_of
from symdyn.compiler.emit.steppers.method import Method, Result
from symdyn.compiler.emit.steppers.moves import straight_helpers, straight_lines
from symdyn.compiler.emit.steppers.spelling import number, spelling
from symdyn.interface.contact_solving import (
    IMPACTS_PER_SET,
    ROUNDS,
    TIE,
    TOUCHING,
    ContactCode,
    SetKind,
)
from symdyn.interface.stepping import ContactSets


class Contacts(Method):
    """Signorini and Coulomb at velocity level, semi-implicit."""

    explicit = False
    template = "c/STEP_CONTACTS.c.jinja"
    settings = ("h",)
    notes = (
        "Semi-implicit, of order 1 in h: M (v_next - v) = h (forces at q, v) + impulses, and q moves with v_next.",
        "Impulses of contacts obey Signorini's and Coulomb's laws exactly at v_next, in directions of q; gaps above 0",
        "close at the end of a step.",
    )
    start_note = "What _advance begins with: loops that can be closed, and no impulses in the head of work."
    advance_note = (
        "Between two times lie equal steps of at most h; each starts from the impulses of the one before. counts[1] "
        "are steps whose impulses were not solved."
    )

    def title(self, stepper: Stepper) -> str:
        """One sentence for comments."""
        return "one step with rigid contacts, limits, dry friction and loops by exact laws."

    def notes_of(self, stepper: Stepper) -> list[str]:
        """These, and the most iterations that a step takes."""
        scalar, sets = SCALARS[stepper.contents.dtype], sets_of(stepper)
        return [*self.notes, *bounds_text(scalar, sets.effort, ROUNDS + 1 + most_impacts(sets))]

    def results(self, stepper: Stepper) -> tuple[Result, ...]:
        """Impulses, which are also a guess, states, and a report."""
        sets, scalar = sets_of(stepper), SCALARS[stepper.contents.dtype]
        names = wrap_items(map(comment, sets.names), WIDTH - 12)
        return (
            Result(
                f"{scalar} *lambda",
                [
                    f"in  lambda[{sets.rows}]: a guess, such as the impulses of the step before, or zeros",
                    "out lambda: impulses [N s, N m s]: rows t1, t2, n of contacts, then limits, dry joints, loops",
                ],
            ),
            Result(
                "int *state",
                [
                    f"out state[{len(sets.names)}]: 0 open, 1 sticks or bears, 2 slides or at a bound, of",
                    *(f"    {line}" for line in names),
                ],
            ),
            Result(f"{report_name(stepper)} *report", ["out report: how the impulses were solved"]),
        )

    def memory(self, stepper: Stepper) -> int:
        """Impulses, and the number of steps that were not solved."""
        return sets_of(stepper).rows + 1

    def own_work(self, stepper: Stepper) -> int:
        """State, the contact problem, whitened impulses, a move, its end, a guess."""
        sets, nv = sets_of(stepper), stepper.nv
        system = sum(item.size for item in stepper.moved_by.signature.outputs)
        impacts = 4 * sets.rows + 2 * nv if sets.impacting is not None else 0
        return self.memory(stepper) + 2 * stepper.nq + 3 * nv + system + sets.rows + impacts

    def rest(self, stepper: Stepper) -> int:
        """The problem of those sets that take part."""
        return problem_work(sets_of(stepper).solved_rows, stepper.nv)

    def context(self, stepper: Stepper, scalar: str) -> dict[str, Any]:
        """Sets, numbers of the solver, calls, moves."""
        sets, spell, rows = sets_of(stepper), spelling(scalar), stepper.stepping.rows
        arguments = {**OWN, "h": "&h"}
        outputs = [f"all.{name}" for name in outputs_of(stepper)]
        kinds = [f"ROWS_{kind.name}" for kind in sets.kinds]
        return {
            "contact": {
                **rows_context(scalar, sets.effort),
                "allowed": number(sets.allowed, scalar),
                "tie": number(TIE, scalar),
            },
            "sets": {
                "text": f"{sets.contacts} contacts, {sets.limits} limits, {sets.dry} dry joints, {sets.loops} of loops",
                "count": len(sets.names),
                "kinds": wrap_items(kinds, WIDTH - 2),
                "cones": sets.contacts,
                "limits": sets.limits,
                "rows": sets.rows,
                "most": sets.most,
                "solved_rows": sets.solved_rows,
                "rounds": ROUNDS,
                "system": [(item.name, item.size) for item in stepper.moved_by.signature.outputs],
                "coupled": "delassus" in outputs_of(stepper),
                "filled": _filled(stepper),
                **_impacts(sets, scalar),
            },
            "system": call_of(stepper.moved_by, outputs, "rest", arguments),
            "report": report_name(stepper),
            "contact_codes": contact_codes(stepper),
            "partials": partials_context(stepper),
            "missed": sets.rows,
            **straight_helpers(rows, scalar),
            "straight": straight_lines(rows, scalar, spell),
        }

    def declared(self, stepper: Stepper) -> dict[str, Any]:
        """What the header declares beside functions: the codes and the record of a step."""
        codes = contact_codes(stepper)
        return {
            "report": report_name(stepper),
            "scalar": SCALARS[stepper.contents.dtype],
            "code": f"{stepper.contents.identifier}_contact_code",
            "codes": [(codes[code.name.lower()], code.value, _CODES[code]) for code in ContactCode],
            "most": sets_of(stepper).most,
            "partials": partials_declared(stepper, sets_of(stepper).rows, len(sets_of(stepper).names)),
            "sizes": (
                (f"{stepper.c_name.upper()}_LAMBDA_SIZE", sets_of(stepper).rows, "rows of lambda"),
                (f"{stepper.c_name.upper()}_STATE_SIZE", len(sets_of(stepper).names), "entries of state"),
            ),
        }


_CODES = {
    ContactCode.SOLVED: "the residual is within the tolerance",
    ContactCode.NOT_SOLVED: "the best impulses, within their sets",
    ContactCode.TOO_MANY: "more contacts touch than are solved at once; the deepest are kept",
    ContactCode.NOT_FINITE: "an infinity or NaN: the state is that before the step",
}


def _filled(stepper: Stepper) -> tuple[int, int] | None:
    """First row of slots that are filled at run time, and the one after the last; None without such slots."""
    slots = next((item.shape[0] for item in stepper.held if item.name == TOUCHING), 0)
    rows = SetKind.CONE.width * sets_of(stepper).contacts
    return (rows - SetKind.CONE.width * slots, rows) if slots else None


def _impacts(sets: ContactSets, scalar: str) -> dict[str, Any]:
    """Pairs of bodies of contacts, least velocity of an impact, most impacts; no pairs where impacts are at once."""
    if sets.impacting is None:
        return {"pairs": []}
    return {
        "pairs": wrap_items(list(map(str, sets.impacting.pairs or (0,))), WIDTH - 2),
        "least": number(sets.impacting.least, scalar),
        "impacts": most_impacts(sets),
    }


def most_impacts(sets: ContactSets) -> int:
    """Impacts that a step solves one after another, at most."""
    return 0 if sets.impacting is None else IMPACTS_PER_SET * (sets.contacts + sets.limits)


def sets_of(stepper: Stepper) -> ContactSets:
    """The sets of the robot's contact problem."""
    sets = stepper.stepping.contacts
    assert sets is not None, "stepping_of refuses robots without"
    return sets


def outputs_of(stepper: Stepper) -> list[str]:
    """Names of what the contact problem is made of."""
    return [item.name for item in stepper.moved_by.signature.outputs]


def report_name(stepper: Stepper) -> str:
    """The C type of what a step reports."""
    return f"{stepper.contents.identifier}_contact_report"


def contact_codes(stepper: Stepper) -> dict[str, str]:
    """Names of codes in C."""
    stem = stepper.contents.identifier.upper()
    return {code.name.lower(): f"{stem}_CONTACT_{code.name}" for code in ContactCode}
