"""The motion that a simulation gives, with what it cost; kept in files of NumPy."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from symdyn.analysis.simulation.array_files import read_arrays, real_array, write_arrays, write_table
from symdyn.analysis.simulation.contact_history import ContactHistory
from symdyn.errors import RequestError, one_line
from symdyn.interface.argument_arrays import given_numbers
from symdyn.interface.argument_words import coordinate_places
from symdyn.robot.loading import as_robot
from symdyn.robot.robot import Robot

Array = NDArray[np.float64]

_CONTACTS = ("names", "row_names", "impulses", "states", "steps", "gaps", "points", "normals")
_ARRAYS = ("t", "q", "v", "a", "multipliers", "inputs", "kinetic_energy", "potential_energy")
_WORDS = ("robot_name", "robot_hash", "method", "coordinate_names", "velocity_names", "multiplier_names", "input_names")
_RECORDS = ("counters", "timings", "messages")
_ENERGIES = ("kinetic_energy", "potential_energy")
_SINGULAR = {name: name[:-1] for name in ("impulses", "forces", "states", "gaps", "points", "normals")}


@dataclass(frozen=True, eq=False, repr=False)
class Trajectory:
    """A motion at n times.

    Attributes
    ----------
    robot_name, robot_hash
        The robot that moved; the hash is SHA-256 of its description as loaded.
    method
        What integrated it.
    coordinate_names, velocity_names, multiplier_names, input_names
        Names of the columns of q, of v and a, of multipliers and of inputs.
    t
        Times (n,) [s].
    q, v, a
        Coordinates (n, nq), velocities and accelerations (n, nv); quaternions unit.
    multipliers
        Of loops (n, m); their forces are A^T lambda.
    inputs
        Generalised forces (n, nv) or inputs of actuators (n, na).
    kinetic_energy, potential_energy
        (n,) [J].
    events
        Times (k,) at which each event happened, by name.
    counters
        Steps, calls of functions and Jacobians, factorisations.
    timings
        Seconds of compiling and integration.
    messages
        What stopped the motion early, if anything did, and one line on limits of joints that it passes.
    reason
        Why ``method="auto"`` took the method; empty where the user chose it.
    robot
        The robot, for :meth:`at`; None if the trajectory was loaded without one.
    contacts
        Of rigid contacts, None where nothing feels any: ``impulses`` (n, m) [N s] and mean ``forces`` (n, m) [N] of the
        step that ends at each time, by ``row_names``; ``states`` (n, k) of the contacts by ``names``; ``steps`` (n,)
        [s]; ``gaps`` (n, ns) [m], ``points`` and ``normals`` (n, ns, 3) in the world. Columns of impulses and forces
        are t1, t2, n of each contact: along its normal n, from the other shape to the one that moves, and along two
        tangents with t1 x t2 = n; t1 is x and t2 is y where n is the z axis of the world (Duff et al. 2017).
    """

    robot_name: str
    robot_hash: str
    method: str
    coordinate_names: tuple[str, ...]
    velocity_names: tuple[str, ...]
    multiplier_names: tuple[str, ...]
    input_names: tuple[str, ...]
    t: Array
    q: Array
    v: Array
    a: Array
    multipliers: Array
    inputs: Array
    kinetic_energy: Array
    potential_energy: Array
    events: Mapping[str, Array] = field(default_factory=dict)
    counters: Mapping[str, int] = field(default_factory=dict)
    timings: Mapping[str, float] = field(default_factory=dict)
    messages: tuple[str, ...] = ()
    reason: str = ""
    robot: Robot | None = None
    contacts: ContactHistory | None = None

    @property
    def energy(self) -> Array:
        """Kinetic and potential energy together (n,) [J]."""
        return self.kinetic_energy + self.potential_energy

    def __getitem__(self, name: str) -> Array:
        """The coordinate of that name, (n,), or all coordinates of a joint, (n, k).

        Raises
        ------
        RequestError
            No coordinate and no joint has that name.
        """
        return self.q[:, coordinate_places(f"motion of '{self.robot_name}'", name, self.coordinate_names)]

    def at(self, t: ArrayLike) -> tuple[Array, Array]:
        """Coordinates (..., nq) and velocities (..., nv) at times between the first and the last.

        Between two stored times v is a cubic in t, and q a cubic in the displacement from the first time. The error
        falls with the fourth power of the distance of the times; with quaternions it falls with the third.

        Raises
        ------
        RequestError
            Times outside the motion, or a trajectory that was loaded without its robot.
        """
        if self.robot is None:
            raise RequestError("interpolation needs the robot; load the file by Trajectory.load(path, robot)")
        times = given_numbers("t", t)
        if not np.all((times >= self.t[0]) & (times <= self.t[-1])):
            raise RequestError(f"t: expected times from {self.t[0]:.6g} s to {self.t[-1]:.6g} s")
        if len(self.t) == 1:
            return np.broadcast_to(self.q[0], (*times.shape, self.q.shape[1])), np.broadcast_to(
                self.v[0], (*times.shape, self.v.shape[1])
            )
        first = np.clip(np.searchsorted(self.t, times, side="right") - 1, 0, len(self.t) - 2)
        long = (self.t[first + 1] - self.t[first])[..., None]
        s = (times - self.t[first])[..., None] / long
        move = self.robot.difference(self.q[first], self.q[first + 1])
        q = self.robot.integrate(
            self.q[first], _cubic(s, 0.0 * move, move, long * self.v[first], long * self.v[first + 1])
        )
        v = _cubic(s, self.v[first], self.v[first + 1], long * self.a[first], long * self.a[first + 1])
        return q, v

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a file of NumPy (``.npz``) that holds only arrays and text, no code.

        Raises
        ------
        RequestError
            No name of a file, or one that cannot be written.
        """
        arrays: dict[str, Any] = {name: getattr(self, name) for name in (*_ARRAYS, *_WORDS, "reason")}
        records = {name: json.dumps(getattr(self, name)) for name in _RECORDS}
        events = {f"event {name}": times for name, times in self.events.items()}
        if self.contacts is not None:
            arrays |= {f"contact {name}": getattr(self.contacts, name) for name in _CONTACTS}
        if self.robot is not None:
            arrays["load_options"] = json.dumps(self.robot.load_options())
        write_arrays(path, {**arrays, **records, **events})

    @classmethod
    def load(cls, path: str | os.PathLike[str], robot: Robot | str | os.PathLike[str] | None = None) -> Trajectory:
        """Read a file that :meth:`save` wrote; with its robot for :meth:`at`.

        Raises
        ------
        RequestError
            No such file, another file, arrays that do not fit each other, or the motion of another robot.
        """
        robot, held = None if robot is None else as_robot(robot), read_arrays(path)
        try:
            found: dict[str, Any] = {name: real_array(path, name, held[name]) for name in _ARRAYS}
            found |= {name: _words(name, held[name]) for name in _WORDS}
            found |= {name: _record(name, str(held[name])) for name in _RECORDS}
            found["reason"] = str(held["reason"]) if "reason" in held else ""  # files of older versions have none
            events = {name[6:]: real_array(path, name, own) for name, own in held.items() if name.startswith("event ")}
            found["contacts"] = _contacts(path, held)
        except RequestError:
            raise
        except (KeyError, ValueError, TypeError, RecursionError) as failure:
            said = f"it lacks {failure}" if isinstance(failure, KeyError) else failure
            raise RequestError(f"'{os.fspath(path)}' is no trajectory of symdyn: {said}") from None
        _check_shapes(os.fspath(path), found, events)
        if robot is not None and robot_hash(robot) != found["robot_hash"]:
            raise RequestError(
                f"'{os.fspath(path)}' holds a motion of robot '{found['robot_name']}' as it was loaded then; "
                f"robot '{robot.name}' given here differs from it: {_differences(robot, found, held)}"
            )
        if robot is not None and (found["coordinate_names"], found["velocity_names"]) != (
            *(robot.coordinate_names, robot.velocity_names),
        ):
            raise RequestError(
                f"'{os.fspath(path)}' is no trajectory of robot '{robot.name}': its rows have other names"
            )
        return cls(**found, events=events, robot=robot)

    def save_table(self, path: str | os.PathLike[str]) -> None:
        """Write comma-separated values: a line of names, then a row per time, with the columns of :meth:`to_pandas`.

        Raises
        ------
        RequestError
            No name of a file, or one that cannot be written.
        """
        columns = {"t": self.t, **self._columns()}
        write_table(path, tuple(columns), np.column_stack(tuple(columns.values())))

    def to_pandas(self) -> Any:
        """A ``pandas.DataFrame`` over t with columns such as ``"q elbow"``, ``"v elbow"`` and ``"a elbow"``.

        Rigid contacts have columns such as ``"impulse feet[0].n"``, ``"force feet[0].n"``, ``"state feet[0]"``,
        ``"gap feet[0]"``, ``"point feet[0].x"`` and ``"normal feet[0].x"``.
        """
        pandas = _package("pandas")
        return pandas.DataFrame(self._columns(), index=pandas.Index(self.t, name="t"))

    def to_xarray(self) -> Any:
        """An ``xarray.Dataset`` of q, v, a, multipliers, inputs and energies over t and the names of rows.

        With rigid contacts also their impulses, forces, states, gaps, points and normals.
        """
        data: dict[str, Any] = {kind: (("t", along), values) for kind, along, _, values in self._tables()}
        data |= {name: ("t", getattr(self, name)) for name in _ENERGIES}
        places = {along: list(names) for _, along, names, _ in self._tables()}
        return _package("xarray").Dataset(data, coords={"t": self.t, **places})

    def _columns(self) -> dict[str, Array]:
        found = {
            f"{_SINGULAR.get(kind, kind)} {name}": values[:, row]
            for kind, _, names, values in self._tables()
            for row, name in enumerate(names)
        }
        return found | {name: getattr(self, name) for name in _ENERGIES}

    def _tables(self) -> Iterator[tuple[str, str, tuple[str, ...], NDArray[Any]]]:
        """Of each array of rows: what it holds, what its rows are, their names, and itself."""
        yield "q", "coordinate", self.coordinate_names, self.q
        yield "v", "velocity", self.velocity_names, self.v
        yield "a", "velocity", self.velocity_names, self.a
        yield "multipliers", "multiplier", self.multiplier_names, self.multipliers
        yield "inputs", "input", self.input_names, self.inputs
        own = self.contacts
        if own is not None:
            slots = own.names[: own.gaps.shape[1]]
            along = tuple(f"{name}.{axis}" for name in slots for axis in "xyz")
            yield "impulses", "contact_row", own.row_names, own.impulses
            yield "forces", "contact_row", own.row_names, own.forces
            yield "states", "contact", own.names, own.states
            yield "gaps", "slot", slots, own.gaps
            yield "points", "slot_axis", along, own.points.reshape(len(self.t), -1)
            yield "normals", "slot_axis", along, own.normals.reshape(len(self.t), -1)

    def __repr__(self) -> str:
        return one_line(
            f"<symdyn.Trajectory of '{self.robot_name}': {len(self.t)} times from {self.t[0]:.6g} s to "
            f"{self.t[-1]:.6g} s by {self.method}{''.join(f'; {line}' for line in self.messages)}>"
        )

    def _repr_html_(self) -> str:
        """What notebooks show: a table and a picture."""
        return Robot.render(self)


