"""Statements of tapes, text of addresses, and wrapped lines."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from symdyn.compiler.emit.arguments import call_lines, wrap_items
from symdyn.compiler.emit.c.body import form_unit
from symdyn.compiler.emit.printing.addresses import offset_text
from symdyn.compiler.emit.tree.loops import form_tree
from symdyn.compiler.tape.tape import Port


def test_a_program_of_one_call_is_straight_line_c(samples: ModuleType) -> None:
    build = samples.TapeBuilder("pendulum", [Port("q", 2, "rad", ("hip", "a-b"))], [Port("tau", 2)])
    pair = build.op("sincos", build.input(0, 1))
    product = build.op("mul", build.constant(-9.81), build.op("sin_of", pair))
    tape = build.tape([product, build.op("lane_sum", product, varying=False)])
    unit = form_unit(form_tree(samples.straight(tape, "id")), "float")
    assert unit.kernels == () and unit.constants == ()
    assert unit.body == (
        "const float v0 = q[1]; /* a-b [rad] */",
        "const struct sine_cosine p1 = sine_cosine(v0);",
        "const float v4 = (-9.81f) * p1.sine;",
        "tau[0] = v4;",
        "tau[1] = v4;",
    )


def test_the_pairs_of_a_kernel_are_evaluated_four_at_once(samples: ModuleType) -> None:
    build = samples.TapeBuilder("arm", [Port("q", 6, "rad")], [Port("y", 1)])
    total = build.input(0, 0)
    for index in range(6):
        pair = build.op("sincos", build.op("neg", total) if index == 5 else build.input(0, index))
        total = build.op("add", total, build.op("cos_of" if index % 2 else "sin_of", pair))
    program = samples.straight(build.tape([total]), "id")
    lines = [line.split(" /*")[0] for line in form_unit(form_tree(program), "double").body]
    assert lines[6:] == [
        "const struct sines_cosines p6 = sines_cosines(v1, v2, v3, v4);",
        "const struct sines_cosines p10 = sines_cosines(v5, 0.0, 0.0, 0.0);",
        "const double v12 = v0 + p6.sine[0];",
        "const double v14 = v12 + p6.cosine[1];",
        "const double v16 = v14 + p6.sine[2];",
        "const double v18 = v16 + p6.cosine[3];",
        "const double v20 = v18 + p10.sine[0];",
        "const double v21 = -v20;",
        "const struct sines_cosines p22 = sines_cosines(v21, 0.0, 0.0, 0.0);",
        "const double v24 = v20 + p22.cosine[0];",
        "y[0] = v24;",
    ]
    alone = samples.TapeBuilder("hinge", [Port("q", 1, "rad")], [Port("y", 1)])
    sine = alone.op("sin_of", alone.op("sincos", alone.input(0, 0)))
    unit = form_unit(form_tree(samples.straight(alone.tape([sine]), "id")), "double")
    assert unit.uses_pairs and "sines_cosines" not in unit.needs
    assert any("= sine_cosine(" in line for line in unit.body)


def test_kernels_on_disjoint_buffers_say_restrict_and_others_do_not(samples: ModuleType) -> None:
    (_, down, up, _) = form_unit(form_tree(samples.looped()), "double").kernels
    assert any("const double *restrict c," in line for line in down)
    assert any("double *restrict out_f)" in line for line in up)
    (_, turn) = form_unit(form_tree(samples.overlapping()), "double").kernels
    assert turn[0] == "static void kernel_turn(const double *y, double *out_y)"


@pytest.mark.parametrize(
    ("base", "strides", "text"),
    [
        (0, (), "0"),
        (7, (), "7"),
        (0, (1,), "i0"),
        (0, (12,), "12 * i0"),
        (7, (1, 0, 3), "7 + i0 + 3 * i2"),
        (6, (-1,), "6 - i0"),
        (6, (-2, 4), "6 + 4 * i1 - 2 * i0"),
        (0, (-1, 2), "2 * i1 - i0"),
        (0, (-1,), "0 - i0"),
    ],
)
def test_offsets(base: int, strides: tuple[int, ...], text: str) -> None:
    assert offset_text(base, strides) == text


def test_lines_break_between_items_only() -> None:
    assert wrap_items(["ab", "cd", "ef"], 7) == ["ab, cd,", "ef"]
    assert wrap_items(["a long item", "b"], 5) == ["a long item,", "b"]
    assert wrap_items([], 5) == []
    assert call_lines("f", []) == ["f()"]
    assert call_lines("f", ["a", "b"], ";") == ["f(a, b);"]
    assert call_lines("f", ["a" * 60, "b" * 60], ";") == ["f(", f"    {'a' * 60},", f"    {'b' * 60});"]


def test_values_of_a_chunk_are_let_go(
    samples: ModuleType, write_module: Callable[..., Path], load_numpy: Callable[[Path], ModuleType]
) -> None:
    build = samples.TapeBuilder("chain", [Port("x", 1)], [Port("y", 1)])
    value, factor = build.input(0, 0), build.constant(0.5)
    for _ in range(1000):
        value = build.op("mul", value, factor)
        value = build.op("add", value, factor)
    module = load_numpy(write_module([samples.straight(build.tape([value]), "chain")], "python"))
    x = np.full((1024, 1), 0.25)
    module.chain(x)
    tracemalloc.start()
    try:
        result = module.chain(x)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    np.testing.assert_array_equal(result, np.ones((1024, 1)))
    assert peak < 40 * x.nbytes  # all 2000 values together would take 50 times more
