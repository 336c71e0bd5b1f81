"""Positions and velocities by names: ``{"elbow": 0.5}`` for one row, ``{"base": [..]}`` for all rows of a joint."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from symdyn.errors import RequestError
from symdyn.interface.argument_arrays import given_numbers
from symdyn.interface.guesses import hint, some_of
from symdyn.model.motors import with_motors

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from symdyn.model.model import Model

    Array = NDArray[np.float64]


def rows(label: str, values: Mapping[str, Any], names: Sequence[str], start: Array) -> Array:
    """An array with some of its rows, given by names, replaced.

    Raises
    ------
    RequestError
        A name that is no row's.
    """
    found = start.copy()
    for name, value in values.items():
        if name not in names:
            raise RequestError(f"{label} {name}: there are {some_of(name, names)}{hint(name, names)}")
        found[names.index(name)] = value
    return found


def position(model: Model, label: str, values: Mapping[str, Any]) -> Array:
    """The neutral position (nq,) with some coordinates replaced, and motors with them.

    Raises
    ------
    RequestError
        A name of no row and no joint, or another number of values than the joint has rows.
    """
    from symdyn.model import coordinates

    joints = {joint.label: joint.coordinates.q for joint in model.independent_joints}
    return rows(label, _by_rows(model, label, values, joints), model.coordinate_names, coordinates.neutral(model))


def velocity(model: Model, label: str, values: Mapping[str, Any]) -> Array:
    """The velocity (nv,) that is zero in all other rows; errors as of :func:`position`."""
    import numpy as np

    joints = {joint.label: joint.coordinates.v for joint in model.independent_joints}
    return rows(label, _by_rows(model, label, values, joints), model.velocity_names, np.zeros(model.nv))


def _by_rows(
    model: Model, label: str, values: Mapping[str, Any], joints: Mapping[str, Sequence[str]]
) -> Mapping[str, Any]:
    """The values by rows, where some are of whole joints."""
    import numpy as np

    found: dict[str, Any] = {}
    for name, value in with_motors(model, values).items():
        own = [name + suffix for suffix in joints.get(name, ("",))]
        given = np.ravel(given_numbers(f"{label} {name}", value))
        if len(given) != len(own):
            raise RequestError(f"{label} {name}: expected {len(own)} numbers, got {len(given)}")
        found.update(zip(own, given, strict=True))
    return found
