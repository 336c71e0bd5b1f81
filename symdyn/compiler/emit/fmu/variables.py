"""The variables of a unit: time, states, their rates, inputs and parameters, each with the place of its value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from symdyn.compiler.emit.contents import Contents, Function
from symdyn.compiler.emit.names import comment
from symdyn.compiler.emit.steppers.contents import Stepper
from symdyn.errors import InternalError, RequestError
from symdyn.interface.contact_solving import EMPTY_SLOT, TOUCHING
from symdyn.interface.signature import PARAMETERS, Argument
from symdyn.interface.state_space import StateSpace
from symdyn.interface.stepping import CONTACT_FUNCTION, ROWS, Rates
from symdyn.interface.targets import FMU

RATE, SLOPES = "state_derivative", "state_jacobian"
STATE = "y"


@dataclass(frozen=True, slots=True)
class Variable:
    """One scalar. ``reference`` is its place among the values; ``rate_of`` the state that it is the rate of."""

    name: str
    reference: int
    causality: str
    variability: str
    unit: str
    initial: str | None = None
    start: float | None = None
    rate_of: int | None = None


@dataclass(frozen=True, slots=True)
class Unit:
    """What a unit is made of: its functions, its state and the inputs beside, in the order of the functions.

    ``filled`` are inputs of its steps alone, such as what fills slots of contact.
    """

    contents: Contents
    rate: Function
    slopes: Function
    state: StateSpace
    gaps: Function | None
    filled: tuple[Argument, ...] = ()

    @property
    def ny(self) -> int:
        """Scalars of the state."""
        return len(self.state.positions) + len(self.state.velocities)

    @property
    def given(self) -> tuple[tuple[Argument, int], ...]:
        """Inputs beside the state, run-time parameters among them, and where the values of each begin."""
        places, at = [], 1 + 2 * self.ny
        for argument in (*self.rate.signature.inputs, *self.filled):
            if argument.name != STATE:
                places.append((argument, at))
                at += argument.size
        return tuple(places)

    @property
    def moved_by(self) -> Mapping[int, tuple[int, ...]]:
        """Per rate of a row of q: the references of the states that it rests on."""
        found: dict[int, tuple[int, ...]] = {}
        speeds = 1 + len(self.state.positions)
        for entry in self.state.rows:
            if entry.rates is Rates.EQUAL:
                found |= {entry.q + row: (speeds + entry.v + row,) for row in range(entry.count)}
            else:
                nq, nv = ROWS[entry.rates]
                own = (*range(1 + entry.q, 1 + entry.q + nq), *range(speeds + entry.v, speeds + entry.v + nv))
                found |= dict.fromkeys(range(entry.q, entry.q + nq), own)
        return {1 + self.ny + row: references for row, references in found.items()}

    @property
    def count(self) -> int:
        """Values in all: time, states, rates, inputs."""
        return 1 + 2 * self.ny + sum(argument.size for argument, _ in self.given)


def unit_of(contents: Contents, stepper: Stepper | None) -> Unit:
    """The unit of a folder's functions, and of the one method by which it steps.

    Raises
    ------
    RequestError
        Single precision; a run-time parameter without a value.
    """
    if contents.state is None:
        raise InternalError("a unit needs the names and the start of the robot's state")
    if contents.dtype not in FMU.dtypes:
        raise RequestError(f"FMI has variables of double precision, got dtype {contents.dtype!r}; ask for float64")
    for name, value in zip(contents.state.parameters, contents.state.values, strict=True):
        if value is None:
            raise RequestError(
                f"run-time parameter '{name}' has no value, and a unit starts with one; give it in the file"
            )
    named = {function.name: function for function in contents.functions}
    known = {argument.name for argument in named[RATE].signature.inputs}
    filled = tuple(argument for argument in stepper.held if argument.name not in known) if stepper else ()
    return Unit(contents, named[RATE], named[SLOPES], contents.state, named.get(CONTACT_FUNCTION), filled)


def variables(unit: Unit) -> Iterator[Variable]:
    """All of them, in the order of their references."""
    state, ny = unit.state, unit.ny
    yield Variable("time", 0, "independent", "continuous", "s")
    names = [f"q.{name}" for name in state.positions] + [f"v.{name}" for name in state.velocities]
    units = unit.rate.signature.input(STATE).element_units
    starts = [*state.start, *[0.0] * len(state.velocities)]
    for row, (name, text, start) in enumerate(zip(names, units, starts, strict=True)):
        yield Variable(_legal(name), 1 + row, "output", "continuous", text, "exact", start)
    rates = unit.rate.signature.outputs[0].element_units
    for row, (name, text) in enumerate(zip(names, rates, strict=True)):
        yield Variable(_legal(f"der({name})"), 1 + ny + row, "local", "continuous", text, "calculated", rate_of=1 + row)
    for argument, at in unit.given:
        tuned = argument.name == PARAMETERS
        values = [value or 0.0 for value in state.values] if tuned else [0.0] * argument.size
        if argument.name == TOUCHING:
            values = [*EMPTY_SLOT] * argument.shape[0]
        elements = zip(argument.element_names, argument.element_units, values, strict=True)
        for row, (name, text, start) in enumerate(elements):
            causality, variability = ("parameter", "tunable") if tuned else ("input", "continuous")
            variability = "discrete" if argument in unit.filled else variability
            yield Variable(_legal(f"{argument.name}.{name}"), at + row, causality, variability, text, "exact", start)


def indicators(unit: Unit, first: int) -> list[Variable]:
    """Gaps of contacts, whose signs tell where contacts begin and end; references from ``first`` on."""
    if unit.gaps is None:
        return []
    gap = unit.gaps.signature.outputs[0]
    return [
        Variable(_legal(f"gap.{name}"), first + row, "local", "continuous", "m", "calculated")
        for row, name in enumerate(gap.element_names)
    ]


def starts(unit: Unit) -> list[float]:
    """What each value is before anybody sets it."""
    return [variable.start or 0.0 for variable in variables(unit)]


def _legal(name: str) -> str:
    """A name as XML can hold it; ``comment`` leaves no signs that it cannot."""
    return comment(name)
