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
    *("tendon_frictionloss", "tendon_springyield", "tendon_lengthspring", "tendon_limited", "tendon_actfrclimited"),
    *("actuator_trntype", "actuator_trnid", "actuator_gear", "actuator_gaintype", "actuator_gainprm"),
    *("actuator_biastype", "actuator_biasprm", "actuator_dyntype", "actuator_actnum", "actuator_delay"),
    *(
        "actuator_ctrlnum",
        "actuator_outnum",
        "actuator_outadr",
        "actuator_forcelimited",
        "actuator_ctrllimited",
        "actuator_group",
    ),
    *("actuator_armature", "actuator_damping", "actuator_dampingpoly", "jnt_actgravcomp"),
    *("geom_bodyid", "geom_type", "geom_size", "geom_pos", "geom_quat", "geom_dataid", "geom_group"),
    *("geom_rgba", "geom_matid", "mat_rgba"),
    *("geom_contype", "geom_conaffinity", "geom_fluid", "mesh_pos", "mesh_quat", "mesh_scale"),
    *("body_weldid", "geom_condim", "geom_priority", "geom_friction", "exclude_signature"),
    *("pair_geom1", "pair_geom2", "pair_dim", "pair_friction"),
    *("geom_adhesion", "geom_surfacevel", "pair_adhesion"),
)
_NUMBERS = ("nflex", "nplugin", "npair", "nsensor", "nkey")
_OPTIONS = ("gravity", "density", "viscosity", "wind", "disableflags", "disableactuator", "enableflags", "o_friction")
_FLAGS = ("GRAVITY", "PASSIVE", "SPRING", "DAMPER", "EQUALITY", "CONSTRAINT", "FRICTIONLOSS", "ACTUATION")
_TOUCHING_FLAGS = ("CONSTRAINT", "CONTACT", "FILTERPARENT")
_ENABLING_FLAGS = ("INVDISCRETE", "OVERRIDE", "SLEEP")
_NAMED = {
    "body": ("BODY", "body_parentid"),
    "joint": ("JOINT", "jnt_type"),
    "equality": ("EQUALITY", "eq_type"),
    "site": ("SITE", "site_bodyid"),
    "camera": ("CAMERA", "cam_bodyid"),
    "tendon": ("TENDON", "tendon_adr"),
    "actuator": ("ACTUATOR", "actuator_trntype"),
    "mesh": ("MESH", "mesh_pos"),
    "geom": ("GEOM", "geom_bodyid"),
}
"""Per kind what MuJoCo calls its objects, and an array with an entry for each: their number is nothing else."""


def main() -> None:
    """Compile and write what was found, or what MuJoCo says against the model."""
    import mujoco

    try:
        _check_schema(mujoco)
        model = mujoco.MjModel.from_xml_path("model.xml")
        found: dict[str, Any] = {"fields": _fields(mujoco, model)}
    except (ValueError, mujoco.FatalError) as failure:
        found = {"refused": str(failure)}
    Path("model.json").write_text(json.dumps(found), encoding="utf-8")


def _check_schema(mujoco: Any) -> None:
    """Raise what MuJoCo's schema says against the document by which it checks frames, where there is one."""
    if not Path("schema.xml").is_file():
        return
    try:
        mujoco.MjModel.from_xml_path("schema.xml")
    except ValueError as failure:
        if "Schema violation" in str(failure):
            raise


def _fields(mujoco: Any, model: Any) -> dict[str, Any]:
    found: dict[str, Any] = {name: getattr(model, name).tolist() for name in _ARRAYS if hasattr(model, name)}
    found |= {name: int(getattr(model, name, 0)) for name in _NUMBERS}
    for name in _OPTIONS:
        value = getattr(model.opt, name)
        found[name] = value.tolist() if hasattr(value, "tolist") else value
    bits = mujoco.mjtDisableBit
    found["disabled"] = [name for name in _FLAGS if found["disableflags"] & int(getattr(bits, f"mjDSBL_{name}", 0))]
    found["untouched"] = [
        name for name in _TOUCHING_FLAGS if found["disableflags"] & int(getattr(bits, f"mjDSBL_{name}", 0))
    ]
    switches = mujoco.mjtEnableBit
    found["enabled"] = [
        name for name in _ENABLING_FLAGS if found["enableflags"] & int(getattr(switches, f"mjENBL_{name}", 0))
    ]
    found["names"] = {
        kind: [
            mujoco.mj_id2name(model, getattr(mujoco.mjtObj, f"mjOBJ_{code}"), number) or ""
            for number in range(len(getattr(model, array)))
        ]
        for kind, (code, array) in _NAMED.items()
    }
    return found


if __name__ == "__main__":
    main()
