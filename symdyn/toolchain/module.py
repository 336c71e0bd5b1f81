"""A loaded module: one callable per generated function, and what each of them takes and gives.

What a loaded module tells of a function: its signature, and what a call costs.
"""

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
from symdyn.interface.contact_calls import STEP, called
from symdyn.interface.field_words import asked_by, field_word, known_functions
from symdyn.interface.guesses import did_you_mean
from symdyn.interface.html_tables import table, titled
from symdyn.interface.manifest import FunctionEntry, Manifest
from symdyn.interface.rollout_calls import has_rollouts
from symdyn.interface.rollouts import ONE_STEP, ROLLOUT
from symdyn.interface.signature import Argument, Signature
from symdyn.interface.stepping import CONTACTS
from symdyn.interface.targets import TARGETS
from symdyn.toolchain.maker import Maker
from symdyn.toolchain.origin import Origin, owned

_SHOWN_RUNS = 6
_CLOSE = 0.75
"""How close a name is to be to that of a function which the module does not have."""
"""Runs of one unit that a line on an argument names one after the other."""


@dataclass(frozen=True, slots=True)
class LoadedSignature(Signature):
    """The signature with which a function was generated, and its operations in total and by kind."""

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
        """A signature with the operations of the code that was generated from it."""
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

    def _repr_html_(self) -> str:
        """What notebooks show: a row per argument."""
        named = [("in", own) for own in self.inputs] + [("out", own) for own in self.outputs]
        rows = [(way, own.name, str(own.shape), _units(own), own.description) for way, own in named]
        about = f"{self.description} {self.operations} operations."
        heads = ("", "argument", "shape", "unit", "meaning")
        return titled(f"{self.function} of {self.robot}", about, table(heads, rows))


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


def _call(entry: FunctionEntry) -> str:
    """A function with the names of its inputs."""
    return f"{entry.python_name}({', '.join(own.name for own in entry.signature.inputs)})"


__all__ = ["Function", "LoadedSignature", "Module", "UnknownFunctionError"]

_COMPILED = {"extension": "c", "ctypes": "c through ctypes"}
"""What a compiled module runs, by the kind of its origin; others run that kind."""


class Function(Protocol):
    """A generated function. It takes arrays by place or by name; ``signature`` of its module says which."""

    def __call__(self, *given: ArrayLike, out: Any = None, **named: ArrayLike) -> Any:
        """An array, or a named tuple of arrays where there are several outputs; ``out`` takes these."""


