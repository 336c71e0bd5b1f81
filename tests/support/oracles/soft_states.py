"""Settings of the oracle for robots with rods, their states, and how closely its results agree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mpmath import mp

from support.oracles import exact_results
from symdyn.description.robot import RobotDescription
from symdyn.interface.signature import Argument
from symdyn.verify.base.matrices import unit, vector
from symdyn.verify.harness.states import verification_states
from symdyn.verify.oracle.setting import Setting
from symdyn.verify.oracle.tree import public_tree
from symdyn.verify.oracle.truth import DIGITS

TIGHT = 1e-22
"""Central differences at fifty digits leave some 1e-32 of the third derivatives, which grow as rods turn."""


def setting_of(robot: RobotDescription, **options: Any) -> Setting:
    """The robot with its load options."""
    return Setting(robot, public_tree(robot), options)


def drawn(setting: Setting) -> dict[str, list]:
    """A random state."""
    sizes = {"q": setting.tree.nq, **dict.fromkeys(("v", "a", "tau"), setting.tree.nv)}
    arguments = [Argument(name, (n,), (tuple(map(str, range(n))),), ("",), "") for name, n in sizes.items()]
    states = verification_states(setting.tree, arguments, {}, 1)
    found = {name: vector(rows) for name, rows in states[-1].inputs.items()}
    for row in setting.tree.quaternions:  # unit to all digits, as most relations need
        found["q"][row : row + 4] = unit(found["q"][row : row + 4])
    return found


def force_of(setting: Setting, inputs: dict[str, list]) -> list:
    """``tau`` without the sizes of its terms, which take longer."""
    with mp.workdps(DIGITS):
        return setting.force(inputs)


def agree(found: Sequence, expected: Sequence, tolerance: float = TIGHT) -> None:
    """Fail where two vectors differ by more than a share of the largest entry, or of one."""
    exact_results.agree(found, expected, tolerance)
