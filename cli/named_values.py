"""Numbers by names, as several verbs take them: ``--q elbow=0.5``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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


def rows(option: str, values: Mapping[str, float], names: Sequence[str], start: Array) -> Array:
    """An array with some of its rows, told by names, replaced.

    Raises
    ------
    RequestError
        A name that is no row's.
    """
    from symdyn.description.text.position import hint
    from symdyn.errors import RequestError

    found = start.copy()
    for name, value in values.items():
        if name not in names:
            raise RequestError(f"{option} {name}: there are {', '.join(names)}{hint(name, names)}")
        found[names.index(name)] = value
    return found


def position(robot: Robot, option: str, values: Mapping[str, float]) -> Array:
    """The neutral position with some coordinates replaced, and motors with them."""
    return rows(option, with_motors(robot, values), robot.coordinate_names, robot.neutral())


def with_motors(robot: Robot, values: Mapping[str, float]) -> Mapping[str, float]:
    """The values, and those of motors behind springs.

    A motor has the value of its joint unless it has one of its own: its spring is at rest then.
    """
    motors = [body.joint for body in robot.model.bodies if body.joint.elastic is not None]
    return {**{motor.label: values[motor.joint] for motor in motors if motor.joint in values}, **values}


def parameters(robot: Robot, texts: Sequence[str] | None) -> Array | None:
    """Run-time parameters, some of them told by names; None where nobody says any.

    Raises
    ------
    RequestError
        A name that is none of a run-time parameter, or one without a value.
    """
    from symdyn.errors import RequestError

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
