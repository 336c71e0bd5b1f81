"""All relations by name, and which robots and functions of the catalogue each of them is tried on."""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable
from zlib import crc32

import numpy as np

import symdyn
from support.invariance.by_rows import ByRows
from support.invariance.cut_links import cut_link
from support.invariance.moved_base import moved_base
from support.invariance.moved_root import moved_root
from support.invariance.renamed import renamed
from support.invariance.reversed_axes import reversed_axes
from support.invariance.robots import NAMES, Array, robot, state
from support.invariance.same_turns import same_turns
from support.invariance.scaled_units import Units, scaled_units
from support.invariance.twins import Comparison, Evaluator, Relation, State, compare, float_evaluator
from symdyn.robot.robot import Robot
from symdyn.warning import SymdynWarning

LARGE, SMALL = Units(1e3, 1e-3, 1e3), Units(1e-3, 1e3, 1e-3)


def mixed(rng: random.Random) -> Units:
    """Each unit smaller, larger or the same."""
    return Units(*rng.choices((1e-3, 1.0, 1e3), k=3))


RELATIONS: dict[str, Callable[[Robot, int, Array], Relation | None]] = {
    "root moved": lambda own, seed, q: moved_root(own, np.random.default_rng(seed)),
    "free base moved": lambda own, seed, q: moved_base(own, np.random.default_rng(seed)),
    "names and order": lambda own, seed, q: renamed(own, random.Random(seed)),
    "axes reversed": lambda own, seed, q: reversed_axes(own, random.Random(seed)),
    "link cut": lambda own, seed, q: cut_link(own, random.Random(seed)),
    "whole turns": lambda own, seed, q: same_turns(own, random.Random(seed)),
    "large units": lambda own, seed, q: scaled_units(own, LARGE, q),
    "small units": lambda own, seed, q: scaled_units(own, SMALL, q),
    "mixed units": lambda own, seed, q: scaled_units(own, mixed(random.Random(seed)), q),
    "read from YAML": lambda own, seed, q: ByRows(own, symdyn.loads(own.to_yaml(), "yaml", **own.load_options())),
}


def compared(
    relation: str, name: str, functions: list[str], evaluator: Evaluator = float_evaluator, rare: bool | None = None
) -> list[Comparison] | None:
    """What functions of a robot and its twin give; None where there is no such twin.

    Every other robot has all options of its functions, where ``rare`` says nothing.
    """
    seed = crc32(f"{relation} {name}".encode())
    own, at = robot(name), crc32(name.encode())  # one state per robot
    q, v = state(name, at)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SymdynWarning)
        twin = RELATIONS[relation](own, seed, q)
    if twin is None:
        return None
    return list(
        compare(twin, State(q, v, at, NAMES.index(name) % 2 == 1 if rare is None else rare), functions, evaluator)
    )
