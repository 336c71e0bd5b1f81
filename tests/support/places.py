"""Where tests find what is no Python: the checkout, and the corpus of robot files."""

from __future__ import annotations

from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
CORPUS = CHECKOUT / "tests" / "description" / "corpus"
