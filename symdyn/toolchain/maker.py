"""What makes further functions of the robot of a module; the module itself knows no robot."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from symdyn.interface.stepping import CoordinateRows

if TYPE_CHECKING:
    from symdyn.toolchain.module import Module


class Maker(Protocol):
    """Makes functions with the options that those of a module were made with, where they take them."""

    def rows(self) -> tuple[CoordinateRows, ...]:
        """How rows of q change with rows of v."""

    def make(self, function: str, target: str) -> Module:
        """A module with that function of the catalogue, for a target.

        Raises
        ------
        SymdynError
            The robot has no such function, or it cannot be compiled here.
        """
