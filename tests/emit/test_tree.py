"""The tree that back ends print: what is read, what loops change, which tables are needed."""

from __future__ import annotations

from dataclasses import replace
from types import ModuleType, SimpleNamespace
from typing import cast

import pytest

import symdyn
from symdyn.compiler.emit.c.body import constant_lines
from symdyn.compiler.emit.tree.loops import For, Run, Tree, form_tree
from symdyn.compiler.tape.program import Buffer, BufferKind, Loop


@pytest.fixture
def tree(samples: ModuleType) -> Tree:
    return form_tree(samples.looped())


def test_loops_know_what_they_change(tree: Tree) -> None:
    loops = [node for node in tree.body if isinstance(node, For)]
    assert [(loop.level, loop.most) for loop in loops][:2] == [(0, 6), (0, 3)]
    assert loops[0].carried == ("tau", "state", "f") and loops[1].carried == ("m", "total")
    (inner,) = loops[1].body
    assert isinstance(inner, For) and (inner.level, inner.most, inner.carried) == (1, 4, ("m", "total"))
    assert tree.direct is None


def test_what_is_used_is_found_once(tree: Tree) -> None:
    assert {"q", "p", "tau", "order", "numbers", "state", "f"} <= tree.used and "unused" not in tree.used
    assert [buffer.name for buffer in tree.workspace] == ["state", "f"]
    assert "unused" not in [buffer.name for buffer in tree.tables]


def test_ports_that_nothing_rests_on_are_not_read(samples: ModuleType) -> None:
    port = samples.Port
    build = samples.TapeBuilder("half", [port("q", 1), port("v", 1)], [port("y", 1)])
    kept, _ = build.input(0, 0), build.op("sin", build.input(1, 0))
    tree = form_tree(samples.straight(build.tape([kept]), "id"))
    assert isinstance(tree.direct, Run) and tree.direct.read == {0}
    assert [port.name for port, _ in tree.direct.loads] == ["q"] and "v" not in tree.used


def test_loops_that_never_run_are_left_out(samples: ModuleType) -> None:
    program = samples.looped()
    idle = replace(program, body=(*program.body, Loop(0, program.body[:1])))
    assert form_tree(idle).body == form_tree(program).body


def test_a_lone_call_brings_its_table_in_every_language() -> None:
    robot = symdyn.load_example("pendulum")
    for target in ("c", "python", "jax"):
        texts = [file.text for file in symdyn.api.sources(robot, ["mass_matrix"], layout="rolled", target=target)]
        own = [text for text in texts if "table_gather_0_constants[1]" in text]
        assert own and all("table_gather_0_constants[2] = {" in text or "constants = " in text for text in own), target


@pytest.mark.parametrize(("largest", "kind"), [(2**16 - 1, "unsigned short"), (2**16, "unsigned int")])
def test_places_in_tables_have_a_type_that_holds_them(largest: int, kind: str) -> None:
    tree = cast("Tree", SimpleNamespace(tables=[Buffer("order", BufferKind.INDEX, 2, values=(0, largest))]))
    assert constant_lines(tree, "double", {"order": "order"})[0] == f"static const {kind} order[2] = {{"
