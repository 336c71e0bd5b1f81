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
from support.rotation import in_turn

from symdyn.functions.catalogue import CATALOGUE

pytestmark = pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")

SMALL = ("double_pendulum", "five_bar", "pendulum", "four_bar", "seven_dof_arm")
"""Shipped robots that have all twins, and whose functions take little time."""
LIGHT = [function for function in CATALOGUE if not function.endswith(("_hessian", "_derivatives_partials"))]
NO_TWIN = {("link cut", "acted")}
"""Kinds of random robots none of which has such a twin: fluids are about whole links."""


def worst(found: list, functions: list[str]) -> list:  # type: ignore[type-arg]
    """Comparisons that do not hold; there are some at all."""
    assert found, functions
    return [own for own in found if not own.holds]


@pytest.mark.parametrize(("relation", "name"), in_turn(list(RELATIONS), SMALL), scope="module")
def test_shipped_robots_and_their_twins(relation: str, name: str) -> None:
    found = compared(relation, name, LIGHT)
    assert found is not None
    assert not worst(found, LIGHT)


@pytest.mark.parametrize(
    ("relation", "kind"),
    [case for case in ((relation, kind) for relation in RELATIONS for kind in KINDS) if case not in NO_TWIN],
)
def test_random_robots_and_their_twins(relation: str, kind: str) -> None:
    """Of each kind the first robot that has such a twin, from one that differs from relation to relation on."""
    start = crc32(f"{relation} {kind}".encode())
    functions = [own for place, own in enumerate(LIGHT) if place % 4 == start % 4]
    for step in range(EACH):
        found = compared(relation, f"{kind} {(start + step) % EACH}", functions)
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
        ("root moved", "seven_dof_arm", "auto"),
        ("root moved", "four_bar", "split"),
        ("names and order", "rigid 9", "rolled"),
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
    found = compared(relation, name, functions, compiled_evaluator(functions, layout))
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
