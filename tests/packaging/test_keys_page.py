"""Tables of keys in docs/yaml-format.md are those of the records."""

from __future__ import annotations

import runpy

from support.places import CHECKOUT


def test_tables_are_those_of_the_records() -> None:
    keys = runpy.run_path(str(CHECKOUT / "docs" / "keys.py"))
    text = keys["PAGE"].read_text(encoding="utf-8")
    assert keys["page"](text) == text
    assert set(keys["FAMILIES"]) <= {found[1] for found in keys["_TABLE"].findall(text)}
    changed = text.replace("| required |", "| 7 |")
    assert changed != text and keys["page"](changed) != changed
