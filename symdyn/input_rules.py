"""What inputs of a robot's generated functions keep, as its model says."""

from __future__ import annotations

from symdyn.robot import Robot
from symdyn.toolchain.checked import InputRules


def input_rules(robot: Robot) -> InputRules:
    """Quaternions have length one; q, v and tau are within the limits of their joints, where these have any."""
    limits, model = robot.limits, robot.model
    quaternions = {
        joint.label: robot.coordinate_names[joint.q_rows.stop - 4 : joint.q_rows.stop]
        for joint in model.independent_joints
        if joint.kind.quaternion
    }
    bounds = {
        "q": dict(zip(robot.coordinate_names, zip(limits.lower, limits.upper, strict=True), strict=True)),
        "v": dict(zip(robot.velocity_names, zip(-limits.velocity, limits.velocity, strict=True), strict=True)),
        "tau": dict(zip(robot.velocity_names, zip(-limits.effort, limits.effort, strict=True), strict=True)),
    }
    return InputRules(quaternions, bounds)
