"""What a loaded module tells of a function: its signature, and what a call costs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from symdyn.interface.signature import Argument, Signature

_SHOWN_RUNS = 6
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
