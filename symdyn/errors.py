"""Every error that symdyn raises on purpose, and the exit code the command line gives it."""

from __future__ import annotations

from typing import Any


def one_line(text: object) -> str:
    """Text of one readable line: control and other unprintable characters become backslash escapes."""
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode("ascii") for char in str(text))


class SymdynError(Exception):
    """Base of all deliberate errors.

    The message says what was expected, what was got, which link, joint, input or line it concerns, and how to mend it.
    It is one line, whatever names and values are in it. ``exit_code`` is what the command line returns: 2 if the user's
    input or machine is at fault, 1 if symdyn is. Errors are also ValueError or TypeError where Python's would be.
    """

    exit_code = 2

    def __init__(self, message: object = "") -> None:
        super().__init__(one_line(message))


class DescriptionError(SymdynError, ValueError):
    """A robot file that cannot be read as a robot: malformed, unsafe, inconsistent or physically impossible."""


class ModelError(SymdynError, ValueError):
    """An option that does not fit a well-formed robot (an unknown locked joint, a run-time rotation)."""


class RequestError(SymdynError, ValueError):
    """A request that the catalogue does not offer, or arguments of the wrong name, shape or type."""


class UnknownNameError(RequestError, KeyError):
    """A name that is none of those in a mapping of a robot; a KeyError too, as of any mapping."""

    __str__ = Exception.__str__


class ArgumentError(RequestError, TypeError):
    """An object of the wrong kind where a robot, a path, a module or a generator is expected."""


class ToolchainError(SymdynError):
    """No usable compiler or headers, or a cache folder that cannot be written."""


class VerificationError(SymdynError):
    """A generated module that differs from the independent evaluator, or a folder that is not a generated module."""


class SolverError(SymdynError):
    """A solver that gave up: no motion, no equilibrium; the message names the time, the state and the joint or rod.

    ``partial`` is the result up to there, such as a :class:`symdyn.Trajectory`; None if there is nothing.
    """

    def __init__(self, message: object = "", partial: Any = None) -> None:
        super().__init__(message)
        self.partial = partial


class InternalError(SymdynError):
    """A broken invariant of symdyn itself; please report it with the file that caused it."""

    exit_code = 1


class SymdynWarning(UserWarning):
    """Something in a robot file that was read but is not modelled, or is doubtful; one line."""

    def __init__(self, message: object = "") -> None:
        super().__init__(one_line(message))
