"""What verification found: per function and evaluator the worst error, and whether it is within the limit."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class EvaluatorResult:
    """One evaluator of one function against the truth.

    ``worst_error`` and ``limit`` are in units of u (2^-53 for float64, 2^-24 for float32), normwise per unit block;
    ``worst_state`` is the label of the state where the error is largest.
    """

    function: str
    evaluator: str
    states: int
    worst_error: float
    worst_state: str
    limit: float

    @property
    def passed(self) -> bool:
        """Whether the worst error is within the limit (false for NaN and infinity)."""
        return self.worst_error <= self.limit


@dataclass(frozen=True, slots=True)
class IdentityResult:
    """An identity between the functions of one loaded module.

    ``worst_residual`` and ``tolerance`` are in units of u, relative to the terms that cancel in the identity.
    """

    identity: str
    evaluator: str
    states: int
    worst_residual: float
    worst_state: str
    tolerance: float

    @property
    def passed(self) -> bool:
        """Whether the worst residual is within the tolerance (false for NaN and infinity)."""
        return self.worst_residual <= self.tolerance


@dataclass(frozen=True, slots=True)
class VerificationReport:
    """All results for one robot, in the order in which they were asked for."""

    robot: str
    dtype: str
    results: tuple[EvaluatorResult, ...]
    identities: tuple[IdentityResult, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether something was checked and all of it is within its limit."""
        identities = all(identity.passed for identity in self.identities)
        return bool(self.results) and all(result.passed for result in self.results) and identities
