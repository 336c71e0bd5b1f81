"""All figures of a comparison as CSV, one line per contestant and order."""

from __future__ import annotations

import csv
import io

from symdyn.compare.comparison import Comparison, Point
from symdyn.compare.exact_results import relative

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
