"""C99: each function over one state, and over lanes of states."""

from symdyn.compiler.emit.c.files import emit

__all__ = ["emit"]
