"""Each function of the catalogue beside its truth: one wrong entry fails."""

from __future__ import annotations

import pytest
from support.cases import Case
from support.parts import OF_RIGID_ROBOTS
from support.tables.table import CASES

from symdyn.verify.base.compare import error_in_u, limit_in_u, output_blocks

ROBOTS = ("chain", "tree", "elastic chain", "followers", "fork", "spatial fork")
"""Of robots without a massless link, and with mimic joints, rotors and springs among them."""


def case_of(function: str) -> Case:
    """A case whose truth is kept, of the first of the robots that has one."""
    found = [case for case in CASES if case.function == function and case.robot in ROBOTS]
    return min(found, key=lambda case: ROBOTS.index(case.robot))


@pytest.mark.parametrize("name", OF_RIGID_ROBOTS)
def test_one_wrong_entry_is_noticed(name: str) -> None:
    case = case_of(name)
    exact = case.truth().exact[-1]  # at a random state
    rows = [float(value) for value in exact.values]
    blocks = output_blocks(case.signature.outputs)
    assert error_in_u(rows, exact.values, blocks, scales=exact.scales) < 1.0
    for block in (blocks[0], blocks[-1]):  # in the first output and in the last
        place = max(block, key=lambda row: abs(rows[row]))
        wrong = list(rows)
        wrong[place] += 1e-9 * max(float(exact.scales[row]) for row in block) or 1e-300
        assert error_in_u(wrong, exact.values, blocks, scales=exact.scales) > 100 * limit_in_u(4)
