"""Functions of a compiled module as functions of JAX: XLA calls their C, and JAX differentiates them by our slopes.

The derivative of every function is a rule for tangents: a matrix of the compiled derivatives times the tangent, which
JAX also transposes. These compiled derivatives, and functions without any, have a rule too: that of symdyn's own code
over JAX. So derivatives of any order exist.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from symdyn.compiler.emit.extension import describe
from symdyn.compiler.emit.results import result_of
from symdyn.errors import RequestError
from symdyn.interface.contact_calls import PARTIALS, STEP
from symdyn.interface.derivatives import COORDINATES, WEIGHTS
from symdyn.interface.manifest import FunctionEntry
from symdyn.interface.rollout_calls import has_rollouts
from symdyn.interface.rollouts import ROLLOUT
from symdyn.interface.signature import Argument
from symdyn.toolchain.frameworks.contact_calls import (
    contact_step_rule,
    refusing_rule,
    result_kind,
    with_guess,
)
from symdyn.toolchain.frameworks.moves import has_quaternions, moves, moves_apart, unit
from symdyn.toolchain.frameworks.offered import Given, Relatives, coordinates_place, installed, refuse_uncompiled
from symdyn.toolchain.frameworks.rollout_rules import rollout_over_jax
from symdyn.toolchain.frameworks.slopes import Curvature, Slopes
from symdyn.toolchain.frameworks.step_rules import STEP as MOVED_BY_STEP
from symdyn.toolchain.frameworks.step_rules import step_rule
from symdyn.toolchain.maker import CompiledFunctions
from symdyn.toolchain.xla_handlers import registered


def over_jax(module: CompiledFunctions, name: str) -> Callable[..., Any]:
    """A function of a module as one of JAX; see :meth:`symdyn.toolchain.module.Module.jax`."""
    refuse_uncompiled(module, "jax")
    jax = installed("jax", "jax")
    if not hasattr(jax, "ffi"):
        raise RequestError(f"module.jax needs JAX 0.5 or later, and JAX {jax.__version__} is installed")
    calls = _Calls(module, jax)
    return rollout_over_jax(calls) if name == ROLLOUT and has_rollouts(module.manifest) else calls.public(name)


class _Calls:
    """The functions of one module and its relatives."""

    def __init__(self, module: CompiledFunctions, jax: Any) -> None:
        self.module = module
        self.jax = jax
        self.xp = jax.numpy
        self.relatives = Relatives(module)
        self._rules: dict[str, Any] = {}

    def public(self, name: str) -> Callable[..., Any]:
        """What the user calls: it checks, broadcasts, and gives quaternions the length 1."""
        entry, dtype = self.relatives.entry(name), self.module.manifest.dtype
        given, place, result = (
            Given(entry, dtype, self.xp, self.read),
            coordinates_place(entry),
            result_of(entry.signature),
        )
        value = self.differentiable(name)
        rows = self.relatives.rows(name)
        kind = result_kind(self.relatives, name, result, lambda array: self.xp.asarray(array, self.xp.int32))

        def call(*positional: Any, **named: Any) -> Any:
            self.check_type(name)
            arrays = given.arrays(positional, with_guess(entry.signature.inputs, positional, named, dtype))
            if has_quaternions(rows):
                assert place is not None
                arrays[place] = unit(self.xp, rows, arrays[place], self.jax.lax.stop_gradient)
            found = value(*arrays)
            return found[0] if kind is None else kind(*found)

        call.__name__ = call.__qualname__ = name
        call.__doc__ = describe(entry)
        return call

    def check_type(self, name: str) -> None:
        """Raise a RequestError where JAX computes in fewer digits than the module."""
        if self.module.manifest.dtype == "float64" and not self.jax.config.jax_enable_x64:
            raise RequestError(
                f"{name}: this module computes in float64, and JAX in float32; call "
                "jax.config.update('jax_enable_x64', True) when the program starts, or compile with dtype='float32'"
            )

    def differentiable(self, name: str) -> Any:
        """The function of arrays with the same leading dimensions, quaternions of length one: a tuple of outputs."""
        if name not in self._rules:
            made = self.jax.custom_jvp(self._called(name))
            made.defjvp(self._rule_of(name, made), symbolic_zeros=True)
            self._rules[name] = made
        return self._rules[name]

    def _called(self, name: str) -> Callable[..., tuple[Any, ...]]:
        """The call of the compiled function by XLA."""
        return self.called(self.relatives.entry(name), self.relatives.holder(name))

    def called(self, entry: FunctionEntry, holder: CompiledFunctions) -> Callable[..., tuple[Any, ...]]:
        """The call of a C function of a module by XLA."""
        name, outputs, first = entry.python_name, entry.signature.outputs, entry.signature.inputs[0]
        target = registered(holder, self.jax.ffi).targets[name]
        dtype = self.xp.dtype(holder.manifest.dtype)

        def value(*arrays: Any) -> tuple[Any, ...]:
            lead = arrays[0].shape[: arrays[0].ndim - len(first.shape)]
            types = tuple(self.jax.ShapeDtypeStruct((*lead, *own.shape), dtype) for own in outputs)
            return tuple(self.jax.ffi.ffi_call(target, types, vmap_method="broadcast_all")(*arrays))

        value.__name__ = name
        return value

    def _rule_of(self, name: str, value: Any) -> Callable[..., Any]:
        """The rule for tangents of a function or a step."""
        if name == PARTIALS:
            return refusing_rule
        if name == STEP:
            return contact_step_rule(self, value)
        return step_rule(self, value) if name == MOVED_BY_STEP else self._rule(name, value)

    def _rule(self, name: str, value: Any) -> Callable[..., Any]:
        """The rule for tangents of a function."""
        signature = self.relatives.entry(name).signature
        zero = self.jax.custom_derivatives.SymbolicZero

        def rule(primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[Any, Any]:
            outputs = value(*primals)
            moved = [place for place, tangent in enumerate(tangents) if not isinstance(tangent, zero)]
            steps = {
                place: self.moved(name, signature.inputs[place], primals[place], tangents[place]) for place in moved
            }
            covered, found = self._compiled(name, primals, steps)
            others = {place: tangents[place] for place in moved if place not in covered}
            if others:
                more = self.over_jax(name, primals, others)
                found = [own + other for own, other in zip(found, more, strict=True)] if covered else more
            return outputs, tuple(found) if moved else tuple(map(self.xp.zeros_like, outputs))

        return rule

    def _compiled(
        self, name: str, primals: Sequence[Any], steps: Mapping[int, Any]
    ) -> tuple[Collection[int], Sequence[Any]]:
        """Inputs for which compiled derivatives exist, and tangents of the outputs along their steps."""
        if steps and (slopes := self.relatives.slopes(name)):
            covered = {place: step for place, step in steps.items() if slopes.by(place)}
            return covered, self._by_slopes(slopes, primals, covered) if covered else ()
        if steps and (curvature := self.relatives.curvature(name)):
            covered = {place: step for place, step in steps.items() if place in curvature.inputs}
            outputs = self.relatives.entry(name).signature.outputs
            return covered, self._by_curvature(curvature, outputs, primals, covered) if covered else ()
        return (), ()

    def _by_slopes(self, slopes: Slopes, primals: Sequence[Any], steps: Mapping[int, Any]) -> Sequence[Any]:
        """Matrices of derivatives times steps."""
        matrices = self.differentiable(slopes.function)(*primals)
        rows: dict[int, list[Any]] = {}
        for (row, column), number in slopes.places.items():
            if column in steps:
                rows.setdefault(row, []).append(self.xp.einsum("...ij,...j->...i", matrices[number], steps[column]))
        return [functools.reduce(operator.add, rows[row]) for row in sorted(rows)]

    def _by_curvature(
        self, curvature: Curvature, outputs: Sequence[Argument], primals: Sequence[Any], steps: Mapping[int, Any]
    ) -> Sequence[Any]:
        """Second derivatives of each row times steps: how the matrices of derivatives change."""
        second = self._weighted(curvature.function, primals)
        found = [self.xp.zeros((*primals[0].shape[:-1], *own.shape), primals[0].dtype) for own in outputs]
        for (row, column), (number, turned) in curvature.places.items():
            if column in steps:
                form = "...iyx,...y->...ix" if turned else "...ixy,...y->...ix"
                found[row] = found[row] + self.xp.einsum(form, second[number], steps[column])
        return found

    def _weighted(self, name: str, primals: Sequence[Any]) -> tuple[Any, ...]:
        """Second derivatives of each row alone: a leading dimension more, of all states and rows."""
        inputs = self.relatives.entry(name).signature.inputs
        (size,) = next(own.shape for own in inputs if own.name == WEIGHTS)
        lead, rest = primals[0].shape[:-1], iter(primals)
        weights = self.xp.broadcast_to(self.xp.eye(size, dtype=primals[0].dtype), (*lead, size, size))

        def repeated(array: Any, argument: Argument) -> Any:
            own = array.shape[: array.ndim - len(argument.shape)]
            wide = array.reshape(*own, 1, *argument.shape)
            return self.xp.broadcast_to(wide, (*lead, size, *argument.shape))

        given = [weights if own.name == WEIGHTS else repeated(next(rest), own) for own in inputs]
        return tuple(self.differentiable(name)(*given))

    def moved(self, name: str, argument: Argument, value: Any, tangent: Any) -> Any:
        """How far a change of an input moves the robot along the columns of derivatives."""
        rows = self.relatives.rows(name) if argument.name == COORDINATES else ()
        return moves(self.xp, rows, value, tangent) if moves_apart(rows) else tangent

    def over_jax(self, name: str, primals: Sequence[Any], tangents: Mapping[int, Any]) -> tuple[Any, ...]:
        """Tangents of the outputs, by symdyn's code over JAX."""
        function, places = self.relatives.over_jax(name), list(tangents)

        def of_moved(*moved: Any) -> tuple[Any, ...]:
            given = list(primals)
            for place, array in zip(places, moved, strict=True):
                given[place] = array
            found = function(*given)
            return tuple(found) if isinstance(found, tuple) else (found,)

        return tuple(self.jax.jvp(of_moved, [primals[place] for place in places], list(tangents.values()))[1])

    def read(self, value: Any) -> Any:
        """An array of what was given; whole numbers count as the module's own."""
        array = self.xp.asarray(value)
        if not isinstance(array, self.jax.core.Tracer):
            self._refuse_elsewhere(array)
        if self.xp.issubdtype(array.dtype, self.xp.integer) or array.dtype == bool:
            array = array.astype(self.module.manifest.dtype)
        return array

    def _refuse_elsewhere(self, array: Any) -> None:
        devices = {device.platform for device in array.devices()} - {"cpu"}
        if devices:
            raise RequestError(
                f"module.jax calls code for CPUs, and an array is on {', '.join(sorted(devices))}; put it on "
                "jax.devices('cpu')[0], or take symdyn.compile(robot, [...], target='jax')"
            )
