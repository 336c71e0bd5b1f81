"""What a robot gives when it is changed: springs, stops, rotors and elastic joints beside its file's, and its YAML."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Self

from symdyn.errors import RequestError, one_line
from symdyn.interface.argument_words import given_flag, given_names
from symdyn.interface.guesses import ByName
from symdyn.warning import warn

if TYPE_CHECKING:
    import os
    from pathlib import Path

    from symdyn.description.control.problem import OptimalControlProblem
    from symdyn.description.robot import Joint, Link, RobotDescription
    from symdyn.description.urdf.write import UrdfFiles
    from symdyn.description.yaml.changed_joints import Change, Given
    from symdyn.model.load_options import LoadOptions
    from symdyn.model.model import Model


class Changeable:
    """A description, what ``load`` was told, and the model of both."""

    _make: Callable[[], Self]
    """Of robots that :mod:`symdyn.robot.deferred` recalls: what makes the description, options and model."""

    def __init__(
        self, description: RobotDescription, options: LoadOptions, model: Model, mesh_folders: Sequence[Path] = ()
    ) -> None:
        self.description = description
        self.options = options
        self.model = model
        self.mesh_folders = tuple(mesh_folders)

    @cached_property
    def _made(self) -> Self:
        return self._make()

    @cached_property
    def description(self) -> RobotDescription:
        """What the file said."""
        return self._made.description

    @cached_property
    def options(self) -> LoadOptions:
        """The options of ``load``."""
        return self._made.options

    @cached_property
    def model(self) -> Model:
        """The indexed tree."""
        return self._made.model

    @cached_property
    def _label(self) -> str:
        """What messages call the robot: its file, or else its name."""
        return self.description.source or self.description.name

    @property
    def links(self) -> Mapping[str, Link]:
        """The links of the file by name, with mass, inertia and shapes."""
        return ByName(f"link of '{self._label}'", {link.name: link for link in self.description.links})

    @property
    def joints(self) -> Mapping[str, Joint]:
        """The joints of the file by name, with parent, child, placement, axis, limits and losses."""
        return ByName(f"joint of '{self._label}'", {joint.name: joint for joint in self.description.joints})

    @property
    def warnings(self) -> tuple[str, ...]:
        """What was read but is not modelled, or is doubtful; one sentence each."""
        return tuple(map(one_line, self._notices))

    @property
    def warning_summary(self) -> str:
        """All warnings in one line, as :func:`symdyn.load` warns; empty if there are none."""
        from symdyn.description.text.notice import summary

        return summary(self._notices) if self._notices else ""

    @cached_property
    def _notices(self) -> tuple[str, ...]:
        from symdyn.model.doubts import doubts

        found = doubts(self.description, self.model, self._floats, self.options.locked_joints or {})
        if self.model.control is None:  # the algorithms of costs take longer to load than an arm does
            return (*self.description.warnings, *found)
        from symdyn.dynamics.control.doubts import problem_doubts

        return (*self.description.warnings, *found, *problem_doubts(self.model))

    def with_spring(self, joint: str | Iterable[str], stiffness: Given, rest: Given = 0.0) -> Self:
        """The robot with a spring between the links of a joint, ``spring`` of a YAML file: tau gains K (q - rest).

        It replaces a spring that the joint has already. Options of loading stay the same.

        Parameters
        ----------
        joint
            Name of a joint with one coordinate, or several names.
        stiffness
            K [N m/rad or N/m], at least 0: a number, an expression over the robot's parameters as text, or a mapping
            of the joints' names to these.
        rest
            The coordinate at which the spring exerts no force [rad or m], likewise.

        Raises
        ------
        ModelError
            An unknown joint.
        DescriptionError
            A joint that cannot have a spring, or a value that would be refused in a file.
        RequestError
            Values that are not numbers, or that are for other joints.
        """
        from symdyn.description.yaml.changed_joints import change_spring

        return self._changed(joint, change_spring, {"stiffness": stiffness, "rest": rest})

    def with_stops(
        self, joint: str | Iterable[str], stiffness: Given, damping: Given = 0.0, width: Given | None = None
    ) -> Self:
        """The robot with stops at the limits of a joint, ``stops`` of a YAML file: smooth springs and dampers.

        They act beyond the limits only, and replace stops that the joint has already.

        Parameters
        ----------
        joint
            Name of a joint with one coordinate and a limit of position, or several names.
        stiffness, damping
            Of the springs [N m/rad or N/m] and dampers [N m s/rad or N s/m] beyond the width, at least 0, as for
            :meth:`with_spring`.
        width
            How far from the limit on they rise [rad or m], above 0; 0.01 by default.

        Raises
        ------
        ModelError, DescriptionError, RequestError
            As for :meth:`with_spring`.
        """
        from symdyn.description.yaml.changed_joints import change_stops

        return self._changed(joint, change_stops, {"stiffness": stiffness, "damping": damping, "width": width})

    def with_rotor(
        self,
        joint: str | Iterable[str],
        inertia: Given | None = None,
        gear_ratio: Given | None = None,
        armature: Given | None = None,
    ) -> Self:
        """The robot with a rotor that drives a joint, ``actuator`` of a YAML file.

        It replaces a rotor that the joint has already. For an elastic joint the rotor is the motor behind its spring.

        Parameters
        ----------
        joint
            Name of a joint with one coordinate, or several names.
        inertia
            Inertia of the rotor about its own axis [kg m^2; kg if the joint slides]. This and the next two are a
            number, an expression as text, or a mapping, as for :meth:`with_spring`.
        gear_ratio
            Turns of the rotor per turn of the joint; 1 by default.
        armature
            gear_ratio**2 * inertia, instead of these two.

        Raises
        ------
        ModelError, DescriptionError, RequestError
            As for :meth:`with_spring`.
        """
        from symdyn.description.yaml.changed_joints import change_rotor

        if inertia is None and armature is None:
            raise RequestError(f"the rotor of {joint!r} has no inertia; give inertia with its gear_ratio, or armature")
        return self._changed(
            joint, change_rotor, {"rotor_inertia": inertia, "gear_ratio": gear_ratio, "armature": armature}
        )

    def with_elastic_joint(
        self,
        joint: str | Iterable[str],
        stiffness: Given,
        damping: Given = 0.0,
        rotor_inertia: Given | None = None,
        gear_ratio: Given | None = None,
        armature: Given | None = None,
    ) -> Self:
        """The robot with a spring and a damper between a joint and its motor, ``elastic`` of a YAML file.

        The motor gets rows of q and v of its own. The spring replaces one that the joint has already. If no rotor is
        given, the motor keeps the rotor of the joint.

        Parameters
        ----------
        joint
            Name of a joint with one coordinate that follows no other, or several names.
        stiffness, damping
            Of the spring [N m/rad or N/m] and the damper [N m s/rad or N s/m] on the joint's side of the gear, at least
            0, as for :meth:`with_spring`.
        rotor_inertia, gear_ratio, armature
            As ``inertia`` and others for :meth:`with_rotor`: the inertia is that of the rotor itself.

        Raises
        ------
        ModelError, DescriptionError, RequestError
            As for :meth:`with_spring`.
        """
        from symdyn.description.yaml.changed_joints import change_elastic

        given = {"rotor_inertia": rotor_inertia, "gear_ratio": gear_ratio, "armature": armature}
        return self._changed(joint, change_elastic, {"stiffness": stiffness, "damping": damping, **given})

    def with_force_sensor(self, joint: str | Iterable[str], *more: str) -> Self:
        """The robot where a fixed joint keeps its child a body of its own, so the wrench that it transmits is known.

        Links that are fixed to each other are one body otherwise. Then ``joint_wrenches`` has a row for the joint, such
        as a flange or the mount of a sensor: the wrench from the parent to the child, in the child's axes about its
        origin. External wrenches f_ext may act beyond it. Nothing else changes: the joint has no row of q and does not
        move. In the file that :meth:`to_yaml` writes it slides by 0 times the coordinate of another joint.

        Equation: F = rate of change of the momentum of all that lies beyond the joint, less its weight and f_ext there.
        Source: Luh, Walker & Paul 1980.

        Parameters
        ----------
        joint
            Name of a fixed joint, or a list of names.
        more
            Names of other fixed joints.

        Raises
        ------
        ModelError
            A joint that is unknown or not fixed, or a robot of which no joint with one coordinate moves.
        RequestError
            No name.
        """
        from symdyn.description.separate_bodies import with_separate_bodies
        from symdyn.robot.built_model import built_model

        names = given_names("joint", [joint, *more] if more or isinstance(joint, str) else joint, "flange")
        if not names:
            raise RequestError(f"expected the name of a fixed joint, or a list of names, got {joint!r}")
        apart = with_separate_bodies(self.description, names, self.options.locked_joints or {})
        return self._rebuilt(*built_model(apart, self.options))

    def with_control(self, problem: OptimalControlProblem | str | os.PathLike[str]) -> Self:
        """The robot with an optimal-control problem, ``control`` of a YAML file, in place of one that it has.

        Parameters
        ----------
        problem
            An :class:`OptimalControlProblem`, or the name of a file with one, such as ``"reach.yaml"``.

        Raises
        ------
        ModelError
            A frame or a row that the robot does not have, a start beyond a hard limit.
        DescriptionError
            What is refused in a file.
        """
        from symdyn.description.read import given_problem
        from symdyn.robot.built_model import built_model

        own = given_problem(problem)
        return self._rebuilt_and_doubted(*built_model(replace(self.description, control=own), self.options))

    def _rebuilt(self, description: RobotDescription, model: Model) -> Self:
        return type(self)(description, self.options, model, self.mesh_folders)

    def _rebuilt_and_doubted(self, description: RobotDescription, model: Model) -> Self:
        """The robot of these, with a warning of what is odd about it and was not about this one."""
        from symdyn.description.text.notice import summary

        robot, known = self._rebuilt(description, model), set(self._notices)
        if new := [text for text in robot._notices if text not in known]:
            warn(f"{description.source or description.name}: {summary(new)}")
        return robot

    def _changed(self, joint: str | Iterable[str], change: Change, given: Mapping[str, Given | None]) -> Self:
        from symdyn.description.yaml.changed_joints import with_changed_joints
        from symdyn.robot.built_model import built_model

        description = with_changed_joints(self.description, self.options.runtime, joint, change, given)
        return self._rebuilt_and_doubted(*built_model(description, self.options))

    def resolved(self) -> RobotDescription:
        """The description including the options of ``load``: written to a file, it is loaded again as this robot."""
        from symdyn.description.load_settings import LoadSettings

        options = self.options
        locked = tuple((options.locked_joints or {}).items())
        return replace(
            self.description,
            floating_base=self._floats,
            gravity=self.model.gravity,
            load=LoadSettings(locked, options.runtime, options.joint_losses, options.convention),
        )

    def to_yaml(self, looks: bool = False) -> str:
        """The robot as text in symdyn's YAML, which :func:`symdyn.load` reads back as this robot, bit for bit.

        Options of loading are part of it. What was read but not modelled is not; how links look, and shapes for
        collisions that are in no contact, are there with ``looks``.
        """
        return self._written(True) if given_flag("looks", looks) else self._yaml

    @cached_property
    def _yaml(self) -> str:
        return self._written(False)

    def _written(self, looks: bool) -> str:
        from symdyn.description.yaml.write import write_yaml

        return write_yaml(self.resolved(), looks=looks)

    def to_urdf(self) -> UrdfFiles:
        """The robot as URDF, with its rigid contacts in the text of a YAML file beside it.

        Rigid trees alone: rotations return to some 2e-16, all other numbers to the last bit. Extra frames become links
        on fixed joints. ``left_out`` of the result lists what neither text has, and what its reader needs to know.

        Raises
        ------
        DescriptionError
            Links that deform, loops, springs, loads, run-time parameters, or joints that URDF does not have.
        """
        from symdyn.description.urdf.write import write_urdf
        from symdyn.description.yaml.write import write_contacts

        resolved = self.resolved()
        return replace(write_urdf(resolved), contacts=write_contacts(resolved))

    @property
    def _floats(self) -> bool:
        chosen = self.options.floating_base
        return self.description.floating_base if chosen is None else chosen
