"""What steppers of different methods say for themselves: templates, workspaces, lines of tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from symdyn.compiler.emit.steppers import dop853_table as table
from symdyn.compiler.emit.steppers.alpha import GeneralisedAlpha
from symdyn.compiler.emit.steppers.contacts import Contacts
from symdyn.compiler.emit.steppers.contents import Stepper, call_of, held_name
from symdyn.compiler.emit.steppers.method import Method
from symdyn.compiler.emit.steppers.series import kept_size, series_lines
from symdyn.compiler.emit.steppers.spelling import number, spelling
from symdyn.interface import stepping

_GROUP = "Quaternions change by q' = q (omega, 0) / 2 in all stages, and are brought to length 1 after the step."


class _RungeKutta4(Method):
    template = "c/STEP_RK4.c.jinja"
    settings = ("h",)
    notes = ("Errors of a step are of order 5 in h, those after a given time of order 4.", _GROUP)
    advance_note = "Between two times lie equal steps of at most h."

    def title(self, stepper: Stepper) -> str:
        return "one step of the classical Runge-Kutta method of order 4."

    def own_work(self, stepper: Stepper) -> int:
        return 4 * (stepper.nq + stepper.nv)


class _Dop853(Method):
    template = "c/STEP_DOP853.c.jinja"
    settings = ("rtol", "atol")
    notes = (
        "Errors after a given time are of order 8 in h. The pair is that of Hairer, Norsett and Wanner,",
        "Solving Ordinary Differential Equations I, section II.5.",
        _GROUP,
    )
    advance_note = (
        "Steps are chosen so that estimated errors stay below atol + rtol |y|; states within a step are interpolated."
    )

    def title(self, stepper: Stepper) -> str:
        return "one step of the Runge-Kutta method DOP853 of order 8."

    def own_work(self, stepper: Stepper) -> int:
        """State, end, slopes, terms of the interpolation, a state within, two stages."""
        return (2 + _SLOPES + _TERMS + 3) * (stepper.nq + stepper.nv)

    def context(self, stepper: Stepper, scalar: str) -> dict[str, Any]:
        size = stepper.nq + stepper.nv
        rows = [*table.STAGE_ROWS, table.END_ROW]
        stages = [
            {
                "lines": sum_lines(row, size, scalar),
                "place": "end" if row is table.END_ROW else "work",
                "slope": None if row is table.END_ROW else f"{(index + 1) * size}",
            }
            for index, row in enumerate(rows)
        ]
        return {
            "stages": stages,
            "extra": [
                {"lines": sum_lines(row, size, scalar), "slope": f"{(table.STAGES + 1 + index) * size}"}
                for index, row in enumerate(table.EXTRA_ROWS)
            ],
            "terms": [
                {"lines": sum_lines(row, size, scalar), "place": f"{(3 + index) * size}"}
                for index, row in enumerate(table.INTERPOLATION)
            ],
            "within": [(place * size, "x" if place % 2 == 0 else "y") for place in range(_TERMS - 2, -1, -1)],
            "error_5": sum_lines(table.ERROR_5, size, scalar),
            "error_3": sum_lines(table.ERROR_3, size, scalar),
            "last_slope": table.STAGES * size,
            "slopes_size": _SLOPES * size,
            "size_number": number(float(size), scalar),
            "first": {
                "small": number(1e-5, scalar),
                "least": number(1e-6, scalar),
                "thousandth": number(1e-3, scalar),
                "flat": number(1e-15, scalar),
            },
        }


_SLOPES = table.STAGES + 1 + len(table.EXTRA_ROWS)
_TERMS = 3 + len(table.INTERPOLATION)


def sum_lines(row: Mapping[int, float], size: int, scalar: str) -> list[str]:
    """Statements that make ``sum`` of the slopes of element i, in the order of stages."""
    lines = []
    for count, (stage, factor) in enumerate(row.items()):
        text, slope = number(factor, scalar), f"slopes[{stage * size} + i]" if stage else "slopes[i]"
        lines.append(f"sum = SYMDYN_FMA({text}, {slope}, sum);" if count else f"{scalar} sum = {text} * {slope};")
    return lines


class _Taylor(Method):
    explicit = False
    template = "c/STEP_TAYLOR.c.jinja"
    settings = ("rtol", "atol")
    advance_note = (
        "Steps are as long as the last two coefficients allow for errors of atol + rtol max |y|; the series holds "
        "within them. Inputs are polynomials in time: their derivatives are those at times[0]."
    )
    notes = (
        "The state's own power series: for motions without jumps. Jorba and Zou, A software package for the numerical",
        "integration of ODEs by means of high-order Taylor methods (2005).",
    )

    def title(self, stepper: Stepper) -> str:
        return f"one step of a Taylor series in time of order {_order(stepper)}."

    def own_work(self, stepper: Stepper) -> int:
        """Coefficients, a state, inputs at the start of a step."""
        size = stepper.nq + stepper.nv
        return (_order(stepper) + 2) * size + sum(item.size for item in stepper.driving)

    def rest(self, stepper: Stepper) -> int:
        accelerations = _order(stepper) * stepper.nv + stepper.beside + stepper.moved_by.program.work_size
        return max(accelerations, kept_size(stepper.stepping.rows, _order(stepper)))

    def context(self, stepper: Stepper, scalar: str) -> dict[str, Any]:
        size, order, rows = stepper.nq + stepper.nv, _order(stepper), stepper.stepping.rows
        driven, at = [], 0
        for item in stepper.driving:
            driven.append({"name": held_name(item), "width": item.size // order, "at": at})
            at += item.size
        names = {item["name"] for item in driven}
        outputs, place = ["rates"], order * stepper.nv
        for item in stepper.moved_by.signature.outputs[1:]:
            outputs.append(f"work + {place}")
            place += item.size
        return {
            "order": order,
            "accelerations": call_of(stepper.moved_by, outputs, f"work + {place}"),
            "series": series_lines(rows, stepper.nq, size, order, scalar, spelling(scalar)),
            "kept": kept_size(rows, order),
            "driven": driven,
            "shifted_size": at,
            "held_shifted": [f"shifted_{name}" if name in names else name for name in map(held_name, stepper.held)],
        }


def _order(stepper: Stepper) -> int:
    """The highest power of time: one more than the highest derivative of accelerations."""
    return stepper.moved_by.signature.outputs[0].shape[0]


METHODS: Mapping[str, Method] = {
    stepping.RK4: _RungeKutta4(),
    stepping.DOP853: _Dop853(),
    stepping.TAYLOR: _Taylor(),
    stepping.GENERALISED_ALPHA: GeneralisedAlpha(),
    stepping.CONTACTS: Contacts(),
}
