"""What a method of a stepper tells: its template, and what stands in it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from symdyn.compiler.emit.steppers.contents import Stepper


class Method(ABC):
    """A method: its template, and what stands in it."""

    template: str
    settings: tuple[str, ...]
    """Numbers that ``_advance`` takes after the times."""
    notes: tuple[str, ...]
    advance_note: str
    explicit: bool = True
    """Whether steps go by slopes of the state."""

    @abstractmethod
    def title(self, stepper: Stepper) -> str:
        """One sentence for comments."""

    @abstractmethod
    def own_work(self, stepper: Stepper) -> int:
        """Scalars of workspace beside those of the functions that it calls."""

    def memory(self, stepper: Stepper) -> int:
        """Scalars at the head of the workspace that go from step to step."""
        return 0

    def rest(self, stepper: Stepper) -> int:
        """Scalars of workspace that functions of its own need, at the workspace's end."""
        return 0

    def context(self, stepper: Stepper, scalar: str) -> dict[str, Any]:
        """What its template needs beside what all have."""
        return {}
