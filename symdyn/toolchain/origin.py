"""Where a module comes from, and how it and its functions are pickled: by that place, and by what lay there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial, update_wrapper
from types import BuiltinFunctionType
from typing import Any


@dataclass(frozen=True, slots=True)
class Origin:
    """A folder from which a module can be opened again.

    ``kind`` is what of it is run: ``"extension"``, ``"ctypes"``, ``"python"`` or ``"jax"``; ``manifest`` the content
    hash of the manifest, and ``sha256`` the hash of the file that is run.
    """

    folder: str
    kind: str
    manifest: str
    sha256: str


class OwnedFunction(partial[Any]):
    """A function of a module, pickled as an attribute of it; it adds some 30 ns to a call."""

    place: tuple[Any, str]

    @classmethod
    def of(cls, owner: Any, name: str, function: Callable[..., Any]) -> OwnedFunction:
        """The function that is that attribute of its owner."""
        made = cls(function)
        update_wrapper(made, function)
        made.place = owner, name
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        return getattr, self.place

    def __copy__(self) -> OwnedFunction:
        return self

    def __deepcopy__(self, memo: object) -> OwnedFunction:
        return self

    def __eq__(self, other: object) -> bool:
        return isinstance(other, OwnedFunction) and self.func == other.func

    def __hash__(self) -> int:
        return hash(self.func)

    def __repr__(self) -> str:
        return repr(self.func)


def owned(owner: Any, functions: Mapping[str, Callable[..., Any]]) -> dict[str, Callable[..., Any]]:
    """The functions, each of which knows its owner; those of an extension are told by the extension itself.

    Classes of results stay as they are, and so does what has a state and cannot be called, such as ``mpc``.
    """
    return {
        name: function
        if isinstance(function, BuiltinFunctionType | type) or not callable(function)
        else OwnedFunction.of(owner, name, function)
        for name, function in functions.items()
    }
