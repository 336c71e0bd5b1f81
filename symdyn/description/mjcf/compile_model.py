"""Compiles ``model.xml`` of the current folder by MuJoCo and writes ``model.json``: a program, run apart from symdyn.

MuJoCo is C++ and reads files of anyone, so what it does wrong ends this process alone. Fields are written as they stand
in MjModel; those that the installed version does not know are left out.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

_ARRAYS = (
    *("body_parentid", "body_pos", "body_quat", "body_mass", "body_ipos", "body_iquat", "body_inertia"),
    *("body_jntadr", "body_jntnum", "body_gravcomp", "body_mocapid"),
    *("jnt_type", "jnt_qposadr", "jnt_dofadr", "jnt_pos", "jnt_axis", "jnt_limited", "jnt_range", "jnt_stiffness"),
    *("jnt_stiffnesspoly", "jnt_springyield", "jnt_actfrclimited", "jnt_actfrcrange"),
    *("dof_armature", "dof_damping", "dof_dampingpoly", "dof_frictionloss", "qpos0", "qpos_spring"),
    *("eq_type", "eq_objtype", "eq_obj1id", "eq_obj2id", "eq_active0", "eq_data"),
    *("site_bodyid", "site_pos", "site_quat", "cam_bodyid", "cam_mode", "cam_pos", "cam_quat"),
    *("tendon_stiffness", "tendon_stiffnesspoly", "tendon_damping", "tendon_dampingpoly", "tendon_armature"),
    *("tendon_adr", "tendon_num", "wrap_type", "wrap_objid", "wrap_prm"),
    *("tendon_frictionloss", "tendon_springyield", "actuator_armature", "actuator_damping", "actuator_dampingpoly"),
    *("geom_bodyid", "geom_type", "geom_size", "geom_pos", "geom_quat", "geom_dataid", "geom_group"),
    *("geom_contype", "geom_conaffinity", "mesh_pos", "mesh_quat", "mesh_scale"),
)
_NUMBERS = ("nflex", "nplugin", "npair", "nsensor", "nu")
_OPTIONS = ("gravity", "density", "viscosity", "disableflags")
_FLAGS = ("GRAVITY", "PASSIVE", "SPRING", "DAMPER", "EQUALITY", "CONSTRAINT", "FRICTIONLOSS")
_NAMED = {
    "body": "BODY",
    "joint": "JOINT",
    "equality": "EQUALITY",
    "site": "SITE",
    "camera": "CAMERA",
    "tendon": "TENDON",
    "actuator": "ACTUATOR",
    "mesh": "MESH",
}
_COUNTS = {"body": "nbody", "joint": "njnt", "equality": "neq", "site": "nsite", "camera": "ncam", "tendon": "ntendon"}
_COUNTS |= {"actuator": "nu", "mesh": "nmesh"}


def main() -> None:
    """Compile and write what was found, or what MuJoCo says against the model."""
    import mujoco

    try:
        model = mujoco.MjModel.from_xml_path("model.xml")
        found: dict[str, Any] = {"fields": _fields(mujoco, model)}
    except (ValueError, mujoco.FatalError) as failure:
        found = {"refused": str(failure)}
    Path("model.json").write_text(json.dumps(found), encoding="utf-8")


def _fields(mujoco: Any, model: Any) -> dict[str, Any]:
    found: dict[str, Any] = {name: getattr(model, name).tolist() for name in _ARRAYS if hasattr(model, name)}
    found |= {name: int(getattr(model, name, 0)) for name in _NUMBERS}
    for name in _OPTIONS:
        value = getattr(model.opt, name)
        found[name] = value.tolist() if hasattr(value, "tolist") else value
    bits = mujoco.mjtDisableBit
    found["disabled"] = [name for name in _FLAGS if found["disableflags"] & int(getattr(bits, f"mjDSBL_{name}", 0))]
    found["names"] = {
        kind: [
            mujoco.mj_id2name(model, getattr(mujoco.mjtObj, f"mjOBJ_{code}"), number) or ""
            for number in range(getattr(model, _COUNTS[kind]))
        ]
        for kind, code in _NAMED.items()
    }
    return found


if __name__ == "__main__":
    main()
