"""Rollouts: steps one after another, and gradients of what is made of their states; it imports no room."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from symdyn.interface.stepping import CONTACT_SLOPES, CONTACTS, STEP_METHODS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]
ROLLOUT, ONE_STEP = "rollout", "step"
ROLLOUT_METHODS = (*STEP_METHODS, CONTACTS)
"""Methods whose steps have gradients."""
TOLERANCE: Mapping[str, float] = MappingProxyType({"float64": 1e-10, "float32": 1e-5})
"""The move h^2 da at which Newton's method of an implicit step has converged [m, rad]."""
BY_LENGTH = "step"
"""The option ``gradient`` with which there is a gradient by the length of steps."""
BY_PARAMETERS = "parameters"
"""The option ``gradient`` with which costs have a gradient by run-time parameters."""
MOVES = 40
"""Most steps of Newton's method."""


def called_by_rollouts(method: str) -> tuple[str, ...]:
    """The functions of the catalogue that rollouts of a method call, beside those of its stepper."""
    return (CONTACT_SLOPES,) if method == CONTACTS else (ONE_STEP, "step_adjoint")


class RolloutCode(IntEnum):
    """How a rollout ended; the values are those of the header."""

    DONE = 0
    NO_CONVERGENCE = 1
    NOT_FINITE = 2
    BAD_SETTINGS = 3


@dataclass(frozen=True, slots=True)
class Rollout:
    """States of a rollout, n steps of length ``h``.

    Attributes
    ----------
    q, v
        (n + 1, nq) and (n + 1, nv), the first those at the start; NaN from a step on that failed.
    memory
        (n + 1, m): what a step has beside its states, accelerations, or impulses and states of contacts.
    code
        How it ended.
    """

    q: Array
    v: Array
    memory: Array = field(repr=False)
    code: RolloutCode


@dataclass(frozen=True, slots=True)
class RolloutGradient:
    """Derivatives of a sum of costs of a rollout.

    Attributes
    ----------
    q, v
        (nv,) each: by moves of the first state, of q along rows of v.
    u
        (n, nu): by inputs of each step.
    p
        (np,): by run-time parameters.
    h
        By the length of all steps; None where that is not computed: with contacts, or without ``gradient="step"``.
    """

    q: Array
    v: Array
    u: Array
    p: Array
    h: float | None = None


class RolloutStates(NamedTuple):
    """States of a rollout in a framework: q (.., n + 1, nq), v (.., n + 1, nv), memory (.., n + 1, m) and code (..)."""

    q: Any
    v: Any
    memory: Any
    code: Any
