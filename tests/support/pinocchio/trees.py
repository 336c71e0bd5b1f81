"""Any description, built joint by joint in Pinocchio with its own joint of each kind."""

from __future__ import annotations

from typing import Any

import numpy as np
import pinocchio as pin

import symdyn
from support.pinocchio.twins import Array, Peer, make_peer, quietly
from symdyn.description.robot import Joint, JointKind, Link, RobotDescription


def description_peer(description: RobotDescription, split_universal: bool = False) -> Peer:
    """A description as Pinocchio would hold it.

    ``split_universal`` makes two revolute joints of a universal one. Pinocchio's derivatives and its time derivative of
    Jacobians take a joint's motion subspace as constant in the child frame, which that of its universal joint is not.
    """
    robot = quietly(lambda: symdyn.api.from_description(description))
    model = pin.Model()
    children: dict[str, list[Joint]] = {}
    for joint in description.joints:
        children.setdefault(joint.parent, []).append(joint)
    links = {link.name: link for link in description.links}
    places: dict[str, tuple[int, Any]] = {}
    second: dict[str, str] = {}

    def place(link: str, index: int, inside: Any) -> None:
        places[link] = (index, inside)
        if links[link].inertial is not None:
            model.appendBodyToJoint(index, _inertia(links[link]), inside)
        model.addFrame(pin.Frame(link, index, 0, inside, pin.FrameType.BODY), False)
        # depth first: Pinocchio's algorithms take the rows of a subtree as one block
        for joint in children.get(link, ()):
            placed = inside * pin.SE3(np.array(joint.placement.rotation), np.array(joint.placement.translation))
            if joint.kind is JointKind.FIXED:
                place(joint.child, index, placed)
            elif joint.kind is JointKind.CYLINDRICAL or (joint.kind is JointKind.UNIVERSAL and split_universal):
                one, other = _joint_models(joint)
                carrier = model.addJoint(index, one, placed, joint.name)
                second[f"{joint.name}, second"] = joint.name
                made = model.addJoint(carrier, other, pin.SE3.Identity(), f"{joint.name}, second")
                place(joint.child, made, pin.SE3.Identity())
            else:
                turned = pin.SE3(_plane(joint), np.zeros(3)) if joint.kind is JointKind.PLANAR else pin.SE3.Identity()
                place(
                    joint.child,
                    model.addJoint(index, _joint_model(joint), placed * turned, joint.name),
                    turned.inverse(),
                )

    base = 0
    if description.floating_base:
        base = model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "root")
    place(description.root, base, pin.SE3.Identity())
    return make_peer(robot, model, {body: places[body] for body in robot.body_names}, second)


def _plane(joint: Joint) -> Array:
    """The rotation by the smallest angle from z to the joint's axis."""
    axis = np.array(joint.axis) / np.linalg.norm(joint.axis)
    if axis[2] < -1 + 1e-12:
        return np.diag([1.0, -1.0, -1.0])
    return np.asarray(pin.Quaternion.FromTwoVectors(np.array([0.0, 0.0, 1.0]), axis).toRotationMatrix())


def _joint_models(joint: Joint) -> tuple[Any, Any]:
    """The two joints of which a cylindrical or a universal one is made; Pinocchio has no cylindrical one."""
    axis = np.array(joint.axis) / np.linalg.norm(joint.axis)
    if joint.kind is JointKind.CYLINDRICAL:
        return pin.JointModelPrismaticUnaligned(axis), pin.JointModelRevoluteUnaligned(axis)
    return pin.JointModelRevoluteUnaligned(axis), pin.JointModelRevoluteUnaligned(np.array(joint.second_axis))


def _joint_model(joint: Joint) -> Any:
    axis = np.array(joint.axis) / np.linalg.norm(joint.axis)
    match joint.kind:
        case JointKind.REVOLUTE | JointKind.CONTINUOUS:
            return pin.JointModelRevoluteUnaligned(axis)
        case JointKind.PRISMATIC:
            return pin.JointModelPrismaticUnaligned(axis)
        case JointKind.HELICAL:
            return pin.JointModelHelicalUnaligned(axis, joint.pitch)
        case JointKind.UNIVERSAL:
            return pin.JointModelUniversal(axis, np.array(joint.second_axis))
        case JointKind.SPHERICAL:
            return pin.JointModelSpherical()
        case JointKind.PLANAR:
            return pin.JointModelPlanar()
    return pin.JointModelFreeFlyer()


def _inertia(link: Link) -> Any:
    assert link.inertial is not None
    xx, xy, xz, yy, yz, zz = (float(str(value)) for value in link.inertial.moments)
    turned = np.array(link.inertial.placement.rotation)
    moments = turned @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ turned.T
    return pin.Inertia(float(str(link.inertial.mass)), np.array(link.inertial.placement.translation), moments)
