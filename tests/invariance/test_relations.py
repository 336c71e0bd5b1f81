"""Robots beside their twins: a root that is moved, other names, axes turned round, links cut, other units, whole turns.

No truth is needed: results must change as the robot does. ``python tests/invariance/table.py`` tries everything.
"""

from __future__ import annotations

from zlib import crc32

import numpy as np
import pytest
from support.invariance.compiled import compiled_evaluator
from support.invariance.relations import RELATIONS, compared
from support.invariance.robots import EACH, KINDS, robot
from support.invariance.twins import RELATED

from symdyn.functions.catalogue import CATALOGUE

pytestmark = pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")

SHIPPED = ("four_bar", "double_pendulum", "five_bar", "pendulum", "seven_dof_arm")
"""Shipped robots that take little time; the first one has loops, and is looked at in every relation."""
LIGHT = [function for function in CATALOGUE if not function.endswith(("_hessian", "_derivatives_partials"))]
CHANGES = [relation for relation in RELATIONS if relation != "read from YAML"]
"""What is read back is looked at in ``test_formats``."""
DEAR = ("looped", "soft")
"""Kinds of random robots whose twins run with the slow tests, all of them."""
LOOPS = ("constrain", "impulse", "operational")
"""Beginnings of the names of functions that only robots with loops have."""
KNOWN = {"station": "soft", "contact_gaps": "acted"}
"""And of others that only one kind of random robots has."""


def worst(found: list, functions: list[str]) -> list:  # type: ignore[type-arg]
    """Comparisons that do not hold; there are some at all."""
    assert found, functions
    return [own for own in found if not own.holds]


def share(relation: str, kind: str) -> list[str]:
    """Functions that CI looks at: those of all robots once per relation, those of loops in one relation of three.

    From relation to relation others, so each kind of robot has each of its functions in some relation.
    """
    turn, place = CHANGES.index(relation), KINDS.index(kind)
    shared = [own for own in LIGHT if not own.startswith((*LOOPS, *KNOWN))]
    found = shared[(turn + place) % len(KINDS) :: len(KINDS)]
    if kind == "looped":
        found += [own for own in LIGHT if own.startswith(LOOPS)][turn % 3 :: 3]
    found = [own for own in found if own in RELATED]
    return found + [own for own in LIGHT for start, only in KNOWN.items() if own.startswith(start) and kind == only]


@pytest.mark.parametrize(
    ("relation", "name"),
    [
        pytest.param(relation, name, marks=() if name == SHIPPED[0] else pytest.mark.slow)
        for relation in CHANGES
        for name in SHIPPED
        if relation != "free base moved"  # none of them has one
    ],
)
def test_shipped_robots_and_their_twins(relation: str, name: str) -> None:
    found = compared(relation, name, [own for own in LIGHT if own in RELATED])
    assert found is not None
    assert not worst(found, LIGHT)


@pytest.mark.parametrize(
    "kind",
    [pytest.param(kind, marks=[pytest.mark.slow, pytest.mark.every_case] if kind in DEAR else ()) for kind in KINDS],
)
@pytest.mark.parametrize("relation", CHANGES)
def test_random_robots_and_their_twins(relation: str, kind: str) -> None:
    """The first robot of a kind that has such a twin, from one of the six smallest on, which changes."""
    start, functions = crc32(f"{relation} {kind}".encode()) % 6, share(relation, kind)
    names = sorted((f"{kind} {number}" for number in range(EACH)), key=lambda name: robot(name).nv)
    for name in (*names[start:6], *names[:start], *names[6:]):
        found = compared(relation, name, functions)
        if found is not None:
            assert not worst(found, functions)
            return
    raise AssertionError("no robot has such a twin")


@pytest.mark.parametrize("relation", ["large units", "small units"])
def test_rows_that_follow_from_others_are_the_same_in_all_units(relation: str) -> None:
    """One of the states that are looked at is near half a turn, where rounding is a million times as large."""
    found = compared(relation, "looped 11", ["constraint_jacobian", "constrained_forward_dynamics"])
    assert found is not None
    assert not worst(found, [])


@pytest.mark.needs_cc
@pytest.mark.parametrize(
    ("relation", "name", "layout"),
    [
        ("root moved", "four_bar", "split"),
        ("names and order", "rigid 9", "rolled"),
        pytest.param("link cut", "quadruped", "split-lanes", marks=pytest.mark.slow),
        pytest.param("root moved", "stewart_platform", "rolled-lanes", marks=pytest.mark.slow),
        pytest.param("free base moved", "aerial_manipulator", "auto", marks=pytest.mark.slow),
        pytest.param("root moved", "seven_dof_arm", "auto", marks=pytest.mark.slow),
        pytest.param("root moved", "quadruped", "auto", marks=pytest.mark.slow),
        pytest.param("root moved", "soft 8", "auto", marks=pytest.mark.slow),
        pytest.param("link cut", "flexible 1", "rolled", marks=pytest.mark.slow),
        pytest.param("axes reversed", "aerial_manipulator", "split", marks=pytest.mark.slow),
    ],
)
def test_compiled_robots_and_their_twins(relation: str, name: str, layout: str) -> None:
    functions = [
        own for own in ("inverse_dynamics", "forward_dynamics", "mass_matrix", "jacobians") if own in CATALOGUE
    ]
    if robot(name).constraints:
        functions += ["constrained_forward_dynamics", "operational_inertia"]
    found = compared(relation, name, functions, compiled_evaluator(functions, layout), rare=False)
    assert found is not None
    assert {own.function for own in found} == set(functions)
    assert not worst(found, functions)


def test_a_wrong_number_is_seen() -> None:
    """A gravity that does not turn with the root."""

    def wrong(own, function, options):  # type: ignore[no-untyped-def]
        from support.invariance.twins import float_evaluator

        made = float_evaluator(own, function, options)
        bias = 1e-6 * np.array(own.model.gravity[0])
        return lambda given: {name: np.asarray(values) + bias for name, values in made(given).items()}

    found = compared("root moved", "pendulum", ["inverse_dynamics"], wrong)
    assert found is not None
    assert worst(found, [])
