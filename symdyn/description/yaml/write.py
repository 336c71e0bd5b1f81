"""RobotDescription to symdyn's YAML: the resolved robot beside generated code, read back to the last bit.

Tendons, chambers and actuators to symdyn's YAML, read back to the last bit.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from symdyn.description.actuation import CHAMBERS, DRIVER, TENDONS, Actuation, JointActuator
from symdyn.description.collision import ContactSettings
from symdyn.description.flexible import BEAM
from symdyn.description.joint import JOINT
from symdyn.description.loads import load_texts
from symdyn.description.mapped import MAPS, Mapped
from symdyn.description.quantities.written import (
    flag,
    flow_key,
    key,
    lines,
    listed,
    mapping,
    matrix,
    number,
    text,
)
from symdyn.description.rigid_contact import rigid_contacts
from symdyn.description.robot import (
    FRAME,
    IDENTITY,
    Inertial,
    Joint,
    Link,
    LoadSettings,
    Parameter,
    RobotDescription,
)
from symdyn.description.soft import ROD
from symdyn.description.yaml.write_acting import acting_lines
from symdyn.description.yaml.write_contacts import collision_lines, hull_lines, setting_lines
from symdyn.description.yaml.write_looks import visual_lines


def mapped_lines(body: Mapped) -> Iterator[str]:
    """Lines ``key: value`` of a body, of what differs from the defaults."""
    entries = MAPS.written(body)
    if body.damping:
        named = zip(body.rows, body.damping, strict=True)
        entries["damping"] = mapping({flow_key(name): number(value) for name, value in named})
    yield from lines(entries)


def actuation_lines(actuation: Actuation) -> Iterator[str]:
    """Lines of what drives a robot besides motors."""
    for name, kind, records in (("tendons", TENDONS, actuation.tendons), ("chambers", CHAMBERS, actuation.chambers)):
        if records:
            yield f"{name}:"
            yield from (f"{key(own.name, '  ')} {mapping(kind.written(own))}" for own in records)
    drivers = [DRIVER.write(own, ()) for own in actuation.actuators]
    if any(isinstance(own, JointActuator) for own in actuation.actuators):
        yield "actuators:"
        yield from (f"  - {own}" for own in drivers)
    elif drivers:
        yield f"actuators: [{', '.join(drivers)}]"
    if actuation.absent:
        yield "absent_actuators:"
        yield from (f"  - {text(own)}" for own in actuation.absent)


_HEAD = "# Robot in symdyn's YAML. SI units, angles in radians."
_ORIGIN = (0.0, 0.0, 0.0)


def write_yaml(description: RobotDescription, *, looks: bool = False) -> str:
    """Text of a robot file that :func:`parse_yaml` reads back as the same robot.

    Every float is written by ``repr`` and returns exactly; rotations are written as matrices. Left out are
    ``source``, ``warnings`` and line numbers, which belong to the file that was read, and properties that a joint's
    kind does not have. With ``looks`` it also has how links look, and what a file gives for collisions. The text is
    ASCII and depends on nothing but the description.
    """
    return "\n".join(_lines(description, looks)) + "\n"


def write_contacts(robot: RobotDescription) -> str:
    """Text of a YAML file with the rigid contacts of a robot, beside a file of another format that has its shapes.

    Hulls are in it, because URDF has none. It is empty for a robot that nothing is to be told of.
    """
    if not any(rigid_contacts(robot)) and robot.contact == ContactSettings():
        return ""
    head = "# Rigid contacts, beside the file of the robot: symdyn.load(.., contacts=..), or --contacts."
    return "\n".join([head, *hull_lines(robot.links), *setting_lines(robot.contact), *acting_lines(robot)]) + "\n"


def _lines(robot: RobotDescription, looks: bool) -> Iterator[str]:
    yield _HEAD
    yield "format: 1"
    yield f"name: {text(robot.name)}"
    yield f"floating_base: {flag(robot.floating_base)}"
    if robot.gravity is not None:
        yield f"gravity: {listed(robot.gravity)}"
    if robot.load != LoadSettings():
        yield "load:"
        yield from _load(robot.load)
    if robot.parameters:
        yield "parameters:"
        for parameter in robot.parameters:
            yield f"  {parameter.name}: {_parameter(parameter)}"
    yield "links:"
    for link in robot.links:
        yield from _block(link.name, _link(link, looks))
    deforming = {link.name for link in robot.links if link.deforms}
    if robot.joints:
        yield "joints:"
        for joint in robot.joints:
            yield from _block(joint.name, joint_lines(joint, deforming))
    if robot.frames:
        yield "frames:"
        for frame in robot.frames:
            yield from _block(frame.name, lines(FRAME.written(frame, deforming)))
    yield from actuation_lines(robot.actuation)
    yield from setting_lines(robot.contact)
    yield from acting_lines(robot)
    if robot.control is not None:
        from symdyn.description.control.problem import problem_lines

        yield from problem_lines(robot.control)
    if robot.repairs:
        yield "repaired:"
        yield from (f"  - {text(repair)}" for repair in robot.repairs)


def _load(load: LoadSettings) -> Iterator[str]:
    if load.locked_joints:
        yield "  locked_joints:"
        for name, value in load.locked_joints:
            yield f"{key(name, '    ')} {listed(value) if isinstance(value, tuple) else number(value)}"
    if load.runtime:
        yield f"  runtime: [{', '.join(map(text, load.runtime))}]"
    if load.joint_losses:
        yield f"  joint_losses: {flag(True)}"
    if load.convention != LoadSettings().convention:
        yield f"  convention: {load.convention}"


def _block(name: str, entries: Iterable[str]) -> Iterator[str]:
    indented = [f"    {entry}" for entry in entries]
    yield key(name, "  ") if indented else f"{key(name, '  ')} {{}}"
    yield from indented


def _link(link: Link, looks: bool) -> Iterator[str]:
    if link.inertial is not None:
        yield from _inertial(link.inertial)
    if link.flexible is not None:
        yield "flexible:"
        yield from (f"  {entry}" for entry in lines(BEAM.written(link.flexible)))
    if link.soft is not None:
        yield "soft:"
        yield from (f"  {entry}" for entry in lines(ROD.written(link.soft)))
    if link.deformable is not None:
        yield "deformable:"
        yield from (f"  {entry}" for entry in mapped_lines(link.deformable))
    yield from lines(load_texts(link.loads))
    yield from collision_lines(link.offered_shapes if looks else link.collision)
    yield from visual_lines(link.visuals if looks else ())


def _parameter(parameter: Parameter) -> str:
    entries: dict[str, str] = {}
    if parameter.value is not None:
        entries["value"] = number(parameter.value)
    if parameter.unit:
        entries["unit"] = text(parameter.unit)
    if parameter.runtime:
        entries["runtime"] = "true"
    return mapping(entries)


def _inertial(inertial: Inertial) -> Iterator[str]:
    yield f"mass: {number(inertial.mass)}"
    placement = inertial.placement
    if placement.translation != _ORIGIN:
        yield f"com: {listed(placement.translation)}"
    if any(entry != 0.0 for entry in inertial.moments) or placement.rotation != IDENTITY:
        names = ("xx", "xy", "xz", "yy", "yz", "zz")
        entries = {name: number(entry) for name, entry in zip(names, inertial.moments, strict=True)}
        if placement.rotation != IDENTITY:
            entries["rotation"] = matrix(placement.rotation)
        yield f"inertia: {mapping(entries)}"


def joint_lines(joint: Joint, deforming: Collection[str] = ()) -> Iterator[str]:
    """The entries of one joint, a line each; ``deforming`` are links on which a place without numbers is the tip."""
    return lines(JOINT.written(joint, deforming))
