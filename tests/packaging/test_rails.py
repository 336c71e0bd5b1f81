"""The rails notice other arithmetic and more operations, and do not notice other names."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

RAILS = Path(__file__).resolve().parents[2] / "benchmarks" / "rails"

KERNEL = """/* bias wrench */
static void kernel_{name}_0(const double *restrict {port}, double *wrench)
{{
  const double v0 = {port}[0]; /* hy */
  wrench[{place}] = sin(v0) {sign} table_{name}_constants[0];
}}

static void kernel_next_0(const double *wrench, double *out)
{{
  out[0] = wrench[1];
}}
"""


@pytest.fixture(scope="module")
def rails() -> ModuleType:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(RAILS))
        import rails
    return sys.modules[rails.__name__]


def kernel(name: str = "bias", port: str = "pose", sign: str = "+", place: int = 3) -> str:
    return KERNEL.format(name=name, port=port, sign=sign, place=place)


def test_a_rename_leaves_the_hash_and_other_arithmetic_does_not(rails: ModuleType) -> None:
    first = rails.blanked(kernel())
    assert rails.blanked(kernel(name="rnea_forward", port="longer_name")) == first
    # The same word may become two, of a port here and of another there.
    assert (
        rails.blanked(kernel().replace("*wrench, double *out", "*load, double *out").replace("= wrench", "= load"))
        == first
    )
    others = [
        kernel(sign="-"),
        kernel(place=4),
        kernel().replace("sin(", "cos("),
        kernel().replace("double v0 = pose[0]", "double v0 = wrench[0]"),
        kernel().replace("kernel_next_0", "kernel_bias_0"),
    ]
    assert all(rails.blanked(other) != first for other in others)


def test_names_in_python_are_blanked_too(rails: ModuleType) -> None:
    text = 'def rnea(pose):\n    """Doc."""\n    return math.sin(pose) + 2.5e-3  # first\n'
    assert rails.blanked(text) == rails.blanked(
        text.replace("pose", "twist").replace("Doc", "Text").replace("first", "x")
    )
    assert rails.blanked(text) != rails.blanked(text.replace("2.5e-3", "2.5e-2"))


def test_what_the_check_tolerates(rails: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    row = rails.Row("arm", "bias", "", "c", "rolled", operations=1000, source_bytes=5, seconds=0.1, hash="a")
    large = replace(row, function="gravity", operations=10_000)

    def faults(one: int, other: int, exact: bool = False, digest: str = "a") -> int:
        after = [replace(row, operations=one, hash=digest), replace(large, operations=other)]
        return int(rails.compare([row, large], after, exact))

    assert faults(1020, 10_100) == 0 and faults(1021, 10_000) == 1 and faults(1000, 10_101) == 1
    assert faults(1020, 9_970, exact=True) == 0 and faults(1020, 10_000, exact=True) == 1
    assert faults(1000, 10_000, digest="b") == 0 and faults(1000, 10_000, exact=True, digest="b") == 1
    assert rails.compare([row, large], [row]) == 1
    capsys.readouterr()


def test_the_table_has_every_set_of_the_quick_check_and_all_bits(rails: ModuleType) -> None:
    known = [row.case for row in rails.read(RAILS / "rails.csv")]
    cases = sys.modules["cases"]
    named = {(case.robot, case.options, f"{case.target}/{case.layout}") for case in known}
    for own in cases.SETS:
        options = ";".join(f"{name}={text}" for name, text in own.options.items())
        assert not own.quick or {(own.robot, options, layout) for layout in own.layouts} <= named, own
    assert sum(case.target == cases.FLOATS for case in known) == 40
    assert len(set(known)) == len(known) and {case.robot for case in known} <= set(rails.robots())
