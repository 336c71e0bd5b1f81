"""Processors that layouts are chosen for: how wide their vectors are, and how many registers hold them.

This file imports no room. Code of any layout runs on any processor; the processor only decides which layout is fastest.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from symdyn.errors import RequestError
from symdyn.interface.guesses import hint

NATIVE = "native"
"""The processor of this machine, as its compiler knows it; recorded by its name among :data:`CPUS`."""

BYTES = {"float64": 8, "float32": 4}
"""Bytes of a scalar by dtype."""


@dataclass(frozen=True, slots=True)
class Cpu:
    """A class of processors.

    ``vector_bytes`` is the length of a floating-point register, 0 without vectors of doubles; ``registers`` is their
    number; ``macro`` is what compilers for it define, the most demanding of the classes first.
    """

    name: str
    title: str
    vector_bytes: int
    registers: int
    macro: str

    def lanes(self, dtype: str = "float64") -> int:
        """Scalars of a vector register, 1 without vectors."""
        return max(self.vector_bytes // BYTES[dtype], 1)


CPUS: Mapping[str, Cpu] = {
    cpu.name: cpu
    for cpu in (
        Cpu("x86-64-v4", "AVX-512", 64, 32, "__AVX512F__"),
        Cpu("x86-64-v3", "AVX2", 32, 16, "__AVX2__"),
        Cpu("x86-64-v2", "SSE4.2", 16, 16, "__x86_64__"),
        Cpu("aarch64", "NEON", 16, 32, "__aarch64__"),
        Cpu("cortex-m7", "no vectors", 0, 16, "__ARM_ARCH_7EM__"),
    )
}

DEFAULT = CPUS["x86-64-v3"]
"""What is meant where nobody says: generated files depend on no machine, and most machines have AVX2."""

NAMES = (NATIVE, *CPUS)


def find_cpu(name: str | None) -> Cpu:
    """The processor of that name, the default without one.

    Raises
    ------
    RequestError
        An unknown name; ``native`` has to be settled first, since what it means is for the compiler to say.
    """
    if name is None:
        return DEFAULT
    if name not in tuple(CPUS):
        raise RequestError(f"cpu '{name}' is not known; expected one of {', '.join(NAMES)}{hint(name, NAMES)}")
    return CPUS[name]
