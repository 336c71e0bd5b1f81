"""Loops that hold or not: the exact result for a robot of which those that do not are no part."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from math import prod

from mpmath import mp

from symdyn.description.loops import Coupling, Loop
from symdyn.description.robot import RobotDescription
from symdyn.verify.base.matrices import Real
from symdyn.verify.oracle.exact import Exact, TruthFunction
from symdyn.verify.oracle.setting import Inputs, Setting


def loop_of_row(description: RobotDescription) -> dict[str, str]:
    """Names of loops by those of the rows of their errors."""
    found: dict[str, str] = {}
    for own in description.acting:
        if isinstance(own, Loop):
            found |= {f"{own.name}.{row}" if row else own.name: own.name for row in own.kind.rows}
        elif isinstance(own, Coupling):
            found[own.name] = own.name
    return found


def without_open_loops(compute: TruthFunction, setting: Setting, inputs: Inputs) -> Exact:
    """What a function gives with the loops that ``active`` lets go left out, and zeros in their rows of all outputs."""
    off = {name for name, switch in zip(setting.switched, inputs["active"], strict=True) if not 2 * mp.mpf(switch) > 1}
    loops = loop_of_row(setting.description)
    held = tuple(row for row in setting.held if loops[row] not in off)
    found = compute(replace(setting, held=held, switched=()), {key: x for key, x in inputs.items() if key != "active"})
    if found.terms is not None:
        found = Exact(found.values, found.terms())
    return Exact(_spread(setting, held, found.values), _spread(setting, held, found.scales))


def _spread(setting: Setting, held: Sequence[str], values: Sequence[Real]) -> list[Real]:
    """Flat outputs with zeros in the rows that are not held."""
    rest = iter(values)
    spread: list[Real] = []
    for axes in setting.axes:
        kept = [set(held) if names == setting.held else set(names) for names in axes]
        entries = product(*axes)
        spread += [next(rest) if all(map(set.__contains__, kept, entry)) else mp.mpf(0) for entry in entries]
        assert len(spread) >= prod(map(len, axes))
    assert next(rest, None) is None
    return spread
