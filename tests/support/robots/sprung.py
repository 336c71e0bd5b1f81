"""Robots whose motors' motion follows from that of their links: springs without dampers."""

from __future__ import annotations

from dataclasses import replace

from support.robots.kinds import ONE_COORDINATE
from symdyn.description.robot import Actuator, Elastic, RobotDescription

OF_ELASTIC_JOINTS = "elastic_joint_inverse_dynamics_time_derivatives"
FEEDFORWARD = "elastic_joint_feedforward"
"""The functions that take no other robots."""


def sprung(description: RobotDescription) -> RobotDescription:
    """The robot with its springs undamped; the first joint that may have one gets a spring where there is none."""
    joints = list(description.joints)
    if all(joint.elastic is None for joint in joints):
        place = next(i for i, joint in enumerate(joints) if joint.kind in ONE_COORDINATE and joint.mimic is None)
        rotor = joints[place].actuator or Actuator(armature=0.3)
        joints[place] = replace(joints[place], actuator=None, elastic=Elastic(20.0, 0.0, rotor))
    for place, joint in enumerate(joints):
        if joint.elastic is not None:
            joints[place] = replace(joint, elastic=replace(joint.elastic, damping=0.0))
    return replace(description, joints=tuple(joints))
