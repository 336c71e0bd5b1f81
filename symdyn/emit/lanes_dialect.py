"""How C spells what differs from lane to lane: vectors where there are some, and functions of the generated files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from symdyn.emit.c_dialect import DIALECTS, LIBRARY_FUNCTIONS
from symdyn.emit.c_loops import Types
from symdyn.emit.dialect import Dialect, Lanes
from symdyn.emit.statements import Kernel, Place, Statement
from symdyn.emit.uniform import varying_ops
from symdyn.tape.tape import Tape

_FUNCTION = re.compile(r"\blanes_([a-z0-9_]+)\(")


LANES_FMA = "lanes_fma({0}, {1}, {2})"


def _dialect(plain: Dialect) -> Dialect:
    """Operators work on vectors as on scalars; functions of lanes are those of ``c/lanes.c.jinja``."""
    operations = dict(plain.operations)
    operations |= {code: f"lanes_{code}({{0}})" for code in (*LIBRARY_FUNCTIONS, "abs", "sign")}
    operations |= {code: f"lanes_{code}({{0}}, {{1}})" for code in ("atan2", "pow", "min", "max")}
    operations |= {code: f"lanes_{code}({{0}}, {{1}})" for code in ("less", "less_equal", "equal")}
    operations |= {"fma": LANES_FMA, "fms": "lanes_fma({0}, {1}, -{2})", "fnma": "lanes_fma(-{0}, {1}, {2})"}
    operations |= {"sin": "lanes_sine_cosine({0}).sine", "cos": "lanes_sine_cosine({0}).cosine"}
    operations |= {"select": "lanes_select({0}, {1}, {2})", "not": "~{0}", "and": "{0} & {1}", "or": "{0} | {1}"}
    return Dialect(operations, plain.literal, "lanes_sine_cosine({0})", ("{0}.sine", "{0}.cosine"))


_DIALECTS: Mapping[str, Dialect] = {scalar: _dialect(plain) for scalar, plain in DIALECTS.items()}
_SPREAD, _SPREAD_TRUTH = "lanes_spread({0})", "lanes_spread_truth({0})"


def lanes_of(tape: Tape, scalar: str, inputs: tuple[bool, ...]) -> Lanes:
    """How to spell a tape, of whose input ports some differ from lane to lane."""
    return Lanes(_DIALECTS[scalar], varying_ops(tape, inputs), _SPREAD, _SPREAD_TRUTH)


def lane_types(scalar: str) -> Types:
    """C types of what lanes share and of what they do not."""
    return Types(scalar, lanes=Types("lanes", "lane_bits", "struct lanes_pair", fma=LANES_FMA))


def lane_functions(lines: Iterable[str]) -> frozenset[str]:
    """The functions of lanes that some lines call, without ``lanes_``."""
    return frozenset(name for line in lines for name in _FUNCTION.findall(line))


@dataclass(frozen=True, slots=True)
class LanesBesideEachOther(Place):
    """In an array with a value per lane side by side, ``spacing`` scalars from one index to the next."""

    spacing: int = 1

    def element(self, index: int) -> str:
        """Text of one value per lane."""
        return f"lanes_load({self._first(index)})"

    def store(self, index: int, sign: str, value: str) -> str:
        """The statement that sets one value per lane, or adds to them."""
        text = value if sign == "=" else f"{self.element(index)} + {value}"
        return f"lanes_store({self._first(index)}, {text});"

    def add_product(self, index: int, factors: tuple[str, str], fused: str) -> str:
        """The statement that adds one product per lane."""
        return f"lanes_store({self._first(index)}, {fused.format(*factors, self.element(index))});"

    def _first(self, index: int) -> str:
        place = self.spacing * (self.offset + index)
        return f"{self.array} + {place}" if place else self.array


def spread_results(tape: Tape, kernel: Kernel, lanes: Lanes, outputs: tuple[bool, ...]) -> Kernel:
    """Values that all lanes share, written out for places that hold one per lane."""
    shared = {
        text for texts, place_varies in zip(kernel.results, outputs, strict=True) for text in texts if place_varies
    }
    statements = tuple(
        _spread_product(statement) if statement.factors and statement.name in shared else statement
        for statement in kernel.statements
    )
    products = {statement.name for statement in statements if statement.factors}
    results = tuple(
        tuple(
            _SPREAD.format(text) if place_varies and not lanes.varying[position] and text not in products else text
            for text, position in zip(texts, positions, strict=True)
        )
        for texts, positions, place_varies in zip(kernel.results, tape.results, outputs, strict=True)
    )
    return replace(kernel, statements=statements, results=results)


def _spread_product(statement: Statement) -> Statement:
    """A product of numbers that all lanes share, as one per lane."""
    assert statement.factors is not None
    if statement.varying:
        return statement
    left, right = statement.factors
    return replace(statement, varying=True, factors=(_SPREAD.format(left), _SPREAD.format(right)))
