"""The compilers that generated C is compiled with in tests; ``.ci/run`` sees to it that all of them are there."""

from __future__ import annotations

import shutil
from typing import Any

import pytest


def each_of(*commands: str) -> list[Any]:
    """Test parameters, one per command; a command that this machine lacks is skipped and says so."""
    return [
        pytest.param(
            command,
            marks=pytest.mark.skipif(shutil.which(command) is None, reason=f"{command} is not installed here"),
        )
        for command in commands
    ]
