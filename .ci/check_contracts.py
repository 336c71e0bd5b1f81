"""Check the import contracts of pyproject.toml on a copy of the package as it is installed.

Usage: python .ci/check_contracts.py

In the checkout ``cli/`` and ``templates/`` lie beside ``symdyn/``; the contracts are about the package that holds them.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from shutil import copytree, ignore_patterns
from tempfile import TemporaryDirectory

_ROOT = Path(__file__).resolve().parent.parent
_CODE = "from importlinter.cli import lint_imports_command; lint_imports_command()"


def main() -> int:
    """The exit code of the check."""
    with TemporaryDirectory() as made:
        package = Path(made) / "symdyn"
        for source, target in (("symdyn", package), ("cli", package / "cli"), ("templates", package / "templates")):
            copytree(_ROOT / source, target, ignore=ignore_patterns("__pycache__"))
        command = [sys.executable, "-c", _CODE, "--config", str(_ROOT / "pyproject.toml"), "--no-cache"]
        return subprocess.run(command, cwd=made, env={**os.environ, "PYTHONPATH": made}, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
