"""Name the right keyword where a function is called with one that it does not have."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import ParamSpec, TypeVar

from symdyn.errors import ArgumentError
from symdyn.interface.guesses import did_you_mean

_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")
_MEANT = {"time": "t", "duration": "t", "tf": "t", "t_span": "t", "dt": "h", "timestep": "h", "step": "h"} | {
    "q0": "q",
    "v0": "v",
    "q": "q0",
    "qpos": "q",
    "qvel": "v",
    "qd": "v",
    "dq": "v",
    "u": "inputs",
    "tau": "inputs",
    "ctrl": "inputs",
    "integrator": "method",
    "params": "p",
    "parameters": "p",
}
"""What other libraries call arguments of ours."""


def names_keywords(function: Callable[_Arguments, _Result]) -> Callable[_Arguments, _Result]:
    """Let a function refuse unknown keywords with the one that was meant, and with all that it takes.

    The error is an ArgumentError, which is a TypeError too, as Python's own.
    """
    return names_keywords_and(())(function)


def names_keywords_and(
    collected: Iterable[str],
) -> Callable[[Callable[_Arguments, _Result]], Callable[_Arguments, _Result]]:
    """The same for a function that collects further keywords, such as the options of functions, by ``**``."""

    def named(function: Callable[_Arguments, _Result]) -> Callable[_Arguments, _Result]:
        parameters = inspect.signature(function).parameters.values()
        own = (own.name for own in parameters if own.kind is not own.VAR_KEYWORD)
        known = tuple(dict.fromkeys((*own, *collected)))

        @functools.wraps(function)
        def checked(*args: _Arguments.args, **kwargs: _Arguments.kwargs) -> _Result:
            for name in kwargs:
                if name not in known:
                    meant = _MEANT.get(name)
                    close = meant if meant in known else did_you_mean(name, known)
                    guess = f"; did you mean '{close}'?" if close else ""
                    raise ArgumentError(
                        f"{function.__name__} has no argument '{name}'; it takes {', '.join(known) or 'none'}{guess}"
                    )
            return function(*args, **kwargs)

        return checked

    return named
