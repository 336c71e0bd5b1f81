"""The operations a tape may hold, each with its contract; the one table that every pass and back end reads.

The cost column is the project's definition of an operation: add, sub, mul, div, sqrt and neg count 1, fma 2, a
sine-cosine pair 2 (a lone sine or cosine 1); every other elementary function, comparison and selection counts 1; loads,
constants and projections count 0.

A fused multiply-add is rounded once where the processor does it in one instruction, and twice elsewhere: these are the
two classes of results that a function may have. Nothing else in a tape leaves a choice to compiler or processor, but
for the library's elementary functions.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class OpInfo:
    """Facts of one operation code."""

    operands: int
    cost: int
    commutative: bool = False
    boolean: bool = False
    """The result is a truth value, which only ``select`` may consume."""


OPS: dict[str, OpInfo] = {
    # leaves
    "input": OpInfo(0, 0),  # element (port, index) of an input; Op.source holds the pair
    "constant": OpInfo(0, 0),  # Op.literal
    # arithmetic, correctly rounded in the tape's dtype
    "add": OpInfo(2, 1, commutative=True),
    "sub": OpInfo(2, 1),
    "mul": OpInfo(2, 1, commutative=True),
    "div": OpInfo(2, 1),
    "neg": OpInfo(1, 1),
    "sqrt": OpInfo(1, 1),
    "fma": OpInfo(3, 2),  # a * b + c
    "fms": OpInfo(3, 2),  # a * b - c
    "fnma": OpInfo(3, 2),  # c - a * b
    "product": OpInfo(2, 1),  # a * b, to be added to an accumulating result by a fused multiply-add
    # elementary functions, to the accuracy of the target's library
    "sin": OpInfo(1, 1),
    "cos": OpInfo(1, 1),
    "sincos": OpInfo(1, 2),  # a pair; read with sin_of and cos_of
    "sin_of": OpInfo(1, 0),
    "cos_of": OpInfo(1, 0),
    "tan": OpInfo(1, 1),
    "asin": OpInfo(1, 1),
    "acos": OpInfo(1, 1),
    "atan": OpInfo(1, 1),
    "atan2": OpInfo(2, 1),
    "sinh": OpInfo(1, 1),
    "cosh": OpInfo(1, 1),
    "tanh": OpInfo(1, 1),
    "exp": OpInfo(1, 1),
    "log": OpInfo(1, 1),
    "pow": OpInfo(2, 1),
    "abs": OpInfo(1, 1),
    "sign": OpInfo(1, 1),  # -1, 0 or 1; 0 at zero
    "min": OpInfo(2, 1, commutative=True),
    "max": OpInfo(2, 1, commutative=True),
    # truth values and choice
    "less": OpInfo(2, 1, boolean=True),
    "less_equal": OpInfo(2, 1, boolean=True),
    "equal": OpInfo(2, 1, commutative=True, boolean=True),
    "not": OpInfo(1, 1, boolean=True),
    "and": OpInfo(2, 1, commutative=True, boolean=True),
    "or": OpInfo(2, 1, commutative=True, boolean=True),
    "select": OpInfo(3, 1),  # condition, value if true, value if false; both are evaluated
    # lanes: the one way from a varying value to a uniform one
    "lane_sum": OpInfo(1, 1),
}
"""Every code with its facts. A back end must print all of them (tests run each through every back end)."""

LEAVES: frozenset[str] = frozenset(code for code, info in OPS.items() if not info.operands)
"""What rests on no other instruction: inputs and constants."""

FUSED: frozenset[str] = frozenset({"fma", "fms", "fnma"})
"""Fused multiply-adds over operands a, b and c."""

BOOLEAN_OPERANDS: frozenset[str] = frozenset({"not", "and", "or"})
"""Codes whose operands are all truth values."""
