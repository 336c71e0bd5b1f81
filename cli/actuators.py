"""What ``symdyn info`` says of what drives a robot."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from . import terminal

if TYPE_CHECKING:
    from symdyn.description.actuation import JointActuator
    from symdyn.robot.robot import Robot


def show(robot: Robot) -> None:
    """Tendons and chambers as they are at rest, and the inputs in their order."""
    from symdyn.description.actuation import JointActuator

    said, inputs = robot.description.actuation, robot.model.actuator_inputs
    if said.tendons:
        lengths = _at_rest(robot, "tendon_lengths")
        terminal.title("tendons (a tension pulls the end towards the start)")
        rows = (
            (own.name, strand.link, f"{strand.start:.6g}", f"{strand.end:.6g}", strand.y, strand.z, length)
            for own, total in zip(said.tendons, lengths, strict=True)
            for strand, length in zip(own.strands, [total, *[""] * (len(own.strands) - 1)], strict=True)
        )
        titles = ("tendon", "along", "from x [m]", "to x [m]", "y [m]", "z [m]", "length at rest [m]")
        terminal.table(titles, rows, numbers=(2, 3, 6))
    if said.chambers:
        volumes = _at_rest(robot, "chamber_volumes")
        terminal.title("chambers")
        cells = (
            (own.name, own.link, f"{own.start:.6g}", f"{own.end:.6g}", own.area, volume)
            for own, volume in zip(said.chambers, volumes, strict=True)
        )
        heads = ("chamber", "in", "from x [m]", "to x [m]", "area [m^2]", "volume at rest [m^3]")
        terminal.table(heads, cells, numbers=(2, 3, 5))
    if inputs:
        terminal.title('inputs u of the actuators, with inputs="actuators"')
        laws = {own.name: _law(own) for own in said.actuators if isinstance(own, JointActuator)}
        entries = ((row, own.name, own.of, own.unit, laws.get(own.name, "")) for row, own in enumerate(inputs))
        terminal.table(("row", "name", "kind", "unit", "force of an actuator of length l"), entries, numbers=(0,))
    if said.absent:
        terminal.title('actuators without a counterpart here, so that inputs="actuators" is refused')
        for text in said.absent:
            terminal.note(f"- {text}", "  ")


def _law(own: JointActuator) -> str:
    """The force of an actuator of joints, and its length, as sums."""
    force = _sum(zip((*own.gain, *own.bias), ("u", "l u", "l' u", "", "l", "l'"), strict=True))
    gears = [(name, " ".join(f"{factor:.6g}" for factor in factors), factors) for name, factors in own.joints]
    if any(len(factors) > 1 for *_, factors in gears):
        return f"{force}, l' = " + " + ".join(f"({gear}) . v of {name}" for name, gear, _ in gears)
    return f"{force}, l = {_sum((factors[0], name) for name, _, factors in gears)}"


def _sum(terms: Iterable[tuple[float, str]]) -> str:
    """Factors times names, without those that are zero."""
    said = " + ".join(f"{factor:.6g} {name}".strip() for factor, name in terms if factor).replace("+ -", "- ")
    return said or "0"


def _at_rest(robot: Robot, function: str) -> Iterator[str]:
    import symdyn.api

    usual = [0.0 if math.isnan(value) else float(value) for value in robot.runtime_defaults]
    inputs = {"q": robot.neutral().tolist(), "p": usual}
    (values,) = symdyn.api.float_recursion(robot, function)(inputs).values()
    return (f"{float(value):.6g}" for value in values)
