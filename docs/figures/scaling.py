"""Draw time per call over the number of bodies and over the order, as examples/scaling.py does.

Usage: python examples/scaling.py --full --csv docs/figures/scaling.csv
       python docs/figures/scaling.py               (needs the extra `plot`)
"""

from __future__ import annotations

import sys

from figure_style import HERE, as_text, read_rows, save

sys.path.insert(0, str(HERE.parents[1] / "examples"))
from scaling import SUBJECTS, Times, draw_all


def main() -> None:
    """Write scaling.svg beside this file."""
    tables: dict[str, tuple[Times, Times]] = {}
    for row in read_rows("scaling"):
        both = tables.setdefault(row["function"], ({}, {}))
        both[SUBJECTS.index(row["subject"])][int(row["bodies"]), int(row["order"])] = float(row["us"])
    as_text()
    save(draw_all(tables), "scaling")


if __name__ == "__main__":
    main()
