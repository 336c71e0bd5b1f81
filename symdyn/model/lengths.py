"""How long the parts of a robot are that its joints move: what levers are compared with that may be rounding of zero.

All axes of a spherical linkage meet in one point, and its loop holds that point where it is anyway. What a file says of
the point, and so each lever to it, may be nothing but rounding, 1e-17 m of a linkage of half a metre. Beside itself
that is long, and it would lock the linkage.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.model.bind import TRANSLATION, BodyConstants, bind_body
from symdyn.model.model import Model

_SQUARES = ("Sxx", "Syy", "Szz")


def moved_lengths(model: Model, p: Sequence[float]) -> list[float]:
    """Per row of v how long what it moves is [m], at run-time parameters p; 0 where nothing there has a length.

    That is the largest of all distances between the joints that it moves, and of the radii of gyration of bodies about
    the origins of their frames.
    """
    found = [0.0] * model.nv
    beyond = [0.0] * len(model.bodies)
    algebra = FloatAlgebra()
    for number in reversed(range(len(model.bodies))):
        body = model.bodies[number]
        constants = bind_body(model, body, algebra, p)
        own = max(beyond[number], _radius(constants))
        for row in body.joint.v_places:
            found[row] = max(found[row], own)
        if body.parent >= 0:
            distance = math.hypot(*(constants.values[name] for name in TRANSLATION))
            beyond[body.parent] = max(beyond[body.parent], own, distance)
    return found


def _radius(constants: BodyConstants) -> float:
    mass = constants.values["m"]
    moment = math.fsum(constants.values[name] for name in _SQUARES)
    return math.sqrt(moment / mass) if mass > 0.0 and moment > 0.0 else 0.0
