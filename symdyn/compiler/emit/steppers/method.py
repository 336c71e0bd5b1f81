"""What a method of a stepper tells: its template, and what stands in it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

from symdyn.compiler.emit.steppers.contents import Stepper


@dataclass(frozen=True, slots=True)
class Result:
    """What a step gives besides the state: its parameter in C, and lines of documentation."""

    parameter: str
    documentation: list[str]


class Method(ABC):
    """A method: its template, and what stands in it."""

    template: str
    settings: tuple[str, ...]
    """Numbers that ``_advance`` takes after the times."""
    notes: tuple[str, ...]
    advance_note: str
    start_note: str = ""
    """What comes before the first step, for methods that carry something from step to step."""
    explicit: bool = True
    """Whether steps go by slopes of the state."""

    @abstractmethod
    def title(self, stepper: Stepper) -> str:
        """One sentence for comments."""

    @abstractmethod
    def own_work(self, stepper: Stepper) -> int:
        """Scalars of workspace beside those of the functions that it calls."""

    def notes_of(self, stepper: Stepper) -> list[str]:
        """Lines of documentation on the method."""
        return list(self.notes)

    def results(self, stepper: Stepper) -> tuple[Result, ...]:
        """What a step gives besides the state."""
        return ()

    def declared(self, stepper: Stepper) -> dict[str, Any] | None:
        """What the header declares beside functions, for methods that have records of their own."""
        return None

    def memory(self, stepper: Stepper) -> int:
        """Scalars at the head of the workspace that go from step to step."""
        return 0

    def rest(self, stepper: Stepper) -> int:
        """Scalars of workspace that functions of its own need, at the workspace's end."""
        return 0

    def context(self, stepper: Stepper, scalar: str) -> dict[str, Any]:
        """What its template needs beside what all have."""
        return {}
