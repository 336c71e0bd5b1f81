"""C statements of the power series of coordinates: q' = N(q) v solved term after term.

In ``terms`` row k holds the coefficients of t^k of q, then of v; rows of v are there before. A product of two series
has at t^k the sum over j of term j of the one and term k - j of the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from symdyn.compiler.emit.steppers.spelling import block
from symdyn.interface.stepping import CoordinateRows, Rates

_TURN = ((0, 1, 2), (1, 2, 0), (2, 0, 1))
_KEPT = {Rates.FREE: 3, Rates.PLANAR: 2}
"""Series that joints keep beside their coordinates."""


@dataclass(frozen=True, slots=True)
class _Place:
    """Where coefficients lie, and how C is spelt."""

    nq: int
    size: int
    order: int
    scalar: str
    spell: Mapping[str, str]

    def term(self, k: str, row: int) -> str:
        """The address of a row of q at a power."""
        return f"terms + {self.size} * {k} + {row}"

    def rate(self, k: str, row: int) -> str:
        """The address of a row of v at a power."""
        return f"terms + {self.size} * {k} + {self.nq + row}"


def kept_size(rows: Iterable[CoordinateRows], order: int) -> int:
    """Scalars of ``kept`` that the statements need beside ``terms``."""
    return sum(_KEPT.get(entry.rates, 0) for entry in rows) * (order + 1)


def series_lines(
    rows: Iterable[CoordinateRows], nq: int, size: int, order: int, scalar: str, spell: Mapping[str, str]
) -> list[str]:
    """Statements that fill rows 1 to ``order`` of q in ``terms``."""
    place = _Place(nq, size, order, scalar, spell)
    before: list[str] = []
    within: list[str] = []
    at = 0
    for entry in rows:
        first, lines = _FORMS[entry.rates](entry, place, at)
        before += first
        within += lines
        at += _KEPT.get(entry.rates, 0) * (order + 1)
    head = [
        f"{scalar} *const next = {place.term('(k + 1)', 0)};",
        f"const {scalar} part = {spell['one']} / ({scalar})(k + 1);",
    ]
    return [*before, f"for (size_t k = 0; k < {order}; ++k) {{", *(f"  {line}" for line in (*head, *within)), "}"]


_Lines = tuple[list[str], list[str]]
_Form = Callable[[CoordinateRows, _Place, int], _Lines]


def _equal(entry: CoordinateRows, place: _Place, at: int) -> _Lines:
    return [], [
        f"for (size_t i = 0; i < {entry.count}; ++i) {{",
        f"  next[{entry.q} + i] = part * terms[{place.size} * k + {place.nq + entry.v} + i];",
        "}",
    ]


def _spherical(entry: CoordinateRows, place: _Place, at: int) -> _Lines:
    sums = [f"const {place.scalar} *const w = {place.rate('(k - j)', entry.v)};", *_quaternion_sums()]
    return [], block(
        f"{place.scalar} turn[4] = {{0}};",
        *_sum(place, f"const {place.scalar} *const u = {place.term('j', entry.q)};", sums),
        *_quaternion_terms(entry.q, place),
    )


def _free(entry: CoordinateRows, place: _Place, at: int) -> _Lines:
    """X' = v + w t + u x t with t = 2 u x v for the quaternion (u, w); the series of t is kept."""
    scalar, u = place.scalar, f"const {place.scalar} *const u = {place.term('j', entry.q + 3)};"
    first = [
        f"const {scalar} *const w = {place.rate('(k - j)', entry.v + 3)};",
        f"const {scalar} *const s = {place.rate('(k - j)', entry.v)};",
        *(f"move[{a}] += u[{b}] * s[{c}] - u[{c}] * s[{b}];" for a, b, c in _TURN),
        *_quaternion_sums(),
    ]
    then = [
        f"const {scalar} *const t = kept + {at} + 3 * (k - j);",
        *(f"move[{a}] += u[3] * t[{a}] + (u[{b}] * t[{c}] - u[{c}] * t[{b}]);" for a, b, c in _TURN),
    ]
    return [], block(
        f"{scalar} turn[4] = {{0}};",
        f"{scalar} move[3] = {{0}};",
        *_sum(place, u, first),
        "for (size_t i = 0; i < 3; ++i) {",
        f"  kept[{at} + 3 * k + i] = {place.spell['two']} * move[i];",
        f"  move[i] = ({place.rate('k', entry.v)})[i];",
        "}",
        *_sum(place, u, then),
        *_position_terms(entry.q),
        *_quaternion_terms(entry.q + 3, place),
    )


