"""Exact costs: residuals at fifty digits, and their slopes by central differences along the state and the inputs.

Records are read here once more: numbers by rows, what is given at run time in the order of the records, gravity at
the start. Names of rows are those of the state; what is named by joints is not known here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from mpmath import mp

from symdyn.errors import VerificationError
from symdyn.verify.base.matrices import Real, Vector, length, scale, subtract, vector
from symdyn.verify.oracle.control import difference
from symdyn.verify.oracle.exact import Exact, joined, summed
from symdyn.verify.oracle.pose import frame_places, robot_pose
from symdyn.verify.oracle.setting import Inputs, Setting
from symdyn.verify.oracle.tangent import central_difference, moved, unit_row
from symdyn.verify.oracle.task_errors import pose_error
from symdyn.verify.oracle.world_quantities import gravity

_QUATERNION, _THREE = 7, 3
State = dict[str, list[Real]]


@dataclass(frozen=True, slots=True)
class _Part:
    """A residual, its diagonal weights and the factor before its square, at some state."""

    residual: Callable[[State], Vector]
    diagonal: list[Real]
    factor: Real
    huber: float | None


def stage_cost(setting: Setting, inputs: Inputs) -> Exact:
    """The cost of a step."""
    return _value(setting, inputs, end=False)


def end_cost(setting: Setting, inputs: Inputs) -> Exact:
    """The cost at the end."""
    return _value(setting, inputs, end=True)


def stage_cost_derivatives(setting: Setting, inputs: Inputs) -> Exact:
    """The cost of a step, its gradient and its Gauss-Newton Hessian."""
    return _derivatives(setting, inputs, end=False)


def end_cost_derivatives(setting: Setting, inputs: Inputs) -> Exact:
    """The cost at the end with its derivatives."""
    return _derivatives(setting, inputs, end=True)


def _value(setting: Setting, inputs: Inputs, end: bool) -> Exact:
    state = _state(inputs)
    found = [_rho(part, part.residual(state))[0] for part in _parts(setting, inputs, end)]
    return summed([mp.fsum(found)], [mp.fsum(map(abs, found))])


def _derivatives(setting: Setting, inputs: Inputs, end: bool) -> Exact:
    state = _state(inputs)
    letters = [name for name in state if not (end and name == "u")]
    sizes = {"q": setting.tree.nv, "v": setting.tree.nv} | ({} if end else {"u": len(state["u"])})
    gradient = {name: ([mp.mpf(0)] * sizes[name], [mp.mpf(0)] * sizes[name]) for name in letters}
    pairs = [pair for pair in (("q", "q"), ("q", "v"), ("v", "v"), ("u", "u")) if pair[0] in letters]
    hessian = {pair: [[mp.mpf(0)] * (sizes[pair[0]] * sizes[pair[1]]) for _ in range(2)] for pair in pairs}
    values = []
    for part in _parts(setting, inputs, end):
        r = part.residual(state)
        value, slope = _rho(part, r)
        values.append(value)
        J = {name: _slopes(setting, state, name, sizes[name], part.residual) for name in letters}
        for name in letters:
            own, terms = gradient[name]
            for row, column in enumerate(J[name]):
                found = [slope * w * e * x for w, e, x in zip(part.diagonal, r, column, strict=True)]
                own[row] += mp.fsum(found)
                terms[row] += mp.fsum(map(abs, found))
        for first, second in pairs:
            own, terms = hessian[first, second]
            for row, column in enumerate(J[first]):
                for place, other in enumerate(J[second]):
                    found = [slope * w * x * y for w, x, y in zip(part.diagonal, column, other, strict=True)]
                    own[row * sizes[second] + place] += mp.fsum(found)
                    terms[row * sizes[second] + place] += mp.fsum(map(abs, found))
    parts = [summed([mp.fsum(values)], [mp.fsum(map(abs, values))])]
    parts += [summed(*gradient[name]) for name in letters]
    parts += [summed(*hessian[pair]) for pair in pairs]
    return joined(parts)


def _rho(part: _Part, r: Sequence[Real]) -> tuple[Real, Real]:
    """What a part adds to the cost, and the factor of W r in its gradient."""
    s = mp.fsum(w * e**2 for w, e in zip(part.diagonal, r, strict=True))
    if part.huber is None or s <= mp.mpf(part.huber) ** 2:
        return part.factor * s / 2, part.factor
    d = mp.mpf(part.huber)
    return part.factor * (d * mp.sqrt(s) - d**2 / 2), part.factor * d / mp.sqrt(s)


def _state(inputs: Inputs) -> State:
    given = {"q": inputs["q"], "v": inputs["v"], "u": inputs.get("tau", inputs.get("u", ()))}
    return {name: vector(own) for name, own in given.items()}


def _slopes(
    setting: Setting, state: State, name: str, size: int, residual: Callable[[State], Vector]
) -> list[list[Real]]:
    """Columns of the residual's slopes along rows of q's moves, of v or of u."""

    def along(row: int) -> list[Real]:
        def at(step: Real) -> Vector:
            if name == "q":
                return residual({**state, "q": moved(setting, state["q"], unit_row(size, row), step)})
            changed = list(state[name])
            changed[row] += step
            return residual({**state, name: changed})

        return central_difference(at)

    return [along(row) for row in range(size)]


def _parts(setting: Setting, inputs: Inputs, end: bool) -> Iterator[_Part]:
    problem = setting.description.control
    if problem is None:
        raise VerificationError(f"robot '{setting.description.name}' has no optimal-control problem")
    given = iter(inputs.get("targets", ()))
    nv, nu = setting.tree.nv, len(inputs.get("tau", inputs.get("u", ()))) or setting.tree.nv
    start = {"q": problem.start.q or _neutral(setting), "v": problem.start.v or (0.0,) * nv}
    for cost in problem.costs:
        residuals = list(_residuals(setting, inputs, cost, start, given, nu))
        diagonals = [_by_rows(cost.weights, part, rows, given, 1.0) for part, rows, _ in residuals]
        weight = mp.mpf(next(given)) if cost.of_path == "input" else mp.mpf(cost.of_path)
        whole = cost.end == "input" or isinstance(cost.end, float)
        last = mp.mpf(next(given)) if cost.end == "input" else mp.mpf(cost.end if whole else 1)
        for (part, rows, residual), diagonal in zip(residuals, diagonals, strict=True):
            if not end:
                yield _Part(residual, diagonal, weight * mp.mpf(problem.horizon.step), cost.huber)
            elif cost.end is not None:
                own = diagonal if whole else _by_rows(cost.end, part, rows, given, 0.0)
                yield _Part(residual, own, last, cost.huber)


def _residuals(
    setting: Setting, inputs: Inputs, cost: Any, start: dict[str, Any], given: Iterator[Any], nu: int
) -> Iterator[tuple[str, int, Callable[[State], Vector]]]:
    """Parts of a cost: the word of its rows, how many, and the residual."""
    nv = setting.tree.nv

    def taken(value: Any, size: int) -> Vector:
        return [mp.mpf(next(given)) for _ in range(size)] if value == "input" else _numbers(value, size)

    if cost.key == "state":
        if cost.q is not None:
            target = _unit(setting, start["q"] if cost.q == "start" else taken(cost.q, setting.tree.nq))
            yield "q", nv, lambda state: difference(setting, target, state["q"])
        if cost.v is not None:
            rest = vector(start["v"]) if cost.v == "start" else taken(cost.v, nv)
            yield "v", nv, lambda state: subtract(state["v"], rest)
    elif cost.key == "input":
        if cost.reference == "gravity":
            reference = gravity(setting, {**inputs, "q": _unit(setting, start["q"])}).values
        else:
            reference = taken(cost.reference, nu)
        yield "u", nu, lambda state: subtract(state["u"], reference)
    else:
        yield from _of_frame(setting, inputs, cost, taken)


def _of_frame(
    setting: Setting, inputs: Inputs, cost: Any, taken: Callable[[Any, int], Vector]
) -> Iterator[tuple[str, int, Callable[[State], Vector]]]:
    own = replace(setting, frames=(cost.frame,))
    target = taken(cost.target, _QUATERNION if cost.key == "frame_pose" else _THREE)

    def residual(state: State) -> Vector:
        ((_, rotation, origin),) = frame_places(robot_pose(own, state["q"], inputs))
        if cost.key == "frame_pose":
            return pose_error(rotation, origin, target)
        if cost.key == "frame_position":
            return subtract(origin, target)
        return subtract([row[2] for row in rotation], scale(1 / length(target), target))

    yield "", 6 if cost.key == "frame_pose" else 3, residual


def _by_rows(value: Any, part: str, size: int, given: Iterator[Any], otherwise: float) -> list[Real]:
    """Weights of the rows of a part."""
    if value is None:
        return [mp.mpf(otherwise)] * size
    if value == "input":
        return [mp.mpf(next(given)) for _ in range(size)]
    if isinstance(value, tuple) and value and isinstance(value[0], tuple):
        return _by_rows(dict(value).get(part, 0.0), "", size, given, 0.0)
    return _numbers(value, size)


def _numbers(value: Any, size: int) -> list[Real]:
    return [mp.mpf(value)] * size if isinstance(value, float) else vector(value)


def _neutral(setting: Setting) -> tuple[float, ...]:
    found = [0.0] * setting.tree.nq
    for row in setting.tree.quaternions:
        found[row + 3] = 1.0
    return tuple(found)


def _unit(setting: Setting, q: Sequence[Any]) -> list[Real]:
    """Coordinates with quaternions of length one."""
    found = vector(q)
    for row in setting.tree.quaternions:
        found[row : row + 4] = scale(1 / length(found[row : row + 4]), found[row : row + 4])
    return found
