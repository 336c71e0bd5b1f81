"""The same robot on a root that is turned and moved: what is given in the world goes along with it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from support.invariance.twins import float_evaluator
from symdyn import api
from symdyn.description.contact import Contact
from symdyn.description.external_loads import Acting, Wrench
from symdyn.description.quantities.expression import Expression
from symdyn.description.quantities.placement import Number
from symdyn.description.robot import Joint, JointKind, Link, Placement, RobotDescription
from symdyn.interface.options import RequestOptions
from symdyn.interface.signature import Argument
from symdyn.robot.robot import Robot

Array = NDArray[np.float64]
WORLD, GROUND = "moved world", "moved ground"
"""The new root, and the link at which the world of the first robot now is."""
_COLUMNS = ("J", "dJ_dt", "dV_dq", "dV_dv")
_BLOCKS = {"com": 0, "com_velocity": 0, "momentum": 0, "momentum_matrix": 0, "V_WF": -1} | dict.fromkeys(_COLUMNS, 1)
"""Results in the axes of the world, with the axis of their arrays along which components run in threes."""


@dataclass(frozen=True)
class MovedRoot:
    """``robot`` is the first one, moved by ``pose`` (4, 4)."""

    robot: Robot
    pose: Array
    first: Robot

    def asked(self, options: RequestOptions) -> RequestOptions:
        """The same."""
        return options

    def options(self, function: str, asked: RequestOptions) -> RequestOptions:
        """The same."""
        return asked

    def weights(self, function: str, new: Argument) -> float:
        """None: no unit changes."""
        return 1.0

    def forward(self, function: str, old: Argument, new: Argument, values: Array) -> Array:
        """World vectors and poses turn; all else stays."""
        if old.name == "X":
            moved = self.pose @ values
            return moved if new.shape == old.shape else self._with_new_frames(old, new, moved)
        if old.name == "f_ext" and "world" in old.description:
            return self._turned(values, -1)
        if old.name in _BLOCKS:
            found = self._turned(values, _BLOCKS[old.name] % values.ndim)
            if old.name == "com":
                found = found + self.pose[:3, 3]
            axis = ({"V_WF": 1} | dict.fromkeys(_COLUMNS, 0)).get(old.name)
            return found if axis is None else self._with_new_frames(old, new, found, axis)
        if function == "potential_energy" and old.name == "energy":
            return values + self._constant()
        return values

    def _turned(self, values: Array, axis: int) -> Array:
        """Threes along an axis, turned."""
        threes = np.moveaxis(values, axis, -1)
        shaped = threes.reshape(*threes.shape[:-1], -1, 3) @ self.pose[:3, :3].T
        return np.moveaxis(shaped.reshape(threes.shape), -1, axis)

    def _with_new_frames(self, old: Argument, new: Argument, values: Array, axis: int = 0) -> Array:
        """By names of frames; those that the first robot does not have stand still, at the old world's place."""
        names = old.rows[axis]
        still = np.zeros(np.delete(np.array(values.shape), axis))
        found = []
        for name in new.rows[axis]:
            if name in names:
                found.append(np.take(values, names.index(name), axis))
            elif old.name == "X":
                found.append(self.pose if name == GROUND else np.eye(4))
            else:
                found.append(still)
        return np.stack(found, axis)

    def _constant(self) -> float:
        """By how much the potential energy of the moved robot differs, everywhere."""
        first, moved = (
            float_evaluator(own, "potential_energy", {})({"q": list(map(float, q)), "p": list(own.runtime_defaults)})
            for own, q in zip((self.first, self.robot), self.neutral(), strict=True)
        )
        return float(moved["energy"][0] - first["energy"][0])

    def neutral(self) -> tuple[Array, Array]:
        """The same position of both."""
        return self.first.neutral(), self.first.neutral()


