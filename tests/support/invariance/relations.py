"""All relations by name, and which robots and functions of the catalogue each of them is tried on."""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable
from zlib import crc32

import numpy as np

from support.invariance.cut_links import cut_link
from support.invariance.moved_root import moved_root
from support.invariance.renamed import renamed
from support.invariance.reversed_axes import reversed_axes
from support.invariance.robots import robot, state
from support.invariance.same_turns import same_turns
from support.invariance.scaled_units import Units, scaled_units
from support.invariance.twins import Comparison, Evaluator, Relation, State, compare, float_evaluator
from symdyn.robot import Robot
from symdyn.warning import SymdynWarning

LARGE, SMALL = Units(1e3, 1e-3, 1e3), Units(1e-3, 1e3, 1e-3)
RELATIONS: dict[str, Callable[[Robot, int], Relation | None]] = {
    "root moved": lambda own, seed: moved_root(own, np.random.default_rng(seed)),
    "names and order": lambda own, seed: renamed(own, random.Random(seed)),
    "axes reversed": lambda own, seed: reversed_axes(own, random.Random(seed)),
    "link cut": lambda own, seed: cut_link(own, random.Random(seed)),
    "whole turns": lambda own, seed: same_turns(own, random.Random(seed)),
    "large units": lambda own, seed: scaled_units(own, LARGE),
    "small units": lambda own, seed: scaled_units(own, SMALL),
}
MIXED = ("constrained_inverse", "inverse_actuation")
"""Least solutions: a sum of squares in N and N m depends on units."""


def compared(
    relation: str, name: str, functions: list[str], evaluator: Evaluator = float_evaluator
) -> list[Comparison] | None:
    """What functions of a robot and its twin give; None where there is no such twin."""
    seed = crc32(f"{relation} {name}".encode())
    own = robot(name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SymdynWarning)
        twin = RELATIONS[relation](own, seed)
    if twin is None:
        return None
    if "units" in relation:
        functions = [function for function in functions if not function.startswith(MIXED)]
    return list(compare(own, twin, State(*state(name, seed), seed), functions, evaluator))
