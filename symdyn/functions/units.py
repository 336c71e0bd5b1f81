"""Units of derivatives and of matrices, from the units of rows of v: rad/s, m/s, or 1/s where a coordinate has none."""

from __future__ import annotations

import re

_FACTOR = re.compile(r"([A-Za-z]+)(?:\^(\d+))?")


def per(unit: str, by: str) -> str:
    """The unit of a derivative, left as a fraction: ``N m`` by ``rad/s`` is ``N m/(rad/s)``."""
    return f"{unit}/({by})" if by not in ("", "1") else unit


def quotient(unit: str, *by: str) -> str:
    """A unit divided by others, in lowest terms: ``kg m^2`` by ``m/s`` is ``kg m s``, ``1`` by ``kg`` ``1/kg``."""
    powers = _powers(unit)
    for each in by:
        for symbol, power in _powers(each).items():
            powers[symbol] = powers.get(symbol, 0) - power
    above = _product({symbol: power for symbol, power in powers.items() if power > 0})
    below = _product({symbol: -power for symbol, power in powers.items() if power < 0})
    if not below:
        return above or "1"
    return f"{above or '1'}/({below})" if " " in below else f"{above or '1'}/{below}"


def move(unit: str) -> str:
    """The unit of the coordinate that moves with a unit of velocity."""
    return unit.removesuffix("/s")


def mass(row: str, column: str) -> str:
    """The unit of an entry of the mass matrix; coordinates without a unit weigh as angles do."""
    return quotient("kg m^2", *("m" for unit in (row, column) if unit == "m/s"))


def _powers(unit: str) -> dict[str, int]:
    above, _, below = unit.partition("/")
    found: dict[str, int] = {}
    for sign, part in ((1, above), (-1, below)):
        for symbol, power in _FACTOR.findall(part):
            found[symbol] = found.get(symbol, 0) + sign * int(power or 1)
    return found


def _product(powers: dict[str, int]) -> str:
    return " ".join(symbol if power == 1 else f"{symbol}^{power}" for symbol, power in powers.items())
