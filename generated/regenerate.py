"""Write the committed samples: a few small robots in every layout and language worth reading.

Usage: python -P generated/regenerate.py FOLDER
"""

from __future__ import annotations

import sys
from pathlib import Path

import symdyn

SAMPLES = (
    ("pendulum", "c", "unrolled"),
    ("double_pendulum", "c", "unrolled"),
    ("canadarm_rigid", "c", "rolled"),
)


def main(folder: Path) -> None:
    """Generate every sample below ``folder``."""
    for robot, target, layout in SAMPLES:
        out = folder / f"{robot}_{layout}"
        symdyn.generate(symdyn.load_example(robot), ["inverse_dynamics"], out=out, target=target, layout=layout)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
