"""What would a firmware compile? Write single-precision C for an arm and look at its interface."""

from __future__ import annotations

import tempfile
from pathlib import Path

import symdyn


def main() -> None:
    robot = symdyn.load_example("canadarm_rigid")
    with tempfile.TemporaryDirectory() as folder:
        out = Path(symdyn.generate(robot, ["inverse_dynamics"], out=Path(folder) / "canadarm", dtype="float32"))
        for path in sorted(out.iterdir()):
            if path.suffix in {".c", ".h"}:
                print(f"{path.name:36} {path.stat().st_size:6} bytes")
        header = next(out.glob("*.h")).read_text(encoding="utf-8")
        print(header)


if __name__ == "__main__":
    main()
