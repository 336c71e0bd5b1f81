"""What the templates of C files loop over and ask for."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from symdyn.compiler.emit.c.dialect import FUSED_MACRO, PAIR_FUNCTION, PAIRS_FUNCTION, ROUNDED_MACRO

INDEPENDENT = "INDEPENDENT_ITERATIONS"
"""Macro before a loop whose order is free, so that compilers make vector instructions of it."""

APART = "static SEPARATE"
"""Linkage of a long kernel that is called once, for inlined, the pieces would become one long function again; and of
one that is called from very many places."""

INLINED = "static INLINED"
"""Linkage of the kernels of independent loops, which make no vector instructions of calls."""

_CALL = re.compile(r"[A-Za-z_]\w*(?=\()")
_LANES = "lanes_"


def functions_of(spellings: Iterable[str]) -> frozenset[str]:
    """The functions and macros that some spellings call."""
    return frozenset(name for spelling in spellings for name in _CALL.findall(spelling))


@dataclass(frozen=True, slots=True)
class Unit:
    """The lines of one C file, and the functions, macros and linkages that it needs.

    ``lane_counts`` are the numbers of lanes of its loops over them, and ``vector_lanes`` those of its longest vector.
    Series of its kernels have as many coefficients as ``series`` says.
    ``aligns`` says that it moves its workspace to a whole vector, which it may do without loops over lanes.
    """

    constants: tuple[str, ...]
    kernels: tuple[tuple[str, ...], ...]
    body: tuple[str, ...]
    buffers_used: frozenset[str]
    needs: frozenset[str]
    aligns: bool = False
    lane_counts: tuple[int, ...] = ()
    vector_lanes: int = 1
    series: int = 0

    @property
    def lines(self) -> list[str]:
        """All lines that tell what the file computes."""
        return [*self.constants, *(line for kernel in self.kernels for line in kernel), *self.body]

    @property
    def lane_functions(self) -> frozenset[str]:
        """The functions of lanes that the file needs, without ``lanes_``."""
        return frozenset(name.removeprefix(_LANES) for name in self.needs if name.startswith(_LANES))

    @property
    def uses_pairs(self) -> bool:
        """Whether the file needs the function of sine-cosine pairs; that of several angles calls it too."""
        return not self.needs.isdisjoint({PAIR_FUNCTION, PAIRS_FUNCTION})

    @property
    def uses_fma(self) -> bool:
        """Whether the file needs the macros of ``c/fma.c.jinja``."""
        by_lanes = any(
            name.startswith(("fma", "fms", "fnma", "sine_cosine", "add_products")) for name in self.lane_functions
        )
        return by_lanes or self.uses_pairs or not self.needs.isdisjoint({FUSED_MACRO, ROUNDED_MACRO})
