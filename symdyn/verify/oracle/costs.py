"""Exact costs: residuals at fifty digits, and their slopes by central differences along the state and the inputs.

Records are read here once more: numbers by rows, what is given at run time in the order of the records, gravity at
the start. Names of rows are those of the state; what is named by joints is not known here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from mpmath import mp

from symdyn.description.robot import JointKind
from symdyn.errors import VerificationError
from symdyn.verify.base.matrices import Real, Vector, length, scale, subtract, vector
from symdyn.verify.oracle.control import difference
from symdyn.verify.oracle.drives import springs
from symdyn.verify.oracle.element_forces import elastic_forces
from symdyn.verify.oracle.exact import Exact, joined, summed
from symdyn.verify.oracle.frame_motion import jacobians
from symdyn.verify.oracle.pose import frame_places, robot_pose
from symdyn.verify.oracle.setting import Inputs, Setting
from symdyn.verify.oracle.tangent import central_difference, moved, unit_row
from symdyn.verify.oracle.task_errors import pose_error
from symdyn.verify.oracle.world_quantities import (
    center_of_mass,
    centroidal_momentum,
    gravity,
    kinetic_energy,
    potential_energy,
)

_QUATERNION, _THREE = 7, 3
_FREE_ROWS = ("vx", "vy", "vz", "wx", "wy", "wz")
_STEP = mp.ldexp(1, -42)
"""Of second differences: with fifty digits both the error of the formula and that of rounding stay near 1e-25."""
_NOISE = mp.mpf(10) ** -22
"""Second differences relative to the value that are rounding and nothing else."""
Row = tuple[str, int]
"""Something that changes: the moves of q, v or inputs, and a row."""
State = dict[str, list[Real]]


def _frame_velocity(setting: Setting, inputs: Inputs) -> Vector:
    J, v, nv = jacobians(setting, inputs).values, inputs["v"], setting.tree.nv
    return [mp.fdot(J[nv * row : nv * row + nv], v) for row in range(6)]


def _energy(setting: Setting, inputs: Inputs) -> Vector:
    return [kinetic_energy(setting, inputs).values[0] + potential_energy(setting, inputs).values[0]]


_QUANTITIES: dict[str, tuple[int, Callable[[Setting, Inputs], Vector]]] = {
    "frame_velocity": (6, _frame_velocity),
    "center_of_mass": (3, lambda setting, inputs: center_of_mass(setting, inputs).values),
    "momentum": (6, lambda setting, inputs: centroidal_momentum(setting, inputs).values),
    "energy": (1, _energy),
    "effort": (0, lambda setting, inputs: elastic_forces(setting, inputs).values),
}
"""Rows of quantities, 0 for those of v, and what computes them."""


@dataclass(frozen=True, slots=True)
class _Part:
    """A residual, its diagonal weights and the factor before its square, at some state."""

    residual: Callable[[State], Vector]
    diagonal: list[Real]
    factor: Real
    huber: float | None
    exact: bool


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
    state = _state(inputs, end)
    found = [_rho(part, part.residual(state))[0] for part in _parts(setting, inputs, end)]
    return summed([mp.fsum(found)], [mp.fsum(map(abs, found))])


def _derivatives(setting: Setting, inputs: Inputs, end: bool) -> Exact:
    state = _state(inputs, end)
    sizes = {name: setting.tree.nv if name in ("q", "v") else len(own) for name, own in state.items()}
    gradient = {name: ([mp.mpf(0)] * sizes[name], [mp.mpf(0)] * sizes[name]) for name in state}
    pairs = [pair for pair in ("qq", "qv", "vv", "uu", "ub", "bb") if set(pair) <= set(state)]
    hessian = {pair: [[mp.mpf(0)] * (sizes[pair[0]] * sizes[pair[1]]) for _ in range(2)] for pair in pairs}
    values = []
    for part in _parts(setting, inputs, end):
        r = part.residual(state)
        value, slope = _rho(part, r)
        values.append(value)
        J = {name: _slopes(setting, state, name, sizes[name], part.residual) for name in state}
        for name in state:
            own, terms = gradient[name]
            for row, column in enumerate(J[name]):
                found = [slope * w * e * x for w, e, x in zip(part.diagonal, r, column, strict=True)]
                own[row] += mp.fsum(found)
                terms[row] += mp.fsum(map(abs, found))
        for pair in pairs:
            own, terms = hessian[pair]
            for row, column in enumerate(J[pair[0]]):
                for place, other in enumerate(J[pair[1]]):
                    at = row * sizes[pair[1]] + place
                    found = [slope * w * x * y for w, x, y in zip(part.diagonal, column, other, strict=True)]
                    terms[at] += mp.fsum(map(abs, found))
                    second = _second(setting, state, part, (pair[0], row), (pair[1], place)) if part.exact else None
                    own[at] += mp.fsum(found) if second is None else second
                    terms[at] += mp.mpf(0) if second is None else abs(second)
    parts = [summed([mp.fsum(values)], [mp.fsum(map(abs, values))])]
    parts += [summed(*gradient[name]) for name in state]
    parts += [summed(*hessian[pair]) for pair in pairs]
    return joined(parts)


def _second(setting: Setting, state: State, part: _Part, first: Row, second: Row) -> Real:
    """The second derivative of a part along two rows, in the mean of both orders."""

    def at(order: Sequence[Row], steps: Sequence[Real]) -> Real:
        here = state
        for (name, row), step in zip(order, steps, strict=True):
            here = _stepped(setting, here, name, row, step)
        return _rho(part, part.residual(here))[0]

    found = mp.mpf(0)
    for order in ((first, second), (second, first)):
        for one, other in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
            found += one * other * at(order, (one * _STEP, other * _STEP))
    mixed = found / (8 * _STEP**2)
    return mixed if abs(mixed) > _NOISE * _rho(part, part.residual(state))[0] else mp.mpf(0)


def _stepped(setting: Setting, state: State, name: str, row: int, step: Real) -> State:
    """The state a step along a row."""
    if name == "q":
        return {**state, "q": moved(setting, state["q"], unit_row(setting.tree.nv, row), step)}
    changed = list(state[name])
    changed[row] += step
    return {**state, name: changed}


def _rho(part: _Part, r: Sequence[Real]) -> tuple[Real, Real]:
    """What a part adds to the cost, and the factor of W r in its gradient."""
    s = mp.fsum(w * e**2 for w, e in zip(part.diagonal, r, strict=True))
    if part.huber is None or s <= mp.mpf(part.huber) ** 2:
        return part.factor * s / 2, part.factor
    d = mp.mpf(part.huber)
    return part.factor * (d * mp.sqrt(s) - d**2 / 2), part.factor * d / mp.sqrt(s)


def _state(inputs: Inputs, end: bool) -> State:
    given = {"q": inputs["q"], "v": inputs["v"]}
    if not end:
        given |= {"u": inputs.get("tau", inputs.get("u", ()))}
        given |= {"b": inputs["u_before"]} if "u_before" in inputs else {}
    return {name: vector(own) for name, own in given.items()}


def _slopes(
    setting: Setting, state: State, name: str, size: int, residual: Callable[[State], Vector]
) -> list[list[Real]]:
    """Columns of the residual's slopes along rows of q's moves, of v or of inputs."""

    def along(row: int) -> list[Real]:
        return central_difference(lambda step: residual(_stepped(setting, state, name, row, step)))

    return [along(row) for row in range(size)]


def _parts(setting: Setting, inputs: Inputs, end: bool) -> Iterator[_Part]:
    problem = setting.description.control
    if problem is None:
        raise VerificationError(f"robot '{setting.description.name}' has no optimal-control problem")
    given = iter(inputs.get("targets", ()))
    nv, nu = setting.tree.nv, len(inputs.get("tau", inputs.get("u", ()))) or setting.tree.nv
    start = {"q": problem.start.q or _neutral(setting), "v": problem.start.v or (0.0,) * nv}
    for cost in problem.costs:
        step, exact = mp.mpf(problem.horizon.step), cost.hessian == "exact"
        residuals = list(_residuals(setting, inputs, cost, start, given, nu, step))
        diagonals = [_by_rows(cost.weights, part, rows, given, 1.0) for part, rows, _ in residuals]
        weight = mp.mpf(next(given)) if cost.of_path == "input" else mp.mpf(cost.of_path)
        whole = cost.end == "input" or isinstance(cost.end, float)
        last = mp.mpf(next(given)) if cost.end == "input" else mp.mpf(cost.end if whole else 1)
        for (part, rows, residual), diagonal in zip(residuals, diagonals, strict=True):
            if not end:
                yield _Part(residual, diagonal, weight * step, cost.huber, exact)
            elif cost.end is not None:
                own = diagonal if whole else _by_rows(cost.end, part, rows, given, 0.0)
                yield _Part(residual, own, last, cost.huber, exact)


def _residuals(
    setting: Setting, inputs: Inputs, cost: Any, start: dict[str, Any], given: Iterator[Any], nu: int, h: Real
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
            weight = gravity(setting, {**inputs, "q": _unit(setting, start["q"])}).values
            reference = _by_motors(setting, inputs, weight)
        else:
            reference = taken(cost.reference, nu)
        yield "u", nu, lambda state: subtract(state["u"], reference)
    elif cost.key == "input_rate":
        yield "b", nu, lambda state: scale(1 / h, subtract(state["u"], state["b"]))
    elif cost.key in _QUANTITIES:
        size, quantity = _QUANTITIES[cost.key]
        size, wanted = size or nv, taken(cost.target, size or nv)
        own = replace(setting, frames=(cost.frame,)) if cost.key == "frame_velocity" else setting
        yield "", size, lambda state: subtract(quantity(own, {**inputs, **state}), wanted)
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


def _by_motors(setting: Setting, inputs: Inputs, weight: Vector) -> Vector:
    """Weight of links behind springs is on their motors, the next rows, and none on free bases.

    Rows that ``limits.effort`` names keep theirs, and free bases also where it has numbers for all rows.
    """
    effort = setting.description.control and setting.description.control.limits.effort
    sides = (effort.source, effort.lower, effort.upper) if effort else ()
    named = {pair[0] for side in sides if isinstance(side, tuple) for pair in side if isinstance(pair, tuple)}
    found = list(weight)
    for place, _, _ in springs(setting.tree, setting.quantities(inputs)):
        if place.joint.name not in named:
            found[place.v_row + 1] += found[place.v_row]
            found[place.v_row] = mp.mpf(0)
    if any(isinstance(side, float) or (isinstance(side, tuple) and isinstance(side[0], float)) for side in sides):
        return found
    moved_links: set[str] = set()
    for place in setting.tree.places:
        joint = place.joint
        if joint.kind is JointKind.FLOATING and place.names_body and joint.parent not in moved_links:
            for row, name in enumerate(_FREE_ROWS, place.v_row):
                found[row] = found[row] if f"{joint.name}.{name}" in named else mp.mpf(0)
        if place.names_body or joint.parent in moved_links:
            moved_links.add(joint.child)
    return found


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
