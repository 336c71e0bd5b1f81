"""What of formulas is a number at each point of the matter: the columns of a table."""

from __future__ import annotations

from symdyn.shapes.map_terms import Term, holds, minus, plus, product, quotient

_OPEN = ("q", "p")
"""Leaves that differ from state to state."""


class Columns:
    """Parts of formulas that are numbers at each point: sums and products are taken apart to find the largest ones."""

    def __init__(self) -> None:
        self.found: dict[Term, None] = {}
        """In the order of the table's columns, as formulas of s."""

    def without(self, term: Term) -> Term:
        """The formula with columns in place of those parts."""
        if isinstance(term, float) or term[0] in _OPEN:
            return term
        if not holds(term, *_OPEN):
            return self._column(term)
        kind = term[0]
        if kind in ("+", "-", "neg"):
            return self._sum(term)
        if kind in ("*", "/"):
            return self._product(term)
        return (kind, *(part if isinstance(part, int) else self.without(part) for part in term[1:]))

    def _column(self, term: Term) -> Term:
        self.found.setdefault(term)
        return ("c", list(self.found).index(term))

    def _sum(self, term: Term) -> Term:
        fixed: Term = 0.0
        moving: Term = 0.0
        for sign, part in _addends(term, 1):
            if holds(part, *_OPEN):
                one = self.without(part)
                moving = plus(moving, one) if sign > 0 else minus(moving, one)
            else:
                fixed = plus(fixed, part) if sign > 0 else minus(fixed, part)
        return plus(self._column(fixed), moving) if fixed != 0.0 else moving

    def _product(self, term: Term) -> Term:
        fixed: Term = 1.0
        moving: Term = 1.0
        below: Term = 1.0
        for up, part in _factors(term, up=True):
            if not holds(part, *_OPEN):
                fixed = product(fixed, part) if up else quotient(fixed, part)
            elif up:
                moving = product(moving, self.without(part))
            else:
                below = product(below, self.without(part))
        if fixed != 1.0:
            moving = product(self._column(fixed), moving)
        return quotient(moving, below)


def _addends(term: Term, sign: int) -> list[tuple[int, Term]]:
    if isinstance(term, float) or term[0] not in ("+", "-", "neg"):
        return [(sign, term)]
    if term[0] == "neg":
        return _addends(term[1], -sign)
    return [*_addends(term[1], sign), *_addends(term[2], sign if term[0] == "+" else -sign)]


def _factors(term: Term, up: bool) -> list[tuple[bool, Term]]:
    if isinstance(term, float) or term[0] not in ("*", "/", "neg"):
        return [(up, term)]
    if term[0] == "neg":
        return [(True, -1.0), *_factors(term[1], up)]
    return [*_factors(term[1], up), *_factors(term[2], up if term[0] == "*" else not up)]
