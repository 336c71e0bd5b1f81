"""All figures of a comparison as CSV, one line per contestant and order, written and read."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Mapping

import numpy as np

from symdyn.analysis.compare.comparison import Comparison, Point
from symdyn.analysis.compare.contestants import CONTESTANTS
from symdyn.analysis.compare.exact_results import relative
from symdyn.analysis.compare.measurement import Figures
from symdyn.analysis.compare.task import Kind

COLUMNS = (
    "robot",
    "function",
    "order",
    "contestant",
    "operations",
    "c_bytes",
    "generation_s",
    "compile_s",
    "ns_per_call",
    "error_u",
    "relative_error",
    "missing",
)
"""Sizes in bytes, times in s and ns; errors in units of u = 2^-53 and as they are; empty where there is none."""


def csv_text(comparison: Comparison) -> str:
    """The text of the CSV file, with a head line."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for point in sorted(comparison.points, key=lambda item: item.order):
        row = [comparison.robot, comparison.function, point.order, point.contestant, *_figures(point), point.missing]
        writer.writerow("" if value is None else value for value in row)
    return text.getvalue()


def comparison_of(text: str) -> Comparison:
    """The comparison that such a file tells of, without results and budget."""
    rows = list(csv.DictReader(io.StringIO(text)))
    first, names = rows[0], dict.fromkeys(row["contestant"] for row in rows)
    return Comparison(
        first["robot"],
        first["function"],
        first["function"].endswith(Kind.TIME.value),
        tuple(sorted({int(row["order"]) for row in rows})),
        tuple(CONTESTANTS[name] for name in names),
        (),
        tuple(_point(row) for name in names for row in rows if row["contestant"] == name),
        math.nan,
    )


def _point(row: Mapping[str, str]) -> Point:
    name, order = row["contestant"], int(row["order"])
    if row["missing"]:
        return Point(name, order, None, None, row["missing"])
    size, operations = (int(row[key]) if row[key] else None for key in ("c_bytes", "operations"))
    compiling = float(row["compile_s"]) if row["compile_s"] else None
    times = float(row["generation_s"]), compiling, float(row["ns_per_call"])
    figures = Figures(operations, size, *times, np.empty(0))
    return Point(name, order, figures, float(row["error_u"]))


def _figures(point: Point) -> list[float | None]:
    if point.figures is None or point.error_in_u is None:
        return [None] * 7
    found = point.figures
    return [
        found.operations,
        found.c_bytes,
        round(found.generation_s, 4),
        None if found.compile_s is None else round(found.compile_s, 4),
        round(found.nanoseconds, 2),
        float(f"{point.error_in_u:.4g}"),
        float(f"{relative(point.error_in_u):.4g}"),
    ]
