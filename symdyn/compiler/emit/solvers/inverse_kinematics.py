"""Inverse kinematics as C: Levenberg and Marquardt's method over errors of frames, from several starts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from symdyn.compiler.emit.arguments import WIDTH, wrap_items
from symdyn.compiler.emit.contents import SCALARS, Function
from symdyn.compiler.emit.solvers.solver import FrameSolver
from symdyn.compiler.emit.steppers.contents import call_of, held_name, loop_rows_of
from symdyn.compiler.emit.steppers.spelling import number
from symdyn.interface.solving import INVERSE_KINEMATICS, LEVENBERG, TASK_FUNCTION

TITLE = "a position at which frames meet their targets, within limits."


@dataclass(frozen=True, slots=True)
class InverseKinematicsSolver(FrameSolver):
    """The search of one robot."""

    kind = INVERSE_KINEMATICS
    called = TASK_FUNCTION
    template = "c/SOLVE_INVERSE_KINEMATICS.c.jinja"
    title = TITLE

    @property
    def errors(self) -> Function:
        """Errors of the tasks, and their slopes."""
        return self.function(TASK_FUNCTION)

    @property
    def tasks(self) -> int:
        """Rows of errors of tasks."""
        return self.errors.signature.outputs[0].size

    @property
    def rows(self) -> int:
        """Rows of errors of tasks and of loops."""
        return self.tasks + loop_rows_of(self.constraints)

    @property
    def work_size(self) -> int:
        """Scalars of workspace: two places with errors and slopes, the normal equations, and those of functions."""
        called = max(function.program.work_size for function in (self.errors, *self.constraints))
        return 2 * (self.nq + self.rows * (1 + self.nv)) + 2 * self.nv**2 + 3 * self.nv + called

    @property
    def parameters(self) -> list[str]:
        """Those of the C function, on lines."""
        scalar = SCALARS[self.contents.dtype]
        texts = [f"const {scalar} *q", "size_t starts"]
        texts += [f"const {scalar} *{name}" for name in (*map(held_name, self.given), "weights", "lower", "upper")]
        texts += [f"{scalar} tolerance", "size_t max_iterations", f"{scalar} *q_found", f"{scalar} *error"]
        return wrap_items([*texts, "size_t *counts", f"{scalar} *work"], WIDTH - 4)

    @property
    def documentation(self) -> list[str]:
        """Lines of the comment in the header."""
        called = ", ".join(function.c_name for function in (self.errors, *self.constraints))
        return [
            "Levenberg and Marquardt's method on weighted errors. Rows that press against a limit leave the equations.",
            "It stops at the first start from which the targets are met, or ends with the nearest position of all.",
            f"It calls {called}.",
            f"in  q[starts, {self.nq}]: where searches start, one after the other",
            *(f"in  {held_name(item)}[{item.size}]: see {self.errors.c_name}" for item in self.given),
            f"in  weights[{self.tasks}]: of squares of errors; 0 for rows that do not count; NULL for ones",
            f"in  lower[{self.nq}], upper[{self.nq}]: limits of rows of q that are angles or lengths; may be infinite",
            "in  tolerance: root of the weighted sum of squares at which targets are met",
            "in  max_iterations: of each start",
            f"out q_found[{self.nq}]: the position, or the nearest that was found",
            "out error[1]: root of the weighted sum of squares there",
            "out counts[3]: iterations, evaluations of errors, starts",
            f"work[{self.work_size}]: scratch, contents undefined before and after",
        ]

    def context(self, codes: dict[str, Any]) -> dict[str, Any]:
        """What the template needs."""
        scalar, numbers = SCALARS[self.contents.dtype], LEVENBERG[self.contents.dtype]
        looped, tasks = bool(self.constraints), self.tasks
        loops = {}
        if looped:
            error, slopes = self.constraints
            loops = {
                "rows": loop_rows_of(self.constraints),
                "error": call_of(error, [f"e + {tasks}"], "rest"),
                "slopes": call_of(slopes, [f"slopes + {tasks * self.nv}"], "rest"),
                "weight": number(numbers.loops, scalar),
            }
        return {
            **self.common(codes),
            **self.searching(self.nq, self.given),
            "tasks": tasks,
            "rows": self.rows,
            "loops": loops or None,
            "errors": call_of(self.errors, ["e", "slopes"], "rest"),
            "numbers": {
                "damping": number(numbers.damping, scalar),
                "least": number(numbers.least, scalar),
                "fall": number(numbers.fall, scalar),
                "rise": number(numbers.rise, scalar),
                "tries": numbers.tries,
            },
        }
