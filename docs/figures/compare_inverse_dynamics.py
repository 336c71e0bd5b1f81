"""Draw time derivatives of inverse dynamics beside nine rivals, as ``symdyn compare --plot`` does.

Usage: symdyn compare aerial_manipulator --orders 0:5 --csv docs/figures/compare_inverse_dynamics.csv
       python docs/figures/compare_inverse_dynamics.py  (needs the extra `plot`)
"""

from __future__ import annotations

from pathlib import Path

from figure_style import FOLDER, as_text, save

from symdyn.analysis.compare.figure_table import comparison_of
from symdyn.analysis.compare.plot import comparison_figure

NAME = Path(__file__).stem


def main() -> None:
    """Write compare_inverse_dynamics.svg beside this file."""
    as_text()
    save(comparison_figure(comparison_of((FOLDER / f"{NAME}.csv").read_text(encoding="utf-8"))), NAME)


if __name__ == "__main__":
    main()
