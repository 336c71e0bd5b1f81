"""C statements that move q along a constant velocity for unit time: exponentials of the groups that joints are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import factorial

from symdyn.compiler.emit.steppers.spelling import block, number
from symdyn.interface.stepping import CoordinateRows, Rates

_SERIES_BELOW = 0.5
"""Squared angle below which (angle - sin angle) / angle^3 is summed; the first term left out is under 1e-17 there."""
_CUBIC = tuple((-1.0) ** k / factorial(2 * k + 3) for k in range(9))


def move_lines(rows: Iterable[CoordinateRows], scalar: str, spell: Mapping[str, str]) -> list[str]:
    """Statements that make ``end`` of ``q`` and ``move``; quaternions have length 1 up to rounding."""
    return [line for entry in rows for line in _FORMS[entry.rates](entry, scalar, spell)]


def move_helpers(rows: Iterable[CoordinateRows], scalar: str) -> dict[str, object]:
    """Which helpers these statements call, and the numbers that stand in them."""
    rates = {entry.rates for entry in rows}
    screws = bool(rates & {Rates.FREE, Rates.FREE_SPATIAL})
    turns = bool(rates & {Rates.SPHERICAL, Rates.SPHERICAL_MUJOCO, Rates.FREE_MUJOCO})
    return {
        "turns": screws or turns,
        "screws": screws,
        "rotates": screws,
        "straight": [],
        "half_turns": screws or turns or Rates.PLANAR in rates,
        "series_below": number(_SERIES_BELOW, scalar),
        "cubic": [number(term, scalar) for term in reversed(_CUBIC)],
    }


def straight_lines(rows: Iterable[CoordinateRows], scalar: str, spell: Mapping[str, str]) -> list[str]:
    """Statements that make ``end`` of ``q`` and ``move``, and turn rows of ``v`` into the axes at the end.

    Positions of free and planar joints move straight while these turn: the group is that of translations and rotations
    apart.
    """
    return [line for entry in rows for line in _STRAIGHT.get(entry.rates, _FORMS[entry.rates])(entry, scalar, spell)]


def straight_helpers(rows: Iterable[CoordinateRows], scalar: str) -> dict[str, object]:
    """Which helpers those statements call."""
    found = move_helpers(rows, scalar)
    return {**found, "screws": False, "rotates": found["screws"]}


def _equal(entry: CoordinateRows, scalar: str, spell: Mapping[str, str]) -> list[str]:
    return [
        f"for (size_t i = 0; i < {entry.count}; ++i) {{",
        f"  end[{entry.q} + i] = q[{entry.q} + i] + move[{entry.v} + i];",
        "}",
    ]


def _spherical(entry: CoordinateRows, scalar: str, spell: Mapping[str, str]) -> list[str]:
    return block(
        f"{scalar} turn[4];",
        f"quaternion_of(move + {entry.v}, turn);",
        f"product(q + {entry.q}, turn, end + {entry.q});",
    )


def _free(entry: CoordinateRows, scalar: str, spell: Mapping[str, str]) -> list[str]:
    v = entry.v
    shift = (f"{scalar} shift[3];", f"translation_of(move + {v + 3}, move + {v}, shift);")
    return block(*_rigid(entry, scalar, *shift))


def _rigid(entry: CoordinateRows, scalar: str, *shift: str) -> list[str]:
    """A position that moves by ``shift``, in the body's axes, and a quaternion that turns in its own."""
    q, v = entry.q, entry.v
    return [
        f"{scalar} turn[4];",
        *shift,
        f"rotate(q + {q + 3}, shift);",
        f"quaternion_of(move + {v + 3}, turn);",
        f"product(q + {q + 3}, turn, end + {q + 3});",
        *(f"end[{q + k}] = q[{q + k}] + shift[{k}];" for k in range(3)),
    ]


def _free_spatial(entry: CoordinateRows, scalar: str, spell: Mapping[str, str]) -> list[str]:
    q, v = entry.q, entry.v
    return block(
        f"{scalar} turn[4];",
        f"{scalar} shift[3];",
        f"{scalar} place[3] = {{ q[{q}], q[{q + 1}], q[{q + 2}] }};",
        f"translation_of(move + {v}, move + {v + 3}, shift);",
        f"quaternion_of(move + {v}, turn);",
        "rotate(turn, place);",
        f"product(turn, q + {q + 3}, end + {q + 3});",
        *(f"end[{q + k}] = place[{k}] + shift[{k}];" for k in range(3)),
    )


def _spherical_mujoco(entry: CoordinateRows, scalar: str, spell: Mapping[str, str]) -> list[str]:
    return block(*_scalar_first(entry.q, entry.v, scalar))


def _free_mujoco(entry: CoordinateRows, scalar: str, spell: Mapping[str, str]) -> list[str]:
    shifts = (f"end[{entry.q + k}] = q[{entry.q + k}] + move[{entry.v + k}];" for k in range(3))
    return block(*_scalar_first(entry.q + 3, entry.v + 3, scalar), *shifts)


