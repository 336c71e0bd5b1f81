"""Hybrid dynamics whose prescribed accelerations come from inputs that are looked for, one per prescribed row.

Prescribed and unknown need not belong together: a tension that bends a rod as prescribed, the motor at the root of an
arm for the motion of its last joint. With P the prescribed rows, F the others, and inputs K known and U unknown,

    M a + b = B_K u_K + B_U u_U        (Mathew et al., eq. 43)

is solved in the rows F first: hybrid dynamics with u_K alone gives a_F0 and tau_P0, and with the columns of B_U, each
alone, the responses R. Then S u_U = tau_P0 - (B_K u_K)_P with S = (B_U)_P - R_P, and a_F = a_F0 + R_F u_U. S is small;
it is one where the unknown is the motor of the prescribed row.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.spatial.vectors import dot
from symdyn.dynamics.actuation import steps
from symdyn.dynamics.actuation.actuation_map import column_sweeps_to, driving_fields, without_factors
from symdyn.dynamics.actuation.plans import driven_plan
from symdyn.dynamics.forward_dynamics.hybrid_dynamics import hybrid_dynamics_plan
from symdyn.dynamics.forward_dynamics.station_bias import Solution
from symdyn.dynamics.tree.bindings import Reads, Writes
from symdyn.errors import ModelError
from symdyn.model.model import Model
from symdyn.plan.compose import places_written, renamed
from symdyn.plan.plan import Access, Field, FieldKind, Mode, Plan, Port, Step, Sweep, Visit

_GIVEN, _COLUMNS, _SYSTEM, _NEEDED = "given_u", "unknown_columns", "unknown_system", "unknown_forces"


def solve(count: int, algebra: Algebra, _: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step: the inputs that give some forces, by elimination; the largest pivot of each column is moved up."""
    ((*found,),) = _solved(count, algebra, reads["system"], [[entry] for entry in reads["needed"]])
    return {"found": found}


