"""The processor of this machine: what it can execute, and what its kind is called. It imports no room."""

from __future__ import annotations

import contextlib
import functools
import platform
from pathlib import Path


def cpu_features() -> str:
    """What this processor can execute, as the system names it: a module built for more than that would crash.

    Linux lists it in a file. Of other systems archspec asks: the processor itself on Windows, ``sysctl`` on macOS.
    """
    with contextlib.suppress(OSError):
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
        for line in text.splitlines():
            label, _, features = line.partition(":")
            if label.strip().lower() in ("flags", "features"):
                return f"{platform.machine()} {' '.join(sorted(features.split()))}"
    return _asked()


@functools.cache
def _asked() -> str:
    # Loading archspec takes longer than opening a compiled module, so that Linux goes without.
    from archspec.cpu import detect

    found = detect.detected_info()
    return f"{platform.machine()} {microarchitecture()} {' '.join(sorted(found.features))}".rstrip()


@functools.cache
def microarchitecture() -> str:
    """The name that archspec has for this processor, such as ``zen4``, ``skylake_avx512``, ``x86_64_v3`` or ``m1``.

    It is the most special kind whose instructions the processor has all of, or the family, such as ``aarch64``.
    """
    from archspec import cpu

    return str(cpu.host().name)


@functools.cache
def vector_bytes(name: str = "") -> int:
    """Bytes of the widest vectors of floating-point numbers of a kind of processor: 64, 32, 16, or 0 if not known.

    Parameters
    ----------
    name
        As :func:`microarchitecture` gives it, which is also where nothing is said.

    Raises
    ------
    KeyError
        archspec knows no such kind.
    """
    from archspec import cpu

    kind = cpu.TARGETS[name] if name else cpu.host()
    for feature, width in _VECTORS:
        if feature in kind:
            return width
    return _FAMILY_VECTORS.get(kind.family.name, 0)


_VECTORS = (("avx512f", 64), ("avx2", 32), ("avx", 32))
_FAMILY_VECTORS = {"x86_64": 16, "aarch64": 16}
"""SSE2 and NEON belong to every processor of these families."""
