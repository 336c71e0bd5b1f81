"""How C spells what differs from lane to lane: vectors where there are some, and functions of the generated files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace

from symdyn.emit.c_dialect import DIALECTS, LIBRARY_FUNCTIONS
from symdyn.emit.c_loops import Types
from symdyn.emit.statements import Dialect, Kernel, Lanes
from symdyn.emit.uniform import varying_ops
from symdyn.tape.tape import Tape

_FUNCTION = re.compile(r"\blanes_([a-z0-9_]+)\(")


def _dialect(plain: Dialect) -> Dialect:
    """Operators work on vectors as on scalars; functions of lanes are those of ``c/lanes.c.jinja``."""
    operations = dict(plain.operations)
    operations |= {code: f"lanes_{code}({{0}})" for code in (*LIBRARY_FUNCTIONS, "abs", "sign")}
    operations |= {code: f"lanes_{code}({{0}}, {{1}})" for code in ("atan2", "pow", "min", "max")}
    operations |= {code: f"lanes_{code}({{0}}, {{1}})" for code in ("less", "less_equal", "equal")}
    operations |= {code: f"lanes_{code}({{0}}, {{1}}, {{2}})" for code in ("fma", "select")}
    operations |= {"sin": "lanes_sine_cosine({0}).sine", "cos": "lanes_sine_cosine({0}).cosine"}
    operations |= {"not": "~{0}", "and": "{0} & {1}", "or": "{0} | {1}"}
    return Dialect(operations, plain.literal, "lanes_sine_cosine({0})", ("{0}.sine", "{0}.cosine"))


_DIALECTS: Mapping[str, Dialect] = {scalar: _dialect(plain) for scalar, plain in DIALECTS.items()}
_SPREAD, _SPREAD_TRUTH = "lanes_spread({0})", "lanes_spread_truth({0})"


def lanes_of(tape: Tape, scalar: str, inputs: tuple[bool, ...]) -> Lanes:
    """How to spell a tape, of whose input ports some differ from lane to lane."""
    return Lanes(_DIALECTS[scalar], varying_ops(tape, inputs), _SPREAD, _SPREAD_TRUTH)


def lane_types(scalar: str) -> Types:
    """C types of what lanes share and of what they do not."""
    return Types(scalar, lanes=Types("lanes", "lane_bits", "struct lanes_pair"))


def lane_functions(lines: Iterable[str]) -> frozenset[str]:
    """The functions of lanes that some lines call, without ``lanes_``."""
    return frozenset(name for line in lines for name in _FUNCTION.findall(line))


def spread_results(tape: Tape, kernel: Kernel, lanes: Lanes, outputs: tuple[bool, ...]) -> Kernel:
    """Values that all lanes share, written out for places that hold one per lane."""
    results = tuple(
        tuple(
            _SPREAD.format(text) if place_varies and not lanes.varying[position] else text
            for text, position in zip(texts, positions, strict=True)
        )
        for texts, positions, place_varies in zip(kernel.results, tape.results, outputs, strict=True)
    )
    return replace(kernel, results=results)
