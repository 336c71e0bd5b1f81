"""What a URDF may hold beyond the schema without a change of its equations, and what may change them."""

from __future__ import annotations

from collections.abc import Callable

from lxml import etree

from symdyn.description.quantities.number import is_number, read_number

Judge = Callable[[str], bool]
"""Whether a written value leaves the equations as they are."""


def _any(_: str) -> bool:
    return True


def _zero(text: str) -> bool:
    return all(is_number(part) and read_number(part) == 0.0 for part in text.split())


def _off(text: str) -> bool:
    return text.strip().lower() in ("0", "false", "")


def _on(text: str) -> bool:
    return text.strip().lower() in ("1", "true")


STRICT = frozenset(
    ("joint", "parent", "child", "origin", "axis", "axis2", "screw_thread_pitch", "limit", "dynamics", "mimic")
) | frozenset(("inertial", "mass", "inertia"))
"""Elements in which what is unknown is refused: each of their words may change the equations."""

UNSPOKEN = {"robot": {"material"}, "link": {"visual", "collision"}}
"""Shapes and colours: legal, and not worth a message."""

ELEMENTS: dict[str, dict[str, Judge]] = {
    "robot": dict.fromkeys(("transmission", "gazebo", "sensor", "ros2_control"), _any),
    "link": {
        **dict.fromkeys(("collision_checking", "contact", "self_collide", "self_filter", "sensor", "surface"), _any),
        "gravity": _on,
        "kinematic": _off,
    },
    "joint": {
        **dict.fromkeys(("safety_controller", "calibration", "hardwareInterface", "gazebo", "sensor"), _any),
        "joint_properties": _zero,  # of 2009: damping and friction
    },
}
"""Known neighbours of URDF, reported once per kind, where what they hold is harmless."""

IN_GAZEBO: dict[str, Judge] = {
    "gravity": _on,
    "turnGravityOff": _off,
    "kinematic": _off,
    "springStiffness": _zero,
    "dampingFactor": _zero,
    **dict.fromkeys(("joint", "link", "model", "include"), lambda _: False),
}
"""Children of <gazebo> that change motions there, where what they hold is not harmless; told by name."""

ATTRIBUTES: dict[str, dict[str, Judge]] = {
    "joint": dict.fromkeys(("dont_collapse", "id"), _any),
    "axis": {"rpy": _zero},
    # of the drives of ANYmal, and of PyBullet's spherical joints
    "limit": dict.fromkeys(("command_effort", "current", "gear_velocity", "twist"), _any),
    # of Franka's controllers, which the description of the robot leaves to them, and a window that Drake dropped
    "dynamics": dict.fromkeys(("D", "K", "mu_coulomb", "mu_viscous", "coulomb_window"), _any),
}
"""Attributes of files in use that readers of URDF pass over, where what they say is harmless."""

_LOOPS = ("loop", "closure", "constraint", "weld")
_WORDS = (
    *(*_LOOPS, "rotor", "gear", "armature", "motor", "actuator", "inertia", "mass"),
    *("payload", "spring", "damp", "stiff", "bushing", "force", "torque", "mimic", "coupl", "tendon", "joint"),
    *("friction", "elastic", "flexib", "deform", "dynamic", "gravity", "scale", "unit", "drake_ignore"),
)
_UNLESS = ("sensor", "collision", "collide")


def may_act(name: str) -> bool:
    """Whether the name of an unknown part of a robot or link says that it closes loops, has inertia or makes forces."""
    lowered = name.lower()
    return any(word in lowered for word in _WORDS) and not any(word in lowered for word in _UNLESS)


def closes_loops(name: str) -> bool:
    """Whether the name of an unknown part of a robot says that it closes loops."""
    return any(word in name.lower() for word in _LOOPS)


def has_inertia(name: str) -> bool:
    """Whether the name of an element of a transmission says that it has inertia."""
    return any(word in name.lower() for word in ("inertia", "armature"))


def content(element: etree._Element) -> str:
    """The values of an element and of all inside it: texts and attributes."""
    return " ".join(part for own in element.iter() for part in (own.text or "", *map(str, own.attrib.values())))
