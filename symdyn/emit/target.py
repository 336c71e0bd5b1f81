"""The languages that can be asked for: each one a list of back ends. A new language is one line here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from symdyn.emit.c import emit_c
from symdyn.emit.contents import Contents
from symdyn.emit.jax import emit_jax
from symdyn.emit.python import emit_python
from symdyn.emit.source import SourceFile
from symdyn.errors import RequestError
from symdyn.guesses import hint


@dataclass(frozen=True, slots=True)
class Target:
    """What a target writes beside the robot, the manifest and the README."""

    name: str
    title: str
    back_ends: tuple[Callable[[Contents], tuple[SourceFile, ...]], ...]

    @property
    def has_c(self) -> bool:
        """Whether the target includes the C files."""
        return emit_c in self.back_ends


TARGETS: Mapping[str, Target] = {
    target.name: target
    for target in (
        Target("c", "C99, and Python over NumPy", (emit_c, emit_python)),
        Target("python", "Python over NumPy", (emit_python,)),
        Target("jax", "Python over JAX", (emit_jax,)),
    )
}


def find_target(name: str) -> Target:
    """The target of that name.

    Raises
    ------
    RequestError
        An unknown name.
    """
    if name not in tuple(TARGETS):
        raise RequestError(
            f"target '{name}' is not known; expected one of {', '.join(sorted(TARGETS))}{hint(name, TARGETS)}"
        )
    return TARGETS[name]
