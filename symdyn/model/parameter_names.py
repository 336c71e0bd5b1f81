"""The quantities of a robot that may be asked for at run time: what they are called, their numbers and units."""

from __future__ import annotations

from collections.abc import Sequence

from symdyn.algebra.spatial.rotations import IDENTITY, Matrix3, snapped
from symdyn.algebra.spatial.vectors import product
from symdyn.description.mapped import Mapped
from symdyn.description.robot import (
    Actuator,
    Elastic,
    Inertial,
    Joint,
    Link,
    Losses,
    Number,
    Placement,
    RobotDescription,
)
from symdyn.description.soft import Material
from symdyn.errors import ModelError
from symdyn.model.drives import drive_of
from symdyn.model.joints.described import slides

Numbers = dict[str, Number]
"""Numbers of a link or a joint, by what follows its name in those of its leaves."""
Way = tuple[tuple[Placement, str], ...]
"""Placements from a body's public frame down, outermost first, each with the joint that names its leaves.

The name is empty where a translation has none.
"""
_UNITS = {"mass": "kg", "com": "m", "inertia": "kg m^2", "translation": "m", "gear_ratio": "1"}
_MATTER = {
    "material.youngs_modulus": "Pa",
    "material.density": "kg/m^3",
    "material.viscosity": "Pa s",
    "material.retardation_time": "s",
}
_DAMPING = {"m": "N s/m", "rad": "N m s/rad", "1": "J s"}
"""By the unit of a coordinate."""
_TURNING = _UNITS | {
    "damping": "N m s/rad",
    "friction": "N m",
    "armature": "kg m^2",
    "rotor_inertia": "kg m^2",
    "stiffness": "N m/rad",
    "spring_damping": "N m s/rad",
}
_SLIDING = _UNITS | {
    "damping": "N s/m",
    "friction": "N",
    "armature": "kg",
    "rotor_inertia": "kg",
    "stiffness": "N/m",
    "spring_damping": "N s/m",
}
"""By a leaf's name, or by what stands before its last part; rows of a helical joint are angles."""


def rotation_along(way: Way) -> Matrix3:
    """The axes at the end of a way, in those of its start."""
    found = IDENTITY
    for step, _ in way:
        found = snapped(product(found, step.rotation))
    return found


def inertial_numbers(inertial: Inertial) -> Numbers:
    """``mass``, ``com.x`` .., ``inertia.xx`` .. of a link."""
    center = zip("xyz", inertial.placement.translation, strict=True)
    moments = zip(("xx", "xy", "xz", "yy", "yz", "zz"), inertial.moments, strict=True)
    return {
        "mass": inertial.mass,
        **{f"com.{axis}": number for axis, number in center},
        **{f"inertia.{pair}": number for pair, number in moments},
    }


def material_numbers(material: Material) -> Numbers:
    """``material.youngs_modulus`` .. of a soft link; Poisson's ratio is always baked."""
    return {name: getattr(material, name.partition(".")[2]) for name in _MATTER}


def map_numbers(mapped: Mapped) -> Numbers:
    """``density`` and ``damping.<coordinate>`` of a body given by its map."""
    damping = zip(mapped.rows, mapped.damping, strict=False)
    return {"density": mapped.density, **{f"damping.{name}": number for name, number in damping}}


def placement_numbers(placement: Placement) -> Numbers:
    """``translation.x`` .. of a joint; rotations and axes are always baked."""
    return {f"translation.{axis}": number for axis, number in zip("xyz", placement.translation, strict=True)}


def load_numbers(losses: Losses | None, actuator: Actuator | None, elastic: Elastic | None) -> Numbers:
    """Of a joint's losses, its rotor, and the spring to it."""
    found: Numbers = {}
    if losses is not None:
        found |= {"damping": losses.damping, "friction": losses.friction}
    if actuator is not None and actuator.armature is not None:
        found["armature"] = actuator.armature
    elif actuator is not None:
        found |= {"rotor_inertia": actuator.rotor_inertia, "gear_ratio": actuator.gear_ratio}
    if elastic is not None:
        found |= {"stiffness": elastic.stiffness, "spring_damping": elastic.damping}
    return found


def robot_leaves(
    robot: RobotDescription, gravity: Sequence[float] = (0.0, 0.0, 0.0)
) -> dict[str, tuple[Number | None, str]]:
    """Number and unit of every quantity that may be asked for at run time; None where a parameter has no value.

    These are ``<link>.mass``, ``<link>.com.x``, ``<link>.inertia.xx``, ``<joint>.translation.x``, ``<joint>.damping``,
    ``<joint>.friction``, ``gravity.x`` and the parameters declared in the file; of a joint with one coordinate and of a
    ball also ``<joint>.armature`` (or ``<joint>.rotor_inertia`` and ``<joint>.gear_ratio``, where the file gives
    these), and of an elastic one ``<joint>.stiffness`` and ``<joint>.spring_damping``, and the numbers of loads, such
    as ``<joint>.spring.stiffness`` of a spring between a joint's links, and ``<link>.material.density`` and its kin of
    a soft one, ``<link>.density`` and ``<link>.damping.<coordinate>`` of one given by its map. What acts from outside
    has those of its numbers that are in a wrench, such as ``<load>.force.x``. Rotations and axes are always baked.
    """
    found: dict[str, tuple[Number | None, str]] = {item.name: (item.value, item.unit) for item in robot.parameters}
    owners: list[tuple[Link | Joint, Numbers, bool]] = [
        (link, {} if link.inertial is None else inertial_numbers(link.inertial), False) for link in robot.links
    ]
    for joint in robot.joints:
        numbers = placement_numbers(joint.placement) | load_numbers(joint.losses, *drive_of(joint))
        owners.append((joint, numbers, slides(joint)))
    for owner, numbers, sliding in owners:
        units = _SLIDING if sliding else _TURNING
        for load in owner.loads:
            numbers, units = numbers | load.leaves, units | load.units(sliding)
        for name, number in numbers.items():
            found[f"{owner.name}.{name}"] = number, units.get(name) or units[name.partition(".")[0]]
    for link in robot.links:
        for name, number in material_numbers(link.soft.material).items() if link.soft else ():
            found[f"{link.name}.{name}"] = number, _MATTER[name]
        if link.deformable is not None:
            lost = {f"damping.{name}": _DAMPING[unit] for name, unit in link.deformable.coordinates}
            for name, number in map_numbers(link.deformable).items():
                found[f"{link.name}.{name}"] = number, lost.get(name, _MATTER["material.density"])
    for acting in robot.acting:
        leaves = acting.leaves
        for name in acting.units(False):
            if f"{acting.name}.{name}" in found:
                raise ModelError(f"two quantities of the robot are called '{acting.name}.{name}'; rename the load")
        found |= {f"{acting.name}.{name}": (leaves[name], unit) for name, unit in acting.units(False).items()}
    return found | {f"gravity.{axis}": (value, "m/s^2") for axis, value in zip("xyz", gravity, strict=True)}