def moved_root(robot: Robot, rng: np.random.Generator) -> MovedRoot | None:
    """The robot on a root that is turned and moved at random; None where it has what cannot be moved."""
    description = robot.description
    gravity = np.array(robot.model.gravity, dtype=float)
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = random_rotation(rng), rng.uniform(-1.0, 1.0, 3)
    if any(name.startswith("gravity") for name in robot.runtime_parameters):
        return None
    free = robot.load_options()["floating_base"]
    if free and robot.load_options()["convention"] == "spatial":  # only the implicit joint's twist is the world's
        return None
    at = Placement(tuple(map(float, pose[:3, 3])), tuple(tuple(map(float, row)) for row in pose[:3, :3]))  # type: ignore[arg-type]
    held = JointKind.FLOATING if free else JointKind.FIXED
    moved = replace(
        description,
        links=(*description.links, Link(WORLD), Link(GROUND)),
        joints=(
            *description.joints,
            Joint("moved mount", JointKind.FIXED, WORLD, GROUND, at),
            Joint("root" if free else "moved base", held, GROUND, description.root),
        ),
        acting=tuple(moved_acting(own, pose) for own in description.acting),
        floating_base=False,
        gravity=None,
    )
    turned = tuple(map(float, pose[:3, :3] @ gravity))
    return MovedRoot(remade(moved, robot, floating_base=False, gravity=turned), pose, robot)


def remade(description: RobotDescription, like: Robot, **changes: Any) -> Robot:
    """A robot of a changed description, loaded as another one is."""
    return api.from_description(description, **{**like.load_options(), **changes})


def moved_acting(own: Acting, pose: Array) -> Acting:
    """What acts, moved: expressions know the old place and axes from the new ones."""
    turn = pose[:3, :3]
    if isinstance(own, Wrench):
        entries = tuple(_in_the_old_world(entry, pose, own.axes == "world") for entry in own.entries)
        if own.axes == "world":
            entries = (*_turned(entries[:3], turn), *_turned(entries[3:], turn))
        wind = tuple(map(float, turn @ np.array(own.wind)))
        own = replace(own, entries=entries, wind=wind)  # type: ignore[arg-type]
    if isinstance(own, Contact):
        point = turn @ np.array(own.surface.point) + pose[:3, 3]
        axis = turn @ np.array(own.surface.axis)
        surface = replace(
            own.surface, point=tuple(map(float, point)), axis=tuple(map(float, axis / np.linalg.norm(axis)))
        )  # type: ignore[arg-type]
        own = replace(own, surface=surface)
    if own.pair:
        sites = tuple(replace(site, link=GROUND) if site.grounded else site for site in own.pair)
        own = replace(own, between=sites)  # type: ignore[call-arg]
    return own


def _in_the_old_world(entry: Number, pose: Array, turned: bool) -> Number:
    """An entry of a wrench, whose places, and velocities where its axes are the world's, are those of the old world."""
    if not isinstance(entry, Expression):
        return entry

    def old(found: re.Match[str]) -> str:
        kind, axis = found.group(0)
        if kind != "p" and not turned:
            return found.group(0)
        shift = pose[:3, 3] if kind == "p" else np.zeros(3)
        terms = zip(pose[:3, "xyz".index(axis)], "xyz", shift, strict=True)
        return "(" + " + ".join(f"({float(x)!r})*({kind}{name} - ({float(at)!r}))" for x, name, at in terms) + ")"

    return Expression(re.sub(r"\b[pvw][xyz]\b", old, entry.text))


def _turned(entries: Sequence[Number], turn: Array) -> list[Number]:
    """Three entries in other axes."""
    if not any(isinstance(entry, Expression) for entry in entries):
        return list(map(float, turn @ np.array(entries, dtype=float)))
    texts = [entry.text if isinstance(entry, Expression) else repr(entry) for entry in entries]
    return [
        Expression(" + ".join(f"({float(x)!r})*({text})" for x, text in zip(row, texts, strict=True))) for row in turn
    ]


def random_rotation(rng: np.random.Generator) -> Array:
    """A rotation that is uniform over all."""
    return rotation(random_quaternion(rng))


def random_quaternion(rng: np.random.Generator) -> Array:
    """x, y, z, w, uniform over all."""
    drawn = rng.standard_normal(4)
    return drawn / np.linalg.norm(drawn)


def rotation(quaternion: Array) -> Array:
    """The matrix of x, y, z, w."""
    x, y, z, w = quaternion
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )
