"""What ``symdyn info`` says of rotors and springs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import terminal

if TYPE_CHECKING:
    from symdyn.description.robot import Actuator, Number
    from symdyn.model.model import Model


def show(model: Model) -> None:
    """Rotors and elastic joints, then springs between the links of joints."""
    _show_drives(model)
    _show_springs(model)


def quantity(number: Number) -> str:
    """A number with six digits, or an expression as the file has it."""
    return f"{number:.6g}" if isinstance(number, float | int) else number.text


def loss(number: Number) -> str:
    """As :func:`quantity`, and nothing where there is no loss."""
    return "" if number == 0.0 else quantity(number)


def _show_drives(model: Model) -> None:
    """Rotors and springs, each with the row of v on which the rotor acts."""
    from symdyn.model.drives import NO_ROTOR

    joints = [body.joint for body in model.bodies]
    driven = [joint for joint in joints if joint.elastic is not None or joint.actuator not in (None, NO_ROTOR)]
    if not driven:
        return
    terminal.title("rotors and springs (armature = gear ratio^2 * rotor inertia, on the joint's side of the gear)")
    rows = []
    for joint in driven:
        elastic = joint.elastic
        armature = "" if joint.actuator is None else _armature(joint.actuator)
        spring = ("", "") if elastic is None else (quantity(elastic.stiffness), loss(elastic.damping))
        unit = "kg" if joint.coordinates.v_units == ("m/s",) else "kg m^2"
        rows.append((joint.v_index, joint.label, armature, unit, *spring))
    terminal.table(("row", "name", "armature", "unit", "stiffness", "damping"), rows, numbers=(0, 4, 5))


def _show_springs(model: Model) -> None:
    """Springs between the links of joints, each with the row of v to which it adds."""
    rows = []
    for joint in (body.joint for body in model.bodies):
        if joint.spring is not None:
            linear = joint.coordinates.q_units == ("m",)
            spring = (quantity(joint.spring.stiffness), quantity(joint.spring.rest))
            rows.append((joint.v_index, joint.label, *spring, "N/m, m" if linear else "N m/rad, rad"))
    if rows:
        terminal.title("springs between the links of joints (tau = stiffness * (q - rest))")
        terminal.table(("row", "joint", "stiffness", "rest", "units"), rows, numbers=(0, 2, 3))


def _armature(actuator: Actuator) -> str:
    if actuator.armature is not None:
        return quantity(actuator.armature)
    ratio, inertia = actuator.gear_ratio, actuator.rotor_inertia
    if isinstance(ratio, float) and isinstance(inertia, float):
        return f"{ratio * ratio * inertia:.6g} = {ratio:g}^2 * {inertia:g}"
    return f"({quantity(ratio)})^2 * ({quantity(inertia)})"
