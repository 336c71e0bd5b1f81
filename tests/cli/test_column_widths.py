"""Widths of a table's columns, and where a cell breaks that is wider than its column."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symdyn.cli import terminal
from symdyn.cli.column_widths import broken, column_widths

NAMES = ("elbow", "left_arm_shoulder_flexion_joint", "payload_mass_of_the_gripper")


def test_what_fits_keeps_its_width() -> None:
    assert column_widths(("row", "name"), [("0", "elbow"), ("10", "x")], 11) == [3, 5]


def test_titles_break_before_cells_do() -> None:
    titles, rows = ("row", "name", "unit of v", "unit of tau"), [("0", "shoulder_flexion_joint", "rad/s", "N m")]
    assert column_widths(titles, rows, 54) == [3, 22, 9, 11]
    assert column_widths(titles, rows, 53) == [3, 22, 9, 4]
    assert column_widths(titles, rows, 43) == [3, 22, 5, 4]
    assert column_widths(titles, rows, 42) == [3, 21, 5, 4]


def test_the_widest_column_gives_way_and_short_words_stay_whole() -> None:
    assert column_widths(("room", "text"), [("description", "a joint " * 40)], 40) == [11, 26]
    assert column_widths(("a", "b"), [("n" * 50, "payload_mass_of_the_gripper")], 40) == [18, 19]
    assert column_widths(("mass",), [("payload_mass_of_the_gripper",)], 5) == [5]


@given(
    st.lists(st.lists(st.text("ab _.1é漢", max_size=30), min_size=3, max_size=3), max_size=4),
    st.integers(1, 90),
)
def test_widths_fill_at_most_what_there_is(rows: list[list[str]], available: int) -> None:
    widths = column_widths(("row", "unit of v", "name"), rows, available)
    assert min(widths) >= 1
    assert sum(widths) + 6 <= max(available, 9)


@pytest.mark.parametrize("name", NAMES)
@given(width=st.integers(1, 40))
def test_breaking_loses_no_character(name: str, width: int) -> None:
    lines = broken(name, width).split("\n")
    assert "".join(lines) == name
    assert all(line.endswith("_") for line in lines[:-1])
    assert [line for line in lines if len(line) > width and "_" in line[:-1]] == []


def test_the_lines_of_an_indented_name_are_indented() -> None:
    assert broken("    arm_left_1_link", 18) == "    arm_left_1_\n    link"
    assert broken("  arm_left_1_link on base", 12) == "  arm_left_\n  1_link on base"


def test_a_table_breaks_names_after_a_separator(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "24")
    terminal.table(("row", "name"), [(0, NAMES[1]), (1, "elbow")], numbers=(0,))
    assert capsys.readouterr().out.splitlines() == [
        "row   name",
        "────────────────────────",
        "  0   left_arm_shoulder_",
        "      flexion_joint",
        "  1   elbow",
    ]


def test_numbers_never_break_and_names_break_at_separators(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "42")
    terminal.table(("link", "rod [kg]", "curvature_y", "curvature_z"), [("  arm", "0.824668", 5, 5)], numbers=(1, 2, 3))
    shown = capsys.readouterr().out.splitlines()
    assert shown[-1].split() == ["arm", "0.824668", "5", "5"] and shown[-1].startswith("  arm")
    assert [line.split().count("curvature_") for line in shown].count(2) == 1


def test_prose_breaks_at_blanks_alone(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "24")
    terminal.note("- joint left-shoulder_flexion_joint is held", "  ")
    assert capsys.readouterr().out.splitlines() == ["- joint", "  left-shoulder_flexion_joint", "  is held"]


def test_a_column_without_entries_is_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    terminal.table(("name", "lower", "upper"), [("elbow", "", 2), ("wrist", "", "")], numbers=(1, 2))
    assert capsys.readouterr().out.splitlines() == ["name    upper", "─────────────", "elbow       2", "wrist"]
    terminal.table(("function", "operations"), [])
    assert capsys.readouterr().out.split()[:2] == ["function", "operations"]
