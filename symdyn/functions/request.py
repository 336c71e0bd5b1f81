"""What one function is asked, of a certain robot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from symdyn.errors import RequestError
from symdyn.model.model import Model


@dataclass(frozen=True, slots=True)
class Request:
    """How one function is asked for.

    ``external`` names the axes of f_ext (``body``, ``world``) or is empty, ``prescribed`` holds the rows of v whose
    acceleration is given, ``factorization`` tells which Coriolis matrix is meant, ``formulation`` which recursion
    computes the time derivatives (``body`` or ``spatial``), ``order`` is the highest of them. ``inputs`` tells whether
    generalised forces are given (``forces``) or the inputs of actuators (``actuators``), ``stabilisation`` the time [s]
    in which errors of loops vanish, None to leave them. A function sees only those that it takes; the others keep their
    defaults.
    """

    external: str = ""
    prescribed: tuple[int, ...] = ()
    factorization: str = "christoffel"
    formulation: str = "body"
    inputs: str = "forces"
    stabilisation: float | None = None
    order: int = 0

    @property
    def unusual(self) -> dict[str, str]:
        """What was asked in one word and is not the default, but for axes of wrenches."""
        words = {
            item.name: (getattr(self, item.name), item.default) for item in fields(self) if item.name != "external"
        }
        return {name: word for name, (word, usual) in words.items() if isinstance(word, str) and word != usual}

    @classmethod
    def of(cls, model: Model, said: Mapping[str, Any]) -> Request:
        """What was said to a function about a robot, by the names of :class:`GenerateOptions`.

        Raises
        ------
        RequestError
            A prescribed velocity that the robot does not have, or that is named twice.
        """
        meant = {("external" if name == "external_wrenches" else name): value for name, value in said.items()}
        if "prescribed" in meant:
            meant["prescribed"] = _rows(model, meant["prescribed"])
        return cls(**meant)


def _rows(model: Model, prescribed: Sequence[str]) -> tuple[int, ...]:
    """Rows of v by name, in ascending order."""
    for name in prescribed:
        if name not in model.velocity_names:
            raise RequestError(
                f"prescribed velocity '{name}' is unknown; robot '{model.name}' has {', '.join(model.velocity_names)}"
            )
    if len(set(prescribed)) != len(prescribed):
        raise RequestError(f"prescribed names a velocity twice: {list(prescribed)}; name each once")
    return tuple(sorted(model.velocity_names.index(name) for name in prescribed))