def invert(count: int, algebra: Algebra, _: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step: the inverse of the system, where it serves many right-hand sides."""
    unit = [[algebra.constant(float(row == column)) for column in range(count)] for row in range(count)]
    columns = _solved(count, algebra, reads["system"], unit)
    return {"inverse": [column[row] for row in range(count) for column in columns]}


def _solved(count: int, algebra: Algebra, system: Sequence[Scalar], right: list[list[Scalar]]) -> list[list[Scalar]]:
    """Solutions of a system for the columns of ``right``."""
    rows = [[*system[place * count : (place + 1) * count], *right[place]] for place in range(count)]
    for place in range(count):
        for below in range(place + 1, count):
            sizes = [algebra.function("abs", rows[at][place]) for at in (place, below)]
            larger = algebra.compare("less", *sizes)
            both = list(zip(rows[place], rows[below], strict=True))
            rows[place] = [algebra.select(larger, y, x) for x, y in both]
            rows[below] = [algebra.select(larger, x, y) for x, y in both]
        for below in range(place + 1, count):
            share = rows[below][place] / rows[place][place]
            left = [x - share * y for x, y in zip(rows[below][place + 1 :], rows[place][place + 1 :], strict=True)]
            rows[below] = [*rows[below][:place], 0.0, *left]
    solutions = []
    for column in range(count, len(rows[0])):
        found: list[Scalar] = []
        for place in range(count - 1, -1, -1):
            own = rows[place]
            rest = own[column] - dot(own[place + 1 : count], found) if found else own[column]
            found = [rest / own[place], *found]
        solutions.append(found)
    return solutions


def difference(_: object, __: Algebra, ___: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per entry: what is left of it."""
    return {"left": [reads["own"][0] - reads["other"][0]]}


def acceleration_pass(_: object, __: Algebra, ___: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per unknown: what its input adds to accelerations, and to forces of prescribed rows."""
    return {"w": [reads["input"][0] * entry for entry in reads["response"]]}


_SOLVE = Step(
    "solve_for_inputs", solve, (Port("system", Mode.READ), Port("needed", Mode.READ), Port("found", Mode.WRITE))
)
INVERT = Step("invert_system", invert, (Port("system", Mode.READ), Port("inverse", Mode.WRITE)))
DIFFERENCE = Step(
    "left_of_force", difference, (Port("own", Mode.READ), Port("other", Mode.READ), Port("left", Mode.WRITE))
)
ANSWER = Step(
    "answer_of_input", acceleration_pass, (Port("input", Mode.READ), Port("response", Mode.READ), Port("w", Mode.ADD))
)


def difference_visit(own: Access, other: Access, left: Access) -> Visit:
    """The visit of ``DIFFERENCE`` that takes one scalar off another."""
    return Visit(-1, None, {}, {"own": own, "other": other, "left": left})


def unknown_inputs_plan(
    model: Model, name: str, prescribed: Collection[int], unknown: Sequence[int], external: str = ""
) -> Plan:
    """The plan of (q, v, u, a[, f_ext][, p]) -> w (nv,), unknown (nu,).

    Parameters
    ----------
    model
        The robot.
    name
        Of the function.
    prescribed
        Rows of v whose acceleration is given.
    unknown
        Numbers of the inputs that are looked for, as many.
    external
        Axes of f_ext: body, world, or empty.

    Raises
    ------
    ModelError
        Inputs that cannot give what is prescribed, wherever the robot stands.
    """
    nv, count, prescribed_rows = model.nv, len(unknown), sorted(prescribed)
    free = [row for row in range(nv) if row not in prescribed]
    place_of = {number: place for place, number in enumerate(unknown)}
    columns = column_sweeps_to(
        model, lambda number, first, rows: Access(_COLUMNS, place_of[number] * nv + first, rows), unknown
    )
    refuse_singular_inputs(model, free, prescribed_rows, unknown, places_written(columns, _COLUMNS))
    known = [number for number in range(len(model.actuator_inputs)) if number not in place_of]
    base = hybrid_dynamics_plan(model, name, free, _GIVEN, "w", external, reused=True)
    plan = driven_plan(model, base, _GIVEN, prescribed_rows, requested=known)
    solving = Solution.of(model, free, "w").solve
    rests, answers = ([f"{kind}_of_unknown{place}" for place in range(count)] for kind in ("rest", "response"))

    def entry(field: str, row: int) -> Access:
        return Access(field, row, 1)

    taken = [
        steps.copy_visit(entry(_COLUMNS, place * nv + row), entry(rests[place], row))
        for place in range(count)
        for row in free
    ]
    entries = [
        difference_visit(entry(_COLUMNS, j * nv + row), entry(answers[j], row), entry(_SYSTEM, i * count + j))
        for i, row in enumerate(prescribed_rows)
        for j in range(count)
    ]
    needed = [
        difference_visit(entry("w", row), entry("driven_force", row), entry(_NEEDED, i))
        for i, row in enumerate(prescribed_rows)
    ]
    whole = {
        "system": Access(_SYSTEM, 0, count**2),
        "needed": Access(_NEEDED, 0, count),
        "found": Access("unknown", 0, count),
    }
    added = [
        Visit(
            -1, nv, {}, {"input": entry("unknown", j), "response": Access(answers[j], 0, nv), "w": Access("w", 0, nv)}
        )
        for j in range(count)
    ]
    sweeps = [
        *plan.sweeps,
        *without_factors(model, columns),
        Sweep(steps.COPY, tuple(taken), vector=True),
        *(
            sweep
            for rest, found in zip(rests, answers, strict=True)
            for sweep in renamed(solving, {"rest": rest, "w": found})
        ),
        Sweep(DIFFERENCE, (*entries, *needed), vector=True),
        Sweep(_SOLVE, (Visit(-1, count, {}, {**whole}),)),
        Sweep(ANSWER, tuple(added)),
    ]
    fields = [
        *plan.fields,
        *driving_fields(model, columns, plan.fields),
        *(Field(field, FieldKind.STATE, nv, sparse=True) for field in (*rests, *answers)),
        Field(_COLUMNS, FieldKind.STATE, nv, count, sparse=True),
        Field(_SYSTEM, FieldKind.STATE, count, count),
        Field(_NEEDED, FieldKind.STATE, count),
        Field("unknown", FieldKind.OUTPUT, count),
    ]
    return replace(plan, fields=tuple(fields), sweeps=tuple(sweep for sweep in sweeps if sweep.visits))


def refuse_singular_inputs(
    model: Model,
    free: Collection[int],
    prescribed_rows: Sequence[int],
    unknown: Sequence[int],
    written: Collection[int],
) -> None:
    """Refuse unknowns that cannot be told apart by prescribed rows: those whose forces do not reach so many of them.

    Forces on a free row move all rows of the robot that hang on the same joint of a base that stands; forces on a
    prescribed row move nothing else, and those on a motor behind a spring the motor alone.
    """
    roots = [_root(model, body) for body in model.velocity_bodies]
    reached: list[list[int]] = []
    for place in range(len(unknown)):
        acted = {row for row in range(model.nv) if place * model.nv + row in written}
        moved = {roots[row] for row in acted.intersection(free)}
        reached.append([row for row in prescribed_rows if row in acted or roots[row] in moved])
    given_by: dict[int, int] = {}

    def matched(place: int, tried: set[int]) -> bool:
        for row in reached[place]:
            if row not in tried:
                tried.add(row)
                if row not in given_by or matched(given_by[row], tried):
                    given_by[row] = place
                    return True
        return False

    for place, number in enumerate(unknown):
        tried: set[int] = set()
        if not matched(place, tried):
            input_name = model.actuator_inputs[number].name
            others = ", ".join(f"'{model.velocity_names[row]}'" for row in sorted(tried)) or "none of the prescribed"
            raise ModelError(
                f"unknown input '{input_name}' of robot '{model.name}' moves {others}, "
                + ("which other unknown inputs are to give; " if tried else "and so its size follows from nothing; ")
                + "prescribe a velocity that it moves, or look for another input"
            )


def _root(model: Model, body: int) -> int:
    """The first body with which this one moves at once: a rotor moves none, but by a spring."""
    while model.parent[body] >= 0 and body not in model.rotors:
        body = model.parent[body]
    return body
