"""The robots that relations are tried on: every shipped one, and sixty random ones of all kinds."""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable
from dataclasses import replace
from functools import cache

import numpy as np
from numpy.typing import NDArray

from support.robots.kinds import FIXED, MOVING, R
from support.robots.looped import with_loops
from support.robots.random_acting import acted_upon
from support.robots.random_flexible_trees import make_flexible_robot
from support.robots.random_soft_trees import massive, softened
from support.robots.random_trees import make_robot
from support.robots.shipped_loops import GUESSES, SPREAD
from symdyn import api
from symdyn.description.loops import LoopKind
from symdyn.description.robot import RobotDescription
from symdyn.errors import SymdynError
from symdyn.robot.robot import Robot
from symdyn.robot.shipped.catalogue import SHIPPED
from symdyn.warning import SymdynWarning

Array = NDArray[np.float64]
KINDS = ("rigid", "acted", "looped", "flexible", "soft")
EACH = 12
"""Random robots of a kind."""
RANDOM = tuple(f"{kind} {number}" for kind in KINDS for number in range(EACH))
NAMES = (*SHIPPED, *RANDOM)
CONVENTIONS = ("pinocchio", "pinocchio", "spatial", "mujoco")


@cache
def robot(name: str) -> Robot:
    """One of NAMES."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SymdynWarning)
        if name in SHIPPED:
            return api.load_example(name)
        kind, _, number = name.partition(" ")
        for seed in range(100 * int(number), 100 * int(number) + 100):
            try:
                return _made(kind, seed)
            except SymdynError:  # a loop that can never be closed, or a place on one body
                continue
    raise AssertionError(f"no robot {name}")


def _made(kind: str, seed: int) -> Robot:
    rng = random.Random(f"{kind} {seed}")
    count = rng.randrange(2, 6 if kind in ("rigid", "acted") else 4)
    parents = [rng.randrange(max(0, index - 2), index + 1) for index in range(count)]
    kinds = [rng.choice((*MOVING, R, R, FIXED)) for _ in range(count)]
    floating = rng.random() < 0.5
    make: dict[str, Callable[[], RobotDescription]] = {
        "rigid": lambda: massive(make_robot(parents, kinds, seed, floating), seed),
        "acted": lambda: acted_upon(massive(make_robot(parents, kinds, seed, floating), seed), seed),
        "looped": lambda: massive(make_robot(parents, kinds, seed, floating), seed),
        "flexible": lambda: massive(make_flexible_robot(parents, kinds, seed, floating), seed),
        "soft": lambda: softened(massive(make_robot(parents, kinds, seed, floating), seed), seed, 0.3),
    }
    description = replace(make[kind](), name=f"{kind}-{seed}")
    if kind == "looped":
        held = list(LoopKind)
        description = replace(description, acting=with_loops(description, seed, (held[seed % 9], rng.choice(held))))
    gravity = tuple(round(rng.uniform(-9.0, 9.0), 2) for _ in range(3))
    return api.from_description(
        description, joint_losses=rng.random() < 0.6, convention=rng.choice(CONVENTIONS), gravity=gravity
    )


def state(name: str, seed: int) -> tuple[Array, Array]:
    """A random q and v; closed where a shipped robot has loops."""
    own, rng = robot(name), np.random.default_rng(seed)
    q, v = own.random_state(rng)
    if not own.constraints or name not in SHIPPED:
        return q, v
    start = own.neutral()
    for row, coordinate in enumerate(own.coordinate_names):
        start[row] = GUESSES.get(name, {}).get(coordinate, start[row])
    for spread in (SPREAD.get(name, 1.0), 0.3, 0.1, 0.03, 0.0):
        try:
            closed = own.close(own.integrate(start, spread * rng.standard_normal(own.nv)))
        except SymdynError:
            continue
        return own.project(closed, v)
    raise AssertionError(f"{name} does not close")
