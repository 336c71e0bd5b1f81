"""The same robot with other names, which give its branches another order, and its file another order too."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable
from dataclasses import fields, is_dataclass, replace
from typing import Any

from support.invariance.by_rows import ByRows
from symdyn import api
from symdyn.description.actuation import RestStrain
from symdyn.description.pfaffian import Pfaffian
from symdyn.description.quantities.expression import Expression
from symdyn.description.robot import RobotDescription
from symdyn.robot.robot import Robot

_MARK = re.compile(r"^((?:rate of )?)n\d{4}_")
_WORDS = {"parent", "child", "link", "frame", "joint"}
"""Fields that hold names of links, frames and joints."""


def old_name(name: str) -> str:
    """The name that a row had before."""
    return _MARK.sub(r"\1", name)


def renamed(robot: Robot, rng: random.Random) -> ByRows | None:
    """The robot with a number before each name; None where expressions or parameters use names."""
    description = robot.description
    if robot.runtime_parameters or any(isinstance(own, Pfaffian) for own in description.acting):
        return None
    entities = [*description.links, *description.joints, *description.frames, *description.acting]
    entities += [*description.actuation.tendons, *description.actuation.chambers]
    fluids = {own.name for own in description.acting if own.key == "fluid"}  # called by their links
    names = {
        name: f"n{number:04d}_{name}" for name, number in _numbers(sorted({own.name for own in entities} - fluids), rng)
    }

    def new(name: str) -> str:
        """The new name of an entity, or of one of its rows or frames."""
        if name in fluids:
            return f"fluid.{new(name.removeprefix('fluid.'))}"
        for length in range(len(name), 0, -1):
            if name[:length] in names and name[length : length + 1] in ("", ".", "["):
                return names[name[:length]] + name[length:]
        return name

    changed = _changed(description, new)
    assert isinstance(changed, RobotDescription)
    actuators = (
        RestStrain(new(own.of)) if isinstance(own, RestStrain) else new(own) for own in description.actuation.actuators
    )
    changed = replace(
        changed,
        name=description.name,
        links=_shuffled(changed.links, rng),
        joints=_shuffled(changed.joints, rng),
        actuation=replace(changed.actuation, actuators=tuple(actuators)),
        load=replace(changed.load, locked_joints=()),
    )
    options: dict[str, Any] = dict(robot.load_options())
    options["locked_joints"] = {new(name): value for name, value in options["locked_joints"].items()}
    return ByRows(robot, api.from_description(changed, **options), old=old_name, renamed=new)


def _numbers(names: list[str], rng: random.Random) -> Iterable[tuple[str, int]]:
    return zip(names, rng.sample(range(1000, 10000), len(names)), strict=True)


def _shuffled(own: tuple[Any, ...], rng: random.Random) -> tuple[Any, ...]:
    return tuple(rng.sample(own, len(own)))


def _changed(own: Any, new: Callable[[str], str], key: str = "") -> Any:
    """A record with every name in it changed."""
    if isinstance(own, str):
        return new(own) if key == "name" or key in _WORDS else own
    if key == "others" or key == "terms":  # of mimic joints and of couplings: pairs of a name and a number
        return tuple((new(name), factor) for name, factor in own)
    if isinstance(own, tuple):
        return tuple(_changed(item, new, key if key in _WORDS else "") for item in own)
    if is_dataclass(own) and not isinstance(own, type) and not isinstance(own, Expression):
        changes = {item.name: _changed(getattr(own, item.name), new, item.name) for item in fields(own) if item.init}
        return replace(own, **changes)
    return own
