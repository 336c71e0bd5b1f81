"""What solvers of frames share: the functions that they call, places of limits, names in C."""

from __future__ import annotations

from typing import Any, ClassVar

from symdyn.compiler.emit.arguments import WIDTH, wrap_items
from symdyn.compiler.emit.contents import SCALARS, Contents, Function
from symdyn.compiler.emit.names import Mangler, comment
from symdyn.compiler.emit.steppers.spelling import spelling
from symdyn.interface.records import dataclass
from symdyn.interface.signature import Argument
from symdyn.interface.solving import Solving, given_beside_position
from symdyn.interface.stepping import CONSTRAINT_FUNCTIONS, Rates


@dataclass(frozen=True, slots=True)
class FrameSolver:
    """A solver of one robot's frames, over one function of the catalogue that has a column per row of v."""

    contents: Contents
    solving: Solving

    kind: ClassVar[str]
    called: ClassVar[str]
    template: ClassVar[str]
    title: ClassVar[str]

    @property
    def c_name(self) -> str:
        """Name of its function."""
        return Mangler(prefix=f"{self.contents.identifier}_").name(f"solve_{self.kind}")

    def function(self, name: str) -> Function:
        """A function of the folder."""
        return next(function for function in self.contents.functions if function.name == name)

    @property
    def constraints(self) -> tuple[Function, ...]:
        """Errors of loops and their slopes, none where there are no loops."""
        return tuple(map(self.function, CONSTRAINT_FUNCTIONS)) if self.solving.looped else ()

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
        contents, scalar = self.contents, SCALARS[self.contents.dtype]
        bounded = {
            v: entry.q + v - entry.v
            for entry in self.solving.rows
            if entry.rates is Rates.EQUAL
            for v in range(entry.v, entry.v + entry.count)
        }
        return {
            **spelling(scalar),
            **codes,
            "name": self.c_name,
            "title": self.title,
            "robot": comment(contents.robot),
            "version": contents.version,
            "header": f"{contents.identifier}.h",
            "scalar": scalar,
            "nq": self.nq,
            "nv": self.nv,
            "places": wrap_items([str(bounded.get(row, self.nq)) for row in range(self.nv)], WIDTH - 2),
            "parameters": self.parameters,
        }
