"""What drives a robot: tendons and chambers with their tables, actuators of joints, and the inputs in their order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from symdyn.description.actuation import Actuation, Driver, JointActuator, RestStrain
from symdyn.description.robot import RobotDescription
from symdyn.model.bodies import Body, ModelJoint
from symdyn.model.joints import FORCE_UNITS
from symdyn.model.joints.rod_tip import RodTip
from symdyn.model.joints.rotor import Rotor
from symdyn.model.joints.strains import Strains
from symdyn.model.rod import SoftBody

if TYPE_CHECKING:  # shapes load SymPy
    from symdyn.shapes.tables import ChamberTable, StrandTable


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
    """One input: a row of a joint or rod, or a tendon, chamber or actuator of joints by its place among these.

    ``of`` says which: ``joint``, ``rest`` strain of a rod's row, ``tendon``, ``chamber``, or ``law`` of an actuator of
    joints, whose forces per unit of input are ``column``: rows of v, with an entry each. ``slopes`` add what they gain
    by q and v, as those of :class:`Feedback`: entries (row of v, row of q or -1, row of v, per coordinate, per rate).
    """

    of: str
    place: int
    name: str
    unit: str
    column: tuple[tuple[int, float], ...] = ()
    slopes: tuple[tuple[int, int, int, float, float], ...] = ()

    @property
    def rows(self) -> tuple[int, ...]:
        """Rows of v of joints on which it acts."""
        if self.of == "joint":
            return (self.place,)
        return tuple(dict.fromkeys([*(row for row, _ in self.column), *(own[0] for own in self.slopes)]))

    @property
    def turns(self) -> bool:
        """Whether the gain of an actuator of joints depends on q."""
        return any(own[3] for own in self.slopes)

    @property
    def rated(self) -> bool:
        """Whether the gain of an actuator of joints depends on v."""
        return any(own[4] for own in self.slopes)


@dataclass(frozen=True, slots=True)
class Feedback:
    """What actuators do without input: they add -(constant + K q + D v) to forces.

    ``slopes`` holds entries (row of v, row of q or -1, row of v, stiffness, damping), ``constants`` (row of v, force).
    """

    slopes: tuple[tuple[int, int, int, float, float], ...]
    constants: tuple[tuple[int, float], ...]


@dataclass(frozen=True, slots=True)
class ModelActuation:
    """Tendons, chambers and inputs of a robot.

    ``actuators`` holds, in order, those that the robot still has; a locked joint is gone. ``absent`` tells of those
    that have no counterpart.
    """

    tendons: tuple[ModelTendon, ...] = ()
    chambers: tuple[ModelChamber, ...] = ()
    actuators: tuple[Driver, ...] = ()
    absent: tuple[str, ...] = ()


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
    if not (said.tendons or said.chambers):
        return ModelActuation((), (), _left(said, bodies), said.absent)
    from symdyn.shapes.following import chamber_table, strand_table

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
    return ModelActuation(tuple(tendons), tuple(chambers), _left(said, bodies), said.absent)


def _left(said: Actuation, bodies: Sequence[Body]) -> tuple[Driver, ...]:
    """The actuators that still move something; none where not all are known."""
    if said.absent:
        return ()
    left = {joint.joint for joint in _joints(bodies)}
    named = left | {own.name for own in said.tendons} | {own.name for own in said.chambers}
    return tuple(
        own
        for own in said.actuators
        if isinstance(own, RestStrain)
        or (own in named if isinstance(own, str) else any(name in left for name, _ in own.joints))
    )


def inputs_of(actuation: ModelActuation, bodies: Sequence[Body]) -> tuple[Input, ...]:
    """The inputs in order: one per row of a joint, of the motor's where it has a spring; one per tendon or chamber.

    A rest strain has one per coordinate.
    """
    tendons = {own.name: place for place, own in enumerate(actuation.tendons)}
    chambers = {own.name: place for place, own in enumerate(actuation.chambers)}
    moved = _driven_joints(bodies)
    found: list[Input] = []
    for place, name in enumerate(actuation.actuators):
        if isinstance(name, RestStrain):
            found += _rest_inputs(name, bodies)
        elif isinstance(name, JointActuator):
            found.append(_law_input(name, place, moved))
        elif name in tendons:
            found.append(Input("tendon", tendons[name], name, "N"))
        elif name in chambers:
            found.append(Input("chamber", chambers[name], name, "Pa"))
        else:
            for joint in moved.get(name, ()):
                rows = zip(joint.v_places, joint.coordinates.v, joint.coordinates.v_units, strict=True)
                found += [Input("joint", row, joint.label + suffix, FORCE_UNITS[unit]) for row, suffix, unit in rows]
    return tuple(found)


def feedback_of(actuation: ModelActuation, bodies: Sequence[Body]) -> Feedback:
    """What all actuators of joints do together where their inputs are zero."""
    total, moved = _Law(), _driven_joints(bodies)
    for own in actuation.actuators:
        if isinstance(own, JointActuator) and any(own.bias):
            total.add(own, moved, [-entry for entry in own.bias])
    return Feedback(total.sloping, total.standing)


class _Law:
    """What forces (c0 + c1 l + c2 l') along lengths l of actuators of joints do to rows of v."""

    def __init__(self) -> None:
        self._slopes: dict[tuple[int, int, int], list[float]] = {}
        self._constants: dict[int, float] = {}

    def add(self, own: JointActuator, moved: Mapping[str, Sequence[ModelJoint]], force: Sequence[float]) -> None:
        c0, c1, c2 = force
        terms, length = _terms(own, moved)
        constant = c0 + c1 * length
        for row, _, factor in terms:
            if constant:
                self._constants[row] = self._constants.get(row, 0.0) + factor * constant
            for by, q, other in terms if c1 or c2 else ():
                entry = self._slopes.setdefault((row, q, by), [0.0, 0.0])
                entry[0] += factor * c1 * other
                entry[1] += factor * c2 * other

    @property
    def sloping(self) -> tuple[tuple[int, int, int, float, float], ...]:
        """Entries (row of v, row of q or -1, row of v, per coordinate, per rate)."""
        return tuple((*key, entry[0], entry[1]) for key, entry in self._slopes.items() if any(entry))

    @property
    def standing(self) -> tuple[tuple[int, float], ...]:
        """Rows of v with their constant forces."""
        return tuple((row, force) for row, force in self._constants.items() if force)


def _law_input(own: JointActuator, place: int, moved: Mapping[str, Sequence[ModelJoint]]) -> Input:
    """The input of an actuator of joints; it is a force where one of 1 gives a force of 1."""
    law = _Law()
    law.add(own, moved, own.gain)
    unit = next(joint.coordinates.v_units[0] for name, _ in own.joints for joint in moved.get(name, ()))
    forces = FORCE_UNITS[unit] if own.gain == (1.0, 0.0, 0.0) else "1"
    return Input("law", place, own.name, forces, law.standing, law.sloping)


def _terms(own: JointActuator, moved: Mapping[str, Sequence[ModelJoint]]) -> tuple[list[tuple[int, int, float]], float]:
    """What an actuator's length is made of: rows of v, of q or -1, and factors; and its constant part."""
    terms, constant = list[tuple[int, int, float]](), 0.0
    for name, factors in own.joints:
        for joint in moved.get(name, ()):
            numbers = dict(joint.numbers)
            if joint.leaders:
                constant += factors[0] * numbers["offset"]
                gains = [factors[0] * numbers[gain] for gain in joint.kind.coordinate_map.multipliers]
                terms += zip(joint.v_places, joint.q_places, gains, strict=True)
            else:
                turning = len(factors) > 1
                places = [-1] * len(factors) if turning else joint.q_places
                terms += zip(joint.v_places, places, factors, strict=True)
    return terms, constant


def _driven_joints(bodies: Sequence[Body]) -> dict[str, list[ModelJoint]]:
    """What moves by the force of a joint of the file, by its name: the motor where there is one behind a spring."""
    moved: dict[str, list[ModelJoint]] = {}
    for joint in _joints(bodies):
        moved.setdefault(joint.joint, []).append(joint)
    return {
        name: [joint for joint in joints if isinstance(joint.kind, Rotor)] or joints for name, joints in moved.items()
    }


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
