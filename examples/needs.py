"""What an example prints where an optional package is missing: a line that says so, and what it would have shown."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path


def needs(file: str, *packages: str) -> None:
    """End the example with exit code 0 where one of its packages is missing.

    Parameters
    ----------
    file
        The example's file; what it printed elsewhere is beside this one, in ``printed``, under its name.
    packages
        Names that it imports, or that symdyn imports for it.
    """
    missing = [name for name in packages if importlib.util.find_spec(name) is None]
    if not missing:
        return
    here, example = Path(__file__).parent, Path(file).resolve()
    print(
        f"this example needs {', '.join(missing)}, which is not installed: pip install {' '.join(map(_wheel, missing))}"
    )
    printed = here / "printed" / f"{'_'.join(example.relative_to(here).with_suffix('').parts)}.txt"
    if printed.is_file():  # made by running the example, its output sent there
        print("on a machine that has it, it printed:\n")
        print(printed.read_text(encoding="utf-8"), end="")
    sys.exit(0)


def _wheel(name: str) -> str:
    """What pip calls a package."""
    return {"sksundae": "scikit-sundae", "acados_template": "comma-deps-acados"}.get(name, name)
