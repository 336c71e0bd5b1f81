"""Loops that do the same in many places are one function of C."""

from __future__ import annotations

from dataclasses import replace
from types import ModuleType

from symdyn.compiler.emit.c.body import form_unit
from symdyn.compiler.emit.tree.loops import form_tree


def test_a_form_of_loops_is_written_once(samples: ModuleType) -> None:
    program = samples.many_alike_loops()
    unit = form_unit(form_tree(program), "double")
    _, backward, forward = unit.kernels
    assert backward == (
        "static SEPARATE void kernel_square_loop_1(const double *restrict x, double *restrict y)",
        "{",
        "  INDEPENDENT_ITERATIONS",
        "  for (size_t i = 0; i < 3; ++i) {",
        "    kernel_square(x - i, y + i);",
        "  }",
        "}",
    )
    assert forward[-3] == "    kernel_square(x + i, y + i);"
    assert unit.body[:2] == ("kernel_square_loop_1(x + 5, y);", "kernel_square_loop_2(x + 1, y + 3);")
    assert unit.body[-3:] == (
        "for (size_t i0 = 0; i0 < 2; ++i0) {",
        "  kernel_square_loop_2(x + i0, y + (210 + 3 * i0));",
        "}",
    )


def test_few_loops_stay_where_they_are(samples: ModuleType) -> None:
    program = samples.many_alike_loops()
    unit = form_unit(form_tree(replace(program, body=program.body[:40])), "double")
    assert len(unit.kernels) == 1 and len(unit.body) == 40 * 4