def _contacts(path: str | os.PathLike[str], held: Mapping[str, NDArray[Any]]) -> ContactHistory | None:
    """What contacts did; None in files of motions without. A KeyError or ValueError for anything else."""
    if "contact names" not in held:
        return None
    names, rows = (tuple(map(str, held[f"contact {name}"])) for name in _CONTACTS[:2])
    impulses, states, *others = (real_array(path, name, held[f"contact {name}"]) for name in _CONTACTS[2:])
    return ContactHistory(names, rows, impulses, states.astype(np.intc), *others)


def _words(name: str, array: NDArray[Any]) -> str | tuple[str, ...]:
    """A text, or a tuple of texts where a trajectory has names; a ValueError for anything else."""
    many = name.endswith("_names")
    if array.ndim != int(many) or (array.size and array.dtype.kind != "U"):
        raise ValueError(f"expected {'texts (n,)' if many else 'a text'} in '{name}'")
    return tuple(str(own) for own in array) if many else str(array)


def _record(name: str, text: str) -> Any:
    """What a trajectory has besides arrays: lines of text, or numbers by names; a ValueError for anything else."""
    found = json.loads(text)
    if name == "messages":
        if isinstance(found, list) and all(isinstance(own, str) for own in found):
            return tuple(found)
        raise ValueError(f"expected a list of texts in '{name}'")
    if not (isinstance(found, dict) and all(type(own) in (int, float) for own in found.values())):
        raise ValueError(f"expected numbers by names in '{name}'")
    return found


