"""The bytes of stack that headers state are never fewer than those that compilers report by ``-fstack-usage``."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

import symdyn

CORTEX = ("-mthumb", "-mfloat-abi=hard")
TARGETS = {
    "gcc": ("gcc",),
    "gcc-native": ("gcc", "-march=native", "-fno-math-errno", "-fno-trapping-math", "-fno-tree-slp-vectorize"),
    "clang": ("clang",),
    "cortex-m4": ("arm-none-eabi-gcc", "-mcpu=cortex-m4", "-mfpu=fpv4-sp-d16", *CORTEX),
    "cortex-m7": ("arm-none-eabi-gcc", "-mcpu=cortex-m7", "-mfpu=fpv5-d16", *CORTEX),
}
LEVELS = ("-O0", "-O1", "-O2", "-O3", "-Os")
CASES = [
    ("double_pendulum", "gravity", "unrolled"),
    ("seven_dof_arm", "inverse_dynamics", "unrolled"),
    ("seven_dof_arm", "forward_dynamics", "rolled"),
    ("seven_dof_arm", "forward_kinematics", "split"),
    ("quadruped", "inverse_dynamics", "rolled-lanes"),
    ("quadruped", "forward_dynamics", "split-lanes"),
    ("five_bar", "constrained_forward_dynamics", "split"),
    ("soft_serial_robot", "inverse_dynamics", "rolled"),
    ("soft_serial_robot", "mass_matrix", "split"),
    ("seven_dof_arm", "forward_dynamics_partials", "unrolled"),
]
_DEFINED = re.compile(r"^(?:static|void|struct)[^;{}=]*?\b(\w+)\([^;{}]*\)\n\{\n(.*?)^\}", re.MULTILINE | re.DOTALL)
_CALLED = re.compile(r"\b(\w+)\(")


def generated(robot: str, function: str, layout: str, dtype: str, folder: Path) -> tuple[Path, int, int]:
    """The C file of a function, and the bounds that its header states: optimised, and not."""
    symdyn.generate(symdyn.load_example(robot), [function], out=folder, layout=layout, dtype=dtype, target="c")
    stated = re.search(r"at most (\d+) bytes compiled.* (\d+) with -O0", (folder / f"{robot}.h").read_text())
    assert stated is not None
    return folder / f"{robot}_{function}.c", int(stated[1]), int(stated[2])


def reported(source: Path, command: Sequence[str]) -> int:
    """Bytes on the stack along the deepest chain of calls from the function that the file is called after."""
    words = (*command, "-std=c99", "-ffp-contract=off", "-fstack-usage", "-c", source.name, "-o", "made.o")
    subprocess.run(words, check=True, cwd=source.parent)
    frames: dict[str, int] = {}
    for line in (source.parent / "made.su").read_text().splitlines():
        place, size, how = line.split("\t")
        assert how in ("static", "dynamic,bounded"), line
        name = place.rpartition(":")[2].partition(".")[0]
        frames[name] = max(frames.get(name, 0), int(size))
    called: dict[str, set[str]] = {}
    for name, body in _DEFINED.findall(source.read_text()):
        called.setdefault(name, set()).update(_CALLED.findall(body))

    def deepest(name: str) -> int:
        return frames.get(name, 0) + max((deepest(own) for own in called[name] - {name} if own in called), default=0)

    assert frames[source.stem] > 0
    return deepest(source.stem)


def check(case: tuple[str, str, str], dtype: str, ways: Sequence[tuple[str, str]], folder: Path) -> None:
    source, optimised, plain = generated(*case, dtype, folder)
    for target, level in ways:
        found = reported(source, (*TARGETS[target], level))
        assert found <= (plain if level == "-O0" else optimised), (target, level, found)


@pytest.mark.parametrize("case", CASES[1:3], ids="-".join)
def test_stack_is_within_what_the_header_states(case: tuple[str, str, str], tmp_path: Path) -> None:
    check(case, "float32", [("gcc", "-O0"), ("gcc", "-Os")], tmp_path)


@pytest.mark.cross
@pytest.mark.filterwarnings("ignore:five_bar")  # of rows that follow from others
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("number", range(len(CASES)))
def test_stack_of_every_target(number: int, dtype: str, tmp_path: Path, pytestconfig: pytest.Config) -> None:
    """Of the targets and levels every sixth, another one for each case; with ``--all-cases`` all of them."""
    ways = [(target, level) for level in LEVELS for target in TARGETS]
    first = 2 * number + (dtype == "float32")
    check(CASES[number], dtype, ways if pytestconfig.getoption("--all-cases") else ways[first % 6 :: 6], tmp_path)


def test_bounds_are_not_far_above(tmp_path: Path) -> None:
    """A bound that is always met because it is large tells nobody how much stack to leave."""
    source, optimised, plain = generated(*CASES[1], "float32", tmp_path)
    assert optimised < 5 * reported(source, ("gcc", "-Os"))
    assert plain < 3 * reported(source, ("gcc", "-O0"))
