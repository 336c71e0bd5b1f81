"""The indexed tree: bodies in recursion order, the clusters they form, coordinates and frames."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from symdyn.description.contact import Contact
from symdyn.description.robot import Parameter
from symdyn.errors import InternalError
from symdyn.model.actuation import NO_ACTUATION, Feedback, Input, ModelActuation, feedback_of, inputs_of
from symdyn.model.bodies import Body, Cluster, ModelFrame, ModelJoint
from symdyn.model.contact_layout import ContactLayout, Slot
from symdyn.model.joints import FREE, MOST_ROWS
from symdyn.model.loop import ModelLoop, RowSizes
from symdyn.model.parameter_slots import ParameterSlots
from symdyn.model.rod import Rod, SoftBody
from symdyn.model.rod_matter import Factors

if TYPE_CHECKING:
    from symdyn.description.control.problem import OptimalControlProblem


@dataclass(frozen=True, slots=True)
class Model:
    """A robot ready for recursion. ``gravity`` is in the world frame, ``convention`` pinocchio or spatial.

    ``regroups`` lets inertia be counted with the parent (``model.regroup``), ``slides`` lets frames move along their
    joints' axes (``model.joint_origins``); without them results stay and operations grow, which tells what they save.
    ``runtime_givers`` are the bodies of which also inertia that rests on p goes to the parent, computed at run time;
    None leaves bodies that rest on p out of both (``model.hidden_bodies``). ``rods`` are soft links and bodies given by
    their map; ``contracted`` says that of each only the tip is a body (``model.contracted``). ``actuation`` is what
    drives it besides motors, ``loops`` what closes its tree.
    """

    name: str
    bodies: tuple[Body, ...]
    clusters: tuple[Cluster, ...]
    frames: tuple[ModelFrame, ...]
    nq: int
    nv: int
    gravity: tuple[float, float, float]
    convention: str
    joint_losses: bool
    slots: ParameterSlots
    parameters: tuple[Parameter, ...] = ()
    regroups: bool = True
    slides: bool = True
    runtime_givers: frozenset[int] | None = None
    rods: tuple[SoftBody, ...] = ()
    contracted: bool = False
    actuation: ModelActuation = NO_ACTUATION
    loops: tuple[ModelLoop, ...] = ()
    contacts: ContactLayout = field(default_factory=ContactLayout)
    """Rows of the contact problem, but for those of loops; see ``contact_layout``."""
    feedback: bool = False
    """Whether what actuators do without input is part of the forces that a motion needs, as springs are."""
    control: OptimalControlProblem | None = None
    """Costs and limits of its motion."""

    @property
    def parent(self) -> tuple[int, ...]:
        """Parent index per body, -1 for the ground."""
        return tuple(body.parent for body in self.bodies)

    @property
    def links(self) -> tuple[int, ...]:
        """Bodies that have a frame, in recursion order: all but the rotors of elastic joints."""
        return tuple(index for index, body in enumerate(self.bodies) if body.joint.kind.has_frame)

    @property
    def rotors(self) -> tuple[int, ...]:
        """Rotors of elastic joints, each of which hangs on the link at the other end of its spring."""
        bodies, owners = enumerate(self.bodies), {rod.owner for rod in self.rods}
        return tuple(index for index, body in bodies if not body.joint.kind.has_frame and index not in owners)

    @property
    def stations(self) -> list[tuple[Rod, int]]:
        """The stations of soft links that users see: rods, and numbers of nodes."""
        rods = [rod for rod in self.rods if isinstance(rod, Rod)]
        return [(rod, number) for rod in rods for number in range(len(rod.nodes))]

    @property
    def soft_links(self) -> tuple[str, ...]:
        """Names of the links that are soft, and of bodies given by their map."""
        return tuple(rod.link for rod in self.rods)

    @property
    def rod_joints(self) -> tuple[ModelJoint, ...]:
        """The joints that have the coordinates of each rod."""
        return tuple(self.bodies[rod.owner].joint for rod in self.rods)

    @property
    def rod_factors(self) -> dict[tuple[int, str], Factors]:
        """What each rod is multiplied with that is known at run time alone, by the rod and the quantity's name."""
        return {(rod, name): part for rod, own in enumerate(self.rods) for name, part in own.matter.parts.items()}

    def stiffness_column(self, row: int) -> tuple[int, int, tuple[float, ...]]:
        """The column of K that a row of v of a rod has: the rod, the first row that is not zero, entries from there on.

        They are to be multiplied with the rod's factor of stiffness, where it has one.

        Raises
        ------
        InternalError
            The row is not one of a rod that has a table of stiffness.
        """
        for number, (rod, joint) in enumerate(zip(self.rods, self.rod_joints, strict=True)):
            if isinstance(rod, Rod) and row in joint.v_places:
                column = rod.tables.stiffness[row - joint.v_index]
                nonzero = [place for place, entry in enumerate(column) if entry != 0.0]
                return number, joint.v_index + nonzero[0], column[nonzero[0] : nonzero[-1] + 1]
        raise InternalError(f"row {row} is not of a rod")

    @property
    def free_bases(self) -> tuple[int, ...]:
        """Bodies that move freely in the world."""
        bodies = enumerate(self.bodies)
        return tuple(index for index, body in bodies if body.parent < 0 and body.joint.kind.own_axes == FREE)

    @property
    def free_base(self) -> int | None:
        """The free body from which all others descend, where there is one."""
        return 0 if self.free_bases and self.parent.count(-1) == 1 else None

    @property
    def anchor(self) -> int | None:
        """The free base that positions may be measured from: its columns must not be about the world's origin."""
        free = self.free_base
        return None if free is None or self.bodies[free].joint.kind.posed else free

    @property
    def beams(self) -> tuple[int, ...]:
        """Tips of flexible links, in recursion order."""
        return tuple(index for index, body in enumerate(self.bodies) if body.beam is not None)

    @property
    def deforms(self) -> bool:
        """Whether links are not rigid: they are flexible or soft."""
        return bool(self.beams or self.rods)

    @property
    def has_moving_inertia(self) -> bool:
        """Whether columns of a joint rest in no frame, so that closed forms of their slopes do not hold."""
        return self.deforms or any(body.joint.kind.has_moving_inertia for body in self.bodies)

    @property
    def most_rows(self) -> int:
        """Rows of v that one joint may have: those of a free base, or of a link that bends in more ways."""
        return max(MOST_ROWS, *(len(body.joint.coordinates.v) for body in self.bodies))

    @property
    def most_leaders(self) -> int:
        """Joints that one joint follows at most; at least 1."""
        return max(1, *(len(body.joint.leaders) for body in self.bodies))

    @property
    def owners(self) -> tuple[int, ...]:
        """Bodies whose joints own rows of q and v, in that order."""
        return tuple(index for index, body in enumerate(self.bodies) if not (body.joint.leaders or body.joint.inner))

    @property
    def independent_joints(self) -> tuple[ModelJoint, ...]:
        """The joints of the owners."""
        return tuple(self.bodies[index].joint for index in self.owners)

    @property
    def coordinate_names(self) -> tuple[str, ...]:
        """Name of each row of q."""
        return tuple(joint.label + suffix for joint in self.independent_joints for suffix in joint.coordinates.q)

    @property
    def coordinate_units(self) -> tuple[str, ...]:
        """Unit of each row of q."""
        return tuple(unit for joint in self.independent_joints for unit in joint.coordinates.q_units)

    @property
    def velocity_names(self) -> tuple[str, ...]:
        """Name of each row of v."""
        return tuple(joint.label + suffix for joint in self.independent_joints for suffix in joint.coordinates.v)

    @property
    def velocity_bodies(self) -> tuple[int, ...]:
        """Index of the body whose joint owns each row of v."""
        return tuple(index for index in self.owners for _ in self.bodies[index].joint.coordinates.v)

    @property
    def wrench_bodies(self) -> tuple[int, ...]:
        """Index of the body of each scalar of f_ext, (nbodies, 6)."""
        return tuple(index for index, body in enumerate(self.bodies) if body.row is not None for _ in range(6))

    @property
    def velocity_units(self) -> tuple[str, ...]:
        """Unit of each row of v."""
        return tuple(unit for joint in self.independent_joints for unit in joint.coordinates.v_units)

    @property
    def body_names(self) -> tuple[str, ...]:
        """Public bodies, in recursion order."""
        return tuple(body.name for body in self.bodies if body.row is not None)

    @property
    def actuator_inputs(self) -> tuple[Input, ...]:
        """The inputs u: of joints, tendons, chambers and rest strains, in the order of the file's ``actuators``."""
        return inputs_of(self.actuation, self.bodies)

    @property
    def touches(self) -> bool:
        """Whether contacts act on the robot."""
        loads = (placed.load for body in self.bodies for placed in body.loads)
        return any(isinstance(load, Contact) and load.stiffness != 0.0 for load in loads)

    @property
    def contact_layout(self) -> ContactLayout:
        """Rows of the contact problem, those of loops last; without rows where the robot has no rigid contacts."""
        return replace(self.contacts, loop_names=self.loop_row_names) if self.contacts else self.contacts

    @property
    def contact_pairs(self) -> tuple[int, ...]:
        """Per slot the number of the pair of bodies that touch in it, from 0 on; the ground is a body too."""
        found = {
            placed.load.number: frozenset((body, placed.other[0]))
            for body, own in enumerate(self.bodies)
            for placed in own.loads
            if isinstance(placed.load, Slot) and placed.other is not None
        }
        numbers: dict[frozenset[int], int] = {}
        return tuple(numbers.setdefault(found[slot], len(numbers)) for slot in sorted(found))

    @property
    def actuator_feedback(self) -> Feedback:
        """What actuators do without input."""
        return feedback_of(self.actuation, self.bodies)

    @property
    def loop_row_names(self) -> tuple[str, ...]:
        """Name of each row of the loops' error and of their multipliers."""
        return tuple(name for loop in self.loops for name in loop.row_names)

    @property
    def loop_names(self) -> tuple[str, ...]:
        """Names of the loops."""
        return tuple(loop.constraint.name for loop in self.loops)

    @property
    def loop_of_rows(self) -> tuple[int, ...]:
        """Per row of the loops' error the number of its loop."""
        return tuple(number for number, loop in enumerate(self.loops) for _ in loop.rows)

    @property
    def switches(self) -> tuple[str, ...]:
        """Names of the loops that hold or not as the input ``active`` tells."""
        return tuple(loop.constraint.name for loop in self.loops if loop.switch is not None)

    @property
    def row_switches(self) -> tuple[int | None, ...]:
        """Per row of the loops' error the place of its switch in ``active``; empty where no loop has one."""
        return tuple(loop.switch for loop in self.loops for _ in loop.rows) if self.switches else ()

    @property
    def row_sizes(self) -> list[RowSizes]:
        """How large the slopes of each row of the loops' error are."""
        return [size for loop in self.loops for size in loop.sizes]

    @property
    def steady_columns(self) -> set[int]:
        """Rows of v whose slopes of loops that always hold never vanish together."""
        return {row for loop in self.loops if loop.switch is None for row in loop.steady}

    @property
    def loop_row_units(self) -> tuple[str, ...]:
        """Unit of each row of the error."""
        return tuple(unit for loop in self.loops for unit in loop.row_units)

    @property
    def frame_names(self) -> tuple[str, ...]:
        """Every link including the root, then the extra frames."""
        return tuple(frame.name for frame in self.frames)


def with_feedback(model: Model) -> Model:
    """The same robot with what its actuators do without input, for functions that are given inputs of actuators."""
    own = model.actuator_feedback
    return replace(model, feedback=True) if own.slopes or own.constants else model


def lossless(model: Model) -> Model:
    """The same robot without what depends on velocity in its joints."""
    return replace(model, joint_losses=False)


def without_springs(model: Model, inert: bool = False) -> Model:
    """The same robot without rotors, springs, other loads that are no weight, and the elasticity of its links.

    If ``inert``, loads stay that resist accelerations.
    """
    bodies = tuple(
        replace(
            body.without_stiffness,
            joint=replace(body.joint, actuator=None, elastic=None),
            loads=tuple(placed for placed in body.loads if placed.load.weighs or (inert and placed.load.inert)),
        )
        for body in model.bodies
    )
    rods = tuple(replace(rod, stiff=False, damped=False) for rod in model.rods)
    return replace(model, bodies=bodies, rods=rods, feedback=False)
