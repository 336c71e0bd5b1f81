"""What drives a robot: tendons and chambers with their tables, and the inputs in their order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from symdyn.description.actuation import RestStrain
from symdyn.description.robot import RobotDescription
from symdyn.model.bodies import Body, ModelJoint
from symdyn.model.joints import FORCE_UNITS
from symdyn.model.joints.rod_tip import RodTip
from symdyn.model.joints.rotor import Rotor
from symdyn.model.joints.strains import Strains
from symdyn.model.rod import SoftBody

if TYPE_CHECKING:  # shapes load SymPy
    from symdyn.shapes.tendon import ChamberTable, StrandTable


@dataclass(frozen=True, slots=True)
class ModelTendon:
    """A tendon: per rod that it passes, its place among the model's rods and the table."""

    name: str
    strands: tuple[tuple[int, StrandTable], ...]


@dataclass(frozen=True, slots=True)
class ModelChamber:
    """A chamber in one of the model's rods."""

    name: str
    rod: int
    table: ChamberTable


@dataclass(frozen=True, slots=True)
class Input:
    """One input: a row of a joint or rod, or a tendon or chamber by its place among these.

    ``of`` says which: ``joint``, ``rest`` strain of a rod's row, ``tendon`` or ``chamber``.
    """

    of: str
    place: int
    name: str
    unit: str


@dataclass(frozen=True, slots=True)
class ModelActuation:
    """Tendons, chambers and inputs of a robot.

    ``actuators`` holds, in order, those that the robot still has; a locked joint is gone.
    """

    tendons: tuple[ModelTendon, ...] = ()
    chambers: tuple[ModelChamber, ...] = ()
    actuators: tuple[str | RestStrain, ...] = ()


NO_ACTUATION = ModelActuation()


def model_actuation(robot: RobotDescription, bodies: Sequence[Body], rods: Sequence[SoftBody]) -> ModelActuation:
    """The actuation of a robot whose rods have their stations.

    Parameters
    ----------
    robot
        The robot, locked joints being fixed.
    bodies
        Its bodies.
    rods
        Its rods.
    """
    said = robot.actuation
    if not (said.tendons or said.chambers or said.actuators):
        return NO_ACTUATION
    from symdyn.shapes.tendon import chamber_table, strand_table

    softs = {link.name: link.soft for link in robot.links}
    places = {rod.link: place for place, rod in enumerate(rods)}
    tendons, chambers = [], []
    for tendon in said.tendons:
        strands = []
        for strand in tendon.strands:
            soft = softs[strand.link]
            assert soft is not None, strand.link
            strands.append((places[strand.link], strand_table(soft, strand)))
        tendons.append(ModelTendon(tendon.name, tuple(strands)))
    for chamber in said.chambers:
        soft = softs[chamber.link]
        assert soft is not None, chamber.link
        chambers.append(ModelChamber(chamber.name, places[chamber.link], chamber_table(soft, chamber)))
    left = {joint.joint for joint in _joints(bodies)}
    left |= {tendon.name for tendon in tendons} | {chamber.name for chamber in chambers}
    actuators = tuple(own for own in said.actuators if isinstance(own, RestStrain) or own in left)
    return ModelActuation(tuple(tendons), tuple(chambers), actuators)


def inputs_of(actuation: ModelActuation, bodies: Sequence[Body]) -> tuple[Input, ...]:
    """The inputs in order: one per row of a joint, of the motor's where it has a spring; one per tendon or chamber.

    A rest strain has one per coordinate.
    """
    tendons = {own.name: place for place, own in enumerate(actuation.tendons)}
    chambers = {own.name: place for place, own in enumerate(actuation.chambers)}
    moved: dict[str, list[ModelJoint]] = {}
    for joint in _joints(bodies):
        moved.setdefault(joint.joint, []).append(joint)
    found: list[Input] = []
    for name in actuation.actuators:
        if isinstance(name, RestStrain):
            found += _rest_inputs(name, bodies)
        elif name in tendons:
            found.append(Input("tendon", tendons[name], name, "N"))
        elif name in chambers:
            found.append(Input("chamber", chambers[name], name, "Pa"))
        else:
            joints = moved.get(name, [])
            motors = [joint for joint in joints if isinstance(joint.kind, Rotor)]
            for joint in motors or joints:
                rows = zip(joint.v_places, joint.coordinates.v, joint.coordinates.v_units, strict=True)
                found += [Input("joint", row, joint.label + suffix, FORCE_UNITS[unit]) for row, suffix, unit in rows]
    return tuple(found)


def _rest_inputs(rest: RestStrain, bodies: Sequence[Body]) -> list[Input]:
    found = []
    for joint in (body.joint for body in bodies if isinstance(body.joint.kind, Strains)):
        for row, suffix, unit in zip(joint.v_places, joint.coordinates.v, joint.coordinates.v_units, strict=True):
            if rest.names(joint.label + suffix, joint.label):
                found.append(Input("rest", row, f"{joint.label}{suffix}.rest", unit.removesuffix("/s")))
    return found


def _joints(bodies: Sequence[Body]) -> list[ModelJoint]:
    """Those of the file: rods have the names of their links."""
    joints = (body.joint for body in bodies)
    return [joint for joint in joints if not (joint.inner or isinstance(joint.kind, Strains | RodTip))]
