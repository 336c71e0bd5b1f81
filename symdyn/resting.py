"""Which robots statics takes."""

from __future__ import annotations

from symdyn.errors import RequestError
from symdyn.model.model import Model


def check_rests(model: Model) -> None:
    """Pass a robot whose positions at rest can be looked for.

    Raises
    ------
    RequestError
        A spatial base velocity, of which rows do not fit moves of q; loops that hold velocities alone.
    """
    if model.convention == "spatial" and model.free_bases:
        raise RequestError(
            f"statics of robot '{model.name}': rows of a free base are those of its own axes; load it with "
            "convention='pinocchio'"
        )
    rolling = next((loop.held.name for loop in model.loops if loop.velocity_rows), None)
    if rolling is not None:
        raise RequestError(
            f"statics of robot '{model.name}': constraint '{rolling}' holds velocities and no position, so that "
            "no single rest follows; prescribe positions in place of it"
        )
