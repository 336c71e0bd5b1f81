"""What one stepper is, before its text: the functions that it calls, the arrays it takes, its workspace."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod

from symdyn.compiler.emit.arguments import call_lines
from symdyn.compiler.emit.contents import C_SCOPE, Contents, Function
from symdyn.compiler.emit.names import Mangler
from symdyn.interface.signature import Argument
from symdyn.interface.stepping import CONSTRAINT_FUNCTIONS, CONTACT_FUNCTION, CONTACTS, FOLLOWING, TAYLOR, Stepping

RESERVED = frozenset(
    {"q", "v", "h", "prescribed", "times", "rows", "rtol", "atol", "max_steps", "counts", "state", "held"}
)
MADE = ("q", "v", "a", "lambda", "h")
"""Inputs of functions that steppers make themselves."""
PRESCRIBED = "prescribed"


@dataclass(frozen=True, slots=True)
class Stepper:
    """One method for one robot."""

    method: str
    contents: Contents
    stepping: Stepping

    @property
    def c_name(self) -> str:
        """Name of its function for one step; ``_advance`` after it is the other."""
        return Mangler(prefix=f"{self.contents.identifier}_").name(f"step_{self.method.replace('-', '_')}")

    @property
    def moved_by(self) -> Function:
        """The function that gives accelerations."""
        return self.function(self.stepping.acceleration(self.method))

    @property
    def constraints(self) -> tuple[Function, ...]:
        """Errors of loops and their slopes, none where there are no loops."""
        return tuple(map(self.function, CONSTRAINT_FUNCTIONS)) if self.stepping.looped else ()

    @property
    def gaps(self) -> Function | None:
        """Gaps of contacts; None where nothing touches."""
        return self.function(CONTACT_FUNCTION) if self.stepping.touching and self.method != CONTACTS else None

    def function(self, name: str) -> Function:
        """A function of the folder."""
        return next(function for function in self.contents.functions if function.name == name)

    @property
    def held(self) -> tuple[Argument, ...]:
        """Inputs that stay as they are during a step, in the order of the function that moves."""
        return tuple(item for item in self.moved_by.signature.inputs if item.name not in MADE)

    @property
    def prescribed(self) -> tuple[tuple[int, int], ...]:
        """Rows of q and v whose motion is given."""
        return self.stepping.prescribed if self.method in FOLLOWING else ()

    @property
    def driving(self) -> tuple[Argument, ...]:
        """Inputs that come with their time derivatives, where the function that moves gives derivatives."""
        return tuple(item for item in self.held if len(item.shape) > 1) if self.method == TAYLOR else ()

    @property
    def nq(self) -> int:
        """Rows of q."""
        return self.moved_by.signature.input("q").size

    @property
    def nv(self) -> int:
        """Rows of v."""
        return self.moved_by.signature.input("v").size

    @property
    def beside(self) -> int:
        """Scalars that the function that moves gives beside accelerations, such as multipliers."""
        return sum(item.size for item in self.moved_by.signature.outputs[1:])

    @property
    def loop_rows(self) -> int:
        """Rows of errors of loops."""
        return loop_rows_of(self.constraints)

    @property
    def rest(self) -> int:
        """Scalars of workspace for slopes of a state, for gaps of contacts, and for closing loops."""
        slope = self.beside + self.moved_by.program.work_size
        if self.gaps is not None:
            slope = max(slope, self.gaps.program.work_size)
        if not self.constraints:
            return slope
        return max(slope, closing_work(self.constraints, self.nq, self.nv))


def loop_rows_of(constraints: tuple[Function, ...]) -> int:
    """Rows of errors of loops, by the functions of errors and of their slopes; 0 where there are none."""
    return prod(constraints[0].signature.outputs[0].shape) if constraints else 0


def closing_work(constraints: tuple[Function, ...], nq: int, nv: int) -> int:
    """Scalars of workspace for closing loops."""
    m, within = loop_rows_of(constraints), max(function.program.work_size for function in constraints)
    return m * nv + m * m + m + nv + nq + within


def held_name(argument: Argument) -> str:
    """The parameter's name in C."""
    name = C_SCOPE.name(argument.name)
    return f"given_{name}" if name in RESERVED else name


OWN = {"q": "q", "v": "v", "a": "a", "lambda": "press", "c": "c", "h": "h"}
"""What steppers call the inputs that they make themselves."""


def call_of(function: Function, outputs: list[str], work: str, own: Mapping[str, str] = OWN) -> list[str]:
    """The call of a function at the state and motion of a stepper, other inputs as they are held."""
    inputs = [own.get(item.name) or f"held->{held_name(item)}" for item in function.signature.inputs]
    return call_lines(function.c_name, [*inputs, *outputs, work], ";")
