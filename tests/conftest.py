"""What holds for the whole suite: which symdyn is under test, and that random tests draw the same cases every time.

``--update-golden`` is declared here: pytest reads options before it collects, and looks no deeper than the test path.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from hypothesis import settings

_CHECKOUT = Path(__file__).resolve().parent.parent

# `python -m pytest` puts the checkout on the path, where symdyn/ lacks the parts that live in cli/ and templates/.
# The installed package is what users get, so it is what is tested (in place, where the install is editable).
sys.path[:] = [entry for entry in sys.path if Path(entry or ".").resolve() != _CHECKOUT]
os.environ["PYTHONSAFEPATH"] = "1"

settings.register_profile("fixed", derandomize=True, deadline=None, database=None)
settings.load_profile("fixed")


def pytest_addoption(parser: pytest.Parser) -> None:
    """The option of ``tests/golden``."""
    parser.addoption(
        "--update-golden", action="store_true", help="rewrite generated/samples with what is generated now"
    )
