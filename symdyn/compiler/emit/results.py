"""What a call in Python gives where a function has several outputs: a named tuple of a class in the module."""

from __future__ import annotations

from dataclasses import dataclass

from symdyn.compiler.emit.names import Mangler
from symdyn.interface.signature import Argument, Signature

FIELDS = Mangler(reserved=frozenset({"count", "index"}))
"""Fields of named tuples; the reserved ones are methods of tuples."""


@dataclass(frozen=True, slots=True)
class Result:
    """The class of a function's results, ``ForwardDynamicsPartials``, and its fields with what they hold."""

    name: str
    fields: tuple[tuple[str, Argument], ...]

    @property
    def field_names(self) -> tuple[str, ...]:
        """Names of the fields, in the order of the outputs."""
        return tuple(name for name, _ in self.fields)


def result_of(signature: Signature) -> Result | None:
    """The class of a function's results; None for a single output, which is an array."""
    if len(signature.outputs) == 1:
        return None
    name = "".join(part.capitalize() for part in signature.function.split("_"))
    return Result(name, tuple((FIELDS.name(output.name), output) for output in signature.outputs))
