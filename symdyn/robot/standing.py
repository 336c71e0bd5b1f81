"""Which robots statics takes."""

from __future__ import annotations

from symdyn.errors import RequestError
from symdyn.model.model import Model


def check_rests(model: Model) -> None:
    """Pass a robot whose positions at rest can be looked for.

    Raises
    ------
    RequestError
        Loops that hold velocities alone.
    """
    rolling = next((loop.constraint.name for loop in model.loops if loop.velocity_rows), None)
    if rolling is not None:
        raise RequestError(
            f"statics of robot '{model.name}': constraint '{rolling}' holds velocities and no position, so that "
            "no single rest follows; prescribe positions in place of it"
        )
