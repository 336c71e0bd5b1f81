"""Sums of products, and the common factors that are pulled out of them before they are printed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

from symdyn.algebra.scalars.trigonometric_sum import Angle, Generator, spelled

PAIRED_UP_TO = 40
"""Terms up to which common factors of every pair are tried, and beyond which single factors are."""

Trigonometric = tuple[str, Angle]
Factor = Generator | Trigonometric
Monomial = tuple[tuple[Factor, int], ...]


@dataclass(frozen=True, slots=True)
class Product:
    """A number times powers of factors, times a sum in parentheses unless that is empty."""

    coefficient: Fraction
    factors: Monomial
    inner: tuple[Product, ...] = ()


def collected(terms: Sequence[Product], nested: bool = False) -> list[Product]:
    """Terms with common factors pulled out, greedily: first what saves most multiplications.

    Parentheses that do not hold all terms are not nested.
    """
    if len(terms) < 2:
        return list(terms)
    best: Monomial = ()
    best_rank = (0, 0)
    for candidate in _candidates(terms):
        times = sum(_divides(candidate, term.factors) for term in terms)
        rank = ((times - 1) * sum(abs(power) for _, power in candidate), times)
        if times > 1 and rank > best_rank and (not nested or times == len(terms)):
            best, best_rank = candidate, rank
    if not best:
        return list(terms)
    inside, outside = [], []
    for term in terms:
        if _divides(best, term.factors):
            inside.append(Product(term.coefficient, _divided(term.factors, best)))
        else:
            outside.append(term)
    content = content_of([term.coefficient for term in inside])
    quotients = [Product(term.coefficient / content, term.factors) for term in inside]
    inner = collected(quotients, nested=nested or bool(outside))
    return [Product(content, best, tuple(inner)), *collected(outside, nested)]


def _candidates(terms: Sequence[Product]) -> list[Monomial]:
    found: dict[Monomial, None] = {}
    if len(terms) <= PAIRED_UP_TO:
        for left, right in combinations(terms, 2):
            found[_common(left.factors, right.factors)] = None
    for term in terms:
        for name, power in term.factors:
            found[(name, 1 if power > 0 else -1),] = None
    return list(found)


def _common(left: Monomial, right: Monomial) -> Monomial:
    powers = dict(right)
    shared = []
    for name, power in left:
        other = powers.get(name, 0)
        if power * other > 0:
            shared.append((name, min(power, other, key=abs)))
    return tuple(shared)


def _divides(divisor: Monomial, factors: Monomial) -> bool:
    powers = dict(factors)
    return all(power * powers.get(name, 0) >= power * power for name, power in divisor)


def _divided(factors: Monomial, divisor: Monomial) -> Monomial:
    powers = dict(factors)
    for name, power in divisor:
        powers[name] -= power
    return monomial(powers)


def content_of(coefficients: Sequence[Fraction]) -> Fraction:
    """The smallest coefficient where all are multiples of it, with the first one's sign; else the sign alone."""
    sign = 1 if coefficients[0] > 0 else -1
    smallest = min(abs(coefficient) for coefficient in coefficients)
    fits = all((coefficient / smallest).denominator == 1 for coefficient in coefficients)
    return sign * smallest if fits else Fraction(sign)


def monomial(powers: Mapping[Factor, int]) -> Monomial:
    """The factors in a fixed order, without those to the power 0."""
    return tuple(sorted(((name, power) for name, power in powers.items() if power), key=lambda item: spelling(item[0])))


def spelling(factor: Factor) -> str:
    """Text by which factors are put in order: symbols first."""
    if isinstance(factor, tuple):
        return "~" + factor[0] + " ".join(f"{value}*{spelled(name)}" for name, value in factor[1])
    return spelled(factor)
