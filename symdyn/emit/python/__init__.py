"""Python over NumPy."""

from symdyn.emit.python.files import emit

__all__ = ["emit"]
