"""Modules that check what their functions are given: for development, since generated code trusts its inputs.

Generated functions read numbers as they are: a quaternion that is not of length one gives forces without a meaning,
silently. A checked module is another object, and so one that is not checked costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symdyn.errors import RequestError
from symdyn.interface.signature import Argument, Signature
from symdyn.toolchain.module import Module

Array = NDArray[np.float64]

UNIT = 1e-6
"""How far the length of a quaternion may be from one: rounding of float32, and of numbers that were printed."""


@dataclass(frozen=True, slots=True)
class InputRules:
    """What inputs of a robot's functions keep.

    ``quaternions`` has the four rows of q of each by the name of its joint; ``bounds`` the least and the largest value
    of rows by name, by the name of the input.
    """

    quaternions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    bounds: Mapping[str, Mapping[str, tuple[float, float]]] = field(default_factory=dict)


class CheckedModule(Module):
    """The functions of a module, each of which refuses inputs that break the rules; else as the module is."""

    def __init__(self, plain: Module, rules: InputRules) -> None:
        if type(plain) is not Module:
            raise RequestError(
                f"check=True is for functions that are called with numbers, and target {plain.manifest.target!r} makes "
                "graphs; leave it out"
            )
        own = {entry.python_name: entry.signature for entry in plain.manifest.functions}
        offered = {name: value for name, value in vars(plain).items() if name[0] != "_" and callable(value)}
        functions = {
            name: CheckedFunction(self, name, value, own[name], rules) if name in own else value
            for name, value in offered.items()
        }
        super().__init__(plain.manifest, functions, plain.path, plain.set_threads, None, plain._addresses)
        self.origin, self.maker = plain.origin, plain.maker
        self._plain, self._rules = plain, rules

    def __reduce__(self) -> tuple[Any, ...]:
        return CheckedModule, (self._plain, self._rules)

    def __repr__(self) -> str:
        return f"{super().__repr__()[:-1]}, checked>"


class CheckedFunction:
    """A generated function that checks its inputs: that they are finite, normalised and within limits."""

    def __init__(
        self, owner: CheckedModule, name: str, function: Callable[..., Any], signature: Signature, rules: InputRules
    ) -> None:
        self._place, self._function, self.__name__ = (owner, name), function, name
        self.__doc__ = function.__doc__
        self._inputs = {own.name: _InputCheck(name, own, rules) for own in signature.inputs}

    def __call__(self, *given: Any, out: Any = None, **named: Any) -> Any:
        """What the function gives; a RequestError names the first row of an input that breaks a rule."""
        for name, value in (*zip(self._inputs, given, strict=False), *named.items()):
            if name in self._inputs:  # what it does not know the function refuses by itself
                self._inputs[name](value)
        return self._function(*given, **named) if out is None else self._function(*given, out=out, **named)

    def __repr__(self) -> str:
        return f"<checked {self._function!r}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return getattr, self._place


class _InputCheck:
    """The check of one input."""

    def __init__(self, function: str, argument: Argument, rules: InputRules) -> None:
        self._function, self._argument = function, argument
        names = list(argument.element_names)
        self._quaternions: dict[str, list[int]] = {}
        if argument.name == "q":
            for joint, rows in rules.quaternions.items():
                if set(rows) <= set(names):
                    self._quaternions[joint] = [names.index(row) for row in rows]
        bounds = rules.bounds.get(argument.name, {}) if len(argument.shape) == 1 else {}
        endless = (-np.inf, np.inf)
        self._lower, self._upper = np.array([bounds.get(name, endless) for name in names]).reshape(-1, 2).T

    def __call__(self, value: Any) -> None:
        shape = self._argument.shape
        try:
            array = np.asarray(value, dtype=np.float64)
        except (TypeError, ValueError):
            return  # the function says what it expects
        if array.shape[array.ndim - len(shape) :] != shape or array.ndim < len(shape):
            return
        rows = array.reshape(-1, self._argument.size)
        self._refuse(~np.isfinite(rows), rows, "is {value}; expected a finite number")
        for joint, places in self._quaternions.items():
            lengths = np.linalg.norm(rows[:, places], axis=-1)
            wrong = np.abs(lengths - 1.0) > UNIT
            if np.any(wrong):
                state = int(np.argmax(wrong))
                raise RequestError(
                    f"{self._said(len(rows), state)}: the quaternion of joint '{joint}' has length "
                    f"{lengths[state]:.9g}, expected 1; divide it by its length"
                )
        beyond = (rows < self._lower) | (rows > self._upper)
        self._refuse(beyond, rows, "is {value:.9g}, beyond its limits {lower:g} and {upper:g}")

    def _refuse(self, wrong: NDArray[np.bool_], rows: Array, words: str) -> None:
        if not np.any(wrong):
            return
        state, place = (int(own) for own in np.argwhere(wrong)[0])
        told = words.format(value=rows[state, place], lower=self._lower[place], upper=self._upper[place])
        raise RequestError(f"{self._said(len(rows), state)}: '{self._argument.element_names[place]}' {told}")

    def _said(self, states: int, state: int) -> str:
        among = f" of state {state}" if states > 1 else ""
        return f"{self._function}: {self._argument.name}{among}"
