"""Differential inverse kinematics as C: a bounded quadratic program for velocities, by an active set."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from symdyn.compiler.emit.arguments import WIDTH, wrap_items
from symdyn.compiler.emit.contents import SCALARS
from symdyn.compiler.emit.solvers.solver import FrameSolver
from symdyn.compiler.emit.steppers.contents import OWN, call_of, held_name, loop_rows_of
from symdyn.compiler.emit.steppers.spelling import number
from symdyn.interface.solving import DIFFERENTIAL_IK, DIFFERENTIAL_NUMBERS, JACOBIAN_FUNCTION, most_rounds


@dataclass(frozen=True, slots=True)
class DifferentialIkSolver(FrameSolver):
    """The quadratic program of one robot."""

    kind = DIFFERENTIAL_IK
    called = JACOBIAN_FUNCTION
    template = "c/SOLVE_DIFFERENTIAL_IK.c.jinja"
    title = "velocities with which frames move as desired, within limits."

    @property
    def tasks(self) -> int:
        """Rows of twists of all frames."""
        return self.function(JACOBIAN_FUNCTION).signature.outputs[0].size // self.nv

    @property
    def work_size(self) -> int:
        """Scalars of workspace: slopes, the program, those of loops, and those of functions or of a factor."""
        nv, loops = self.nv, loop_rows_of(self.constraints)
        functions = (self.function(JACOBIAN_FUNCTION), *self.constraints)
        called = max(function.program.work_size for function in functions)
        looped = loops * (nv + 1) + nv**2 if loops else 0
        return self.tasks * nv + nv**2 + 3 * nv + looped + max(called, nv**2 + 3 * nv)

    @property
    def parameters(self) -> list[str]:
        """Those of the C function, on lines."""
        scalar = SCALARS[self.contents.dtype]
        names = ["q", *map(held_name, self.given), "V_d", "v_0", "weights", "v_lower", "v_upper", "lower", "upper"]
        texts = [*(f"const {scalar} *{name}" for name in names), f"{scalar} damping", f"{scalar} h", f"{scalar} *v"]
        return wrap_items([*texts, "size_t *factors", f"{scalar} *work"], WIDTH - 4)

    @property
    def documentation(self) -> list[str]:
        """Lines of the comment in the header."""
        functions = (self.function(JACOBIAN_FUNCTION), *self.constraints)
        nq, nv, tasks = self.nq, self.nv, self.tasks
        return [
            "v minimises (J v - V_d)^T W (J v - V_d) + damping |v - v_0|^2 within bounds, exactly, by an active set.",
            *(["Loops close at the end of the step: A v + e / h = 0."] if self.constraints else []),
            f"It calls {', '.join(function.c_name for function in functions)}.",
            f"in  q[{nq}]: the position now",
            *(f"in  {held_name(item)}[{item.size}]: see {functions[0].c_name}" for item in self.given),
            f"in  V_d[{tasks}]: desired twists, linear; angular, world axes, frame by frame",
            f"in  v_0[{nv}]: velocities that are preferred where the frames leave v free",
            f"in  weights[{tasks}]: of squares; 0 for rows that do not count; NULL for ones",
            f"in  v_lower[{nv}], v_upper[{nv}]: bounds of v; may be infinite",
            f"in  lower[{nq}], upper[{nq}]: limits at the end of the step, of rows of q that are angles or lengths; a",
            "    row outside returns as fast as the bounds of v allow",
            "in  damping: above 0",
            "in  h: length of the step [s]",
            f"out v[{nv}]: the velocities",
            "out factors[1]: how many systems of linear equations were solved",
            f"work[{self.work_size}]: scratch, contents undefined before and after",
        ]

    def context(self, codes: dict[str, Any]) -> dict[str, Any]:
        """What the template needs."""
        scalar, numbers = SCALARS[self.contents.dtype], DIFFERENTIAL_NUMBERS[self.contents.dtype]
        own, loops = {**OWN, **{item.name: held_name(item) for item in self.given}}, {}
        if self.constraints:
            error, rows = self.constraints
            loops = {
                "rows": loop_rows_of(self.constraints),
                "error": call_of(error, ["error"], "rest", own),
                "slopes": call_of(rows, ["rows"], "rest", own),
            }
        return {
            **self.common(codes),
            "tasks": self.tasks,
            "loops": loops or None,
            "jacobians": call_of(self.function(JACOBIAN_FUNCTION), ["slopes"], "rest", own),
            "numbers": {
                "rounds": most_rounds(self.nv),
                "steps": numbers.steps,
                "rounding": number(numbers.rounding, scalar),
                "closed": number(numbers.closed, scalar),
                "loops": number(numbers.loops, scalar),
            },
        }
