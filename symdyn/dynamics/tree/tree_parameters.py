"""Sweeps that compute from p what rests on it: the ground's motion, and constants of bodies.

Variants hold all that kernels depend on. A plan may bind parameters of several forms of a robot, such as one without
losses, and visits of one variant share a kernel.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.spatial.vectors import Vector
from symdyn.dynamics.tree.kinematics import MOTION_SIZE, ground_motion
from symdyn.dynamics.tree.ports import Reads
from symdyn.model.bind import DRIVE, INERTIA, LOSSES, TRANSLATION, bind_body
from symdyn.model.bodies import Body
from symdyn.model.hidden_bodies import bound_constants
from symdyn.model.model import Model
from symdyn.plan.plan import Access, Kernel, Mode, Port, Step, Sweep, Visit

BOUND = (*TRANSLATION, *INERTIA, *LOSSES, *DRIVE)
"""Constants that may rest on run-time parameters, in the order of a row of the ``constants`` field."""


def bound_step(model: Model, name: str, kernel: Kernel, ports: tuple[Port, ...]) -> Step:
    """A step that computes from p what belongs to one model; of a contracted one it has a name of its own.

    One plan may hold both, and there the same variant stands for other bodies.
    """
    return Step(name + "_of_tips" * model.contracted, kernel, ports)


def gravity_sweep(model: Model) -> Sweep:
    """The sweep that writes the ground's motion to the ``ground`` field."""
    slots = [model.slots.index(f"gravity.{axis}") for axis in "xyz"]

    def kernel(gravity: Vector, _: Algebra, __: Mapping[str, Scalar], reads: Reads) -> Reads:
        pairs = zip(slots, gravity, strict=True)
        return {"ground": ground_motion([baked if slot is None else reads["p"][slot] for slot, baked in pairs])}

    step = Step("bind_gravity", kernel, (Port("p", Mode.READ), Port("ground", Mode.WRITE)))
    bindings = {"p": _parameters(model), "ground": Access("ground", 0, MOTION_SIZE)}
    return Sweep(step, (Visit(-1, model.gravity, {}, bindings),))


def constants_sweep(model: Model, rows: Mapping[int, int], loaded: bool) -> Sweep:
    """The sweep that writes the rows of the ``constants`` field, of which ``rows`` tells the bodies.

    Body by body; all at once where inertia is regrouped at run time, since what a body hands on is part of its
    ancestors' constants. ``loaded``: wrenches act on the bodies.
    """
    ports = (Port("p", Mode.READ), Port("constants", Mode.WRITE))
    p, names = _parameters(model), BOUND

    def one_body(variant: tuple[Body, bool], algebra: Algebra, _: Mapping[str, Scalar], reads: Reads) -> Reads:
        values = bind_body(model, variant[0], algebra, reads["p"]).values
        return {"constants": [values[name] for name in names]}

    def all_bodies(_: Any, algebra: Algebra, __: Mapping[str, Scalar], reads: Reads) -> Reads:
        found = bound_constants(model, names, algebra, reads["p"], loaded)
        return {"constants": [value for body in rows for value in found[body]]}

    if model.runtime_givers is not None:
        everything = Access("constants", 0, len(names) * len(rows))
        step = Step("regroup_parameters", all_bodies, ports)
        variant = (model.bodies, model.joint_losses, loaded)
        return Sweep(step, (Visit(-1, variant, {}, {"p": p, "constants": everything}),))
    places = {body: Access("constants", row * len(names), len(names)) for body, row in rows.items()}
    visits = tuple(
        Visit(body, (model.bodies[body], model.joint_losses), {}, {"p": p, "constants": place})
        for body, place in places.items()
    )
    return Sweep(Step("bind_parameters", one_body, ports), visits)


def _parameters(model: Model) -> Access:
    return Access("p", 0, len(model.slots.names))