def _scalar_first(q: int, v: int, scalar: str) -> list[str]:
    """A quaternion (w, x, y, z) turned in its own axes."""
    return [
        f"{scalar} turn[4];",
        f"{scalar} turned[4];",
        f"const {scalar} last[4] = {{ q[{q + 1}], q[{q + 2}], q[{q + 3}], q[{q}] }};",
        f"quaternion_of(move + {v}, turn);",
        "product(last, turn, turned);",
        f"end[{q}] = turned[3];",
        *(f"end[{q + 1 + k}] = turned[{k}];" for k in range(3)),
    ]


def _planar(entry: CoordinateRows, scalar: str, spell: Mapping[str, str]) -> list[str]:
    q, v = entry.q, entry.v
    return block(
        f"const {scalar} turn = move[{v + 2}];",
        f"const {scalar} half = half_sine({spell['fabs']}(turn));",
        f"const {scalar} rise = {spell['two']} * half * half * turn;",
        f"const {scalar} along = {spell['two']} * half * {spell['cos']}({spell['half']} * turn);",
        f"const {scalar} x = along * move[{v}] - rise * move[{v + 1}];",
        f"const {scalar} y = rise * move[{v}] + along * move[{v + 1}];",
        f"const {scalar} cosine = {spell['cos']}(q[{q + 2}]);",
        f"const {scalar} sine = {spell['sin']}(q[{q + 2}]);",
        f"end[{q}] = q[{q}] + (cosine * x - sine * y);",
        f"end[{q + 1}] = q[{q + 1}] + (sine * x + cosine * y);",
        f"end[{q + 2}] = q[{q + 2}] + turn;",
    )


def _free_straight(entry: CoordinateRows, scalar: str, spell: Mapping[str, str]) -> list[str]:
    v = entry.v
    return block(
        *_rigid(entry, scalar, f"{scalar} shift[3] = {{ move[{v}], move[{v + 1}], move[{v + 2}] }};"),
        f"const {scalar} back[4] = {{ -turn[0], -turn[1], -turn[2], turn[3] }};",
        f"rotate(back, v + {v});",
    )


def _free_spatial_straight(entry: CoordinateRows, scalar: str, spell: Mapping[str, str]) -> list[str]:
    q, v = entry.q, entry.v
    place = [f"q[{q + k}]" for k in range(3)]
    shift = [f"move[{v + 3 + i}] + (move[{v + j}] * {place[k]} - move[{v + k}] * {place[j]})" for i, j, k in _CYCLES]
    return block(
        f"{scalar} turn[4];",
        f"const {scalar} shift[3] = {{",
        *(f"  {line}," for line in shift[:2]),
        f"  {shift[2]}",
        "};",
        f"quaternion_of(move + {v}, turn);",
        f"product(turn, q + {q + 3}, end + {q + 3});",
        *(f"end[{q + k}] = q[{q + k}] + shift[{k}];" for k in range(3)),
        *(f"v[{v + 3 + i}] -= v[{v + j}] * shift[{k}] - v[{v + k}] * shift[{j}];" for i, j, k in _CYCLES),
    )


def _planar_straight(entry: CoordinateRows, scalar: str, spell: Mapping[str, str]) -> list[str]:
    q, v = entry.q, entry.v
    return block(
        f"const {scalar} cosine = {spell['cos']}(q[{q + 2}]);",
        f"const {scalar} sine = {spell['sin']}(q[{q + 2}]);",
        f"end[{q}] = q[{q}] + (cosine * move[{v}] - sine * move[{v + 1}]);",
        f"end[{q + 1}] = q[{q + 1}] + (sine * move[{v}] + cosine * move[{v + 1}]);",
        f"end[{q + 2}] = q[{q + 2}] + move[{v + 2}];",
        f"const {scalar} along = {spell['cos']}(move[{v + 2}]);",
        f"const {scalar} across = {spell['sin']}(move[{v + 2}]);",
        f"const {scalar} x = v[{v}];",
        f"v[{v}] = along * x + across * v[{v + 1}];",
        f"v[{v + 1}] = along * v[{v + 1}] - across * x;",
    )


_FORMS = {
    Rates.EQUAL: _equal,
    Rates.SPHERICAL: _spherical,
    Rates.FREE: _free,
    Rates.FREE_SPATIAL: _free_spatial,
    Rates.SPHERICAL_MUJOCO: _spherical_mujoco,
    Rates.FREE_MUJOCO: _free_mujoco,
    Rates.PLANAR: _planar,
}
_CYCLES = ((0, 1, 2), (1, 2, 0), (2, 0, 1))
_STRAIGHT = {
    Rates.FREE: _free_straight,
    Rates.FREE_SPATIAL: _free_spatial_straight,
    Rates.PLANAR: _planar_straight,
}
