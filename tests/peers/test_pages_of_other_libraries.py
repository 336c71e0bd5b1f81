"""The pages for users of Pinocchio, MuJoCo and JAX agree with these, as they say."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest
from support.pages import blocks, run_page

pytestmark = [pytest.mark.peers, pytest.mark.needs_cc]


@pytest.mark.parametrize("library", ["pinocchio", "mujoco"])
def test_a_page_agrees_with_its_library(library: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    page = f"docs/coming-from-{library}.md"
    assert any(block.needs == library and "assert " in block.text for block in blocks(page))
    run_page(page, (library,))


@pytest.mark.filterwarnings("default:walker.urdf")  # it says what may touch the ground
def test_the_page_of_jax_runs_and_that_of_torch_where_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import jax

    monkeypatch.chdir(tmp_path)
    before = jax.config.jax_enable_x64
    torch = ("torch",) if importlib.util.find_spec("torch") else ()
    try:
        run_page("docs/jax.md", ("jax", *torch))
    finally:
        jax.config.update("jax_enable_x64", before)
