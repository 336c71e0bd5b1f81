"""C statements of q' = N(q) v and of unit quaternions, from records of how rows of q change with rows of v."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from symdyn.compiler.emit.steppers.spelling import block
from symdyn.interface.stepping import QUATERNION_AT, CoordinateRows, Rates

_LAST, _FIRST = (0, 1, 2, 3), (1, 2, 3, 0)
"""Where x, y, z and w of a quaternion are: w last or first."""
_TURN = ("0", "1", "2"), ("1", "2", "0"), ("2", "0", "1")


def quaternion_rows(rows: Iterable[CoordinateRows]) -> list[int]:
    """Where quaternions begin in q."""
    return [entry.q + QUATERNION_AT[entry.rates] for entry in rows if entry.rates in QUATERNION_AT]


def rate_lines(rows: Iterable[CoordinateRows], scalar: str, spell: Mapping[str, str]) -> list[str]:
    """Statements that make q' in ``slope`` of ``q`` and ``v``."""
    return [line for entry in rows for line in _FORMS[entry.rates](entry, scalar, spell)]


def normalise_lines(rows: Iterable[CoordinateRows], scalar: str, spell: Mapping[str, str]) -> list[str]:
    """Statements that give the quaternions of ``q`` length 1."""
    lines: list[str] = []
    for at in quaternion_rows(rows):
        square = " + ".join(f"q[{at + k}] * q[{at + k}]" for k in range(4))
        lines += [
            "{",
            f"  const {scalar} scale = {spell['one']} / {spell['sqrt']}({square});",
            *(f"  q[{at + k}] *= scale;" for k in range(4)),
            "}",
        ]
    return lines or ["(void)q;"]


def _equal(entry: CoordinateRows, scalar: str, spell: Mapping[str, str]) -> list[str]:
    return [
        f"for (size_t i = 0; i < {entry.count}; ++i) {{",
        f"  slope[{entry.q} + i] = v[{entry.v} + i];",
        "}",
    ]


def _quaternion(
    at: int,
    omega: int,
    scalar: str,
    spell: Mapping[str, str],
    spatial: bool = False,
    places: tuple[int, int, int, int] = _LAST,
) -> list[str]:
    """Q' = Q (omega, 0) / 2, or (omega, 0) Q / 2 with ``spatial``."""
    sign, other = ("-", "+") if spatial else ("+", "-")
    rows = [at + place for place in places]
    lines = [f"const {scalar} w{k} = {spell['half']} * v[{omega + k}];" for k in range(3)]
    for i, (a, b, c) in enumerate(_TURN):
        lines.append(
            f"slope[{rows[i]}] = q[{rows[3]}] * w{a} {sign} q[{rows[int(b)]}] * w{c} {other} q[{rows[int(c)]}] * w{b};"
        )
    products = " - ".join(f"q[{rows[k]}] * w{k}" for k in range(3))
    return [*lines, f"slope[{rows[3]}] = -{products};"]


def _spherical(entry: CoordinateRows, scalar: str, spell: Mapping[str, str]) -> list[str]:
    return block(*_quaternion(entry.q, entry.v, scalar, spell))


def _free(entry: CoordinateRows, scalar: str, spell: Mapping[str, str]) -> list[str]:
    """X' = R v = v + 2 (w t + u x t), t = u x v, for the quaternion (u, w)."""
    q, v = entry.q, entry.v
    lines = [
        f"const {scalar} t{a} = {spell['two']} * (q[{q + 3 + int(b)}] * v[{v + int(c)}] - "
        f"q[{q + 3 + int(c)}] * v[{v + int(b)}]);"
        for a, b, c in _TURN
    ]
    lines += [
        f"slope[{q + int(a)}] = v[{v + int(a)}] + q[{q + 6}] * t{a} + (q[{q + 3 + int(b)}] * t{c} - "
        f"q[{q + 3 + int(c)}] * t{b});"
        for a, b, c in _TURN
    ]
    return block(*lines, *_quaternion(q + 3, v + 3, scalar, spell))


def _free_spatial(entry: CoordinateRows, scalar: str, spell: Mapping[str, str]) -> list[str]:
    """X' = v + omega x x."""
    q, v = entry.q, entry.v
    lines = [
        f"slope[{q + int(a)}] = v[{v + 3 + int(a)}] + (v[{v + int(b)}] * q[{q + int(c)}] - "
        f"v[{v + int(c)}] * q[{q + int(b)}]);"
        for a, b, c in _TURN
    ]
    return block(*lines, *_quaternion(q + 3, v, scalar, spell, spatial=True))


def _spherical_mujoco(entry: CoordinateRows, scalar: str, spell: Mapping[str, str]) -> list[str]:
    return block(*_quaternion(entry.q, entry.v, scalar, spell, places=_FIRST))


def _free_mujoco(entry: CoordinateRows, scalar: str, spell: Mapping[str, str]) -> list[str]:
    """X' = v."""
    lines = [f"slope[{entry.q + k}] = v[{entry.v + k}];" for k in range(3)]
    return block(*lines, *_quaternion(entry.q + 3, entry.v + 3, scalar, spell, places=_FIRST))


def _planar(entry: CoordinateRows, scalar: str, spell: Mapping[str, str]) -> list[str]:
    q, v = entry.q, entry.v
    return block(
        f"const {scalar} cosine = {spell['cos']}(q[{q + 2}]);",
        f"const {scalar} sine = {spell['sin']}(q[{q + 2}]);",
        f"slope[{q}] = cosine * v[{v}] - sine * v[{v + 1}];",
        f"slope[{q + 1}] = sine * v[{v}] + cosine * v[{v + 1}];",
        f"slope[{q + 2}] = v[{v + 2}];",
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
