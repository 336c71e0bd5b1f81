"""Which quantities are run-time inputs: the one place that decides baked or asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from symdyn.description.robot import RobotDescription
from symdyn.errors import ModelError
from symdyn.interface.guesses import hint
from symdyn.model.parameter_names import robot_leaves

_LISTED = 12


@dataclass(frozen=True, slots=True)
class ParameterSlots:
    """Run-time parameters in the order of p, with units, and the file's values as defaults where it gives any."""

    names: tuple[str, ...] = ()
    units: tuple[str, ...] = ()
    defaults: tuple[float | None, ...] = ()

    def index(self, name: str) -> int | None:
        """Row of p, or None for a quantity that is baked in."""
        return self.names.index(name) if name in self.names else None


def leaf_names(robot: RobotDescription) -> dict[str, str]:
    """Every quantity that may be asked for at run time, with its unit (see :func:`robot_leaves`)."""
    return {name: unit for name, (_, unit) in robot_leaves(robot).items()}


def choose_slots(robot: RobotDescription, runtime: Sequence[str], values: Mapping[str, float]) -> ParameterSlots:
    """Slots for the parameters that the file marks as run-time, then those asked for in ``runtime``, each once.

    Parameters
    ----------
    robot
        The description.
    runtime
        Leaf names, as in :func:`leaf_names`.
    values
        Known value of each leaf, used as default.

    Raises
    ------
    ModelError
        A name that is no leaf.
    """
    leaves = leaf_names(robot)
    names = [parameter.name for parameter in robot.parameters if parameter.runtime]
    for name in runtime:
        if name not in leaves:
            near = [leaf for leaf in leaves if name.split(".")[0] in leaf][:_LISTED]
            some = f"; of that link or joint: {', '.join(near)}" if near else f"; such as {', '.join(list(leaves)[:5])}"
            meant = hint(name, leaves)
            raise ModelError(f"run-time parameter '{name}' is not a quantity of robot '{robot.name}'{some}{meant}")
        if name not in names:
            names.append(name)
    return ParameterSlots(
        tuple(names), tuple(leaves[name] for name in names), tuple(values.get(name) for name in names)
    )