def _check_shapes(path: str, found: Mapping[str, Any], events: Mapping[str, Array]) -> None:
    """Refuse arrays that do not fit each other: files may have been made by anyone."""
    t = found["t"]
    count = t.shape[0] if t.ndim == 1 else 0
    widths = {
        "q": len(found["coordinate_names"]),
        "v": len(found["velocity_names"]),
        "a": len(found["velocity_names"]),
        "multipliers": len(found["multiplier_names"]),
        "inputs": len(found["input_names"]),
    }
    expected: dict[str, tuple[int, ...]] = {name: (count, width) for name, width in widths.items()}
    expected |= {"kinetic_energy": (count,), "potential_energy": (count,)}
    for name, shape in expected.items():
        if found[name].shape != shape:
            raise RequestError(
                f"'{path}' is no trajectory of symdyn: {name} has shape {found[name].shape}, not {shape}"
            )
    for name, times in events.items():
        if times.ndim != 1:
            raise RequestError(f"'{path}' is no trajectory of symdyn: event {name} has shape {times.shape}, not (k,)")
    if not count or not np.isfinite(t).all() or (np.diff(t) <= 0.0).any():
        raise RequestError(f"'{path}' is no trajectory of symdyn: expected finite times t (n,) that rise")


def robot_hash(robot: Robot) -> str:
    """SHA-256 of a robot's description as loaded."""
    return hashlib.sha256(robot.to_yaml().encode()).hexdigest()


