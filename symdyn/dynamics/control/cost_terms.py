"""Terms of costs as a robot has them: rows, where their references stand, and their weights.

A record of a file names rows and frames. Here its numbers are found row by row, and what is given at run time gets
rows of the input ``targets``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from symdyn.description.control.costs import Cost, InputCost, InputRate, StateCost
from symdyn.description.control.entries import GRAVITY, INPUT, START, Entries, UnfitError, below
from symdyn.description.control.problem import ACTUATORS, OptimalControlProblem
from symdyn.description.text.position import hint
from symdyn.dynamics.control.residuals import KINDS, Named, Residual
from symdyn.dynamics.control.state_residuals import QUANTITIES
from symdyn.errors import ModelError
from symdyn.model.joints import FORCE_UNITS
from symdyn.model.model import Model
from symdyn.model.motors import with_motors
from symdyn.plan.plan import Access, Binding, Given

TARGETS = "targets"
COORDINATES, VELOCITIES, INPUTS, RATES = "q", "v", "u", "b"
"""Residuals that are differences of rows; the last of inputs and those of the step before."""
Gravity = Callable[[Sequence[float]], Sequence[float]]
"""Generalised gravity, (nv,), at a position."""


@dataclass(frozen=True, slots=True)
class Weighing:
    """How a term counts: the diagonal of W, a weight, and a constant factor."""

    diagonal: Binding
    weight: Binding
    factor: float


@dataclass(frozen=True, slots=True)
class Term:
    """One residual with its weights on the path and at the end; None where it does not count.

    ``part`` is ``q``, ``v`` or ``u``, or empty for a residual of a frame. A ``quantity`` of the state may be that of a
    ``frame`` by its number in the model.
    """

    cost: Cost
    part: str
    rows: Named
    residual: Residual | None
    target: Binding
    path: Weighing | None
    end: Weighing | None
    quantity: str = ""
    frame: int = -1


@dataclass(frozen=True, slots=True)
class Terms:
    """All terms of a problem, and the rows that are given at run time."""

    terms: tuple[Term, ...]
    frames: tuple[int, ...]
    given: Named
    inputs: Named
    step: float
    """Length of a step [s]."""

    @property
    def rated(self) -> bool:
        """Whether inputs of the step before count."""
        return any(term.part == RATES for term in self.terms)


def input_rows(model: Model, problem: OptimalControlProblem) -> Named:
    """Names and units of the inputs."""
    if problem.inputs == ACTUATORS:
        return tuple((own.name, own.unit) for own in model.actuator_inputs)
    return tuple(
        (name, FORCE_UNITS[unit]) for name, unit in zip(model.velocity_names, model.velocity_units, strict=True)
    )


def start_of(model: Model, problem: OptimalControlProblem) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Coordinates and velocities at which a problem starts.

    Raises
    ------
    ModelError
        Rows that the robot does not have, another number of rows.
    """
    q, v = _neutral(model), (0.0,) * model.nv
    start = problem.start
    if start.q is not None:
        with below("start", "q"):
            q = _unit(model, "start.q", _of_state(model, "start.q", start.q, False, q))
    if start.v is not None:
        with below("start", "v"):
            v = _of_state(model, "start.v", start.v, True, v)
    return q, v


def passive_rows(model: Model, problem: OptimalControlProblem) -> dict[str, str]:
    """Rows of forces without an input, and those of the motors that drive them; "" where none does.

    They are rows of links of elastic joints, and of free bases. A row that ``limits.effort`` names has an input all the
    same; so have free bases where it gives numbers for all rows.
    """
    if problem.inputs == ACTUATORS:
        return {}
    found = {own.joint.joint: own.joint.label for own in model.bodies if own.joint.elastic is not None}
    bound = problem.limits.effort
    sides = () if bound is None else (bound.source, bound.lower, bound.upper)
    if not any(_of_all_rows(side) for side in sides):
        bases = (model.bodies[body].joint for body in model.free_bases)
        found |= {model.velocity_names[row]: "" for joint in bases for row in joint.v_places}
    named = {own[0] for side in sides if isinstance(side, tuple) for own in side if isinstance(own, tuple)}
    return {row: motor for row, motor in found.items() if row not in named}


