"""The stepper of the generalised-alpha method: its numbers, its workspace, what stands in its template."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from symdyn.compiler.emit.steppers.contents import Stepper, call_of
from symdyn.compiler.emit.steppers.method import Method
from symdyn.compiler.emit.steppers.moves import move_helpers, move_lines
from symdyn.compiler.emit.steppers.spelling import number, spelling
from symdyn.interface.alpha_rule import (
    FAST,
    ITERATIONS,
    KEPT_RATE,
    KEPT_STEP,
    RADIUS,
    SAME_STEP,
    SLOW,
    TOLERANCES,
    TRUST,
    AlphaRule,
)
from symdyn.interface.stepping import IMPLICIT_FUNCTIONS

_CLOSING = 8
_NUMBERS = {
    "endless": 2.0**100,
    "same": SAME_STEP,
    "near": KEPT_STEP,
    "rate": KEPT_RATE,
    "fast": FAST,
    "slow": SLOW,
    "trust": TRUST,
    "alike": 0.01,
    "quarter": 0.25,
    "eight": 8.0,
    "twelve": 12.0,
}
_SPLINE = {"three": 3.0, "four": 4.0, "five": 5.0, "seven": 7.0, "ten": 10.0, "twelve": 12.0, "fifteen": 15.0}


class GeneralisedAlpha(Method):
    """The method of Bruls, Cardona and Arnold, as ``symdyn.analysis.simulation.generalised_alpha`` has it."""

    template = "c/STEP_GENERALISED_ALPHA.c.jinja"
    settings = ("h",)
    explicit = False
    notes = (
        "Errors after a given time are of order 2 in h. The scheme is that of Bruls, Cardona and Arnold (2012) with",
        f"spectral radius {RADIUS} at infinity, in which errors of closed loops vanish at the end of each step;",
        f"at most three times {ITERATIONS} iterations of Newton's method, and a dense LU that goes from step to step.",
    )
    start_note = (
        "What comes before the first step, and after a jump of what is held: accelerations into the head of work."
    )
    advance_note = "Between two times lie equal steps of at most h."

    def title(self, stepper: Stepper) -> str:
        """One sentence for comments."""
        return "one step of the generalised-alpha method, for stiff robots and closed loops."

    def memory(self, stepper: Stepper) -> int:
        """What goes from step to step: accelerations, multipliers, prescribed joints, factors."""
        unknowns = _unknowns(stepper)
        return places(stepper)["matrix"] + unknowns * unknowns

    def own_work(self, stepper: Stepper) -> int:
        """Memory, two states, and the larger of what a step and a start need, but for the functions that they call."""
        size, unknowns, slopes = stepper.nq + stepper.nv, _unknowns(stepper), stepper.loop_rows * stepper.nv
        step = 6 * stepper.nv + size + stepper.loop_rows + unknowns + slopes
        start = 2 * size + 4 * unknowns + 3 * stepper.nv + slopes
        return self.memory(stepper) + 2 * size + max(step, start)

    def rest(self, stepper: Stepper) -> int:
        """The functions' own."""
        called = [*map(stepper.function, IMPLICIT_FUNCTIONS), *stepper.constraints]
        return max(function.program.work_size for function in called)

    def context(self, stepper: Stepper, scalar: str) -> dict[str, Any]:
        """What its template needs."""
        residual, newton = map(stepper.function, IMPLICIT_FUNCTIONS)
        rows, least = stepper.stepping.rows, stepper.stepping.least
        return {
            **move_helpers(rows, scalar),
            "settles": False,
            "moves": move_lines(rows, scalar, spelling(scalar)),
            "unknowns": _unknowns(stepper),
            "loop_rows": stepper.loop_rows,
            "at": places(stepper),
            "residual": call_of(residual, ["move"], "rest"),
            "newton": call_of(newton, ["matrix"], "rest"),
            "error": call_of(stepper.constraints[0], [f"move + {stepper.nv}"], "rest") if stepper.constraints else [],
            "least": any(least),
            "crowded": stepper.stepping.crowded and any(least),
            "scheme": {**_scheme(stepper, scalar), "iterations": ITERATIONS, "closing": _CLOSING},
            "spline": {name: number(value, scalar) for name, value in {**_SPLINE, "twenty": 20.0}.items()},
        }


def _unknowns(stepper: Stepper) -> int:
    return stepper.nv + stepper.loop_rows


def places(stepper: Stepper) -> dict[str, int]:
    """Where what goes from step to step stands, behind accelerations, auxiliary ones, changes and multipliers."""
    at = 3 * stepper.nv + stepper.loop_rows
    last = at + 4 + any(stepper.stepping.least)
    order = last + 3 * len(stepper.prescribed)
    return {
        "step": at,
        "factor_step": at + 1,
        "rate": at + 2,
        "stage": at + 3,
        "vanished": at + 4,
        "last": last,
        "order": order,
        "matrix": order + _unknowns(stepper),
    }


def _scheme(stepper: Stepper, scalar: str) -> dict[str, str]:
    """Numbers of the method, as C."""
    rule = AlphaRule.of(RADIUS)
    numbers = {
        **_NUMBERS,
        "kept": rule.alpha_m,
        "then": rule.alpha_f,
        "own": 1.0 - rule.alpha_m,
        "now": 1.0 - rule.alpha_f,
        "mass": rule.mass_weight,
        "shift": rule.shift,
        "gamma": rule.gamma,
        "beta": rule.beta,
        "half_less_beta": 0.5 - rule.beta,
        "one_less_gamma": 1.0 - rule.gamma,
        **asdict(TOLERANCES[scalar]),
    }
    texts = {"rate_text": f"{KEPT_RATE:g}", "shift_text": f"{rule.shift:.3f}"}
    return {**{name: number(value, scalar) for name, value in numbers.items()}, **texts}