def _differences(robot: Robot, found: Mapping[str, Any], held: Mapping[str, NDArray[Any]]) -> str:
    """In which options of loading a robot is not the one that moved, as far as the file tells."""
    now, lines = json.loads(json.dumps(robot.load_options())), []
    before = _loaded_by(held)
    if before:
        lines += [
            f"{name} was {before.get(name)}, and is {own}" for name, own in now.items() if before.get(name) != own
        ]
    elif found["coordinate_names"] != robot.coordinate_names:
        lines.append("its coordinates have other names, as by floating_base, locked_joints or convention")
    moved, layout = found["contacts"], robot.model.contact_layout
    felt = () if moved is None else tuple(name.removesuffix(".n") for name in moved.row_names if name.endswith(".n"))
    if felt != layout.slot_names:
        lines.append(
            f"contacts: the motion has {_listed(felt)}, and the robot {_listed(layout.slot_names)} (contacts=.., on "
            "the command line --contacts)"
        )
    if not lines:
        said = ", ".join(f"{name}={value}" for name, value in now.items())
        return f"load the same file with the options of then (now: {said})"
    return f"{'; '.join(lines)}; load the file with the options of then"


def _loaded_by(held: Mapping[str, NDArray[Any]]) -> dict[str, Any]:
    """The options by which the robot of a motion was loaded; none in older files, or in what is no record of them."""
    try:
        found = json.loads(str(held["load_options"]))
    except (KeyError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _listed(names: tuple[str, ...]) -> str:
    more = f" and {len(names) - 2} more" if len(names) > 2 else ""
    return f"{', '.join(names[:2])}{more}" if names else "none"


def _cubic(s: Array, start: Array, end: Array, rate: Array, end_rate: Array) -> Array:
    """The cubic over s in [0, 1] with these ends and slopes."""
    found: Array = (
        (1.0 + 2.0 * s) * (1.0 - s) ** 2 * start
        + s * s * (3.0 - 2.0 * s) * end
        + s * (1.0 - s) ** 2 * rate
        - s * s * (1.0 - s) * end_rate
    )
    return found


def _package(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError as failure:
        raise RequestError(f"this needs the package {name}; install it by pip install {name}") from failure
