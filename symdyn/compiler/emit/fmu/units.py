"""Units of arguments in powers of base units, as simulation tools compare and convert them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping

BASE = ("kg", "m", "s", "A", "K", "mol", "cd", "rad")
_DERIVED: Mapping[str, Mapping[str, int]] = {
    "N": {"kg": 1, "m": 1, "s": -2},
    "J": {"kg": 1, "m": 2, "s": -2},
    "W": {"kg": 1, "m": 2, "s": -3},
    "Pa": {"kg": 1, "m": -1, "s": -2},
}
_WORD = re.compile(r"\s*(?:(?P<sign>[/()])|(?P<name>[A-Za-z]+|1)(?:\^(?P<power>-?\d+))?)")


def base_powers(unit: str) -> Mapping[str, int] | None:
    """Powers of base units, such as ``{"kg": 1, "m": 2, "s": -2}`` of ``N m``; None for a unit that is not known.

    A space multiplies, and ``/`` divides by the word or the parentheses after it.
    """
    found: Counter[str] = Counter()
    at, below, group = 0, False, 0
    while unit[at:].strip():
        word = _WORD.match(unit, at)
        if word is None:
            return None
        at = word.end()
        sign, name = word["sign"], word["name"]
        if sign == "/":
            below = True
        elif sign == "(":
            group += 1
        elif sign == ")":
            group -= 1
            below = False
        else:
            known = {} if name == "1" else {name: 1} if name in BASE else _DERIVED.get(name)
            if known is None:
                return None
            for base, power in known.items():
                found[base] += power * int(word["power"] or 1) * (-1 if below else 1)
            below = below and group > 0
    return {name: found[name] for name in BASE if found[name]}
