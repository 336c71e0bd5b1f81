"""A loaded module: one callable per generated function, and what each of them takes and gives."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import groupby
from operator import index
from pathlib import Path
from typing import Any, Protocol

from numpy.typing import ArrayLike

from symdyn.errors import RequestError
from symdyn.guesses import hint
from symdyn.manifest import Manifest
from symdyn.signature import Argument, Signature
from symdyn.targets import TARGETS
from symdyn.toolchain.origin import Origin, owned

_COMPILED = {"extension": "c", "ctypes": "c through ctypes"}
"""What a compiled module runs, by the kind of its origin; others run that kind."""

_SHOWN_RUNS = 6
"""Runs of one unit that a line on an argument names one after the other."""


class Function(Protocol):
    """A generated function. It takes arrays by place or by name; ``signature`` of its module says which."""

    def __call__(self, *given: ArrayLike, out: Any = None, **named: ArrayLike) -> Any:
        """An array, or a named tuple of arrays where there are several outputs; ``out`` takes these."""


class UnknownFunctionError(RequestError, AttributeError):
    """A function that a loaded module does not have; an AttributeError too, so that ``hasattr`` works."""


@dataclass(frozen=True, slots=True)
class LoadedSignature(Signature):
    """The signature with which a function was generated, and its operations in all and by kind."""

    operations: int = 0
    counts: Mapping[str, int] | None = None

    def to_dict(self) -> dict[str, Any]:
        """Plain data, as ``signature`` of a generated module gives it where symdyn is not installed."""
        data = Signature.to_dict(self)
        return {**data, "counts": dict(sorted((self.counts or {}).items())), "operations": self.operations}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> LoadedSignature:
        """Inverse of :meth:`to_dict`."""
        return cls.of(Signature.from_dict(data), data["operations"], data["counts"])

    @classmethod
    def of(cls, signature: Signature, operations: int, counts: Mapping[str, int]) -> LoadedSignature:
        """A signature with the cost of what was generated from it."""
        return cls(
            robot=signature.robot,
            function=signature.function,
            inputs=signature.inputs,
            outputs=signature.outputs,
            description=signature.description,
            options=signature.options,
            operations=operations,
            counts=dict(counts),
        )

    def __str__(self) -> str:
        lines = [f"{self.function} of {self.robot}: {self.description}"]
        lines += [f"  in  {_line(argument)}" for argument in self.inputs]
        lines += [f"  out {_line(argument)}" for argument in self.outputs]
        kinds = ", ".join(f"{kind} {count}" for kind, count in sorted((self.counts or {}).items()) if count)
        return "\n".join([*lines, f"  {self.operations} operations{f' ({kinds})' if kinds else ''}"])


class Module:
    """Functions of one robot, callable as attributes: ``tau = module.inverse_dynamics(q, v, a)``.

    The attributes are the loaded functions themselves, with nothing in between.

    Parameters
    ----------
    manifest
        What was generated.
    functions
        Callables by catalogue name; all of the manifest's.
    path
        The loaded file; None where the module was made from text.
    set_threads
        What tells the functions how many threads a batch may use; None where they know none.
    origin
        Where it can be opened again; None where it was made from text. By that it is pickled, and its functions are:
        unpickling opens the folder and runs its code, where its contents are still the same.
    """

    manifest: Manifest
    path: Path | None

    def __init__(
        self,
        manifest: Manifest,
        functions: Mapping[str, Callable[..., Any]],
        path: Path | None,
        set_threads: Callable[[int], None] | None = None,
        origin: Origin | None = None,
    ) -> None:
        self.manifest = manifest
        self.path = path
        self._set_threads = set_threads
        self._origin = origin
        self.__dict__.update(functions if origin is None else owned(self, functions))

    def set_threads(self, count: int) -> None:
        """Let large batches use up to ``count`` threads; 0, as at first, is one per processor of this process.

        A batch takes as many as have enough to do, so that small ones stay on the calling thread. Results do not depend
        on the number. The Python targets compute on the calling thread whatever is set.

        Raises
        ------
        RequestError
            A count that is negative or no whole number.
        """
        try:
            valid = index(count) >= 0
        except TypeError:
            valid = False
        if not valid:
            raise RequestError(f"set_threads: expected a number of threads, or 0 for one per processor, got {count!r}")
        if self._set_threads is not None:
            self._set_threads(count)

    def signature(self, name: str) -> LoadedSignature:
        """Names, shapes, units and row names of a function's arguments, and its operation counts.

        Raises
        ------
        RequestError
            The module has no function of that name.
        """
        for entry in self.manifest.functions:
            if entry.python_name == str(name):
                return LoadedSignature.of(entry.signature, entry.operations, entry.counts)
        raise self._unknown(name)

    def __reduce__(self) -> tuple[Any, ...]:
        from symdyn.toolchain.opened import reopen

        if self._origin is None:
            raise RequestError(
                f"this module of {self.manifest.robot!r} lies in no folder, so that it cannot be pickled; write it to "
                "one by symdyn.generate, and take symdyn.open"
            )
        return reopen, (self._origin,)

    def __copy__(self) -> Module:
        return self

    def __deepcopy__(self, memo: object) -> Module:
        return self

    def __getattr__(self, name: str) -> Function:
        if name.startswith("__") or "manifest" not in self.__dict__:
            raise AttributeError(name)
        raise self._unknown(name)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *(entry.python_name for entry in self.manifest.functions)})

    def __repr__(self) -> str:
        calls = ", ".join(
            f"{entry.python_name}({', '.join(argument.name for argument in entry.signature.inputs)})"
            for entry in self.manifest.functions
        )
        kind = self._origin.kind if self._origin else TARGETS[self.manifest.target].python.kind
        run = _COMPILED.get(kind, kind)
        return f"<symdyn module of {self.manifest.robot!r}, {run}, {self.manifest.dtype}: {calls}>"

    def casadi(self, name: str, **options: Any) -> Any:
        """The function as a ``casadi.Function``, of modules that were compiled with ``target="casadi"``.

        Raises
        ------
        RequestError
            The module is of another target.
        """
        raise RequestError(
            f"this module of {self.manifest.robot!r} is of target {self.manifest.target!r}, which CasADi cannot open; "
            f"compile with target='casadi', then call casadi({name!r})"
        )

    @property
    def _offered(self) -> list[str]:
        """The functions that messages name."""
        return [entry.python_name for entry in self.manifest.functions]

    def _unknown(self, name: str) -> UnknownFunctionError:
        offered = self._offered
        return UnknownFunctionError(
            f"this module of {self.manifest.robot!r} has no function {name!r}; it has {', '.join(offered)}. "
            f"Ask for more functions when compiling{hint(name, offered)}"
        )


def _line(argument: Argument) -> str:
    units = _units(argument)
    unit = f" [{units}]" if units else ""
    return f"{argument.name} {argument.shape}{unit}: {argument.description}"


def _units(argument: Argument) -> str:
    """The units in words: one for all, or runs as in ``m x3, 1 x4, rad x12``; where these are many, counts by unit."""
    if len(set(argument.units)) < 2:
        return "".join(argument.units[:1])
    runs = [(unit, len(list(alike))) for unit, alike in groupby(argument.units)]
    if len(runs) > _SHOWN_RUNS:
        runs = list(Counter(argument.units).items())
    return ", ".join(f"{unit or '-'} x{count}" if count > 1 else unit or "-" for unit, count in runs)
