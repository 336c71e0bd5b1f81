"""Derivatives of the step with rigid contacts: what their C needs, and what the header says of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from graphlib import TopologicalSorter
from itertools import accumulate
from typing import Any

from symdyn.compiler.emit.arguments import WIDTH, wrap_items
from symdyn.compiler.emit.contents import SCALARS, Function
from symdyn.compiler.emit.names import Mangler
from symdyn.compiler.emit.steppers.contact_rows import problem_work
from symdyn.compiler.emit.steppers.contents import OWN, Stepper, call_of, held_name
from symdyn.compiler.emit.steppers.spelling import number
from symdyn.compiler.passes.program.zeros import may_be_nonzero
from symdyn.interface.contact_calls import STEP_ENDS, slope_columns
from symdyn.interface.stepping import CONTACT_SLOPES, CONTACTS, ROWS

_TOGETHER = 8
"""Columns that a product takes at once."""
_AT_ONCE = 56
"""Columns whose sums stay in registers."""
_LINE = {"float64": 8, "float32": 16}
"""Scalars of a cache line, at which rows of columns begin."""
_GIVEN = {**OWN, "h": "&h", "lambda": "lambda"}
"""What the C calls the inputs that it makes itself."""
OF = tuple(f"d{name}" for name in STEP_ENDS)


def slopes_of(stepper: Stepper) -> Function | None:
    """The function that derivatives are made from, where it is asked for."""
    if stepper.method != CONTACTS:
        return None
    return next((function for function in stepper.contents.functions if function.name == CONTACT_SLOPES), None)


def partials_name(stepper: Stepper) -> str:
    """The C function."""
    return Mangler(prefix=f"{stepper.contents.identifier}_").name("contact_step_partials")


def directions_of(slopes: Function) -> list[tuple[str, int, int]]:
    """What is differentiated by: name, first column and number of columns."""
    columns = slope_columns(slopes.signature)
    starts = accumulate(columns.values(), initial=0)
    return [(by, start, count) for (by, count), start in zip(columns.items(), starts, strict=False)]


def _columns(directions: list[tuple[str, int, int]]) -> int:
    return -(-sum(count for _, _, count in directions) // _TOGETHER) * _TOGETHER


def _packed(directions: list[tuple[str, int, int]]) -> int:
    """Columns of what W^T is multiplied with: those by tau, h times the identity, need no product."""
    return _columns(directions[:-1] if directions[-1][0] == "tau" else directions)


def partials_entry(stepper: Stepper) -> tuple[str, int]:
    """The C function and its workspace, nothing where no derivatives are asked for."""
    slopes = slopes_of(stepper)
    return ("", 0) if slopes is None else (partials_name(stepper), _work(stepper, slopes))


def _work(stepper: Stepper, slopes: Function) -> int:
    rows = next(item.size for item in slopes.signature.inputs if item.name == "lambda")
    nv, columns = stepper.nv, _columns(directions_of(slopes))
    moved = (nv + _kept_rows(stepper) + rows) * columns
    slope_size = sum(item.size for item in slopes.signature.outputs) + rows * (rows + nv)
    before = stepper.nq + nv + slope_size + moved + _LINE[stepper.contents.dtype] - 1
    return before + max(slopes.program.work_size, _impacts_work(stepper, slopes))


def _impacts_work(stepper: Stepper, slopes: Function) -> int:
    """What impacts need that are solved one after another, nothing where they are solved at once."""
    sets, nv = stepper.stepping.contacts, stepper.nv
    if sets is None or sets.impacting is None:
        return 0
    columns, made = _columns(directions_of(slopes)), stepper.moved_by
    kept = sum(item.size for item in made.signature.outputs) + 2 * sum(item.size for item in slopes.signature.outputs)
    kept += (5 * sets.rows + 2 * nv) * columns + sets.rows * (sets.rows + 4) + nv
    return kept + max(problem_work(sets.solved_rows, nv), made.program.work_size, slopes.program.work_size)


def _blocks(stepper: Stepper) -> list[tuple[int, int]]:
    """First rows and numbers of rows of joints that are no scalars."""
    return [(entry.v, ROWS[entry.rates][1]) for entry in stepper.stepping.rows if entry.rates in ROWS]


def _kept_rows(stepper: Stepper) -> int:
    """Rows of columns that are kept beside those of moves: two per row of such a joint."""
    return 2 * sum(count for _, count in _blocks(stepper))


def _parameters(stepper: Stepper, slopes: Function) -> list[str]:
    scalar = SCALARS[stepper.contents.dtype]
    given = [f"const {scalar} *{name}" for name in ("q", "v", *map(held_name, stepper.held))]
    pressed = [f"{scalar} h", f"const {scalar} *lambda", "const int *state"]
    outputs = [f"{scalar} *{of}_d{by}" for of in OF for by, _, _ in directions_of(slopes)]
    return wrap_items([*given, *pressed, *outputs, f"{scalar} *work"], WIDTH - 4)


def partials_context(stepper: Stepper) -> dict[str, Any] | None:
    """What ``contact_partials`` needs beside what the step has; None where no derivatives are asked for."""
    slopes = slopes_of(stepper)
    if slopes is None:
        return None
    directions, outputs = directions_of(slopes), slopes.signature.outputs
    lists = _lists(stepper, slopes)
    return {
        "name": partials_name(stepper),
        "lines": _parameters(stepper, slopes),
        "directions": directions,
        "columns": _columns(directions),
        "packed": _packed(directions),
        "together": _TOGETHER,
        "lists": lists,
        "widths": {width: _parts(width) for width in sorted({_packed(directions), _columns(directions)})},
        "bytes": 64 // _LINE[stepper.contents.dtype],
        "kept": _kept_rows(stepper),
        "line": _LINE[stepper.contents.dtype],
        "forces": directions[-1],
        "bounded": [own for own in directions if own[0] in "ph"],
        "parameters": sum(count for by, _, count in directions if by == "p"),
        "length": next((first for by, first, _ in directions if by == "h"), None),
        "names": [item.name for item in outputs],
        "sizes": [item.size for item in outputs],
        "blocks": _blocks(stepper),
        "call": call_of(slopes, [f"all.{item.name}" for item in outputs], "rest", _GIVEN),
        "call_to": call_of(slopes, [f"to->{item.name}" for item in outputs], "rest", _GIVEN),
        "two": number(2.0, SCALARS[stepper.contents.dtype]),
    }


def _parts(width: int) -> list[int]:
    """Columns that are summed at once, about as many in each part: sums of few wait for each other."""
    count, whole = -(-width // _AT_ONCE), width // _TOGETHER
    return [_TOGETHER * ((k + 1) * whole // count - k * whole // count) for k in range(count)]


def _lists(stepper: Stepper, slopes: Function) -> list[dict[str, Any]]:
    """Tables of the entries of matrices that are not zero by structure, and the most of one row."""
    nv, flags = stepper.nv, may_be_nonzero(slopes.program)
    spread, whitened, *ends = (
        [[j for j in range(nv) if flags[name][start + j]] for start in range(0, len(flags[name]), nv)]
        for name in ("spread", "whitened", *(("end_by_v", "turned_by_v") if _blocks(stepper) else ()))
    )
    behind = [[column for column in columns if column != row] for row, columns in enumerate(spread)]
    rows = {
        "spread_columns": ("Columns of each row of W^T but its own", behind),
        "spread_rows": ("Rows of each column of W^T but its own", _transposed(behind, nv)),
        "whitened_columns": ("Columns of each row of J W", whitened),
        "whitened_rows": ("Rows of each column of J W", _transposed(whitened, nv)),
    }
    for name, columns in zip(("end", "turned"), ends, strict=False):
        rows[f"{name}_columns"] = (f"Columns of each row of {name}_by_v", columns)
    most = max(nv, *(len(row) for _, listed in rows.values() for row in listed))
    tables = [
        _table("counting", "Numbers in their order", range(most)),
        _table("outward", "Rows of W^T, each before those that it is a sum of", _before(behind)),
    ]
    for name, (says, listed) in rows.items():
        numbers = [number for row in listed for number in row]
        tables.append(_table(name, f"{says} that are not zero by structure, one row after another", numbers))
        tables.append(_table(f"{name}_from", "Where each of these begins", accumulate(map(len, listed), initial=0)))
    return tables


def _transposed(columns: Sequence[Sequence[int]], count: int) -> list[list[int]]:
    return [[row for row, entries in enumerate(columns) if column in entries] for column in range(count)]


def _before(behind: Sequence[Sequence[int]]) -> list[int]:
    """Rows in an order in which each comes before those of its list: W is triangular in it."""
    return list(TopologicalSorter(dict(enumerate(_transposed(behind, len(behind))))).static_order())


def _table(name: str, says: str, numbers: Iterable[int]) -> dict[str, Any]:
    kept = list(map(str, numbers)) or ["0"]
    return {"name": name, "says": says, "size": len(kept), "lines": wrap_items(kept, WIDTH - 2)}


def partials_declared(stepper: Stepper, rows: int, states: int) -> dict[str, Any] | None:
    """What the header declares of derivatives."""
    slopes = slopes_of(stepper)
    if slopes is None:
        return None
    nv, size = stepper.nv, _work(stepper, slopes)
    by = ", ".join(f"{name}[{count}]" for name, _, count in directions_of(slopes))
    return {
        "name": partials_name(stepper),
        "documentation": [
            f"in  lambda[{rows}], state[{states}]: what {stepper.c_name} gave for the same inputs; at a switch the",
            "    derivatives are those of that state. The report's margin tells how far the next one is.",
            f"out derivatives of q_next, as moves along rows of v [{nv}], of v_next [{nv}] and of lambda [{rows}],",
            f"    row by row, by moves of q along rows of v and by others: {by}.",
            "    Where loops are closed once more after a step, that is not differentiated.",
            f"work[{size}]: scratch, contents undefined before and after",
        ],
        "parameters": _parameters(stepper, slopes),
        "work": (f"{partials_name(stepper).upper()}_WORK", size),
        "slopes": slopes.c_name,
    }
