"""MuJoCo's models of descriptions."""

from __future__ import annotations

from typing import Any
from xml.sax.saxutils import quoteattr

import mujoco
import numpy as np

from support.robots.kinds import C, R
from symdyn.description.robot import Joint, JointKind, RobotDescription

HINGES = (R, C)
PREFIX = "link "
"""MuJoCo keeps the name ``world`` to itself, which many robots give to their root."""


def model_text(description: RobotDescription) -> str:
    """MJCF with the description's frames and joints; all inertias are unit and are set afterwards."""
    children: dict[str, list[Joint]] = {}
    for joint in description.joints:
        children.setdefault(joint.parent, []).append(joint)

    def body(name: str, joint: Joint | None) -> str:
        inner = '<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'
        pose = ""
        if joint is not None:
            columns = np.array(joint.placement.rotation).T
            pose = f'pos="{numbers(joint.placement.translation)}" xyaxes="{numbers(columns[:2])}"'
            if joint.kind is not JointKind.FIXED:
                kind = "hinge" if joint.kind in HINGES else "slide"
                inner += f'<joint name={quoteattr(joint.name)} type="{kind}" axis="{numbers(joint.axis)}"/>'
        inner += "".join(body(below.child, below) for below in children.get(name, ()))
        return f"<body name={quoteattr(PREFIX + name)} {pose}>{inner}</body>"

    disabled = '<option gravity="0 0 -9.81"><flag constraint="disable" contact="disable"/></option>'
    head = '<compiler angle="radian" fusestatic="false" balanceinertia="false"/>'
    return f"<mujoco>{head}{disabled}<worldbody>{body(description.root, None)}</worldbody></mujoco>"


def numbers(values: Any) -> str:
    return " ".join(repr(float(value)) for value in np.asarray(values, dtype=float).ravel())


def mujoco_model(description: RobotDescription) -> Any:
    """A compiled model with the description's inertias, about their principal axes."""
    return with_inertias(mujoco.MjModel.from_xml_string(model_text(description)), description)


def with_inertias(model: Any, description: RobotDescription) -> Any:
    """A model that was compiled of :func:`model_text`, or of more, with the description's inertias."""
    for link in description.links:
        index = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, PREFIX + link.name)
        model.body_mass[index], model.body_inertia[index] = 0.0, 0.0
        if link.inertial is not None:
            xx, xy, xz, yy, yz, zz = (float(str(value)) for value in link.inertial.moments)
            principal, axes = np.linalg.eigh(np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))
            axes[:, 0] *= np.linalg.det(axes)
            turned = np.array(link.inertial.placement.rotation) @ axes
            model.body_mass[index], model.body_inertia[index] = float(str(link.inertial.mass)), principal
            model.body_ipos[index] = link.inertial.placement.translation
            mujoco.mju_mat2Quat(model.body_iquat[index], turned.ravel())
    # links that are fixed to the ground count in symdyn neither in the energy nor in the centre of mass
    model.body_mass[model.body_weldid == 0] = 0.0
    model.dof_armature[:] = 0.0
    model.body_simple[:] = 0  # inertias are not where the file had them
    model.body_sameframe[:] = 0
    mujoco.mj_setConst(model, mujoco.MjData(model))
    return model
