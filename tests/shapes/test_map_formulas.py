"""Formulas of bodies given by their map: slopes against difference quotients, tables against volumes in closed form."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import mpmath
import pytest
from support.robots.mapped_bodies import bag, growing_segment, membrane

from symdyn.shapes.map_columns import Columns
from symdyn.shapes.map_terms import Term, Values, holds, rebuilt, slope, term_of
from symdyn.shapes.mapped import map_tables

TEXTS = (
    "s1*(2 - u)/(1 + w**2) - -w",
    "sin(w*s1)*cos(u) + tan(w/4)**3",
    "sqrt(1 + w*w*s2)/exp(u*s1)",
    "log(2 + u*s1)*sinh(w) - cosh(w*u)/s2",
    "s1*s2**2*w - pi*u*(w + s1)*s2/3 + 0*w",
    "s1 + s2*3",
)
LEAVES: Mapping[str, tuple[float, ...]] = {"s": (0.7, 1.3, 0.2), "q": (0.4, -0.3)}
NAMES: dict[str, Term] = {"s1": ("s", 0), "s2": ("s", 1), "s3": ("s", 2), "w": ("q", 0), "u": ("q", 1)}


def exact(leaves: Mapping[str, Any]) -> Values:
    return Values(lambda name, x: getattr(mpmath, name)(x), leaves, mpmath.mpf)


@pytest.mark.parametrize("text", TEXTS)
def test_slopes(text: str) -> None:
    term = term_of(text, NAMES)
    with mpmath.workdps(40):
        for kind, place in (("q", 0), ("q", 1), ("s", 0)):

            def moved(x: Any, kind: str = kind, place: int = place) -> Any:
                own = [x if k == place else mpmath.mpf(value) for k, value in enumerate(LEAVES[kind])]
                return exact({**LEAVES, kind: own})(term)

            wanted = mpmath.diff(moved, mpmath.mpf(LEAVES[kind][place]))
            assert abs(exact(LEAVES)(slope(term, (kind, place))) - wanted) < 1e-15


@pytest.mark.parametrize("text", TEXTS)
def test_columns_are_what_holds_no_coordinate(text: str) -> None:
    term, columns = term_of(text, NAMES), Columns()
    left = columns.without(term)
    assert not holds(left, "s") and not any(holds(column, "q") for column in columns.found)
    with mpmath.workdps(40):
        table = [exact(LEAVES)(column) for column in columns.found]
        assert abs(exact({**LEAVES, "c": table})(left) - exact(LEAVES)(term)) < 1e-15
    numbers: dict[Term, Term] = {("c", place): float(value) for place, value in enumerate(table)}
    found = rebuilt(left, numbers)
    assert not holds(found, "c")


def test_products_are_taken_apart() -> None:
    columns = Columns()
    assert columns.without(term_of("w*sin(s1)*u*s2/3", NAMES)) == ("*", ("c", 0), ("*", ("q", 0), ("q", 1)))
    assert len(columns.found) == 1


def test_masses_and_places() -> None:
    (start, end), (low, high), (_, turn) = bag().domain
    wanted = 1000.0 * (end**3 - start**3) / 3.0 * (math.cos(low) - math.cos(high)) * turn
    assert math.isclose(sum(map_tables(bag(quadrature=(3, 12, 2))).masses), wanted, rel_tol=1e-12)
    tables = map_tables(growing_segment())
    assert math.isclose(sum(tables.masses), 900.0 * 0.2 * 0.02 * 0.02, rel_tol=1e-15)
    assert tables.rest == (0.2, 0.0, 0.0)
    assert len(tables.columns) == len(tables.masses) + 1


def test_what_is_alike_at_all_points_is_no_column() -> None:
    formulas = map_tables(membrane()).formulas
    y = formulas.place[1]
    assert isinstance(y, tuple) and y[0] == "c" and formulas.slopes[0][1] == formulas.slopes[1][1] == 0.0
    assert [(i, j) for i, j, _ in formulas.curvatures] == [(0, 0)]  # 3 w^2 alone is not linear
    assert formulas.density == (0.0, (0.0, 0.0))
