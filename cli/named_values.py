"""Numbers by names, as several verbs take them: ``--q elbow=0.5``."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from symdyn.robot.robot import Robot

    Array = NDArray[np.float64]


def named_values(option: str, texts: Sequence[str] | None, form: str = "NAME=VALUE") -> dict[str, float]:
    """Numbers by names; one text may hold several, parted by commas.

    Raises
    ------
    RequestError
        No ``=``, no finite number after the last one, or a name twice.
    """
    from symdyn.errors import RequestError

    found: dict[str, float] = {}
    for text in texts or ():
        pieces = [_named(piece.strip()) for piece in text.split(",")]
        # A name may hold a comma: then the text is one name and its number.
        for named in pieces if all(pieces) else [_named(text)]:
            if named is None:
                raise RequestError(
                    f"{option} {text}: expected {form} with a finite number and no unit, such as elbow=0.5"
                )
            if named[0] in found:
                raise RequestError(f"{option} {text}: '{named[0]}' is named twice; give it one value")
            found[named[0]] = named[1]
    return found


def _named(text: str) -> tuple[str, float] | None:
    """A name and a finite number. The last '=' parts them: a name may hold one, a number cannot."""
    name, _, number = text.rpartition("=")
    try:
        value = float(number)
    except ValueError:
        return None
    return (name, value) if name and isfinite(value) else None


def numbers(text: str) -> list[float]:
    """Numbers with blanks or commas between them; none where one of them is no number."""
    try:
        return [float(part) for part in text.replace(",", " ").split()]
    except ValueError:
        return []


def start_of(robot: Robot, texts: Sequence[str] | None) -> Array | None:
    """The position of ``--start``, other coordinates at zero; None where nobody says any."""
    from symdyn.robot.named_states import position

    return None if texts is None else position(robot.model, "--start", named_values("--start", texts))


def parameters(robot: Robot, texts: Sequence[str] | None) -> Array | None:
    """Run-time parameters, some of them told by names; None where nobody says any.

    Raises
    ------
    RequestError
        A name that is none of a run-time parameter, or one without a value.
    """
    from symdyn.errors import RequestError
    from symdyn.robot.named_states import rows

    told = named_values("--parameter", texts)
    if not told:
        return None
    if not robot.runtime_parameters:
        raise RequestError(
            f"--parameter {next(iter(told))}: robot '{robot.name}' has no run-time parameters; --runtime makes some"
        )
    found = rows("--parameter", told, robot.runtime_parameters, robot.runtime_defaults)
    for name, value in zip(robot.runtime_parameters, found, strict=True):
        if not isfinite(value):
            raise RequestError(
                f"run-time parameter '{name}' of robot '{robot.name}' has no value; add --parameter {name}=VALUE"
            )
    return found
