"""``symdyn schema``, and files that name it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import symdyn
from symdyn.description.yaml.json_schema import FILE_NAME, HEADER, yaml_schema


def test_the_command_writes_it_and_convert_names_it(
    symdyn_command: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert symdyn_command("schema", "--out", FILE_NAME).code == 0
    assert json.loads(Path(FILE_NAME).read_text("utf-8")) == yaml_schema()
    assert json.loads(symdyn_command("schema").out) == yaml_schema()
    again = symdyn_command("schema", "--out", FILE_NAME)
    assert again.code == 2 and "--force" in again.err
    assert symdyn_command("convert", "pendulum", "--out", "pendulum.yaml").code == 0
    text = Path("pendulum.yaml").read_text("utf-8")
    assert text.startswith(HEADER)
    assert symdyn.load("pendulum.yaml").nv == symdyn.load_example("pendulum").nv
    Path(FILE_NAME).unlink()
    assert symdyn_command("convert", "pendulum", "--out", "plain.yaml").code == 0
    assert HEADER + Path("plain.yaml").read_text("utf-8") == text
