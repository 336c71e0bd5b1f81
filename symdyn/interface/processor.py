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
