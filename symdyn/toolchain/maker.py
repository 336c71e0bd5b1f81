"""What a module of compiled functions gives to frameworks, and what makes further functions of its robot."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Protocol

from symdyn.interface.manifest import Manifest
from symdyn.interface.stepping import CoordinateRows


class CompiledFunctions(Protocol):
    """What frameworks call of a :class:`symdyn.toolchain.module.Module`."""

    manifest: Manifest
    maker: Maker | None
    path: Path | None

    @property
    def is_compiled(self) -> bool:
        """Whether its functions are compiled C."""

    def addresses(self) -> Mapping[str, tuple[int, int]]:
        """Addresses of the C functions by name, for one state and for a batch."""

    def tell_threads(self, tell: Callable[[int], None]) -> None:
        """Call ``tell`` with the number of threads that batches may use: now, and whenever it changes."""


class Maker(Protocol):
    """Makes functions with the options that those of a module were made with, where they take them."""

    def rows(self) -> tuple[CoordinateRows, ...]:
        """How rows of q change with rows of v."""

    def make(self, function: str, target: str) -> CompiledFunctions:
        """A module with that function of the catalogue, for a target.

        Raises
        ------
        SymdynError
            The robot has no such function, or it cannot be compiled here.
        """
