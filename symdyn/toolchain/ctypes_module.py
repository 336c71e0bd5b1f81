"""Call a plain shared library through ctypes, with the extension module's checks and broadcasting."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from inspect import Parameter, Signature
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symdyn.compiler.emit.arguments import BY_PLACE, parameters
from symdyn.compiler.emit.extension import argument_names, describe, expected_shape, printable, row_hint
from symdyn.errors import RequestError
from symdyn.interface.manifest import FunctionEntry, Manifest
from symdyn.interface.masks import has_masked
from symdyn.interface.signature import PARAMETERS, Argument
from symdyn.toolchain.arrays import check_switches
from symdyn.toolchain.entry_points import POINTER, SIZE, entry_point, opened_library
from symdyn.toolchain.given import bound
from symdyn.toolchain.results import ResultClass, made_for
from symdyn.toolchain.shares import Threads

Array = NDArray[Any]

_REAL_KINDS = "biuf"  # of NumPy's dtypes: what is rounded to the module's precision on the way in


def load_library(
    path: str, manifest: Manifest, threads: Threads, later: Callable[[str], None] | None = None
) -> dict[str, Callable[..., Any]]:
    """Callables of a compiled library by catalogue name, and the classes of their results by their own names.

    They take, give, check and refuse what the extension module's functions do, tens of times slower per call; batches
    run at full speed, on the threads that ``threads`` grants them. ``later`` compiles the lanes of a function by name,
    before its first batch.

    Raises
    ------
    ToolchainError
        The library cannot be loaded here or lacks a function.
    """
    results = made_for(manifest)
    with opened_library(path, f"cannot be loaded as the library of robot {manifest.robot!r}") as library:
        functions = {
            entry.python_name: LibraryFunction(
                library, entry, manifest.dtype, threads, results.get(entry.python_name, _only), later
            )
            for entry in manifest.functions
        }
    return {**functions, **{own.__name__: own for own in results.values()}}


class LibraryFunction:
    """One generated function of a shared library, called with NumPy arrays."""

    def __init__(
        self,
        library: ctypes.CDLL,
        entry: FunctionEntry,
        dtype: str,
        threads: Threads,
        result: ResultClass | Callable[..., Any],
        later: Callable[[str], None] | None = None,
    ) -> None:
        self.__name__ = entry.python_name
        self.__doc__ = describe(entry)
        self.__signature__ = _signature(entry.signature.inputs)
        self._entry = entry
        self._threads = threads
        self._result = result
        self._later = later
        self._inputs = entry.signature.inputs
        self._outputs = entry.signature.outputs
        self._dtype = np.dtype(dtype)
        pointers = [POINTER] * (len(self._inputs) + len(self._outputs) + 1)
        self._call = entry_point(library, entry.c_name, *pointers, result=None)
        self._batch = entry_point(library, f"{entry.c_name}_batch", SIZE, *pointers, result=None)

    @property
    def addresses(self) -> tuple[int, int]:
        """Of the C functions for one state and for a batch."""
        one, many = (ctypes.cast(own, ctypes.c_void_p).value for own in (self._call, self._batch))
        assert one is not None and many is not None
        return one, many

    def __repr__(self) -> str:
        return f"<symdyn function {self.__name__}({argument_names(self._inputs)}) through ctypes>"

    def __call__(self, *positional: Any, out: Any = None, **named: Any) -> Any:
        """Check, convert and broadcast the inputs, then call the library's function or its batch loop."""
        given = bound(self.__name__, self._inputs, positional, named, also=" and out=")
        seen: list[Array] = []
        ready: list[Array] = []
        lead: tuple[int, ...] = ()
        for argument, value in zip(self._inputs, given, strict=True):
            array = self._read_input(argument, value)
            seen.append(array)
            in_place = array.dtype == self._dtype and array.flags.c_contiguous and array.flags.aligned
            ready.append(array if in_place else np.require(array, self._dtype, ["C", "A"]))
            lead = self._merge_lead(argument, array, lead)
        outputs = self._take_outputs(out, lead, seen)
        count = prod(lead)
        if count:
            self._execute(count, [self._widen(a, b, lead) for a, b in zip(self._inputs, ready, strict=True)], outputs)
        if out is not None:
            return self._result(*outputs)
        # Scalars become NumPy scalars, as in NumPy.
        results = [array[()] if array.ndim == 0 else array for array in outputs]
        return self._result(*results)

    def _refuse(self, message: str) -> RequestError:
        return RequestError(f"{self.__name__}: {message}")

    def _read_input(self, argument: Argument, value: Any) -> Array:
        if has_masked(value):
            raise self._refuse(
                f"argument '{argument.name}' has masked entries, which have no value; fill them, as by .filled(0.0)"
            )
        try:
            array = np.asarray(value)
        except (ValueError, TypeError) as failure:
            raise self._refuse(
                f"argument '{argument.name}' is not an array of numbers; "
                f"expected {self._dtype} of shape {expected_shape(argument)}"
            ) from failure
        if array.dtype.kind not in _REAL_KINDS:
            raise self._refuse(
                f"argument '{argument.name}' has dtype {array.dtype}, expected real numbers; pass it as {self._dtype}"
            )
        lead = array.ndim - len(argument.shape)
        if lead < 0 or array.shape[lead:] != argument.shape:
            hint = row_hint(argument)
            raise self._refuse(
                f"argument '{argument.name}' has shape {array.shape}, expected {expected_shape(argument)}{hint}"
            )
        check_switches(f"{self.__name__}: ", argument.name, array)
        return array

    def _merge_lead(self, argument: Argument, array: Array, lead: tuple[int, ...]) -> tuple[int, ...]:
        own = array.shape[: array.ndim - len(argument.shape)]
        if own in ((), lead):
            return lead
        try:
            return np.broadcast_shapes(lead, own)
        except ValueError as failure:
            raise self._refuse(
                f"leading dimensions {own} of argument '{argument.name}' do not broadcast with {lead} of the arguments "
                "before it"
            ) from failure

    def _take_outputs(self, out: Any, lead: tuple[int, ...], seen: list[Array]) -> list[Array]:
        shapes = [(*lead, *argument.shape) for argument in self._outputs]
        if out is None:
            return [np.empty(shape, self._dtype) for shape in shapes]
        single = len(self._outputs) == 1
        items = (out,) if single and isinstance(out, np.ndarray) else out
        if not isinstance(items, tuple) or len(items) != len(self._outputs):
            form = "an array" if single else "a tuple of arrays"
            gives = argument_names(self._outputs)
            raise self._refuse(f"out must be {form} ({gives}), got a {_type_name(out)}")
        for number, (argument, shape) in enumerate(zip(self._outputs, shapes, strict=True)):
            self._check_output(argument, items[number], shape)
            others = [(f"argument '{other.name}'", array) for other, array in zip(self._inputs, seen, strict=True)]
            others += [(f"out for '{other.name}'", items[index]) for index, other in enumerate(self._outputs[:number])]
            for label, array in others:
                if np.may_share_memory(items[number], array):
                    raise self._refuse(f"out for '{argument.name}' overlaps {label}; give it memory of its own")
        return list(items)

    def _check_output(self, argument: Argument, array: Any, shape: tuple[int, ...]) -> None:
        if not isinstance(array, np.ndarray):
            raise self._refuse(f"out for '{argument.name}' is a {_type_name(array)}, expected an array")
        if array.dtype != self._dtype:
            raise self._refuse(f"out for '{argument.name}' has dtype {array.dtype}, expected {self._dtype}")
        if array.shape != shape:
            raise self._refuse(f"out for '{argument.name}' has shape {array.shape}, expected {shape}")
        if not (array.flags.c_contiguous and array.flags.aligned and array.flags.writeable):
            raise self._refuse(f"out for '{argument.name}' must be C-contiguous, aligned and writeable")

    def _widen(self, argument: Argument, array: Array, lead: tuple[int, ...]) -> Array:
        if argument.name == PARAMETERS and array.size == argument.size:
            return array.reshape(argument.shape)
        if array.shape == (*lead, *argument.shape):
            return array
        return np.ascontiguousarray(np.broadcast_to(array, (*lead, *argument.shape)))

    def _execute(self, count: int, inputs: list[Array], outputs: list[Array]) -> None:
        pointers = [array.__array_interface__["data"][0] for array in (*inputs, *outputs)]
        # The batch loop of the C file takes one vector of run-time parameters for all states.
        arguments = (*self._inputs, *self._outputs)
        shared = [
            argument.name == PARAMETERS and array.ndim == len(argument.shape)
            for argument, array in zip(arguments, (*inputs, *outputs), strict=True)
        ]
        own_parameters = any(
            argument.name == PARAMETERS and not kept for argument, kept in zip(self._inputs, shared, strict=False)
        )
        item = self._dtype.itemsize
        steps = [0 if kept else argument.size * item for argument, kept in zip(arguments, shared, strict=True)]

        if self._later is not None and count > 1 and not own_parameters:
            self._later(self.__name__)

        def places(state: int) -> list[int]:
            return [pointer + state * step for pointer, step in zip(pointers, steps, strict=True)]

        def run(first: int, states: int) -> None:
            size = max(self._entry.work_size, self._entry.batch_work_size if states > 1 else 0)
            work = np.empty(size, self._dtype) if size else None
            scratch = work.__array_interface__["data"][0] if work is not None else None
            if states > 1 and not own_parameters:
                self._batch(states, *places(first), scratch)
                return
            for state in range(first, first + states):
                self._call(*places(state), scratch)

        self._threads.run(count, self._entry.operations, run)


def _only(result: Any) -> Any:
    """The single output of a function."""
    return result


def _signature(inputs: Sequence[Argument]) -> Signature:
    """What editors and ``help`` show of a function."""
    names = parameters([argument.name for argument in inputs])
    by_place = names.index(BY_PLACE) if BY_PLACE in names else 0
    taken = [
        Parameter(name, Parameter.POSITIONAL_ONLY if place < by_place else Parameter.POSITIONAL_OR_KEYWORD)
        for place, name in enumerate(name for name in names if name != BY_PLACE)
    ]
    return Signature([*taken, Parameter("out", Parameter.KEYWORD_ONLY, default=None)])


def _type_name(value: Any) -> str:
    return printable(type(value).__name__)
