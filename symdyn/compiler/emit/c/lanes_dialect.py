"""How C spells what differs from lane to lane: vectors where there are some, and functions of the generated files."""

from __future__ import annotations

from collections.abc import Mapping

from symdyn.compiler.emit.c.dialect import DIALECTS, LIBRARY_FUNCTIONS
from symdyn.compiler.emit.printing.dialect import Dialect
from symdyn.compiler.emit.tree.kernel import ROUNDED_SUB, Kind


def _dialect(plain: Dialect) -> Dialect:
    """Operators work on vectors as on scalars; functions of lanes are those of ``c/lanes.c.jinja``."""
    operations = dict(plain.operations)
    operations |= {code: f"lanes_{code}({{0}})" for code in (*LIBRARY_FUNCTIONS, "abs", "sign")}
    operations |= {code: f"lanes_{code}({{0}}, {{1}})" for code in ("atan2", "pow", "min", "max")}
    operations |= {code: f"lanes_{code}({{0}}, {{1}})" for code in ("less", "less_equal", "equal")}
    operations |= {code: f"lanes_{code}({{0}}, {{1}}, {{2}})" for code in ("fma", "fms", "fnma")}
    operations[ROUNDED_SUB] = plain.operations["sub"]
    operations |= {"sin": "lanes_sine_cosine({0}).sine", "cos": "lanes_sine_cosine({0}).cosine"}
    operations |= {"select": "lanes_select({0}, {1}, {2})", "not": "~{0}", "and": "{0} & {1}", "or": "{0} | {1}"}
    return Dialect(
        operations,
        plain.literal,
        "lanes_sine_cosine({0})",
        ("{0}.sine", "{0}.cosine"),
        types={Kind.NUMBER: "lanes", Kind.TRUTH: "lane_bits", Kind.PAIR: "struct lanes_pair"},
        spread={Kind.NUMBER: "lanes_spread({0})", Kind.TRUTH: "lanes_spread_truth({0})"},
        takes_shared=frozenset({"add", "sub", ROUNDED_SUB, "mul", "div"}),
    )


LANES: Mapping[str, Dialect] = {scalar: _dialect(plain) for scalar, plain in DIALECTS.items()}
"""By scalar."""
