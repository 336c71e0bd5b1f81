"""The robot that a user holds: names, units, limits and configuration-space arithmetic of a loaded model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

from symdyn.errors import RequestError
from symdyn.interface.argument_arrays import check_leading
from symdyn.interface.argument_words import given_mapping, given_word
from symdyn.interface.field_words import of_robots
from symdyn.interface.guesses import hint, some_of
from symdyn.robot.looped import Looped
from symdyn.robot.records import JointLimits
from symdyn.robot.state_checks import (
    given_coordinates,
    given_position,
    given_rates,
    given_velocity,
)

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from symdyn.description.robot import Frame

    Array = NDArray[np.float64]


class Robot(Looped):
    """A loaded robot: made by :func:`symdyn.load`, taken by :func:`symdyn.generate` and :func:`symdyn.compile`.

    Attributes
    ----------
    mesh_folders
        Folders in which viewers look for meshes: ``package_paths`` of ``load``. No file of the robot holds them.
    """

    @property
    def name(self) -> str:
        """The robot's name in its file."""
        return self._name

    @cached_property
    def _name(self) -> str:
        return self.model.name

    @property
    def nq(self) -> int:
        """Number of rows of q."""
        return self.model.nq

    @property
    def nv(self) -> int:
        """Number of rows of v, a and tau."""
        return self.model.nv

    @property
    def coordinate_names(self) -> tuple[str, ...]:
        """Name of each row of q."""
        return self.model.coordinate_names

    @property
    def coordinate_units(self) -> tuple[str, ...]:
        """Unit of each row of q."""
        return self.model.coordinate_units

    @property
    def velocity_names(self) -> tuple[str, ...]:
        """Name of each row of v, a and tau."""
        return self.model.velocity_names

    @property
    def velocity_units(self) -> tuple[str, ...]:
        """Unit of each row of v."""
        return self.model.velocity_units

    @property
    def body_names(self) -> tuple[str, ...]:
        """The moving bodies in the order of f_ext. Links fixed to each other are one body, named by the first."""
        return self.model.body_names

    @property
    def frame_names(self) -> tuple[str, ...]:
        """Every link including the root, then the extra frames."""
        return self.model.frame_names

    @property
    def runtime_parameters(self) -> tuple[str, ...]:
        """Names of the rows of p."""
        return self.model.slots.names

    @property
    def runtime_defaults(self) -> Array:
        """The p (np,) with the file's values; NaN if the file gives none."""
        import numpy as np

        return np.array([np.nan if value is None else value for value in self.model.slots.defaults])

    @property
    def contact_links(self) -> dict[str, str]:
        """The link whose shape may touch, by the name of the rigid contact, such as ``"feet[0]"``."""
        return {slot.label: slot.link for slot in self.model.contact_layout.slots}

    @property
    def contact_note(self) -> str:
        """One line on what rigid contacts the robot has, and in which functions they act; empty where it has none."""
        return self._contact_note

    @cached_property
    def _contact_note(self) -> str:
        layout = self.model.contact_layout
        if not layout:
            return ""
        counts = (len(layout.slots), layout.runtime, len(layout.limits), len(layout.dry))
        filled = "slots that the input touching fills"
        words = ("points of contact", filled, "bounds of ranges", "rows of dry friction")
        told = [f"{count} {word}" for count, word in zip(counts, words, strict=True) if count]
        said = f"{', '.join(told)}: rigid contacts act in functions named contact_.. and stance_forces alone"
        unsaid = self.options.floating_base is None and not self.model.free_bases
        if layout.slots and unsaid and self.description.root != "world":
            said += f"; the root link '{self.description.root}' is fixed: floating_base=True"
            said += ", on the command line --floating-base, frees it"
        return said

    @property
    def limits(self) -> JointLimits:
        """Joint limits by row."""
        return JointLimits.of(self.model)

    def frame(self, name: str) -> Frame:
        """A frame by name: its link, and its placement in the axes of that link. Links are frames too.

        Raises
        ------
        RequestError
            No frame has that name.
        """
        from symdyn.description.quantities.placement import Placement
        from symdyn.description.robot import Frame

        given_word("name", name, self.frame_names[0])
        for frame in self.description.frames:
            if frame.name == name:
                return frame
        if name in tuple(self.links):
            return Frame(name, name, Placement())
        raise RequestError(
            f"frame '{name}' of robot '{self.name}' does not exist; there are "
            f"{some_of(name, self.frame_names)}{hint(name, self.frame_names)}"
        )

    def state(
        self,
        q: Mapping[str, ArrayLike] | None = None,
        v: Mapping[str, ArrayLike] | None = None,
        **coordinates: ArrayLike,
    ) -> tuple[Array, Array]:
        """A state (q, v) by names of rows or joints: ``robot.state(elbow=0.5)``, ``robot.state(v={"elbow": 1.0})``.

        Rows without a value are those of :meth:`neutral`, and 0 in v. Motors behind springs follow their joints.

        Parameters
        ----------
        q, v
            Values by names, for names that are no Python names too.
        coordinates
            Further values of q.

        Returns
        -------
        (nq,) and (nv,).

        Raises
        ------
        RequestError
            An unknown name, or another number of values than a joint has rows.
        """
        example = "{'elbow': 0.5}"
        q, v = ({} if own is None else given_mapping(what, own, example) for what, own in (("q", q), ("v", v)))
        return given_position(self.model, {**q, **coordinates}), given_velocity(self.model, v)

    def neutral(self) -> Array:
        """The q (nq,) with every angle and position zero and every quaternion the identity."""
        from symdyn.model import coordinates

        return coordinates.neutral(self.model)

    def integrate(self, q: ArrayLike, dv: ArrayLike) -> Array:
        """The q after moving with the constant velocity dv for unit time.

        Parameters
        ----------
        q
            (..., nq), quaternions unit.
        dv
            (..., nv), rows as in v, times seconds.

        Returns
        -------
        (..., nq), quaternions unit.

        Raises
        ------
        RequestError
            The last axis has the wrong length, numbers are not finite or masked, a quaternion is not unit, or leading
            dimensions do not broadcast.
        """
        from symdyn.model import coordinates

        start, step = given_coordinates(self.model, "q", q), given_rates(self.model, "dv", dv)
        check_leading({"q": start, "dv": step})
        return coordinates.integrate(self.model, start, step)

    def difference(self, q0: ArrayLike, q1: ArrayLike) -> Array:
        """The dv (..., nv) with ``integrate(q0, dv) == q1``; rotations take the shorter way.

        Raises
        ------
        RequestError
            As for :meth:`integrate`.
        """
        from symdyn.model import coordinates

        start, end = given_coordinates(self.model, "q0", q0), given_coordinates(self.model, "q1", q1)
        check_leading({"q0": start, "q1": end})
        return coordinates.difference(self.model, start, end)

    def random_state(self, rng: np.random.Generator | int | None = None) -> tuple[Array, Array]:
        """A random (q, v): q within limits (else +-pi, +-1 m, uniform rotations), v standard normal.

        Flexible links bend by up to 0.1 rad per coordinate at the tip.

        Parameters
        ----------
        rng
            A generator of random numbers, or a seed; by default a random seed.

        Raises
        ------
        RequestError
            Neither a generator nor a seed.
        """
        from symdyn.model import coordinates
        from symdyn.robot.state_checks import given_generator

        rng = given_generator(rng)
        return coordinates.random_configuration(self.model, rng), rng.standard_normal(self.nv)

    search_pose: ClassVar[Callable[..., Any]]
    """What :meth:`inverse_kinematics` calls; the interface sets it, because compiled solvers need other rooms."""

    def inverse_kinematics(
        self, goals: Mapping[str, ArrayLike], q0: ArrayLike | Mapping[str, ArrayLike] | None = None, **given: Any
    ) -> Any:
        """Find a position at which frames meet their targets: see :func:`symdyn.inverse_kinematics`."""
        return Robot.search_pose(self, goals, q0, **given)

    write_page: ClassVar[Callable[..., Any]]
    """What :meth:`play` calls; the interface sets it, because pages need other rooms."""

    def play(self, path: str | Path, **given: Any) -> Any:
        """Write one HTML page in which this robot moves: see :func:`symdyn.play`."""
        return Robot.write_page(self, path, **given)

    def load_options(self) -> Mapping[str, Any]:
        """Options that load the resolved description as this robot again; plain data for the manifest."""
        return dict(self._load_options)

    @cached_property
    def _load_options(self) -> Mapping[str, Any]:
        locked = self.options.locked_joints or {}
        return {
            "floating_base": self._floats,
            "locked_joints": {
                name: value if isinstance(value, float) else list(value) for name, value in locked.items()
            },
            "runtime": list(self.options.runtime),
            "joint_losses": self.options.joint_losses,
            "convention": self.options.convention,
            "gravity": list(self.model.gravity),
        }

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """What other libraries call ours, said in the message."""
            raise AttributeError(f"a robot of symdyn has no attribute {name!r}{of_robots(name)}")

    def __repr__(self) -> str:
        return f"<symdyn.Robot '{self.name}': {len(self.body_names)} bodies, nq {self.nq}, nv {self.nv}>"

    render: ClassVar[Callable[[object], str]] = repr
    """How notebooks show robots and motions of them; the interface sets it, because pictures need other rooms."""

    def _repr_html_(self) -> str:
        """What notebooks show: a table and a picture."""
        return Robot.render(self)
