"""The version of symdyn, the one in ``pyproject.toml`` (a test compares them)."""

VERSION = "0.1.0"
