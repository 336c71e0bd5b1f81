"""A robot with identified parameters in place of those of its file."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from symdyn.built_model import built_model
from symdyn.description.robot import Actuator, Elastic, Inertial, Joint, Link, Placement
from symdyn.errors import RequestError
from symdyn.identification.columns import Columns
from symdyn.identification.consistent import PER_BODY, pseudo_inertia
from symdyn.robot import Robot

Array = NDArray[np.float64]
_LEAST_MASS = 1e-12


def identified_robot(columns: Columns, standard: Array) -> Robot:
    """The robot with these parameters, one per column.

    What a body's links weigh together is put on the link that the body is named by. Offsets are no part of a robot.

    Raises
    ------
    RequestError
        Parameters of masses, inertia or losses that are given at run time.
    """
    robot = columns.robot
    if columns.p.size:
        raise RequestError(
            f"robot '{robot.name}' takes {', '.join(robot.runtime_parameters)} at run time; load it with runtime=[] to "
            "put identified numbers into it"
        )
    model, found = robot.model, dict(zip(columns.names, standard.tolist(), strict=True))
    inertials: dict[str, Inertial | None] = {}
    for body in model.bodies:
        if body.row is None:
            continue
        inertials |= {placed.link: None for placed in body.inertials}
        at = columns.names.index(f"{body.name}.m")
        own = _inertial(standard[at : at + PER_BODY])
        if own is not None:
            inertials[body.name] = own
    links = tuple(_with_inertial(link, inertials) for link in robot.description.links)
    joints = tuple(_with_drive(joint, found) for joint in robot.description.joints)
    # Friction that was found acts.
    losses = robot.options.joint_losses or not {"viscous", "coulomb"}.isdisjoint(columns.joints)
    options = replace(robot.options, joint_losses=losses)
    settled, changed = built_model(replace(robot.description, links=links, joints=joints), options)
    return Robot(settled, options, changed)


def _inertial(standard: Array) -> Inertial | None:
    mass = float(standard[0])
    if mass <= _LEAST_MASS:
        return None
    centre = standard[1:4] / mass
    second = pseudo_inertia(standard)[:3, :3] - mass * np.outer(centre, centre)
    about = np.trace(second) * np.eye(3) - second
    xx, xy, xz, yy, yz, zz = (float(about[row, column]) for row in range(3) for column in range(row, 3))
    x, y, z = centre.tolist()
    return Inertial(mass, (xx, xy, xz, yy, yz, zz), Placement(translation=(x, y, z)))


def _with_inertial(link: Link, inertials: dict[str, Inertial | None]) -> Link:
    return replace(link, inertial=inertials[link.name]) if link.name in inertials else link


def _with_drive(joint: Joint, found: dict[str, float]) -> Joint:
    """The joint with its friction and rotor; those of an elastic joint are its motor's."""
    label = f"{joint.name}.motor" if joint.elastic is not None else joint.name
    losses = joint.losses
    for kind, field in (("viscous", "damping"), ("coulomb", "friction")):
        if (value := found.get(f"{label}.{kind}")) is not None:
            losses = replace(losses, **{field: value})
    rotor = found.get(f"{label}.rotor")
    if rotor is None:
        return replace(joint, losses=losses)
    actuator = Actuator(armature=rotor)
    if isinstance(joint.elastic, Elastic):
        return replace(joint, losses=losses, elastic=replace(joint.elastic, actuator=actuator))
    return replace(joint, losses=losses, actuator=actuator if rotor else joint.actuator)