class UnknownFunctionError(RequestError, AttributeError):
    """A function that a loaded module does not have; an AttributeError too, so that ``hasattr`` works."""


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
    addresses
        What tells where the C functions are: by name, that for one state and that for a batch. None for Python.
    """

    manifest: Manifest
    path: Path | None
    maker: Maker | None

    def __init__(
        self,
        manifest: Manifest,
        functions: Mapping[str, Callable[..., Any]],
        path: Path | None,
        set_threads: Callable[[int], None] | None = None,
        origin: Origin | None = None,
        addresses: Callable[[], Mapping[str, tuple[int, int]]] | None = None,
    ) -> None:
        self.manifest = manifest
        self.path = path
        self._set_threads = set_threads
        self.origin = origin
        self._addresses = addresses
        self._threads = 0
        self._told: list[Callable[[int], None]] = []
        self._in_frameworks: dict[tuple[str, str], Callable[..., Any]] = {}
        self.maker = None
        self.__dict__.update(functions if origin is None else owned(self, functions))

    def set_threads(self, count: int) -> None:
        """Let large batches use up to ``count`` threads; 0, the default, is one per processor of this process.

        A batch takes only as many threads as have enough to do; small batches stay on the calling thread. Results do
        not depend on the number. The Python targets always compute on the calling thread.

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
        self._threads = index(count)
        for tell in self._told:
            tell(self._threads)

    def tell_threads(self, tell: Callable[[int], None]) -> None:
        """Call ``tell`` with the number of threads that batches may use: now, and whenever it changes."""
        tell(self._threads)
        self._told.append(tell)

    @property
    def is_compiled(self) -> bool:
        """Whether its functions are compiled C."""
        return self._addresses is not None

    def addresses(self) -> Mapping[str, tuple[int, int]]:
        """Addresses of the C functions by name, for one state and for a batch; none if the module runs Python."""
        return self._addresses() if self._addresses is not None else {}

    def jax(self, name: str) -> Callable[..., Any]:
        """A function for JAX: for ``jit``, ``vmap``, ``grad``, ``jvp``, ``scan`` and other transformations.

        It calls the compiled code on CPUs. Inputs broadcast as they do for the function itself. Quaternions in q may
        have any length but 0: functions are those of q / |q|.

        Derivatives of inverse, forward, hybrid and constrained dynamics, of impacts and of ``state_derivative`` are the
        analytic ones, compiled too. So are second derivatives of inverse and forward dynamics. All others use symdyn's
        code over JAX. What this module lacks for that is generated when JAX first needs it.

        Parameters
        ----------
        name
            A function of this module.

        Raises
        ------
        RequestError
            The module has no such function or runs Python, or JAX is not installed.
        ToolchainError
            The handlers of XLA cannot be compiled here.
        """
        # The framework is loaded where it is asked for.
        from symdyn.toolchain.frameworks.jax_calls import over_jax

        return self._offer("jax", name, over_jax)

    def torch(self, name: str) -> Callable[..., Any]:
        """A function for PyTorch: for ``autograd``, ``vmap`` and ``compile``.

        It calls the compiled code on CPUs. Inputs broadcast as they do for the function itself. Quaternions in q may
        have any length but 0: functions are those of q / |q|. First derivatives exist where :meth:`jax` takes them from
        compiled code; there are no others.

        Parameters
        ----------
        name
            A function of this module.

        Raises
        ------
        RequestError
            The module has no such function or runs Python, or PyTorch is not installed.
        """
        from symdyn.toolchain.frameworks.torch_calls import over_torch

        return self._offer("torch", name, over_torch)

    def _offer(
        self, framework: str, name: str, make: Callable[[Module, str], Callable[..., Any]]
    ) -> Callable[..., Any]:
        """The same function for the same name, so that frameworks trace it once."""
        if name != ROLLOUT or not has_rollouts(self.manifest):
            self.signature(name)
        if (framework, name) not in self._in_frameworks:
            self._in_frameworks[framework, name] = make(self, name)
        return self._in_frameworks[framework, name]

    def signature(self, name: str) -> LoadedSignature:
        """Names, shapes, units and row names of a function's arguments, and its operation counts.

        Raises
        ------
        RequestError
            The module has no function of that name.
        """
        entry = called(self.manifest, str(name))
        if entry is None:
            raise self._unknown(name)
        return LoadedSignature.of(entry.signature, entry.operations, entry.counts)

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
        calls = ", ".join(map(_call, self.manifest.functions))
        return f"<symdyn module of {self.manifest.robot!r}, {self._run}, {self.manifest.dtype}: {calls}>"

    def _repr_html_(self) -> str:
        """What notebooks show: a row per function."""
        rows = [
            (_call(entry), ", ".join(own.name for own in entry.signature.outputs), str(entry.operations))
            for entry in self.manifest.functions
        ]
        about = f"module, {self._run}, {self.manifest.dtype}"
        return titled(self.manifest.robot, about, table(("function", "gives", "operations"), rows))

    @property
    def _run(self) -> str:
        """What its functions run."""
        kind = self.origin.kind if self.origin else TARGETS[self.manifest.target].python.kind
        return _COMPILED.get(kind, kind)

    def casadi(self, name: str, **options: Any) -> Any:
        """The function as a ``casadi.Function``, for modules that were compiled with ``target="casadi"``.

        Of other compiled modules with a stepper of contacts there is ``contact_step``: inputs q, v, tau, .. and guess,
        outputs q_next, v_next, impulses, state and report, with compiled first derivatives where the function
        ``contact_slopes`` is compiled too. Of those with rollouts there is ``rollout``: inputs q, v, forces (nu, n) and
        so on, outputs q_all (nq, n + 1), v_all (nv, n + 1), memory and code, with first derivatives by the adjoint
        rollout. Without contacts there is ``step`` too, outputs q_next, v_next, memory and code, whose reverse mode is
        ``step_adjoint`` and forward mode ``step_matrices``.

        Parameters
        ----------
        name
            From the catalogue, among those that were compiled, or ``contact_step``.
        options
            Those of ``casadi.external``; of ``contact_step`` and ``step`` the length of the step ``h`` [s], a number;
            of ``rollout`` ``h`` and the number of steps ``n``.

        Raises
        ------
        RequestError
            The module is of another target.
        """
        if called(self.manifest, str(name)) is not None and name == STEP:
            from symdyn.toolchain.frameworks.casadi_steps import step_over_casadi

            return step_over_casadi(self, **options)
        if name == ROLLOUT and has_rollouts(self.manifest):
            from symdyn.toolchain.frameworks.casadi_rollouts import rollout_over_casadi

            return rollout_over_casadi(self, **options)
        if name == ONE_STEP and has_rollouts(self.manifest) and self.manifest.asked["rollout"] != CONTACTS:
            from symdyn.toolchain.frameworks.casadi_rollouts import one_step_over_casadi

            return one_step_over_casadi(self, **options)
        raise RequestError(
            f"this module of {self.manifest.robot!r} is of target {self.manifest.target!r}, which CasADi cannot open; "
            f"compile with target='casadi', then call casadi({name!r})"
        )

    @property
    def _offered(self) -> list[str]:
        """The functions that messages name."""
        return [entry.python_name for entry in self.manifest.functions]

    def _unknown(self, name: object) -> UnknownFunctionError:
        offered, known = self._offered, known_functions()
        meant = name if isinstance(name, str) and name in known else field_word(name)
        guess = f"; '{name}' is called '{meant}' here" if meant else ""
        if not meant and (near := did_you_mean(name, offered) or did_you_mean(name, known, _CLOSE)):
            guess = f"; did you mean '{near}'?"
        how = asked_by(str(name))
        if how or meant in (None, *offered):
            remedy = f"Compile the robot with {how}" if how else f"Ask for more functions when compiling{guess}"
        else:
            remedy = f"Compile the robot with functions=['{meant}', ..]{guess if meant != name else ''}"
        return UnknownFunctionError(
            f"this module of {self.manifest.robot!r} has no function {name!r}; it has {', '.join(offered)}. {remedy}"
        )
