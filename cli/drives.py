"""What ``symdyn info`` says of rotors, springs and other loads."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from typing import TYPE_CHECKING

from . import terminal

if TYPE_CHECKING:
    from symdyn.description.robot import Actuator, Number
    from symdyn.model.bodies import ModelJoint
    from symdyn.model.model import Model


def show(model: Model) -> None:
    """Rotors and elastic joints, then loads of joints and links."""
    _show_drives(model)
    _show_loads(model)
    _show_acting(model)


def quantity(number: Number) -> str:
    """A number with six digits, or an expression as the file has it."""
    return f"{number:.6g}" if isinstance(number, float | int) else number.text


def loss(number: Number) -> str:
    """As :func:`quantity`, and nothing where there is no loss."""
    return "" if number == 0.0 else quantity(number)


def smoothness(joints: Iterable[ModelJoint]) -> str:
    """How friction depends on the rate; nothing where no joint has any."""
    rubbing = [joint for joint in joints if joint.losses is not None and joint.losses.friction != 0.0]
    scales = {joint.label: joint.losses.velocity_scale for joint in rubbing if joint.losses is not None}
    if not scales:
        return ""
    same = len(set(scales.values())) == 1
    told = dict.fromkeys(f"{value:g}" if same else f"{name} {value:g}" for name, value in scales.items())
    sharp = ", or F sign(v) for scale 0" if 0.0 in scales.values() else ""
    return f"friction F acts as F tanh(v / scale){sharp}, where losses are included; scale: {', '.join(told)}"


def _show_drives(model: Model) -> None:
    """Rotors and springs, each with the rows of v on which the rotor acts."""
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
        unit = "kg" if _slides(joint) else "kg m^2"
        rows.append((", ".join(map(str, joint.v_places)), joint.label, armature, unit, *spring))
    terminal.table(("row", "name", "armature", "unit", "stiffness", "damping"), rows, numbers=(0, 4, 5))


def _show_loads(model: Model) -> None:
    """Every kind of load that there is, with its numbers, by the joint or link that has it."""
    from symdyn.description.loads import JOINT_LOADS, LINK_LOADS

    for kind in (*JOINT_LOADS, *LINK_LOADS):
        rows, names = [], [item.name for item in fields(kind)]
        for body in model.bodies:
            for placed in (placed for placed in body.loads if isinstance(placed.load, kind)):
                units = ", ".join(placed.load.units(_slides(body.joint) and kind in JOINT_LOADS).values())
                rows.append((placed.owner, *map(quantity, placed.load.numbers.values()), units))
        if rows:
            terminal.title(kind.title)
            owner = "joint" if kind in JOINT_LOADS else "link"
            terminal.table((owner, *names, "units"), rows, numbers=range(1, len(names) + 1))


def _slides(joint: ModelJoint) -> bool:
    """Whether its own coordinate is a displacement; rows of a follower are those of its leaders."""
    return joint.kind.moving.coordinates.q_units == ("m",)


def _show_acting(model: Model) -> None:
    """What acts from outside, kind by kind: its name, the bodies that it acts on, and its numbers."""
    from symdyn.description.external_loads import Acting, Wrench
    from symdyn.description.loops import Holding

    found: dict[str, dict[str, tuple[Acting, list[str]]]] = {}
    for body in model.bodies:
        for load in (placed.load for placed in body.loads):
            if isinstance(load, Acting) and not isinstance(load, Holding):
                found.setdefault(load.title, {}).setdefault(load.name, (load, []))[1].append(body.name)
    for title, kinds in found.items():
        terminal.title(title)
        rows = []
        for name, (load, bodies) in kinds.items():
            names = list(dict.fromkeys(bodies))
            on = names[0] if len(names) == 1 else f"{names[0]} .. {names[-1]}"
            axes = load.axes if isinstance(load, Wrench) else ""
            shown = ", ".join(f"{leaf} = {quantity(value)}" for leaf, value in load.shown.items())
            rows.append((name, on, axes, shown))
        terminal.table(("name", "on", "axes", "numbers"), rows)


def _armature(actuator: Actuator) -> str:
    if actuator.armature is not None:
        return quantity(actuator.armature)
    ratio, inertia = actuator.gear_ratio, actuator.rotor_inertia
    if isinstance(ratio, float) and isinstance(inertia, float):
        return f"{ratio * ratio * inertia:.6g} = {ratio:g}^2 * {inertia:g}"
    return f"({quantity(ratio)})^2 * ({quantity(inertia)})"
