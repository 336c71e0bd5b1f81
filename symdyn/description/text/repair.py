"""How a refusal offers a change to the robot, which is made only when asked for."""

from __future__ import annotations


def offer(does: str) -> str:
    """The end of a refusal that a repair would spare the user."""
    return f", or load with repair=True (on the command line --repair), which {does}"
