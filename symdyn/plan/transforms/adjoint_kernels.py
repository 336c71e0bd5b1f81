"""Kernels walked back: adjoints of the scalars that a visit reads, from these scalars and adjoints of results."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from symdyn.algebra.scalars.recorded import RecordingAlgebra
from symdyn.plan.plan import Kernel, Mode, Port, Step, Visit
from symdyn.plan.transforms.dual_kernels import Unknown, UnknownAlgebra

Places = tuple[tuple[str, tuple[int, ...]], ...]
"""Per port the places of some of its scalars."""


@dataclass(frozen=True, slots=True)
class AdjointVariant:
    """A visit's own variant, what of its reads varies, which results have an adjoint, and which reads get a share."""

    plain: Hashable
    varied: Places
    adjoints: Places
    shares: tuple[str, ...]


def adjoint_port(name: str) -> str:
    """The port of the adjoints of a port's scalars."""
    return f"{name}_owed"


class Walk:
    """A visit run on scalars without a value, forth once and back once: what depends on what.

    Parameters
    ----------
    step, visit
        What is run; without constants that vary.
    varied
        Per port that is read the places of scalars that vary.
    """

    def __init__(self, step: Step, visit: Visit, varied: Places) -> None:
        self._algebra = RecordingAlgebra(UnknownAlgebra())
        reads: dict[str, Sequence[Any]] = {}
        for port in step.ports:
            binding = visit.bindings.get(port.name)
            if port.mode is Mode.READ and binding is not None:
                count = getattr(binding, "count", None)
                reads[port.name] = binding.values if count is None else [Unknown()] * count  # type: ignore[union-attr]
        self._varied = varied
        self._seen = _seen(self._algebra, dict(varied), reads)
        constants = {k: x if isinstance(x, float) else Unknown() for k, x in visit.constants.items()}
        self._results = step.kernel(visit.variant, self._algebra, _held(self._algebra, constants), self._seen)

    @property
    def varying(self) -> dict[str, tuple[int, ...]]:
        """Per port that is written the places of results that vary."""
        return {
            name: tuple(n for n, x in enumerate(scalars) if getattr(x, "place", -1) >= 0)
            for name, scalars in self._results.items()
        }

    def shares(self, adjoints: Places) -> dict[str, tuple[int, ...]]:
        """Per port that is read the places of scalars that get a share; ports without any are absent."""
        seeds = [(self._results[name][place], Unknown()) for name, places in adjoints for place in places]
        found = self._algebra.adjoints(seeds)
        told = {
            name: tuple(place for place in places if self._seen[name][place].place in found)
            for name, places in self._varied
        }
        return {name: places for name, places in told.items() if places}


def walked_back(kernel: Kernel) -> Kernel:
    """The kernel that finds shares: adjoints of reads from those of results, over any algebra."""

    def run(
        variant: AdjointVariant, algebra: Any, constants: Mapping[str, Any], reads: Mapping[str, Sequence[Any]]
    ) -> Mapping[str, Sequence[Any]]:
        recording = RecordingAlgebra(algebra)
        given = {adjoint_port(name) for name, _ in variant.adjoints}
        plain = {name: values for name, values in reads.items() if name not in given}
        seen = _seen(recording, dict(variant.varied), plain)
        results = kernel(variant.plain, recording, _held(recording, constants), seen)
        found = recording.adjoints(
            (results[name][place], reads[adjoint_port(name)][place])
            for name, places in variant.adjoints
            for place in places
        )
        return {
            adjoint_port(name): [found.get(getattr(x, "place", -1), 0.0) for x in seen[name]] for name in variant.shares
        }

    return run


def _seen(
    recording: RecordingAlgebra, varied: Mapping[str, Sequence[int]], reads: Mapping[str, Sequence[Any]]
) -> dict[str, list[Any]]:
    return {
        name: [
            recording.variable(x) if place in varied.get(name, ()) else recording.passive(x)
            for place, x in enumerate(values)
        ]
        for name, values in reads.items()
    }


def _held(recording: RecordingAlgebra, constants: Mapping[str, Any]) -> dict[str, Any]:
    return {name: recording.passive(value) for name, value in constants.items()}


def adjoint_step(step: Step) -> Step:
    """The step that finds shares."""
    reads = [port for port in step.ports if port.mode is Mode.READ]
    adjoints = [Port(adjoint_port(port.name), Mode.READ) for port in step.ports if port.mode is not Mode.READ]
    shares = [Port(adjoint_port(port.name), Mode.ADD) for port in reads]
    return Step(f"{step.name}_back", walked_back(step.kernel), (*reads, *adjoints, *shares))
