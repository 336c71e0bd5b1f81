"""The pages for users of Pinocchio and MuJoCo agree with these, as they say."""

from __future__ import annotations

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
