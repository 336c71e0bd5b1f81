"""What a generated module holds, before any language: the one thing that every back end is given."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from symdyn.compiler.emit.names import Mangler, chosen_identifier, identifier
from symdyn.compiler.emit.tree.loops import Tree
from symdyn.compiler.tape.program import Program
from symdyn.interface.signature import Argument, Signature
from symdyn.interface.solving import Solving
from symdyn.interface.state_space import StateSpace
from symdyn.interface.stepping import Stepping

SCALARS: Mapping[str, str] = {"float64": "double", "float32": "float"}
"""The C type of each dtype."""

C_SCOPE = Mangler(reserved=frozenset({"work", "n", "state", "count", "block", "lane", "lanes", "lane_bits", "shared"}))
"""Parameters of C functions; the reserved ones are the back end's own."""


@dataclass(frozen=True, slots=True)
class Function:
    """One function: its program, its name in C, and its tree of statements, which back ends print."""

    program: Program
    c_name: str
    tree: Tree

    @property
    def signature(self) -> Signature:
        """Arguments and names."""
        return self.program.signature

    @property
    def name(self) -> str:
        """Name in the catalogue, which is its name in Python."""
        return self.program.signature.function

    @property
    def arguments(self) -> tuple[Argument, ...]:
        """Inputs, then outputs."""
        return self.signature.inputs + self.signature.outputs

    @property
    def counts(self) -> Mapping[str, int]:
        """Operations by kind."""
        return self.program.counts()


@dataclass(frozen=True, slots=True)
class Contents:
    """A robot's functions, all of one number type. ``identifier`` prefixes C names and is the stem of files.

    ``name`` is chosen in place of the robot's for that. ``frames`` are those that functions have rows of, in order.
    ``state`` is there for targets that tell where the robot starts.
    ``rows`` are those of q and of v, which functions take.
    ``headers`` are the endings of the headers that are installed.
    """

    robot: str
    version: str
    dtype: str
    functions: tuple[Function, ...]
    stepping: Stepping | None = None
    name: str | None = None
    frames: tuple[str, ...] = ()
    state: StateSpace | None = None
    headers: tuple[str, ...] = (".h",)
    solving: Solving | None = None
    rows: tuple[int, int] | None = None

    @property
    def identifier(self) -> str:
        """The name that was chosen, or else the robot's, mangled."""
        return identifier(self.robot) if self.name is None else chosen_identifier(self.name)

    @property
    def signatures(self) -> tuple[Signature, ...]:
        """Of the functions."""
        return tuple(function.signature for function in self.functions)

    @property
    def fp_contract(self) -> bool:
        """Whether fused multiply-adds were chosen for every program."""
        return all(function.program.fp_contract for function in self.functions)


def text_hash(lines: Iterable[str]) -> str:
    """First 16 hexadecimal digits of SHA-256 over lines: names what a generated function computes."""
    digest = hashlib.sha256()
    for line in lines:
        digest.update(line.encode("utf-8"))
        digest.update(b"\n")
    return digest.hexdigest()[:16]
