"""Base parameters: inertia that a joint cannot feel is counted with the parent, so that the child has fewer products.

Mass spread along a revolute joint's axis moves with the parent as well as with the child; so does mass at the centre
of a spherical joint, and second moments behind a prismatic one (Gautier & Khalil 1990). Moving them changes no tau, but
it does change the wrench that a joint is seen to transmit, so only algorithms that hide these wrenches may use it.
"""

from __future__ import annotations

from collections.abc import Sequence

from symdyn.model.bind import FIRST_MOMENT, INERTIA, SECOND_MOMENT, TRANSLATION, BodyConstants, without_noise
from symdyn.model.joints import MotionKind
from symdyn.model.model import Model
from symdyn.spatial.inertia import Inertia

MOVABLE: dict[MotionKind, tuple[str, ...]] = {
    MotionKind.REVOLUTE: ("m", "hz", "Szz"),
    MotionKind.PRISMATIC: SECOND_MOMENT,
    MotionKind.SPHERICAL: ("m",),
}
"""Constants of a body that its parent may take over, by joint kind; joints along or about z."""


def regrouped(
    model: Model, bodies: Sequence[BodyConstants | None]
) -> tuple[list[BodyConstants | None], list[tuple[str, ...]]]:
    """Constants with what can be moved counted with the parents, from the leaves to the root.

    Parameters
    ----------
    model
        The robot.
    bodies
        Its constants; None for a body whose inertia rests on run-time parameters, which neither gives nor takes.

    Returns
    -------
    New constants, and per body the names of those that went to its parent (and are zero now). None go where the model
    does not regroup.
    """
    moved: list[tuple[str, ...]] = [()] * len(bodies)
    if not model.regroups:
        return list(bodies), moved
    values = [dict(body.values) if body is not None else None for body in bodies]
    for index in range(len(model.bodies) - 1, -1, -1):
        body, own = model.bodies[index], values[index]
        above = values[body.parent] if body.parent >= 0 else None
        names = MOVABLE.get(body.joint.kind, ())
        if own is None or not names or (above is None and body.parent >= 0):
            continue
        taken = {name: own[name] if name in names else 0.0 for name in INERTIA}
        moved[index] = tuple(name for name in names if taken[name] != 0.0)
        own.update(dict.fromkeys(names, 0.0))
        if above is not None:
            part = _inertia(taken).moved(body.rotation, [own[name] for name in TRANSLATION])
            total = _inertia(above).plus(part)
            above.update(zip(INERTIA, (total.mass, *total.first, *total.second), strict=True))
    return [BodyConstants(without_noise(found)) if found is not None else None for found in values], moved


def _inertia(values: dict[str, float]) -> Inertia:
    return Inertia(values["m"], [values[name] for name in FIRST_MOMENT], [values[name] for name in SECOND_MOMENT])
