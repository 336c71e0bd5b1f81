"""How C spells each operation, over ``double`` and over ``float``."""

from __future__ import annotations

from collections.abc import Mapping

from symdyn.compiler.emit.printing.dialect import Dialect, Pairs
from symdyn.compiler.emit.printing.literals import double_literal, float_literal
from symdyn.compiler.emit.tree.kernel import ROUNDED_SUB, Kind

LIBRARY_FUNCTIONS = ["sqrt", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "log"]
"""Codes that C's library computes, by the same names."""

FUSED_MACRO = "SYMDYN_FMA"
"""Of ``c/fma.c.jinja``, for the file's scalar."""

ROUNDED_MACRO = "SYMDYN_ROUNDED"
"""Of the same template. Some gcc fuse the product of a difference that stands beside a sum, but not through this."""

PAIR_FUNCTION = "sine_cosine"
"""Of ``c/sine_cosine.c.jinja``; its struct has the same name."""

PAIRS_FUNCTION = "sines_cosines"
"""Of ``c/sines_cosines.c.jinja``, for four angles; its struct has the same name."""

_CALL, _HALVES = f"{PAIRS_FUNCTION}({{0}}, {{1}}, {{2}}, {{3}})", ("{0}.sine[{1}]", "{0}.cosine[{1}]")


def _dialect(scalar: str) -> Dialect:
    suffix, zero = ("f", "0.0f") if scalar == "float" else ("", "0.0")
    operations = {code: f"{code}{suffix}({{0}})" for code in LIBRARY_FUNCTIONS}
    operations |= {
        "add": "{0} + {1}",
        "sub": "{0} - {1}",
        ROUNDED_SUB: f"{ROUNDED_MACRO}({{0}}) - {{1}}",
        "mul": "{0} * {1}",
        "div": "{0} / {1}",
        "neg": "-{0}",
        "fma": f"{FUSED_MACRO}({{0}}, {{1}}, {{2}})",
        "fms": f"{FUSED_MACRO}({{0}}, {{1}}, -{{2}})",
        "fnma": f"{FUSED_MACRO}(-{{0}}, {{1}}, {{2}})",
        "atan2": f"atan2{suffix}({{0}}, {{1}})",
        "pow": f"pow{suffix}({{0}}, {{1}})",
        "abs": f"fabs{suffix}({{0}})",
        "sign": f"({scalar})(({{0}} > {zero}) - ({{0}} < {zero}))",
        "min": "{0} < {1} ? {0} : {1}",
        "max": "{0} > {1} ? {0} : {1}",
        "less": "{0} < {1}",
        "less_equal": "{0} <= {1}",
        "equal": "{0} == {1}",
        "not": "!{0}",
        "and": "{0} && {1}",
        "or": "{0} || {1}",
        "select": "{0} ? {1} : {2}",
    }
    types = {
        Kind.NUMBER: scalar,
        Kind.TRUTH: "int",
        Kind.PAIR: f"struct {PAIR_FUNCTION}",
        Kind.PAIRS: f"struct {PAIRS_FUNCTION}",
    }
    # A sine that is alone has the bits of one in a pair, as in lanes; compilers drop the other half.
    operations |= {"sin": f"{PAIR_FUNCTION}({{0}}).sine", "cos": f"{PAIR_FUNCTION}({{0}}).cosine"}
    halves = ("{0}.sine", "{0}.cosine")
    literal = float_literal if scalar == "float" else double_literal
    return Dialect(operations, literal, f"{PAIR_FUNCTION}({{0}})", halves, Pairs(4, _CALL, zero, _HALVES), types=types)


DIALECTS: Mapping[str, Dialect] = {scalar: _dialect(scalar) for scalar in ("double", "float")}


def pairs_at_once(scalar: str) -> int:
    """Sine-cosine pairs that are evaluated together."""
    pairs = DIALECTS[scalar].pairs
    return pairs.count if pairs else 1
