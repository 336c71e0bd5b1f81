"""A robot with identified parameters in place of those of its file."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from symdyn.analysis.identification.columns import Columns
from symdyn.analysis.identification.consistent import PER_BODY, pseudo_inertia
from symdyn.description.robot import Actuator, Elastic, Inertial, Joint, Link, Losses, Placement
from symdyn.errors import RequestError
from symdyn.model.bodies import Body
from symdyn.model.values import Values
from symdyn.robot.built_model import built_model
from symdyn.robot.robot import Robot

Array = NDArray[np.float64]
_LEAST_MASS = 1e-12


def identified_robot(columns: Columns, standard: Array) -> Robot:
    """The robot with these parameters, one per column.

    What a body's links weigh together is put on one of them. Offsets are no part of a robot.

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
        if standard[at] > _LEAST_MASS:
            link, rotation, origin = _carrier(columns, body)
            inertials[link] = _inertial(standard[at : at + PER_BODY], rotation, origin)
    links = tuple(_with_inertial(link, inertials) for link in robot.description.links)
    before = robot.options.joint_losses
    joints = tuple(_with_drive(joint, found, before) for joint in robot.description.joints)
    # Friction that was found acts, and no other that did not act before.
    options = replace(robot.options, joint_losses=before or not {"viscous", "coulomb"}.isdisjoint(columns.joints))
    settled, changed = built_model(replace(robot.description, links=links, joints=joints), options)
    return Robot(settled, options, changed, robot.mesh_folders)


def _carrier(columns: Columns, body: Body) -> tuple[str, Array, Array]:
    """The link that carries what a body weighs, and its axes and origin in the body's frame.

    It is the link that the body is named by or, of the tip of a flexible link, the first one that is fixed there.
    """
    links = {link.name for link in columns.robot.description.links}
    if body.name in links:
        return body.name, np.eye(3), np.zeros(3)
    if not body.inertials:
        raise RequestError(f"no link stands at '{body.name}', where mass was found; fix one there in the robot's file")
    placed = body.inertials[0]
    rotation, origin = Values(columns.robot.model.parameters).composed(placed.way)
    return placed.link, np.array(rotation, np.float64), np.array(origin, np.float64)


def _inertial(standard: Array, rotation: Array, origin: Array) -> Inertial:
    mass = float(standard[0])
    centre = standard[1:4] / mass
    second = rotation.T @ (pseudo_inertia(standard)[:3, :3] - mass * np.outer(centre, centre)) @ rotation
    about, centre = np.trace(second) * np.eye(3) - second, rotation.T @ (centre - origin)
    xx, xy, xz, yy, yz, zz = (float(about[row, column]) for row in range(3) for column in range(row, 3))
    x, y, z = centre.tolist()
    return Inertial(mass, (xx, xy, xz, yy, yz, zz), Placement(translation=(x, y, z)))


def _with_inertial(link: Link, inertials: dict[str, Inertial | None]) -> Link:
    return replace(link, inertial=inertials[link.name]) if link.name in inertials else link


def _with_drive(joint: Joint, found: dict[str, float], acts: bool) -> Joint:
    """The joint with its friction and rotor; those of an elastic joint are its motor's.

    Friction of the file that did not act is left out.
    """
    label = f"{joint.name}.motor" if joint.elastic is not None else joint.name
    losses = joint.losses if acts else Losses(velocity_scale=joint.losses.velocity_scale)
    for kind, field in (("viscous", "damping"), ("coulomb", "friction")):
        if (value := found.get(f"{label}.{kind}")) is not None:
            losses = replace(losses, **{field: value})
    rotor = found.get(f"{label}.rotor")
    if rotor is None:
        return replace(joint, losses=losses)
    actuator = Actuator(armature=rotor)
    if isinstance(joint.elastic, Elastic):
        return replace(joint, losses=losses, elastic=replace(joint.elastic, actuator=actuator))
    return replace(joint, losses=losses, actuator=actuator if rotor else None)
