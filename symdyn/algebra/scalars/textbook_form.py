"""From a canonical sum to what a textbook prints: quotients cleared, squares of sines restored, factors pulled out."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

from symdyn.algebra.scalars.common_factors import (
    Factor,
    Monomial,
    Product,
    Trigonometric,
    collected,
    content_of,
    monomial,
    spelling,
)
from symdyn.algebra.scalars.trigonometric_sum import (
    FOR_SMALL_ROBOTS,
    RADIAN,
    Angle,
    Opaque,
    Powers,
    TrigonometricSum,
    shifted,
    spelled,
    turned,
)
from symdyn.errors import RequestError

NEGLIGIBLE = Fraction(1, 10**13)
"""Of the largest coefficient of the same symbols: what rounding of the robot's numbers leaves of an exact zero."""

READABLE = 300
"""Terms of an entry beyond which nobody reads it."""


@dataclass(frozen=True, slots=True)
class Quotient:
    """A sum times powers (mostly negative) of other sums."""

    numerator: tuple[Product, ...]
    powers: tuple[tuple[tuple[Product, ...], int], ...]


def textbook_form(total: TrigonometricSum, leading: Collection[str] = ()) -> Quotient:
    """A sum as a textbook writes it, of the same value but for coefficients that rounding made.

    Parameters
    ----------
    total
        What a recursion has found.
    leading
        Names of velocities, accelerations and forces: the sum is ordered by their products first.

    Raises
    ------
    RequestError
        More terms than anybody reads.
    """
    numerator, powers = _cleared(total)
    factors = [(factor, power) for factor, power in powers.items() if power]
    largest = max(len(each.terms) for each in (numerator, *powers))
    if largest > READABLE:
        raise RequestError(f"an entry of a closed form has {largest} terms; {FOR_SMALL_ROBOTS}")
    return Quotient(
        tuple(_by_leading(_terms(numerator), leading)),
        tuple((tuple(_by_leading(_terms(factor), leading)), power) for factor, power in factors),
    )


def _cleared(total: TrigonometricSum) -> tuple[TrigonometricSum, Counter[TrigonometricSum]]:
    """Numerator without inverses, and the sums by whose powers it is to be multiplied."""
    inverses = [
        name
        for name in {name for _, _, powers in total.terms for name, _ in powers}
        if isinstance(name, Opaque) and name.code == "inverse"
    ]
    if not inverses:
        return total, Counter()
    outermost = max(inverses, key=lambda name: (len(name.text), name.text))  # its text contains those inside
    (divisor,) = outermost.arguments
    by_power: dict[int, dict[tuple[str, Angle, Powers], Fraction]] = defaultdict(dict)
    for (code, angle, powers), coefficient in total.terms.items():
        rest = tuple(item for item in powers if item[0] != outermost)
        by_power[dict(powers).get(outermost, 0)][code, angle, rest] = coefficient
    highest = max(by_power)
    multiplied = TrigonometricSum({}, total.budget)
    for power, terms in by_power.items():
        multiplied = multiplied + TrigonometricSum(terms, total.budget) * divisor ** (highest - power)
    numerator, found = _cleared(multiplied)
    below, above = _cleared(divisor)
    found[below] -= highest
    for factor, power in above.items():
        found[factor] -= highest * power
    return numerator, found


def _terms(total: TrigonometricSum) -> list[Product]:
    """Plain products in a fixed order, without negligible ones, and with products of sines where they save a term."""
    groups: dict[Powers, dict[Trigonometric, Fraction]] = defaultdict(dict)
    for (code, angle, powers), coefficient in sorted(total.terms.items(), key=lambda item: _order(item[0])):
        groups[powers][code, angle] = coefficient
    found = []
    for powers, waves in groups.items():
        largest = max(abs(coefficient) for coefficient in waves.values())
        kept = {wave: value for wave, value in waves.items() if abs(value) > NEGLIGIBLE * largest}
        for coefficient, factors in _sums_to_products(kept):
            found.append(Product(coefficient, monomial({**dict(powers), **factors})))
    return found


