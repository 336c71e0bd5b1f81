"""What the user may change about a robot when loading it, checked once."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

from symdyn.description.load_settings import CONVENTIONS, Lock
from symdyn.description.quantities.number import SMALLEST
from symdyn.errors import ModelError
from symdyn.interface.argument_words import given_flag, listed_names
from symdyn.interface.guesses import hint

STANDARD_GRAVITY = (0.0, 0.0, -9.81)
"""In the world frame [m/s^2], where neither the caller nor the file says otherwise."""


@dataclass(frozen=True, slots=True)
class LoadOptions:
    """Options of ``symdyn.load``, as plain data. ``gravity`` None leaves it to the file."""

    floating_base: bool | None = None
    locked_joints: Mapping[str, Lock] | None = None
    runtime: tuple[str, ...] = ()
    joint_losses: bool = False
    convention: str = "pinocchio"
    gravity: tuple[float, float, float] | None = None


def checked_options(
    floating_base: Any, locked_joints: Any, runtime: Any, joint_losses: Any, convention: Any, gravity: Any
) -> LoadOptions:
    """Options from whatever the caller gave; NumPy numbers and arrays are as good as Python's.

    Raises
    ------
    ModelError
        A value of the wrong kind, with what was expected.
    """
    base, choices = None, "True, False or None"
    if floating_base is not None:
        base = given_flag("floating_base", floating_base, choices, ModelError)
    losses = given_flag("joint_losses", joint_losses, refusal=ModelError)
    if not isinstance(convention, str) or convention not in CONVENTIONS:
        guess = hint(convention, CONVENTIONS)
        raise ModelError(f"convention '{convention}' is unknown; choose one of {', '.join(CONVENTIONS)}{guess}")
    names = listed_names(runtime)
    if names is None:
        raise ModelError(f"runtime is a list of names such as ['forearm.mass'], got {runtime!r}")
    if not isinstance(locked_joints, Mapping):
        raise ModelError(f"locked_joints maps names to coordinates, such as {{'finger': 0.0}}, got {locked_joints!r}")
    return LoadOptions(
        floating_base=base,
        locked_joints={str(name): _lock(name, value) for name, value in locked_joints.items()},
        runtime=tuple(names),
        joint_losses=losses,
        convention=convention,
        gravity=None if gravity is None else _gravity(gravity),
    )


def _lock(name: object, value: Any) -> Lock:
    number = _number(value)
    if number is not None:
        return _writable(f"locked joint '{name}'", number)
    numbers = [_number(item) for item in value] if isinstance(value, Sequence) or hasattr(value, "__array__") else []
    if isinstance(value, str) or not numbers or any(item is None for item in numbers):
        raise ModelError(f"locked joint '{name}': expected a number, or one per coordinate, got {value!r}")
    return tuple(_writable(f"locked joint '{name}'", item) for item in numbers if item is not None)


def _gravity(gravity: Any) -> tuple[float, float, float]:
    numbers = [_number(item) for item in gravity] if hasattr(gravity, "__iter__") else []
    known = [item for item in numbers if item is not None and math.isfinite(item)]
    if len(numbers) != 3 or len(known) != 3:
        raise ModelError(f"gravity is three finite numbers in m/s^2, got {gravity!r}")
    x, y, z = (_writable("gravity", item) for item in known)
    return x, y, z


def _writable(what: str, number: float) -> float:
    # Options stand in the robot file of a generated folder, which refuses such numbers.
    if 0.0 < abs(number) < SMALLEST:
        raise ModelError(f"{what}: {number!r} is nearer to zero than {SMALLEST:g}; give 0")
    return number


def _number(value: Any) -> float | None:
    """A real number as a float, arrays of no dimension among them; None for anything else."""
    if getattr(value, "shape", None) == () and hasattr(value, "item"):
        value = value.item()
    return None if isinstance(value, bool) or not isinstance(value, Real) else float(value)
