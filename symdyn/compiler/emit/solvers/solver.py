"""What solvers share: the folder that they are part of, its functions, names in C, and texts of their files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from symdyn.compiler.emit.arguments import WIDTH, wrap_items
from symdyn.compiler.emit.contents import SCALARS, Contents, Function
from symdyn.compiler.emit.names import Mangler, comment
from symdyn.compiler.emit.steppers.contents import held_name
from symdyn.compiler.emit.steppers.coordinates import normalise_lines
from symdyn.compiler.emit.steppers.moves import move_helpers, move_lines
from symdyn.compiler.emit.steppers.spelling import spelling
from symdyn.interface.signature import Argument
from symdyn.interface.solving import Solving, given_beside_position
from symdyn.interface.stepping import CONSTRAINT_FUNCTIONS, Rates


@dataclass(frozen=True, slots=True)
class RobotSolver:
    """A solver of one robot, over functions of its folder."""

    contents: Contents
    solving: Solving

    kind: ClassVar[str]
    verb: ClassVar[str] = ""
    template: ClassVar[str]
    title: ClassVar[str]

    @property
    def c_name(self) -> str:
        """Name of its function, or the stem of several."""
        return Mangler(prefix=f"{self.contents.identifier}_").name(f"{self.verb}{self.kind}")

    def function(self, name: str) -> Function:
        """A function of the folder."""
        return next(function for function in self.contents.functions if function.name == name)

    @property
    def constraints(self) -> tuple[Function, ...]:
        """Errors of loops and their slopes, none where there are no loops."""
        return tuple(map(self.function, CONSTRAINT_FUNCTIONS)) if self.solving.looped else ()

    @property
    def head(self) -> dict[str, Any]:
        """What every template needs: names, and how numbers and functions are spelled."""
        contents, scalar = self.contents, SCALARS[self.contents.dtype]
        return {
            **spelling(scalar),
            "name": self.c_name,
            "title": self.title,
            "robot": comment(contents.robot),
            "version": contents.version,
            "header": f"{contents.identifier}.h",
            "scalar": scalar,
        }

    def searching(self, nq: int, given: tuple[Argument, ...], settles: bool = False) -> dict[str, Any]:
        """What templates of searches need to move positions: the groups of the joints, and what stays as it is."""
        rows, scalar = self.solving.rows, SCALARS[self.contents.dtype]
        spell = spelling(scalar)
        return {
            "during": "a search",
            "size": nq,
            "held": [held_name(item) for item in given],
            "moves": move_lines(rows, scalar, spell),
            **move_helpers(rows, scalar),
            "normalise": normalise_lines(rows, scalar, spell),
            "acceleration": [],
            "settles": settles,
        }


@dataclass(frozen=True, slots=True)
class FrameSolver(RobotSolver):
    """A solver of one robot's frames, over one function of the catalogue that has a column per row of v."""

    called: ClassVar[str]
    verb = "solve_"

    @property
    def given(self) -> tuple[Argument, ...]:
        """Inputs of the function that stay as they are."""
        return given_beside_position(self.function(self.called).signature)

    @property
    def nq(self) -> int:
        """Rows of q."""
        return self.function(self.called).signature.input("q").size

    @property
    def nv(self) -> int:
        """Rows of v."""
        return self.function(self.called).signature.outputs[-1].shape[-1]

    @property
    def parameters(self) -> list[str]:
        """Those of the C function, on lines."""
        raise NotImplementedError

    def common(self, codes: dict[str, Any]) -> dict[str, Any]:
        """What templates need of either solver."""
        bounded = {
            v: entry.q + v - entry.v
            for entry in self.solving.rows
            if entry.rates is Rates.EQUAL
            for v in range(entry.v, entry.v + entry.count)
        }
        return {
            **self.head,
            **codes,
            "nq": self.nq,
            "nv": self.nv,
            "places": wrap_items([str(bounded.get(row, self.nq)) for row in range(self.nv)], WIDTH - 2),
            "parameters": self.parameters,
        }


def code_lines(c_name: str, meanings: Mapping[Any, str], title: str) -> list[str]:
    """The type of a solver's own codes in the header: a member per code, with its meaning."""
    codes = [f"  {c_name.upper()}_{code.name} = {code.value}, /* {text} */" for code, text in meanings.items()]
    codes[-1] = codes[-1].replace(", /*", " /*")
    return [f"/** {title} */", f"enum {c_name}_code {{", *codes, "};", ""]
