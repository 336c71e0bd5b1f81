"""A step with rigid contacts as a function of CasADi: external C, with compiled derivatives as its Jacobian."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from symdyn.compiler.emit.casadi_steps import external_name
from symdyn.errors import RequestError
from symdyn.interface.contact_calls import GUESS, LENGTH, PARTIALS, STEP, called
from symdyn.interface.derivatives import COORDINATES
from symdyn.interface.distribution import installing
from symdyn.toolchain.casadi_externals import opened_steps
from symdyn.toolchain.frameworks.casadi_rows import of_rows
from symdyn.toolchain.frameworks.offered import Relatives
from symdyn.toolchain.maker import CompiledFunctions
from symdyn.warning import warn

if TYPE_CHECKING:
    from symdyn.interface.signature import Argument


def step_over_casadi(module: CompiledFunctions, h: float = 0.0, **options: Any) -> Any:
    """The step as a ``casadi.Function``; see :meth:`symdyn.toolchain.module.Module.casadi`.

    Raises
    ------
    RequestError
        No length of the step, numbers of another type than float64, or CasADi is not installed.
    """
    return _Graph(module, checked_casadi(module, STEP, h), float(h), options).function()


def checked_casadi(module: CompiledFunctions, name: str, h: Any) -> Any:
    """CasADi, for a function of a module with steps of a given length.

    Raises
    ------
    RequestError
        No length of a step, numbers of another type than float64, or CasADi is not installed.
    """
    try:
        import casadi
    except ImportError as failure:
        raise RequestError(f"module.casadi needs the package casadi ({failure}); {installing('casadi')}") from None
    dtype = module.manifest.dtype
    if dtype != "float64":
        raise RequestError(f"CasADi computes with float64, and this module in {dtype}; compile with float64")
    if not (type(h) in (int, float) and 0.0 < h < float("inf")):
        raise RequestError(
            f"{name} for CasADi: the length of the step is a number above 0 [s], such as module.casadi('{name}', "
            f"h=1e-3), got {h!r}; it is no symbol, because there are no derivatives by it"
        )
    return casadi


class _Graph:
    """The graphs of a step and of its Jacobian."""

    def __init__(self, module: CompiledFunctions, casadi: Any, h: float, options: dict[str, Any]) -> None:
        self.casadi, self.h, self.options = casadi, h, options
        self.path = opened_steps(module)
        self.rows = Relatives(module).rows(STEP)
        step = called(module.manifest, STEP)
        assert step is not None, "the module was asked for it"
        self.step, self.partials = step, called(module.manifest, PARTIALS)
        self.inputs = [argument for argument in step.signature.inputs if argument.name != LENGTH]
        self.outputs = step.signature.outputs

    def function(self) -> Any:
        """The step with its Jacobian, where derivatives were compiled."""
        ca, given = self.casadi, self._symbols(self.inputs)
        q = given[COORDINATES]
        called_with = {**given, COORDINATES: self._of_rows("unit", q)}
        outputs = self._external(self.step, self.options)(*self._in_order(self.step.signature.inputs, called_with))
        names = [argument.name for argument in self.inputs], [argument.name for argument in self.outputs]
        settings: dict[str, Any] = {"enable_forward": False, "enable_reverse": False}
        if self.partials is not None:
            settings |= {"custom_jacobian": self._jacobian(), "jac_penalty": 0}
            settings["is_diff_in"] = [self._is_known(argument) for argument in self.inputs]
            unknown = [argument.name for argument in self.inputs if not self._is_known(argument)]
            if unknown:
                warn(
                    f"CasADi gets no derivatives of {STEP} by {', '.join(unknown)} and takes them as zero: do not "
                    "optimise over these inputs"
                )
            settings["is_diff_out"] = [argument.name not in ("state", "report") for argument in self.outputs]
        else:
            settings["enable_jacobian"] = False
        return ca.Function(STEP, list(given.values()), list(outputs), *names, settings)

    def _is_known(self, argument: Argument) -> bool:
        """Whether the derivatives by an input are known; that by a guess is zero."""
        assert self.partials is not None, "there are derivatives"
        by = {name.name.rsplit("_d", 1)[1] for name in self.partials.signature.outputs}
        return argument.name in by or argument.name == GUESS

    def _jacobian(self) -> Any:
        """Derivatives of all outputs by all inputs, at the impulses and the state that the step gave."""
        ca, partials = self.casadi, self.partials
        assert partials is not None, "there are derivatives"
        given, after = self._symbols(self.inputs), self._symbols(self.outputs, "out_")
        at = {**given, **after, COORDINATES: self._of_rows("unit", given[COORDINATES])}
        outputs = self._external(partials, {})(*self._in_order(partials.signature.inputs, at))
        by = {output.name: matrix.T for output, matrix in zip(partials.signature.outputs, outputs, strict=True)}
        moved, turned = self._of_rows("moves", given[COORDINATES]), self._of_rows("rates", after["q_next"])
        names, blocks = [], []
        for of in self.outputs:
            for x in self.inputs:
                matrix = by.get(f"d{'lambda' if of.name == 'impulses' else of.name}_d{x.name}")
                if matrix is None:
                    matrix = ca.MX(ca.Sparsity(of.size, x.size))
                else:
                    matrix = ca.mtimes(matrix, moved) if x.name == COORDINATES else matrix
                    matrix = ca.mtimes(turned, matrix) if of.name == "q_next" else matrix
                names.append(f"jac_{of.name}_{x.name}")
                blocks.append(matrix)
        ins = [*given.values(), *after.values()]
        read = [*given, *(f"out_{name}" for name in after)]
        return ca.Function(f"jac_{STEP}", ins, blocks, read, names)

    def _symbols(self, arguments: Any, prefix: str = "") -> dict[str, Any]:
        return {
            argument.name: self.casadi.MX.sym(f"{prefix}{argument.name}", *argument.shape) for argument in arguments
        }

    def _in_order(self, inputs: Any, given: dict[str, Any]) -> list[Any]:
        """Arguments of external C, matrices transposed."""
        values = [self.casadi.MX(self.h) if argument.name == LENGTH else given[argument.name] for argument in inputs]
        return [array.T if len(argument.shape) > 1 else array for argument, array in zip(inputs, values, strict=True)]

    def _external(self, entry: Any, options: dict[str, Any]) -> Any:
        return self.casadi.external(external_name(entry), self.path, options)

    def _of_rows(self, what: str, q: Any) -> Any:
        """Coordinates with quaternions of length one, or the matrices E of moves and N of rates at coordinates."""
        nv = next(own.size for own in self.outputs if own.name == "v_next")
        return of_rows(self.casadi, self.rows, nv, what, q)
