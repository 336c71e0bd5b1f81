"""``symdyn examples``: the robots that ship with symdyn."""

from __future__ import annotations

from . import terminal


def run() -> None:
    """List the robots that ship with symdyn."""
    import symdyn

    terminal.table(("robot", "what it is"), symdyn.examples().items())