def _of_all_rows(side: object) -> bool:
    """Whether a side of a limit is a number for all rows, or a number for each."""
    return isinstance(side, float) or (isinstance(side, tuple) and any(isinstance(own, float) for own in side))


def by_motors(model: Model, problem: OptimalControlProblem, forces: Sequence[float]) -> list[float]:
    """Generalised forces (nv,) as inputs give them: those of links behind springs are those of their motors.

    Free bases have none.
    """
    found = list(forces)
    for passive, motor in passive_rows(model, problem).items():
        row = model.velocity_names.index(passive)
        if motor:
            found[model.velocity_names.index(motor)] += found[row]
        found[row] = 0.0
    return found


def terms_of(model: Model, problem: OptimalControlProblem, gravity: Gravity | None = None) -> Terms:
    """The terms of a problem; without ``gravity``, references that are gravity's count as zero.

    Raises
    ------
    ModelError
        A frame or a row that the robot does not have, another number of rows, a reference without a meaning.
    """
    return _Reader(model, problem, gravity).terms()


def _neutral(model: Model) -> tuple[float, ...]:
    found = [0.0] * model.nq
    for joint in model.independent_joints:
        if joint.kind.quaternion:
            found[joint.q_index + joint.coordinates.q.index(".qw")] = 1.0
    return tuple(found)


def _unit(model: Model, what: str, q: tuple[float, ...]) -> tuple[float, ...]:
    """Coordinates with quaternions of length one."""
    found = list(q)
    for joint in model.independent_joints:
        if joint.kind.quaternion:
            rows = slice(joint.q_rows.stop - 4, joint.q_rows.stop)
            length = math.hypot(*found[rows])
            if length == 0.0:
                raise ModelError(f"{what}: the quaternion of joint '{joint.label}' is zero; give it a length")
            found[rows] = (entry / length for entry in found[rows])
    return tuple(found)


def row_groups(model: Model, velocities: bool) -> dict[str, range]:
    """Rows of joints with several of them."""
    found = {}
    for joint in model.independent_joints:
        rows = joint.v_rows if velocities else joint.q_rows
        found[joint.label] = range(rows.start, rows.stop)
    return found


def by_rows(
    model: Model,
    what: str,
    value: Entries,
    names: Sequence[str],
    groups: Mapping[str, range],
    otherwise: Sequence[float],
) -> tuple[float, ...]:
    """Numbers by rows; rows that are not named are as in ``otherwise``."""
    if value is None:
        raise ModelError(f"{what} has no value; give numbers, or leave it out for 0")
    if isinstance(value, float):
        return (value,) * len(names)
    if not value or not isinstance(value[0], tuple):
        if len(value) != len(names):
            mend = (
                "lock joints that it leaves out, as by --lock NAME=VALUE"
                if len(value) < len(names)
                else "leave some out"
            )
            raise ModelError(
                f"{what} has {len(value)} numbers; robot '{model.name}' has {len(names)} rows: {', '.join(names)}; "
                f"give numbers by names, or {mend}"
            )
        return tuple(value)
    found = list(otherwise)
    for name, own in value:
        if name not in names and name not in groups:
            raise UnfitError(
                f"{what}: row '{name}' is unknown; robot '{model.name}' has {', '.join(names)}"
                f"{hint(name, (*names, *groups))}",
                (name,),
            )
        places = [names.index(name)] if name in names else list(groups[name])
        numbers = (own,) * len(places) if isinstance(own, float) else own
        if not isinstance(numbers, tuple) or len(numbers) != len(places):
            raise UnfitError(f"{what}.{name}: expected {len(places)} numbers, got {own!r}", (name,))
        for place, number in zip(places, numbers, strict=True):
            found[place] = number
    return tuple(found)


def _of_state(model: Model, what: str, value: Entries, moves: bool, otherwise: Sequence[float]) -> tuple[float, ...]:
    """Numbers by rows of q or v; a motor behind a spring that is not named is where its joint is."""
    names = model.velocity_names if moves else model.coordinate_names
    if isinstance(value, tuple) and value and isinstance(value[0], tuple):
        value = tuple(with_motors(model, dict(value)).items())
    return by_rows(model, what, value, names, row_groups(model, moves), otherwise)


