"""The tools that generated code is built with in tests; ``.ci/run`` sees to it that all of them are there."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

EIGEN = Path("/usr/include/eigen3")


def needs(*tools: str) -> pytest.MarkDecorator:
    """The mark of a test that runs commands or reads files; where this machine lacks one, it is skipped and says so."""
    missing = [tool for tool in tools if shutil.which(tool) is None and not Path(tool).is_file()]
    return pytest.mark.skipif(bool(missing), reason=f"{', '.join(missing)} is not installed here")


needs_eigen = needs(str(EIGEN / "Eigen/Core"))


def each_of(*commands: str) -> list[Any]:
    """Test parameters, one per command; a command that this machine lacks is skipped and says so."""
    return [pytest.param(command, marks=needs(command)) for command in commands]
