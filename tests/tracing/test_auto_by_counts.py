"""``auto`` beside all layouts, by machine instructions that are run one by one, and by lines of code that they fill."""

from __future__ import annotations

import platform
import sys
from pathlib import Path

import pytest
from support.instruction_counts import counted, counter

import symdyn
from symdyn.interface.targets import LAYOUTS
from symdyn.toolchain.find_compiler import find_compiler

pytestmark = [
    pytest.mark.needs_cc,
    pytest.mark.skipif(
        sys.platform != "linux" or platform.machine() != "x86_64" or "avx2" not in Path("/proc/cpuinfo").read_text(),
        reason="counts on x86-64 with AVX2 under Linux",
    ),
]

MARCH = "x86-64-v3"
WITHIN = 1.05
"""What auto may take of the layout with the least."""


def slow(*cases: tuple[str, str]) -> list[object]:
    return [pytest.param(*case, marks=pytest.mark.slow) for case in cases]


@pytest.mark.parametrize(
    ("name", "function"),
    [
        ("seven_dof_arm", "mass_matrix"),
        ("aerial_manipulator", "inverse_dynamics"),
        ("quadruped", "inverse_dynamics"),
        *slow(
            ("seven_dof_arm", "inverse_dynamics"),
            ("seven_dof_arm", "forward_dynamics"),
            ("seven_dof_arm", "inverse_dynamics_partials"),
            ("quadruped", "forward_dynamics"),
            ("quadruped", "inverse_dynamics_partials"),
            ("quadruped", "forward_dynamics_partials"),
            ("aerial_tree", "inverse_dynamics"),
        ),
    ],
)
def test_auto_is_near_the_best(name: str, function: str, tmp_path: Path) -> None:
    compiler = find_compiler()
    counts = counter(tmp_path, compiler)
    robot = symdyn.load_example(name)
    layouts = [layout for layout in LAYOUTS[1:] if name != "aerial_tree" or layout != "unrolled"]
    found = {layout: counted(robot, function, layout, MARCH, tmp_path, compiler, counts)[1] for layout in layouts}
    taken, auto = counted(robot, function, "auto", MARCH, tmp_path, compiler, counts)
    assert auto == found[taken], "the same code takes the same instructions"
    least = min(one.weighted for one in found.values())
    told = {layout: round(one.weighted) for layout, one in found.items()}
    assert auto.weighted <= WITHIN * least, f"auto took {taken}: {told}"
