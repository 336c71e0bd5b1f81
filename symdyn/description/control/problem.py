"""An optimal-control problem: costs, limits, a horizon, and where it starts."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Annotated, Any

from symdyn.description.control.costs import COST_FORM, EXACT, GAUSS_NEWTON, Cost
from symdyn.description.control.entries import FILE, Entries, UnplacedError, entries, finite, normal, placed
from symdyn.description.declared import Family, Key, family, nested
from symdyn.description.forms import CONSTANT, FLAG, Form, choice, filled, named, scalar, shortened, whole
from symdyn.description.quantities.written import key, mapping
from symdyn.description.text.position import hint
from symdyn.description.text.validation import Path

METHODS = ("semi_implicit_euler", "implicit_euler", "implicit_midpoint", "sdirk2", "rk4")
FORCES, ACTUATORS = "forces", "actuators"
HARD, SOFT = "hard", "soft"
_MOST = 1_000_000


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= _MOST


@dataclass(frozen=True, slots=True)
class Horizon:
    """How far a plan looks ahead: a number of steps, their length [s] and their method."""

    steps: Annotated[int, Key(whole("a number of steps", 1, _MOST), "how many steps a plan has")] = 50
    step: Annotated[float, Key(CONSTANT, "length of a step [s], above 0")] = 0.02
    method: Annotated[str, Key(choice(METHODS), "how a step is computed: see `step` of the functions")] = METHODS[0]

    def __post_init__(self) -> None:
        if not _is_count(self.steps):
            raise UnplacedError(f"horizon.steps is a whole number from 1 to {_MOST}, got {self.steps!r}")
        object.__setattr__(self, "step", finite("horizon.step", self.step))
        if self.step <= 0.0:
            raise UnplacedError(f"horizon.step is {self.step!r}; give a time above 0, in seconds")
        if self.method not in METHODS:
            raise UnplacedError(f"horizon.method is one of {', '.join(METHODS)}, got {self.method!r}")


@dataclass(frozen=True, slots=True)
class SolverSettings:
    """How long a solver searches."""

    iterations: Annotated[int, Key(whole("a number", 1, _MOST), "most iterations of a call")] = 1
    qp_iterations: Annotated[int, Key(whole("a number", 1, _MOST), "most iterations within each of them")] = 25
    tolerance: Annotated[float, Key(CONSTANT, "the decrease of the cost that counts as none, above 0")] = 1e-6
    globalise: Annotated[bool, Key(FLAG, "`false` takes every step in full")] = True
    hessian: Annotated[
        str, Key(choice((GAUSS_NEWTON, EXACT)), "`exact` adds second derivatives of steps, weighted by multipliers")
    ] = GAUSS_NEWTON
    lanes: Annotated[
        bool, Key(FLAG, "`true` evaluates steps, their derivatives and costs of several nodes side by side in vectors")
    ] = False

    def __post_init__(self) -> None:
        for own in ("iterations", "qp_iterations"):
            value = getattr(self, own)
            if not _is_count(value):
                raise UnplacedError(f"solver.{own} is a whole number from 1 to {_MOST}, got {value!r}")
        object.__setattr__(self, "tolerance", finite("solver.tolerance", self.tolerance))
        if self.tolerance <= 0.0:
            raise UnplacedError(f"solver.tolerance is {self.tolerance!r}; give a number above 0")
        if self.hessian not in (GAUSS_NEWTON, EXACT):
            raise UnplacedError(f"solver.hessian is {GAUSS_NEWTON!r} or {EXACT!r}, got {self.hessian!r}")


_SIDE = entries()


@dataclass(frozen=True, slots=True)
class Bound:
    """A range of rows: ``source`` on both sides of zero, or ``lower`` and ``upper``.

    A hard one holds exactly; a soft one adds ``weight s^2 / 2`` for an excess s.
    """

    source: Annotated[
        Entries,
        Key(entries((FILE,), 0.0), "`file`, for the robot's own, or the largest value, on both sides", name="from"),
    ] = None
    lower: Annotated[Entries, Key(_SIDE, "least values, in place of `from`")] = None
    upper: Annotated[Entries, Key(_SIDE, "largest values, in place of `from`")] = None
    kind: Annotated[str | None, Key(choice((HARD, SOFT)), "by default `hard` for effort and input_rate")] = None
    weight: Annotated[float, Key(CONSTANT, "of squares of what is beyond a soft range, above 0")] = 1000.0

    def __post_init__(self) -> None:
        for own, name, words, least in (
            ("source", "from", (FILE,), 0.0),
            ("lower", "lower", (), -math.inf),
            ("upper", "upper", (), -math.inf),
        ):
            if getattr(self, own) is not None:
                object.__setattr__(self, own, normal(name, getattr(self, own), words, least))
        if self.source is None and self.lower is None and self.upper is None:
            raise UnplacedError("a limit has from, lower or upper; give one of them, such as from: file")
        if self.source is not None and (self.lower is not None or self.upper is not None):
            raise UnplacedError("from says both sides of a limit; leave out lower and upper, or from")
        if self.kind not in (None, HARD, SOFT):
            raise UnplacedError(f"kind is {HARD!r} or {SOFT!r}, got {self.kind!r}")
        object.__setattr__(self, "weight", finite("weight", self.weight))
        if self.weight <= 0.0:
            raise UnplacedError(f"weight is {self.weight!r}; give a number above 0")
        if isinstance(self.lower, float) and isinstance(self.upper, float) and self.lower > self.upper:
            raise UnplacedError(f"the range from {self.lower!r} to {self.upper!r} is empty; swap lower and upper")


def _bound_text(own: Bound, deforming: Collection[str] = ()) -> str:
    return mapping(family(Bound).written(own, deforming))


def _record(kind: type[Any], what: str, given: Mapping[str, Any]) -> Any:
    """A record from a mapping of its fields."""
    words = {own.name: "from" if own.name == "source" else own.name for own in fields(kind)}
    odd = next((name for name in given if name not in words), None)
    if odd is not None:
        known = ", ".join(words.values())
        raise UnplacedError(f"{what}: '{odd}' is no key; known keys are {known}{hint(str(odd), words.values())}")
    return kind(**given)


_SHORT = entries((FILE,), 0.0)


def _short(raw: Any, given: Any, path: Path) -> Bound:
    return Bound(_SHORT.make(raw, given, path))


def _placed(raw: Any, given: Any, path: Path) -> Bound:
    with placed(given, path):
        made: Bound = family(Bound).make(raw, given, path)
    return made


_BOUND = shortened(
    scalar(_SHORT.read, _SHORT.json, _bound_text, _short),
    Form(lambda of: of(family(Bound)), _placed, _bound_text),
)


@dataclass(frozen=True, slots=True)
class Limits:
    """Ranges of inputs, velocities, coordinates and rates of inputs; None where there is none."""

    effort: Annotated[Bound | None, Key(_BOUND, "of inputs: `file`, a number, or a mapping; always hard")] = None
    velocity: Annotated[Bound | None, Key(_BOUND, "of v; soft if not said")] = None
    position: Annotated[Bound | None, Key(_BOUND, "of q; soft if not said")] = None
    input_rate: Annotated[Bound | None, Key(_BOUND, "of the change of inputs [1/s]; hard")] = None

    def __post_init__(self) -> None:
        for own, usual in (("effort", HARD), ("velocity", SOFT), ("position", SOFT), ("input_rate", HARD)):
            value = getattr(self, own)
            if value is None:
                continue
            if isinstance(value, Mapping):
                value = _record(Bound, own, {"source" if key == "from" else key: each for key, each in value.items()})
            elif not isinstance(value, Bound):
                value = Bound(value)
            if own == "effort" and value.kind == SOFT:
                raise UnplacedError("effort has hard limits alone; leave out kind")
            if own == "input_rate" and value.source == FILE:
                raise UnplacedError("robots have no limits of rates of inputs; give input_rate numbers")
            object.__setattr__(self, own, value if value.kind else replace(value, kind=usual))


@dataclass(frozen=True, slots=True)
class Start:
    """Where a problem starts: coordinates and velocities by rows or by names; the rest is neutral, and at rest."""

    q: Annotated[Entries, Key(_SIDE, "coordinates, a list or by names of rows and joints; neutral if left out")] = None
    v: Annotated[Entries, Key(_SIDE, "velocities likewise; 0 if left out")] = None

    def __post_init__(self) -> None:
        for own in ("q", "v"):
            if getattr(self, own) is not None:
                object.__setattr__(self, own, normal(f"start.{own}", getattr(self, own)))


def _named_costs(pairs: tuple[tuple[str, Cost], ...]) -> tuple[Cost, ...]:
    return tuple(replace(cost, name=name) for name, cost in pairs)


_COSTS = named(COST_FORM)
_TERMS = filled(
    Form(
        _COSTS.type,
        lambda raw, given, path: _named_costs(_COSTS.make(raw, given, path)),
        lambda costs, deforming: _COSTS.write(tuple((cost.name, cost) for cost in costs), deforming),
    )
)


def _part(record: type) -> Form:
    inner = nested(family(record))

    def make(raw: Any, given: Any, path: Path) -> Any:
        with placed(given, path):
            return inner.make(raw, given, path)

    return replace(inner, make=make)


@dataclass(frozen=True, slots=True)
class OptimalControlProblem:
    """Costs and limits of a robot's motion over a horizon.

    Parameters
    ----------
    costs
        Terms, such as ``FramePose("tool", weight=10, end=1000)``.
    limits
        Of inputs, velocities and coordinates.
    horizon
        Number, length and method of steps.
    solver
        Settings of a solver.
    start
        Where it starts; ``start`` of references means this.
    inputs
        ``"forces"``, generalised forces, or ``"actuators"``, the inputs of actuators.

    Raises
    ------
    DescriptionError
        Weights below 0, numbers that are not finite, two terms of one name, empty ranges.
    """

    costs: Annotated[tuple[Cost, ...], Key(_TERMS, "terms of the cost, by name")]
    limits: Annotated[Limits, Key(_part(Limits), "ranges of inputs and states")] = field(default_factory=Limits)
    horizon: Annotated[Horizon, Key(_part(Horizon), "how far a plan looks ahead")] = field(default_factory=Horizon)
    solver: Annotated[SolverSettings, Key(_part(SolverSettings), "how long a solver searches")] = field(
        default_factory=SolverSettings
    )
    start: Annotated[Start, Key(_part(Start), "where the problem starts")] = field(default_factory=Start)
    inputs: Annotated[
        str, Key(choice((FORCES, ACTUATORS)), "generalised forces, or `actuators`: the inputs of actuators")
    ] = FORCES
    source: str = field(default="", compare=False)
    lines: tuple[tuple[Path, int], ...] = field(default=(), compare=False, repr=False)
    """The file that it was read from, and its lines by keys below ``control``, for messages."""

    def __post_init__(self) -> None:
        costs = tuple(self.costs)
        for own in costs:
            if not isinstance(own, Cost):
                raise UnplacedError(f"costs are records such as FramePose(..), got {own!r}")
        if not costs:
            raise UnplacedError("a problem has at least one cost; add one, such as FramePose('tool')")
        taken = [own.name for own in costs if own.name]
        again = next((name for name in taken if taken.count(name) > 1), None)
        if again is not None:
            raise UnplacedError(f"two costs are called '{again}'; give each a name of its own")
        object.__setattr__(self, "costs", tuple(_with_names(costs, taken)))
        for name, kind in (("limits", Limits), ("horizon", Horizon), ("solver", SolverSettings), ("start", Start)):
            value = getattr(self, name)
            value = kind() if value is None else _record(kind, name, value) if isinstance(value, Mapping) else value
            if not isinstance(value, kind):
                raise UnplacedError(f"{name} is a {kind.__name__} or a mapping of its fields, got {value!r}")
            object.__setattr__(self, name, value)
        if self.inputs not in (FORCES, ACTUATORS):
            raise UnplacedError(f"inputs are {FORCES!r} or {ACTUATORS!r}, got {self.inputs!r}")

    def line(self, keys: Path) -> int | None:
        """The line of what stands below these keys, or of the nearest around it; None where it is of no file."""
        lines = dict(self.lines)
        return next((lines[keys[:end]] for end in range(len(keys), -1, -1) if keys[:end] in lines), None)


def _with_names(costs: tuple[Cost, ...], taken: list[str]) -> Iterator[Cost]:
    for own in costs:
        if own.name:
            yield own
            continue
        name, number = own.key, 1
        while name in taken:
            number += 1
            name = f"{own.key}_{number}"
        taken.append(name)
        yield replace(own, name=name)


PROBLEM: Family = family(OptimalControlProblem)
"""The problem, as a mapping of a file."""


def problem_lines(problem: OptimalControlProblem) -> list[str]:
    """Lines of the problem below its key."""
    found = ["control:"]
    for name, value in PROBLEM.written(problem).items():
        if name == "costs":
            found.append("  costs:")
            found += [f"{key(cost.name, '    ')} {COST_FORM.write(cost, ())}" for cost in problem.costs]
        else:
            found.append(f"  {name}: {value}")
    return found
