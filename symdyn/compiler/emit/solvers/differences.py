"""C statements of the move that leads from one position to another: logarithms of the groups that joints are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from symdyn.compiler.emit.steppers.spelling import block
from symdyn.interface.stepping import CoordinateRows, Rates

COTANGENT = tuple(
    numerator / denominator
    for numerator, denominator in (
        (1.0, 12.0),
        (1.0, 720.0),
        (1.0, 30240.0),
        (1.0, 1209600.0),
        (1.0, 47900160.0),
        (691.0, 1307674368000.0),
        (1.0, 74724249600.0),
        (3617.0, 10670622842880000.0),
        (43867.0, 5109094217170944000.0),
    )
)
"""Of (1 - (a / 2) cot(a / 2)) / a^2 by powers of a^2: |B_2k| / (2k)!; the next is below 1e-17 where a^2 < 0.5."""


def difference_lines(rows: Iterable[CoordinateRows], scalar: str, spell: Mapping[str, str]) -> list[str]:
    """Statements that make ``move`` of ``q`` and ``end``, the inverse of those of ``steppers.moves``."""
    return [line for entry in rows for line in _FORMS[entry.rates](entry, scalar, spell)]


def _equal(entry: CoordinateRows, scalar: str, spell: Mapping[str, str]) -> list[str]:
    return [
        f"for (size_t i = 0; i < {entry.count}; ++i) {{",
        f"  move[{entry.v} + i] = end[{entry.q} + i] - q[{entry.q} + i];",
        "}",
    ]


def _back(at: str, scalar: str) -> str:
    return f"const {scalar} back[4] = {{ -{at}[0], -{at}[1], -{at}[2], {at}[3] }};"


def _spherical(entry: CoordinateRows, scalar: str, spell: Mapping[str, str]) -> list[str]:
    return block(
        f"{scalar} turn[4];",
        f"const {scalar} *const from = q + {entry.q};",
        _back("from", scalar),
        f"product(back, end + {entry.q}, turn);",
        f"vector_of(turn, move + {entry.v});",
    )


def _free(entry: CoordinateRows, scalar: str, spell: Mapping[str, str]) -> list[str]:
    q, v = entry.q, entry.v
    return block(
        f"{scalar} turn[4];",
        f"{scalar} shift[3] = {{ {', '.join(f'end[{q + k}] - q[{q + k}]' for k in range(3))} }};",
        f"const {scalar} *const from = q + {q + 3};",
        _back("from", scalar),
        "rotate(back, shift);",
        f"product(back, end + {q + 3}, turn);",
        f"vector_of(turn, move + {v + 3});",
        f"twist_of(move + {v + 3}, shift, move + {v});",
    )


def _free_spatial(entry: CoordinateRows, scalar: str, spell: Mapping[str, str]) -> list[str]:
    q, v = entry.q, entry.v
    return block(
        f"{scalar} turn[4];",
        f"{scalar} shift[3] = {{ q[{q}], q[{q + 1}], q[{q + 2}] }};",
        f"const {scalar} *const from = q + {q + 3};",
        _back("from", scalar),
        f"product(end + {q + 3}, back, turn);",
        "rotate(turn, shift);",
        *(f"shift[{k}] = end[{q + k}] - shift[{k}];" for k in range(3)),
        f"vector_of(turn, move + {v});",
        f"twist_of(move + {v}, shift, move + {v + 3});",
    )


def _scalar_first(q: int, v: int, scalar: str) -> list[str]:
    return [
        f"{scalar} turn[4];",
        f"const {scalar} back[4] = {{ -q[{q + 1}], -q[{q + 2}], -q[{q + 3}], q[{q}] }};",
        f"const {scalar} last[4] = {{ end[{q + 1}], end[{q + 2}], end[{q + 3}], end[{q}] }};",
        "product(back, last, turn);",
        f"vector_of(turn, move + {v});",
    ]


def _spherical_mujoco(entry: CoordinateRows, scalar: str, spell: Mapping[str, str]) -> list[str]:
    return block(*_scalar_first(entry.q, entry.v, scalar))


def _free_mujoco(entry: CoordinateRows, scalar: str, spell: Mapping[str, str]) -> list[str]:
    shifts = (f"move[{entry.v + k}] = end[{entry.q + k}] - q[{entry.q + k}];" for k in range(3))
    return block(*_scalar_first(entry.q + 3, entry.v + 3, scalar), *shifts)


def _planar(entry: CoordinateRows, scalar: str, spell: Mapping[str, str]) -> list[str]:
    q, v = entry.q, entry.v
    return block(
        f"const {scalar} turn = end[{q + 2}] - q[{q + 2}];",
        f"const {scalar} half = half_sine({spell['fabs']}(turn));",
        f"const {scalar} rise = {spell['two']} * half * half * turn;",
        f"const {scalar} along = {spell['two']} * half * {spell['cos']}({spell['half']} * turn);",
        f"const {scalar} scale = {spell['one']} / (along * along + rise * rise);",
        f"const {scalar} cosine = {spell['cos']}(q[{q + 2}]);",
        f"const {scalar} sine = {spell['sin']}(q[{q + 2}]);",
        f"const {scalar} dx = end[{q}] - q[{q}];",
        f"const {scalar} dy = end[{q + 1}] - q[{q + 1}];",
        f"const {scalar} x = cosine * dx + sine * dy;",
        f"const {scalar} y = cosine * dy - sine * dx;",
        f"move[{v}] = scale * (along * x + rise * y);",
        f"move[{v + 1}] = scale * (along * y - rise * x);",
        f"move[{v + 2}] = turn;",
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