class _Reader:
    """Reads terms in the order of their records, and numbers what is given at run time."""

    def __init__(self, model: Model, problem: OptimalControlProblem, gravity: Gravity | None) -> None:
        self._model, self._problem, self._gravity = model, problem, gravity
        self._inputs = input_rows(model, problem)
        self._given: list[tuple[str, str]] = []
        self._frames: dict[int, int] = {}
        self._start = start_of(model, problem)

    def terms(self) -> Terms:
        found = tuple(term for cost in self._problem.costs for term in self._of(cost))
        return Terms(found, tuple(self._frames), tuple(self._given), self._inputs, self._problem.horizon.step)

    def _of(self, cost: Cost) -> Iterator[Term]:
        with below("costs", cost.name):
            yield from self._placed(f"cost '{cost.name}'", cost)

    def _placed(self, what: str, cost: Cost) -> Iterator[Term]:
        if isinstance(cost, StateCost):
            parts = [part for part in (COORDINATES, VELOCITIES) if getattr(cost, part) is not None]
            if not parts:
                raise ModelError(f"{what}: state has neither q nor v; give one of them, such as q: start")
            for own in (cost.weights, cost.end):
                for name, _ in own if isinstance(own, tuple) and own and isinstance(own[0], tuple) else ():
                    if name not in parts:
                        raise ModelError(
                            f"{what}: there are weights of '{name}', and references of {', '.join(parts)}; "
                            f"give both, such as {name}: 0"
                        )
            read: list[tuple[str, Named, Residual | None, Binding]] = [
                (part, *self._state(what, cost, part)) for part in parts
            ]
        elif isinstance(cost, InputCost):
            read = [(INPUTS, *self._input(what, cost))]
        elif isinstance(cost, InputRate):
            rates = tuple((name, f"{unit}/s") for name, unit in self._inputs)
            read = [(RATES, rates, None, Given((0.0,) * len(rates)))]
        elif cost.key in QUANTITIES:
            read = [("", *self._quantity(what, cost))]
        else:
            read = [("", *self._frame(what, cost))]
        weights = {}
        for part, rows, _, _ in read:
            weights[part] = self._diagonal(what, cost, part, rows, cost.weights, "weights")
        path = self._number(cost, cost.of_path, "weight")
        scalar = cost.end == INPUT or isinstance(cost.end, float)
        end = self._number(cost, cost.end, "end") if scalar else Given((1.0,))
        for part, rows, residual, target in read:
            last: Weighing | None = None
            if cost.end is not None:
                diagonal = weights[part] if scalar else self._diagonal(what, cost, part, rows, cost.end, "end")
                last = Weighing(diagonal, end, 1.0)
            first = Weighing(weights[part], path, self._problem.horizon.step)
            quantity = cost.key if cost.key in QUANTITIES else ""
            frame = self._number_of(what, cost) if hasattr(cost, "frame") else -1
            yield Term(cost, part, rows, residual, target, _counting(first), _counting(last), quantity, frame)

    def _state(self, what: str, cost: StateCost, part: str) -> tuple[Named, None, Binding]:
        model, moves = self._model, part == VELOCITIES
        names = model.velocity_names if moves else model.coordinate_names
        units = model.velocity_units if moves else model.coordinate_units
        value, start = getattr(cost, part), self._start[moves]
        target: Binding
        if value == INPUT:
            target = self._targets(f"{cost.name}.{part}", zip(names, units, strict=True))
        elif value == START:
            target = Given(start)
        else:
            if isinstance(value, float) and not moves and any(own.kind.quaternion for own in model.independent_joints):
                raise ModelError(f"{what}: q is one number, and has quaternions; give a list, or numbers by names")
            rows = (0.0,) * model.nv if moves else _neutral(model)
            with below(cost.key, part):
                found = _of_state(model, f"{what}: {part}", value, moves, rows)
            target = Given(found if moves else _unit(model, f"{what}: q", found))
        return tuple(zip(model.velocity_names, model.velocity_units, strict=True)), None, target

    def _input(self, what: str, cost: InputCost) -> tuple[Named, None, Binding]:
        rows, value = self._inputs, cost.reference
        if not rows:
            raise ModelError(f"{what}: robot '{self._model.name}' has no actuators; list some, or use inputs: forces")
        if value == INPUT:
            return rows, None, self._targets(cost.name, rows)
        if value == GRAVITY:
            if self._problem.inputs == ACTUATORS:
                raise ModelError(
                    f"{what}: gravity is a generalised force, and inputs are those of actuators; give reference "
                    "numbers, or input"
                )
            if self._model.slots.names:
                raise ModelError(
                    f"{what}: gravity rests on run-time parameters of robot '{self._model.name}'; give the "
                    "reference as input"
                )
            weight = self._gravity(self._start[0]) if self._gravity else (0.0,) * len(rows)
            return rows, None, Given(tuple(by_motors(self._model, self._problem, weight)))
        groups = {} if self._problem.inputs == ACTUATORS else row_groups(self._model, True)
        names = [name for name, _ in rows]
        with below(cost.key, "reference"):
            found = by_rows(self._model, f"{what}: reference", value, names, groups, (0.0,) * len(rows))
        return rows, None, Given(found)

    def _number_of(self, what: str, cost: Cost) -> int:
        """The number of the cost's frame in the model."""
        name, known = getattr(cost, "frame"), self._model.frame_names  # noqa: B009
        if name not in known:
            raise UnfitError(
                f"{what}: frame '{name}' is unknown; robot '{self._model.name}' has {', '.join(known)}"
                f"{hint(name, known)}",
                (cost.key, "frame"),
            )
        return known.index(name)

    def _frame(self, what: str, cost: Cost) -> tuple[Named, Residual, Binding]:
        kind, frame = KINDS[cost.key.removeprefix("frame_")], self._number_of(what, cost)
        number = self._frames.setdefault(frame, len(self._frames))
        value = getattr(cost, "target")  # noqa: B009
        target: Binding = self._targets(cost.name, kind.targets) if value == INPUT else Given(value)
        return kind.rows, Residual(number, kind), target

    def _quantity(self, what: str, cost: Cost) -> tuple[Named, None, Binding]:
        model, value = self._model, getattr(cost, "target")  # noqa: B009
        rows = QUANTITIES[cost.key].rows(model)
        if value == INPUT:
            return rows, None, self._targets(cost.name, rows)
        names, groups = [name for name, _ in rows], row_groups(model, True) if cost.key == "effort" else {}
        with below(cost.key, "target"):
            found = by_rows(model, f"{what}: target", value, names, groups, (0.0,) * len(rows))
        return rows, None, Given(found)

    def _diagonal(self, what: str, cost: Cost, part: str, rows: Named, value: Entries, word: str) -> Binding:
        """The diagonal of W of a part."""
        if isinstance(cost, StateCost) and isinstance(value, tuple):
            if value and not isinstance(value[0], tuple):
                raise ModelError(
                    f"{what}: {word} of state is a number, or has the parts q and v, such as {{q: 1, v: 1}}"
                )
            value = dict(value).get(part, 0.0)
        names = [name for name, _ in rows]
        if value is None:
            return Given((1.0,) * len(rows))
        if value == INPUT:
            return self._targets(f"{cost.name}.{word}{'.' * bool(part)}{part}", ((name, "1") for name in names))
        forces = part in (INPUTS, RATES) and self._problem.inputs == ACTUATORS
        groups = row_groups(self._model, True) if (part or cost.key == "effort") and not forces else {}
        with below(word, *filter(None, (part if isinstance(cost, StateCost) else "",))):
            found = by_rows(self._model, f"{what}: {word}", value, names, groups, (0.0,) * len(rows))
        return Given(found)

    def _number(self, cost: Cost, value: Entries, word: str) -> Binding:
        return self._targets(cost.name, ((word, "1"),)) if value == INPUT else Given((value,))

    def _targets(self, before: str, rows: Iterable[tuple[str, str]]) -> Access:
        first = len(self._given)
        self._given += [(f"{before}.{name}", unit) for name, unit in rows]
        return Access(TARGETS, first, len(self._given) - first)


def _counting(own: Weighing | None) -> Weighing | None:
    """Numbers folded into the diagonal; None where all of them are zero."""
    if own is None:
        return None
    if isinstance(own.weight, Given) and isinstance(own.diagonal, Given):
        (weight,) = own.weight.values
        if not any(weight * number for number in own.diagonal.values):
            return None
    return own
