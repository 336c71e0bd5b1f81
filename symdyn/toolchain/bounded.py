"""Bounds memory, processor time and file sizes of a Python program: a program, started by ``run_program``."""

from __future__ import annotations

import runpy
import sys

MEMORY, SECONDS, WRITTEN = 8 * 2**30, 240, 2**30
"""Bytes of memory, seconds of processor time, bytes of a file."""


def main() -> None:
    """Run the program that the first argument names."""
    bound()
    runpy.run_path(sys.argv[1], run_name="__main__")


def bound() -> None:
    """Bound this process and all that it starts."""
    try:
        import resource
    except ImportError:  # Windows: the time limit of whoever started this is all there is
        return
    for kind, most in (("AS", MEMORY), ("CPU", SECONDS), ("FSIZE", WRITTEN), ("CORE", 0)):
        resource.setrlimit(getattr(resource, f"RLIMIT_{kind}"), (most, most))


if __name__ == "__main__":
    main()
