"""Robots that were loaded before: what is asked of them first is kept, and the rest is made again when it is needed."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from copy import deepcopy
from functools import partial
from typing import Any

from symdyn.interface.manifest import text_digest
from symdyn.robot.robot import Robot
from symdyn.toolchain import remembered
from symdyn.warning import heard

_ROOM = "robots"
_KEPT = ("_label", "_name", "_yaml", "_notices", "_load_options", "_contact_note")
"""What compiling again needs of a robot, and what loading says of it."""


def recalled_robot(said: Sequence[bytes], options: Sequence[Any], make: Callable[..., Robot]) -> Robot:
    """The robot of these bytes and options of loading: from what the cache keeps of it, or made now.

    Where the cache has it, classes of descriptions and models are not loaded, and nothing is built, until somebody asks
    for more. The last option, folders of meshes, is no part of what is kept. A robot whose making warned is made each
    time, so that the warning is told again.
    """
    *asked, folders = options
    words = _exact(asked)
    if words is None:
        return make(*options)
    address = remembered.address(["robot", *map(text_digest, said), words])
    data = remembered.recall_bytes(_ROOM, address)
    if data is not None:
        robot = Robot.__new__(Robot)
        kept = pickle.loads(data)  # noqa: S301  (from the private cache, by its hash)
        # The caller may change lists and mappings of options before anybody asks for more.
        robot.__dict__.update(kept, _make=partial(make, *deepcopy(asked), folders), mesh_folders=tuple(folders))
        return robot
    with heard() as warned:
        robot = make(*options)
    if not warned:
        remembered.remember_bytes(_ROOM, address, pickle.dumps({name: getattr(robot, name) for name in _KEPT}))
    return robot


def _exact(value: Any) -> str | None:
    """A text that differs wherever plain values do; None for any that are not plain, such as arrays."""
    if value is None or type(value) in (bool, int, float, str):
        return repr(value)
    if type(value) is dict:
        parts = [_exact(part) for pair in value.items() for part in pair]
    elif type(value) in (list, tuple):
        parts = [_exact(part) for part in value]
    else:
        return None
    return None if any(part is None for part in parts) else f"{type(value).__name__}({', '.join(map(str, parts))})"
