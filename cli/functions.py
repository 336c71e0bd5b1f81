"""``symdyn functions``: what can be asked for with ``--function``."""

from __future__ import annotations

from . import terminal


def run() -> None:
    """List the functions that -f takes. What each computes, and the options that change it."""
    from symdyn.functions.catalogue import CATALOGUE

    for entry in CATALOGUE.values():
        terminal.line(entry.name)
        terminal.note(f"  {entry.sentence}", "  ")
        if entry.takes:
            terminal.note(f"  options: {', '.join('--' + name.replace('_', '-') for name in entry.takes)}", "  ")
