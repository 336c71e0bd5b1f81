"""Verbs that take whole records offer each field as an option."""

from __future__ import annotations

import inspect
from dataclasses import dataclass, field
from typing import Annotated, Literal, get_args

import pytest

from symdyn.cli.groups import Without, grouped


@dataclass(frozen=True)
class Wishes:
    colour: str | None = field(default=None, metadata={"help": "Of the robot.", "choices": ("red", "blue")})
    names: tuple[str, ...] | None = field(default=None, metadata={"help": "Of its links."})
    legs: int = 4
    speed: float = 1.0


def ask(*, robot: str, wishes: Annotated[Wishes, Without(("speed",))], loud: bool = False) -> None:
    """Ask for a robot."""
    heard.append((robot, wishes, loud))


heard: list[tuple[str, Wishes, bool]] = []


def test_fields_are_options_in_the_place_of_their_record() -> None:
    verb = grouped(ask, {"legs": (Annotated[int, "declared"], 6)})
    parameters = inspect.signature(verb).parameters
    assert list(parameters) == ["robot", "colour", "names", "legs", "loud"]
    assert parameters["legs"].default == 6 and get_args(parameters["legs"].annotation) == (int, "declared")
    kind, option = get_args(parameters["colour"].annotation)
    assert kind == Literal["red", "blue"] | None and option.help == "Of the robot."
    assert get_args(parameters["names"].annotation)[0] == list[str] | None
    assert verb.__doc__ == "Ask for a robot."


def test_the_verb_gets_its_records() -> None:
    verb = grouped(ask, {})
    verb(robot="hand", colour="red", names=["a"], legs=2, loud=True)
    assert heard.pop() == ("hand", Wishes("red", ["a"], 2), True)  # type: ignore[arg-type]
    with pytest.raises(KeyError):
        verb(robot="hand")
