"""The columns that torques are linear in: inertial parameters, and of each joint friction, a rotor and an offset."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symdyn.algebra.spatial.inertia import ZERO
from symdyn.algebra.spatial.rotations import Identity
from symdyn.algebra.spatial.transform import Transform
from symdyn.errors import RequestError
from symdyn.functions.regressor import STANDARD_PARAMETERS, standard_parameter_names
from symdyn.generation.generate import compile
from symdyn.model.bind import bind_body
from symdyn.model.bodies import Body
from symdyn.model.model import Model
from symdyn.model.values import FLOATS, Values
from symdyn.robot.robot import Robot

Array = NDArray[np.float64]
JOINT_COLUMNS = ("viscous", "coulomb", "rotor", "offset")
_LEAVES = {"viscous": "damping", "coulomb": "friction", "rotor": "armature"}


@dataclass(frozen=True)
class Columns:
    """What is identified of a robot: ``joints`` names kinds of columns that each single coordinate has one of."""

    robot: Robot
    joints: tuple[str, ...]
    p: Array

    @cached_property
    def rows(self) -> tuple[int, ...]:
        """Rows of v of joints with one coordinate: those that may have friction and a rotor.

        An elastic joint has them at its motor.
        """
        model = self.robot.model
        joints = [model.bodies[index].joint for index in model.velocity_bodies]
        driven = {joint.joint for joint in joints if joint.elastic is not None}
        return tuple(
            row
            for row, joint in enumerate(joints)
            if len(joint.coordinates.v) == 1 and (joint.elastic is not None or joint.joint not in driven)
        )

    @cached_property
    def inertial(self) -> tuple[str, ...]:
        """Names of inertial parameters, ten per body."""
        return standard_parameter_names(self.robot.model)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of all columns, such as ``forearm.Ixx`` and ``elbow.viscous``."""
        labels = self.robot.velocity_names
        return (*self.inertial, *(f"{labels[row]}.{kind}" for kind in self.joints for row in self.rows))

    @cached_property
    def known(self) -> Array:
        """What the file says of each column."""
        model = self.robot.model
        found = [number for body in model.bodies if body.row is not None for number in _standard(model, body, self.p)]
        for kind in self.joints:
            for row in self.rows:
                body = model.bodies[model.velocity_bodies[row]]
                numbers = bind_body(model, body, FLOATS, self.p.tolist()).values
                counts = kind == "rotor" or model.joint_losses
                found.append(float(numbers.get(_LEAVES.get(kind, ""), 0.0)) if counts else 0.0)
        return np.array(found)

    @cached_property
    def _module(self) -> Any:
        return compile(self.robot, ["inverse_dynamics", "inverse_dynamics_regressor"], lanes=False)

    @cached_property
    def _more(self) -> tuple[Array, ...]:
        return (self.p,) if self.p.size else ()

    def matrix(self, q: Array, v: Array, a: Array) -> Array:
        """All columns at states (n, ..): (n, nv, columns)."""
        inertial = self._module.inverse_dynamics_regressor(q, v, a, *self._more)
        return np.concatenate([inertial, self.of_joints(v, a)], axis=-1)

    def of_joints(self, v: Array, a: Array) -> Array:
        """The columns of joints alone (n, nv, ..)."""
        scales = self.velocity_scales
        parts = {"viscous": v, "coulomb": np.tanh(v / scales), "rotor": a, "offset": np.ones_like(v)}
        pick = np.eye(self.robot.nv)[:, list(self.rows)]
        return np.concatenate([parts[kind][..., None] * pick for kind in self.joints] or [np.zeros((*v.shape, 0))], -1)

    @cached_property
    def velocity_scales(self) -> Array:
        """Velocity over which Coulomb friction changes its sign, per row of v."""
        model = self.robot.model
        losses = [model.bodies[index].joint.losses for index in model.velocity_bodies]
        return np.array([1.0 if own is None else own.velocity_scale for own in losses])

    def torques(self, q: Array, v: Array, a: Array) -> Array:
        """Torques of the file's numbers (n, nv), springs and all."""
        found: Array = self._module.inverse_dynamics(q, v, a, *self._more)
        return found


def columns_of(robot: Robot, joints: Sequence[str], p: Array) -> Columns:
    """The columns of a robot.

    Raises
    ------
    RequestError
        Closed loops, soft links, or a kind of column that is not known.
    """
    for kind in joints:
        if kind not in JOINT_COLUMNS:
            raise RequestError(f"joints are some of {', '.join(JOINT_COLUMNS)}, got {kind!r}")
    if robot.model.loops:
        raise RequestError(
            f"robot '{robot.name}' has closed loops, whose multipliers no motion shows; identify it with its loops open"
        )
    if robot.model.rods:
        raise RequestError(f"robot '{robot.name}' has soft links, whose parameters are not identified here")
    return Columns(robot, tuple(dict.fromkeys(joints)), p)


def _standard(model: Model, body: Body, p: Array) -> list[float]:
    """m, h and I of a body's links about its public frame, in the order of the regressor's columns."""
    values, total = Values(model.parameters, model.slots, FLOATS, p.tolist()), ZERO
    for placed in body.inertials:
        rotation, origin = values.composed(placed.way)
        own = values.inertia(placed.link, placed.inertial)
        total = total.plus(own.seen_from_parent(Transform(rotation, Identity(), origin)))
    inertia = total.rotational_matrix()
    entries = {name: inertia["xyz".index(name[1])]["xyz".index(name[2])] for name in STANDARD_PARAMETERS[4:]}
    return [float(total.mass), *map(float, total.first), *map(float, entries.values())]
