"""Kernels are nodes with types and no text; each language prints the same ones."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest
from support.pages import blocks

from symdyn.compiler.emit.c.kernels import CPrinter
from symdyn.compiler.emit.python.kernels import ChunkPrinter
from symdyn.compiler.emit.tree.form_kernel import form_kernel
from symdyn.compiler.emit.tree.kernel import (
    ROUNDED_SUB,
    Access,
    Constant,
    Kernel,
    Kind,
    Let,
    Load,
    Place,
    Product,
    SineCosine,
    Store,
)
from symdyn.compiler.emit.tree.varying import varying_ops
from symdyn.compiler.tape.tape import Port, Tape


@pytest.fixture
def tape(samples: ModuleType) -> Tape:
    build = samples.TapeBuilder(
        "mixed",
        [Port("q", 2, "rad", ("hip", "knee"), places=(1, 4)), Port("p", 1, "kg", ("mass",))],
        [Port("y", 2), Port("f", 1, accumulate=True)],
    )
    knee, mass, half = build.input(0, 1), build.input(1, 0), build.constant(-0.5)
    pair = build.op("sincos", knee)
    sine = build.op("sin_of", pair)
    build.op("cos_of", pair)  # nobody asks for it
    heavy = build.op("mul", mass, half)
    moved = build.op("sub", heavy, build.op("sin_of", pair))
    chosen = build.op("select", build.op("less", mass, half), moved, mass)
    again = build.op("lane_sum", build.input(0, 1), varying=False)
    return build.tape([chosen, again], [build.op("product", sine, mass)])


def form(tape: Tape) -> Kernel:
    inputs = [Place(3, ("m", "m", "m", "m", "deg"), Access.BESIDE, stride=8), Place()]
    outputs = [Place(access=Access.APART, stride=5, lanes=3), Place(access=Access.SUM, lanes=3)]
    return form_kernel(tape, inputs, outputs, varying=varying_ops(tape, (True, False)))


def test_values_have_types_and_no_text(tape: Tape) -> None:
    kernel = form(tape)
    ways = {node.__class__ for node in kernel.nodes}
    assert ways == {Constant, Load, Let, SineCosine, Product}
    assert kernel.nodes[:2] == (Load(0, 0, 7, True, ("knee", "deg")), Load(1, 1, 0, False, ("mass", "kg")))
    (pair,) = [node for node in kernel.nodes if isinstance(node, SineCosine)]
    assert (pair.kind, pair.varying, [(own.sine, own.cosine) for own in pair.angles]) == (Kind.PAIR, True, [(4, None)])
    lets = {node.code: node for node in kernel.nodes if isinstance(node, Let)}
    assert lets.keys() == {"mul", ROUNDED_SUB, "less", "select"}
    assert (lets["less"].kind, lets["less"].varying) == (Kind.TRUTH, False)
    assert lets["select"].varying and lets[ROUNDED_SUB].args == (lets["mul"].at, 4)  # both read the first sine
    again = kernel.nodes[-2]
    assert again == Load(11, 0, 7, True, None)  # told once
    assert kernel.stores == (Store(0, 0, 10, False), Store(0, 1, 11, False), Store(1, 0, 13, True))


def test_each_language_prints_the_same_nodes(tape: Tape) -> None:
    in_lanes = CPrinter(form(tape), (("q", "p"), ("y", "f")), "double").print()
    assert in_lanes == [
        "const lanes v0 = lanes_load(q + 56); /* knee [deg] */",
        "const double v1 = p[0]; /* mass [kg] */",
        "const struct lanes_pair p3 = lanes_sine_cosine(v0);",
        "const double v6 = v1 * (-0.5);",
        "const lanes v8 = v6 - p3.sine;",
        "const int v9 = v1 < (-0.5);",
        "const lanes v10 = lanes_select(lanes_spread_truth(v9), v8, lanes_spread(v1));",
        "lanes_scatter(y, 5, lane, v10);",
        "const lanes v11 = lanes_load(q + 56);",
        "lanes_scatter(y + 1, 5, lane, v11);",
        "f[0] = lanes_add_products(f[0], p3.sine, lanes_spread(v1), lane);",
    ]
    alone = CPrinter(form_kernel(tape), (("q", "p"), ("y", "f")), "float", frozenset({0})).print()
    assert alone[2:4] == ["const struct sine_cosine p3 = sine_cosine(v0);", "const float v6 = v1 * (-0.5f);"]
    assert alone[4] == "const float v8 = SYMDYN_ROUNDED(v6) - p3.sine;"
    assert alone[-3:] == ["f[0] = SYMDYN_FMA(p3.sine, v1, f[0]);", "y[0] = v10;", "y[1] = v11;"]
    chunk = ChunkPrinter(form_kernel(tape), (("q", "p"), ("y", "f")), shared=True).print()
    assert chunk == [
        "v0 = q[4]  # knee [rad]",
        "v1 = p[0]  # mass [kg]",
        "s3 = np.sin(v0)",
        "v6 = v1 * (-0.5)",
        "v8 = v6 - s3",
        "v9 = v1 < (-0.5)",
        "v10 = np.where(v9, v8, v1)",
        "v11 = +q[4]",
        "v13 = s3 * v1",
        "y[0] = v10",
        "y[1] = v11",
        "f[0] += v13",
    ]


def test_neighbours_that_all_lanes_add_to_are_added_four_at_a_time(samples: ModuleType) -> None:
    build = samples.TapeBuilder("sums", [Port("q", 6)], [Port("f", 6, accumulate=True)])
    values = [build.op("neg", build.input(0, place)) for place in range(6)]
    tape = build.tape(values)
    places = [Place(access=Access.BESIDE, stride=4)], [Place(access=Access.SUM, lanes=4)]
    kernel = form_kernel(tape, *places, varying=varying_ops(tape, (True,)))
    printed = CPrinter(kernel, (("q",), ("f",)), "double")
    lines = printed.print()
    assert [line for line in lines if "add" in line] == [
        "lanes_add_tile(f, v1, v3, v5, v7, lane);",
        "f[4] = lanes_add(f[4], v9, lane);",
        "f[5] = lanes_add(f[5], v11, lane);",
    ]
    assert lines.index("lanes_add_tile(f, v1, v3, v5, v7, lane);") == 8, "as soon as all four are known"
    assert {"lanes_add_tile", "lanes_add", "lanes_store"} <= printed.needs


def test_the_printer_of_the_page_on_languages_prints_every_operation(samples: ModuleType, tape: Tape) -> None:
    (block,) = blocks("docs/adding-a-language.md")
    page: dict[str, Any] = {}
    exec(compile(block.text, "docs/adding-a-language.md", "exec"), page)  # noqa: S102  (our own page)
    lines = page["JavaScriptPrinter"](form_kernel(tape), ("q", "p"), ("y", "f")).print()
    assert lines[0] == "const v0 = q[4]; // knee [rad]"
    assert lines[6:] == [
        "const v10 = v9 ? v8 : v1;",
        "const v11 = q[4];",
        "const v13 = s3 * v1;",
        "y[0] = v10;",
        "y[1] = v11;",
        "f[0] += v13;",
    ]
    (every,) = samples.every_operation().tapes
    printed = page["JavaScriptPrinter"](form_kernel(every), "abcdefgh", "stuvwxyz").print()
    assert {"Math.atan2(", "Math.sinh(", "Math.sign("} <= {f"{line.split(' = ')[1].split('(')[0]}(" for line in printed}