def _order(term: tuple[str, Angle, Powers]) -> tuple[object, ...]:
    code, angle, powers = term
    return tuple((spelled(name), -power) for name, power in powers), len(angle), spelling((code, angle))


def _sums_to_products(waves: Mapping[Trigonometric, Fraction]) -> list[tuple[Fraction, dict[Factor, int]]]:
    """Pairs cos X +- cos Y and sin X +- sin Y become one product each, where half angles do not break the angles up."""
    equal: dict[Fraction, list[Trigonometric]] = defaultdict(list)
    for wave, coefficient in waves.items():
        equal[abs(coefficient)].append(wave)
    found: list[tuple[Fraction, dict[Factor, int]]] = []
    for left in equal.values():
        while left:
            first = left.pop(0)
            for place, second in enumerate(left):
                made = _paired(first, second, same=waves[first] == waves[second])
                if made is not None:
                    del left[place]
                    found.append((waves[first] * made[0], made[1]))
                    break
            else:
                found.append((waves[first], {first: 1} if first[1] else {}))
    return found


def _paired(x: Trigonometric, y: Trigonometric, same: bool) -> tuple[Fraction, dict[Factor, int]] | None:
    if x[0] != y[0]:
        return None
    denominator = lcm(*(value.denominator for _, value in (*x[1], *y[1])))
    half_sum, half_difference = (
        [(name, Fraction(value) / 2) for name, value in shifted(x[1], y[1], sign) if value] for sign in (1, -1)
    )
    if any(name != RADIAN and denominator % value.denominator for name, value in (*half_sum, *half_difference)):
        return None
    if x[0] == "cos":
        codes, factor = (("cos", "cos"), 2) if same else (("sin", "sin"), -2)
    else:
        codes, factor = (("sin", "cos"), 2) if same else (("cos", "sin"), 2)
    factors: Counter[Factor] = Counter()
    total = Fraction(factor)
    for code, half in zip(codes, (half_sum, half_difference), strict=True):
        turned_code, angle, sign = turned(code, half)
        total *= sign
        if angle:
            factors[turned_code, angle] += 1
    return (total, dict(factors)) if total else None


def _by_leading(terms: Sequence[Product], leading: Collection[str]) -> list[Product]:
    """Terms ordered by their products of leading symbols; products with proportional coefficients stand together."""
    groups: dict[Monomial, list[Product]] = defaultdict(list)
    for term in terms:
        head = tuple(item for item in term.factors if item[0] in leading)
        rest = tuple(item for item in term.factors if item[0] not in leading)
        groups[head].append(Product(term.coefficient, rest))
    same: dict[tuple[Product, ...], list[Product]] = defaultdict(list)
    for head, rests in groups.items():
        content = content_of([rest.coefficient for rest in rests])
        key = tuple(Product(rest.coefficient / content, rest.factors) for rest in rests)
        same[key].append(Product(content, head))
    found: list[Product] = []
    for key, heads in same.items():
        (factor, *others) = collected(key)
        if len(heads) == 1 and not heads[0].factors:
            found.extend(collected([Product(heads[0].coefficient * rest.coefficient, rest.factors) for rest in key]))
        elif others:
            found.extend(Product(head.coefficient, head.factors, (factor, *others)) for head in heads)
        else:
            found.extend(_beside(factor, heads))
    return found


def _beside(factor: Product, heads: Sequence[Product]) -> list[Product]:
    """Write factor * (sum of heads), for a factor that is one product."""
    if len(heads) == 1:
        (head,) = heads
        powers = monomial({**dict(head.factors), **dict(factor.factors)})
        return [Product(head.coefficient * factor.coefficient, powers, factor.inner)]
    if factor.inner or not factor.factors:
        return [product for head in heads for product in _beside(factor, [head])]
    content = content_of([head.coefficient for head in heads])
    inner = tuple(Product(head.coefficient / content, head.factors) for head in heads)
    return [Product(content * factor.coefficient, factor.factors, inner)]
