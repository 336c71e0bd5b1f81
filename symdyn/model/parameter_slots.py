"""Which quantities are run-time inputs: the one place that decides baked or asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from symdyn.description.robot import RobotDescription
from symdyn.errors import ModelError
from symdyn.model.drives import drive_units
from symdyn.model.joints.described import slides

_MOMENTS = ("xx", "xy", "xz", "yy", "yz", "zz")
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
    """Every quantity that may be asked for at run time, with its unit.

    These are ``<link>.mass``, ``<link>.com.x``, ``<link>.inertia.xx``, ``<joint>.translation.x``, ``<joint>.damping``,
    ``<joint>.friction``, ``gravity.x`` and the parameters declared in the file; of a joint with one coordinate also
    ``<joint>.armature`` (or ``<joint>.rotor_inertia`` and ``<joint>.gear_ratio``, where the file gives these), and of
    an elastic one ``<joint>.stiffness`` and ``<joint>.spring_damping``. Rotations and axes are always baked.
    """
    leaves = {parameter.name: parameter.unit for parameter in robot.parameters}
    for link in robot.links:
        if link.inertial is not None:
            leaves[f"{link.name}.mass"] = "kg"
            leaves |= {f"{link.name}.com.{axis}": "m" for axis in "xyz"}
            leaves |= {f"{link.name}.inertia.{pair}": "kg m^2" for pair in _MOMENTS}
    for joint in robot.joints:
        leaves |= {f"{joint.name}.translation.{axis}": "m" for axis in "xyz"}
        linear = slides(joint)
        leaves[f"{joint.name}.damping"] = "N s/m" if linear else "N m s/rad"
        leaves[f"{joint.name}.friction"] = "N" if linear else "N m"
        leaves |= {f"{joint.name}.{name}": unit for name, unit in drive_units(joint).items()}
    leaves |= {f"gravity.{axis}": "m/s^2" for axis in "xyz"}
    return leaves


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
            hint = f"; of that link or joint: {', '.join(near)}" if near else f"; such as {', '.join(list(leaves)[:5])}"
            raise ModelError(f"run-time parameter '{name}' is not a quantity of robot '{robot.name}'{hint}")
        if name not in names:
            names.append(name)
    return ParameterSlots(
        tuple(names), tuple(leaves[name] for name in names), tuple(values.get(name) for name in names)
    )
