"""Soft inverse kinematics as C: inputs of actuators with which a robot rests so that frames meet their targets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from symdyn.compiler.emit.arguments import WIDTH, argument_lines, call_lines, wrap_items
from symdyn.compiler.emit.contents import SCALARS
from symdyn.compiler.emit.solvers.solver import FrameSolver
from symdyn.compiler.emit.solvers.statics import StaticsSolver
from symdyn.compiler.emit.steppers.contents import call_of, held_name, loop_rows_of
from symdyn.compiler.emit.steppers.spelling import number
from symdyn.interface.signature import Argument
from symdyn.interface.solving import (
    DIFFERENTIAL_NUMBERS,
    LEAST_COLUMN,
    LEVENBERG,
    REST_ITERATIONS,
    SOFT_INVERSE_KINEMATICS,
    TASK_FUNCTION,
    given_to_soft,
    most_rounds,
)


@dataclass(frozen=True, slots=True)
class SoftInverseKinematicsSolver(FrameSolver):
    """The search of one robot: it calls that for a rest, and how rests change with inputs."""

    kind = SOFT_INVERSE_KINEMATICS
    called = TASK_FUNCTION
    template = "c/SOLVE_SOFT_INVERSE_KINEMATICS.c.jinja"
    title = "inputs with which the robot rests so that frames meet their targets."

    @property
    def statics(self) -> StaticsSolver:
        """The search for a rest."""
        return StaticsSolver(self.contents, self.solving)

    @property
    def given(self) -> tuple[Argument, ...]:
        """What stays as it is."""
        return given_to_soft(self.statics.called[0].signature, self.function(TASK_FUNCTION).signature)

    @property
    def tasks(self) -> int:
        """Rows of errors of tasks."""
        return self.function(TASK_FUNCTION).signature.outputs[0].size

    @property
    def loops(self) -> int:
        """Rows of errors of loops."""
        return loop_rows_of(self.constraints)

    @property
    def rest(self) -> int:
        """Scalars of a rest: q, inputs, multipliers, errors and their slopes."""
        return self.nq + self.statics.inputs + self.loops + self.tasks * (1 + self.nv)

    @property
    def work_size(self) -> int:
        """Scalars of workspace: two rests, how they change, the program, and those of functions or of a factor."""
        count, nv = self.statics.inputs, self.nv
        called = max(self.function(TASK_FUNCTION).program.work_size, self.statics.work_size, count**2 + 3 * count)
        return 2 * self.rest + nv * count + self.tasks * count + 2 * count**2 + 5 * count + nv + called

    @property
    def parameters(self) -> list[str]:
        """Those of the C function, on lines."""
        scalar = SCALARS[self.contents.dtype]
        names = ["q", "u_start", *map(held_name, self.given), "weights", "lower", "upper"]
        outputs = ["u_found", "q_rest", *(["lambda"] if self.loops else []), "error"]
        texts = [*(f"const {scalar} *{name}" for name in names), f"{scalar} tolerance", "size_t max_iterations"]
        texts += [*(f"{scalar} *{name}" for name in outputs), "size_t *counts", f"{scalar} *work"]
        return wrap_items(texts, WIDTH - 4)

    @property
    def documentation(self) -> list[str]:
        """Lines of the comment in the header."""
        count, errors = self.statics.inputs, self.function(TASK_FUNCTION)
        lines = [
            "Levenberg and Marquardt's method on inputs within bounds; at each step the robot is at rest.",
            f"It calls {self.statics.c_name}, {self.statics.c_name}_slopes and {errors.c_name}.",
            f"in  q[{self.nq}]: where the first rest is looked for",
            f"in  u_start[{count}]: inputs there, brought within their bounds",
            *(line for item in self.given for line in argument_lines(item, "in", held_name(item))),
            f"in  weights[{self.tasks}]: of squares of errors; 0 for rows that do not count; NULL for ones",
            f"in  lower[{count}], upper[{count}]: bounds of inputs; may be infinite",
            "in  tolerance: root of the weighted sum of squares at which targets are met",
            "in  max_iterations: of the method, each with a rest and its slopes",
            f"out u_found[{count}]: the inputs, or those of the nearest rest that was found",
            f"out q_rest[{self.nq}]: the rest",
        ]
        lines += [f"out lambda[{self.loops}]: multipliers of the loops"] if self.loops else []
        return [
            *lines,
            "out error[1]: root of the weighted sum of squares there",
            "out counts[2]: iterations, searches for a rest",
            f"work[{self.work_size}]: scratch, contents undefined before and after",
        ]

    def context(self, codes: dict[str, Any]) -> dict[str, Any]:
        """What the template needs; rows of its program are inputs."""
        scalar, count = SCALARS[self.contents.dtype], self.statics.inputs
        numbers, statics = LEVENBERG[self.contents.dtype], self.statics
        names = [f"held->{held_name(item)}" if item.name != "u" else "own->u" for item in statics.given]
        pressing = ["own->lambda"] if self.loops else []
        settings = [str(REST_ITERATIONS), "own->q", *pressing, "counts", "rest"]
        return {
            **self.common(codes),
            "robot_rows": self.nv,
            "nv": count,
            "places": None,
            **self.searching(self.nq, self.given),
            "tasks": self.tasks,
            "press": self.loops,
            "loops": None,
            "find": call_lines(statics.c_name, ["start", *names, *settings], ";"),
            "change": call_lines(f"{statics.c_name}_slopes", ["own->q", *names, *pressing, "D", "rest"], ";"),
            "errors": call_of(self.function(TASK_FUNCTION), ["own->e", "own->slopes"], "rest", {"q": "own->q"}),
            "numbers": {
                "damping": number(numbers.damping, scalar),
                "least": number(numbers.least, scalar),
                "fall": number(numbers.fall, scalar),
                "rise": number(numbers.rise, scalar),
                "tries": numbers.tries,
                "column": number(LEAST_COLUMN[self.contents.dtype], scalar),
                "rounds": most_rounds(count),
                "rounding": number(DIFFERENTIAL_NUMBERS[self.contents.dtype].rounding, scalar),
            },
        }
