"""Motors behind springs: what is said of their joints alone is said of them too."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from symdyn.model.model import Model


def with_motors(model: Model, values: Mapping[str, Any]) -> Mapping[str, Any]:
    """The values, and those of motors behind springs.

    A motor has the value of its joint unless it has one of its own: its spring is at rest then.
    """
    motors = [body.joint for body in model.bodies if body.joint.elastic is not None]
    return {**{motor.label: values[motor.joint] for motor in motors if motor.joint in values}, **values}
