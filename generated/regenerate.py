"""Write the committed samples: a few small robots in every layout worth reading.

Usage: python -P generated/regenerate.py FOLDER

The test in ``tests/golden`` compares them with what is generated now; with ``--update-golden`` it rewrites them.
"""

from __future__ import annotations

import sys
from pathlib import Path

import symdyn

SAMPLES = {
    "pendulum_unrolled": ("pendulum", "unrolled"),
    "double_pendulum_unrolled": ("double_pendulum", "unrolled"),
    "canadarm_rigid_rolled": ("canadarm_rigid", "rolled"),
}
"""Robot and layout of each sample."""


def write_sample(sample: str, folder: Path) -> None:
    """Generate one sample into ``folder``."""
    robot, layout = SAMPLES[sample]
    symdyn.generate(symdyn.load_example(robot), ["inverse_dynamics"], out=folder, layout=layout)


def main(folder: Path) -> None:
    """Generate every sample below ``folder``."""
    for sample in SAMPLES:
        write_sample(sample, folder / sample)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
