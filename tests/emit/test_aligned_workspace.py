"""Workspace that begins at a whole vector, in functions whose few lanes make no loop."""

from __future__ import annotations

from support.robots.small import loaded
from support.robots.soft_trees import soft_arm

from symdyn.generation.pipeline import sources


def test_what_aligns_the_workspace_is_included() -> None:
    files = sources(loaded(soft_arm()), ["coriolis_matrix"], layout="rolled")
    text = next(file.text for file in files if file.path.endswith("coriolis_matrix.c"))
    before, _, _ = text.partition("#include <stdint.h>")
    assert "work += (0 - (uintptr_t)work)" in text
    assert before.count("#if") == before.count("#endif")
