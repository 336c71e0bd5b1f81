"""Python over NumPy."""

from symdyn.compiler.emit.python.files import emit

__all__ = ["emit"]
