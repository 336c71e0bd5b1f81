"""Arithmetic of kernels for egglog: values, the equalities between them, and the forms of one fused instruction."""

from __future__ import annotations

import egglog
from egglog import Expr, StringLike, f64, f64Like, rewrite, ruleset, vars_


class Number(Expr):
    """A value of a kernel. An instruction costs a thousand, a leaf one, so that ties go to the shorter expression."""

    @egglog.method(cost=1)
    def __init__(self, value: f64Like) -> None: ...

    @egglog.method(cost=1)
    @classmethod
    def leaf(cls, name: StringLike) -> Number:
        """An input, by its element."""

    @egglog.method(cost=1000)
    def __add__(self, other: Number) -> Number: ...

    @egglog.method(cost=1000)
    def __sub__(self, other: Number) -> Number: ...

    @egglog.method(cost=1000)
    def __mul__(self, other: Number) -> Number: ...

    @egglog.method(cost=1000)
    def __neg__(self) -> Number: ...

    @egglog.method(cost=1000)
    @classmethod
    def plus_product(cls, a: Number, b: Number, c: Number) -> Number:
        """The sum c + a * b."""

    @egglog.method(cost=1000)
    @classmethod
    def minus_product(cls, a: Number, b: Number, c: Number) -> Number:
        """The difference c - a * b."""

    @egglog.method(cost=1000)
    @classmethod
    def product_less(cls, a: Number, b: Number, c: Number) -> Number:
        """The difference a * b - c."""

    @egglog.method(cost=1)
    @classmethod
    def both(cls, first: Number, second: Number) -> Number:
        """Two results."""


def rules() -> tuple[egglog.Ruleset, egglog.Ruleset]:
    """Equalities, and the forms of one fused instruction."""
    a, b, c = vars_("a b c", Number)
    x, y = vars_("x y", f64)
    equalities = ruleset(
        rewrite(a + b).to(b + a),
        rewrite(a * b).to(b * a),
        rewrite((a + b) + c).to(a + (b + c)),
        rewrite((a * b) * c).to(a * (b * c)),
        rewrite(a * (b + c)).to(a * b + a * c),
        rewrite(a * b + a * c).to(a * (b + c)),
        rewrite(a * (b - c)).to(a * b - a * c),
        rewrite(a * b - a * c).to(a * (b - c)),
        rewrite((a - b) + c).to((a + c) - b),
        rewrite((a + c) - b).to((a - b) + c),
        rewrite(a - (b - c)).to((a - b) + c),
        rewrite((a - b) - c).to(a - (b + c)),
        rewrite(a - (b + c)).to((a - b) - c),
        rewrite(-(a - b)).to(b - a),
        rewrite((-a) + b).to(b - a),
        rewrite(a - (-b)).to(a + b),
        rewrite((-a) * b).to(-(a * b)),
        rewrite(-(a * b)).to((-a) * b),
        rewrite(-(Number(x))).to(Number(-x)),
        rewrite(Number(x) * Number(y)).to(Number(x * y)),
        rewrite(Number(x) + Number(y)).to(Number(x + y)),
    )
    fused = ruleset(
        rewrite(a * b + c).to(Number.plus_product(a, b, c)),
        rewrite(c + a * b).to(Number.plus_product(a, b, c)),
        rewrite(c - a * b).to(Number.minus_product(a, b, c)),
        rewrite(a * b - c).to(Number.product_less(a, b, c)),
    )
    return equalities, fused