def _free_spatial(entry: CoordinateRows, place: _Place, at: int) -> _Lines:
    """X' = v + omega x x."""
    scalar = place.scalar
    sums = [
        f"const {scalar} *const w = {place.rate('(k - j)', entry.v)};",
        f"const {scalar} *const x = {place.term('j', entry.q)};",
        *(f"move[{a}] += w[{b}] * x[{c}] - w[{c}] * x[{b}];" for a, b, c in _TURN),
        *_quaternion_sums(spatial=True),
    ]
    return [], block(
        f"{scalar} turn[4] = {{0}};",
        f"{scalar} move[3];",
        f"memcpy(move, {place.rate('k', entry.v + 3)}, sizeof move);",
        *_sum(place, f"const {scalar} *const u = {place.term('j', entry.q + 3)};", sums),
        *_position_terms(entry.q),
        *_quaternion_terms(entry.q + 3, place),
    )


def _spherical_mujoco(entry: CoordinateRows, place: _Place, at: int) -> _Lines:
    return [], block(*_scalar_first(entry.q, entry.v, place))


def _free_mujoco(entry: CoordinateRows, place: _Place, at: int) -> _Lines:
    """X' = v."""
    shifts = [
        "for (size_t i = 0; i < 3; ++i) {",
        f"  next[{entry.q} + i] = part * ({place.rate('k', entry.v)})[i];",
        "}",
    ]
    return [], block(*_scalar_first(entry.q + 3, entry.v + 3, place), *shifts)


def _scalar_first(q: int, v: int, place: _Place) -> list[str]:
    """Terms of a quaternion (w, x, y, z)."""
    sums = [f"const {place.scalar} *const w = {place.rate('(k - j)', v)};", *_quaternion_sums(places=(1, 2, 3, 0))]
    return [
        f"{place.scalar} turn[4] = {{0}};",
        *_sum(place, f"const {place.scalar} *const u = {place.term('j', q)};", sums),
        *_quaternion_terms(q, place),
    ]


def _planar(entry: CoordinateRows, place: _Place, at: int) -> _Lines:
    """(x, y)' = (c vx - s vy, s vx + c vy), c' = -s omega, s' = c omega; the series of c and s are kept."""
    scalar, cosine, sine = place.scalar, f"kept[{at} + ", f"kept[{at + place.order + 1} + "
    before = [
        f"{cosine}0] = {place.spell['cos']}(terms[{entry.q + 2}]);",
        f"{sine}0] = {place.spell['sin']}(terms[{entry.q + 2}]);",
    ]
    sums = [
        f"const {scalar} *const s = {place.rate('(k - j)', entry.v)};",
        "move[0] += c * s[0] - d * s[1];",
        "move[1] += d * s[0] + c * s[1];",
        "turn[0] -= d * s[2];",
        "turn[1] += c * s[2];",
    ]
    return before, block(
        f"{scalar} turn[2] = {{0}};",
        f"{scalar} move[3] = {{0}};",
        f"move[2] = ({place.rate('k', entry.v)})[2];",
        *_sum(place, f"const {scalar} c = {cosine}j], d = {sine}j];", sums),
        f"{cosine}k + 1] = part * turn[0];",
        f"{sine}k + 1] = part * turn[1];",
        *_position_terms(entry.q),
    )


def _quaternion_sums(spatial: bool = False, places: tuple[int, int, int, int] = (0, 1, 2, 3)) -> list[str]:
    """Products of Q and (omega, 0), or of (omega, 0) and Q with ``spatial``, added to ``turn``.

    ``places`` are those of x, y, z and w in Q.
    """
    sign, other = ("-", "+") if spatial else ("+", "-")
    x, y, z, w = places
    rows = [
        f"turn[{places[a]}] += u[{w}] * w[{a}] {sign} u[{places[b]}] * w[{c}] {other} u[{places[c]}] * w[{b}];"
        for a, b, c in _TURN
    ]
    return [*rows, f"turn[{w}] -= u[{x}] * w[0] + u[{y}] * w[1] + u[{z}] * w[2];"]


def _quaternion_terms(q: int, place: _Place) -> list[str]:
    return ["for (size_t i = 0; i < 4; ++i) {", f"  next[{q} + i] = {place.spell['half']} * part * turn[i];", "}"]


def _position_terms(q: int) -> list[str]:
    return ["for (size_t i = 0; i < 3; ++i) {", f"  next[{q} + i] = part * move[i];", "}"]


def _sum(place: _Place, first: str, lines: Iterable[str]) -> list[str]:
    return ["for (size_t j = 0; j <= k; ++j) {", f"  {first}", *(f"  {line}" for line in lines), "}"]


_FORMS: Mapping[Rates, _Form] = {
    Rates.EQUAL: _equal,
    Rates.SPHERICAL: _spherical,
    Rates.FREE: _free,
    Rates.FREE_SPATIAL: _free_spatial,
    Rates.SPHERICAL_MUJOCO: _spherical_mujoco,
    Rates.FREE_MUJOCO: _free_mujoco,
    Rates.PLANAR: _planar,
}
