"""What a generated folder says about itself: written beside the sources, read by the toolchain and by verify."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from types import MappingProxyType
from typing import Any

from symdyn.errors import VerificationError
from symdyn.interface.manifest_schema import FILE_NAME, FORMAT, ROBOT_FILE, parse
from symdyn.interface.optimal_control import MPC
from symdyn.interface.rollouts import ROLLOUT
from symdyn.interface.signature import Signature

__all__ = [
    "FILE_NAME",
    "FORMAT",
    "ROBOT_FILE",
    "FunctionEntry",
    "Manifest",
    "SolverEntry",
    "StepperEntry",
    "text_digest",
]


def text_digest(data: str | bytes) -> str:
    """SHA-256 of a file's contents, in hexadecimal digits."""
    return hashlib.sha256(data.encode("utf-8") if isinstance(data, str) else data).hexdigest()


@dataclass(frozen=True, slots=True)
class FunctionEntry:
    """One generated function.

    ``c_name`` is the C function (``panda_inverse_dynamics``), ``python_name`` the attribute of the loaded module;
    ``work_size`` the scalars of workspace it needs, ``batch_work_size`` those of its batch form (0: no more than for
    one state); ``counts`` its operations by kind.
    """

    signature: Signature
    c_name: str
    python_name: str
    work_size: int
    layout: str
    counts: Mapping[str, int]
    operations: int
    batch_work_size: int = 0

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "signature": self.signature.to_dict(),
            "c_name": self.c_name,
            "python_name": self.python_name,
            "work_size": self.work_size,
            "layout": self.layout,
            "counts": dict(sorted(self.counts.items())),
            "operations": self.operations,
            "batch_work_size": self.batch_work_size,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> FunctionEntry:
        """Inverse of :meth:`to_dict`."""
        return cls(
            Signature.from_dict(data["signature"]),
            data["c_name"],
            data["python_name"],
            data["work_size"],
            data["layout"],
            dict(data["counts"]),
            data["operations"],
            data["batch_work_size"],
        )


@dataclass(frozen=True, slots=True)
class StepperEntry:
    """One generated stepper: its method, C function and workspace [scalars], and the function that moves the robot.

    ``partials`` is the C function of its derivatives, where it has some, and ``partials_work`` that one's workspace.
    """

    method: str
    c_name: str
    moved_by: str
    work_size: int
    partials: str = ""
    partials_work: int = 0

    @property
    def source(self) -> str:
        """Its C file."""
        return f"{self.c_name}.c"

    @property
    def python_name(self) -> str:
        """What it is called in Python, such as ``step_rk4``."""
        return f"step_{self.method.replace('-', '_')}"


def _told(entry: StepperEntry | SolverEntry) -> dict[str, Any]:
    """What there is of an entry."""
    return {name: own for name, own in asdict(entry).items() if own not in ("", 0) or name == "work_size"}


SOLVER_CALLS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        ROLLOUT: ("", "_gradient"),
        MPC: ("_start", "_solve", "_prepare", "_feedback", "_plan", "_gains"),
    }
)
"""Endings of the C functions of a solver, where it has not one function alone."""


@dataclass(frozen=True, slots=True)
class SolverEntry:
    """One generated solver: what it looks for, its C function and workspace [scalars].

    Of optimal control also the number of steps of a plan, their length [s], the usual bound on iterations, and 1 where
    it calls batches of functions.
    """

    solver: str
    c_name: str
    work_size: int
    nodes: int = 0
    step: float = 0.0
    iterations: int = 0
    lanes: int = 0

    @property
    def source(self) -> str:
        """Its C file."""
        return f"{self.c_name}.c"

    @property
    def calls(self) -> tuple[str, ...]:
        """Its C functions that callers outside C use."""
        return tuple(f"{self.c_name}{ending}" for ending in SOLVER_CALLS.get(self.solver, ("",)))

    @property
    def python_name(self) -> str:
        """What it is called in Python, such as ``solve_statics``."""
        return self.solver if self.nodes or self.solver == ROLLOUT else f"solve_{self.solver}"


@dataclass(frozen=True, slots=True)
class Manifest:
    """A generated module.

    ``identifier`` is the robot's name as a C identifier, ``load_options`` what ``load`` was told and ``asked`` what
    ``generate`` was, so that the folder can be generated again. ``sources`` are the C files of single states,
    ``lane_sources`` those of batches in lanes and ``header`` the header, relative to the folder; all empty for a
    Python-only target. ``files`` holds the SHA-256 of every other file of the folder by its path. The files of
    ``steppers`` and ``solvers`` are not among ``sources``, but in ``calling_sources``.
    """

    robot: str
    identifier: str
    version: str
    target: str
    dtype: str
    functions: tuple[FunctionEntry, ...]
    sources: tuple[str, ...] = ()
    header: str = ""
    fp_contract: bool = True
    load_options: Mapping[str, Any] = field(default_factory=dict)
    lane_sources: tuple[str, ...] = ()
    files: Mapping[str, str] = field(default_factory=dict)
    asked: Mapping[str, Any] = field(default_factory=dict)
    steppers: tuple[StepperEntry, ...] = ()
    solvers: tuple[SolverEntry, ...] = ()

    @property
    def calling_sources(self) -> tuple[str, ...]:
        """C files of what calls functions: steppers and solvers."""
        return (*(entry.source for entry in self.steppers), *(entry.source for entry in self.solvers))

    @property
    def content_hash(self) -> str:
        """SHA-256 over all that the manifest says, and so over every file of the folder."""
        return _digest(self._data())

    def function(self, name: str) -> FunctionEntry:
        """The entry of a function by its catalogue name."""
        return next(entry for entry in self.functions if entry.python_name == name)

    def to_json(self) -> str:
        """The text of ``manifest.json``: sorted keys, no dates, no paths outside the folder."""
        data = self._data()
        return json.dumps({**data, "content_hash": _digest(data)}, indent=2, sort_keys=True, ensure_ascii=True) + "\n"

    def _data(self) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "robot": self.robot,
            "identifier": self.identifier,
            "version": self.version,
            "target": self.target,
            "dtype": self.dtype,
            "functions": [entry.to_dict() for entry in self.functions],
            "sources": list(self.sources),
            "header": self.header,
            "fp_contract": self.fp_contract,
            "load_options": dict(self.load_options),
            "lane_sources": list(self.lane_sources),
            "files": dict(self.files),
            "asked": dict(self.asked),
            **({"steppers": [_told(stepper) for stepper in self.steppers]} if self.steppers else {}),
            **({"solvers": [_told(solver) for solver in self.solvers]} if self.solvers else {}),
        }

    @classmethod
    def from_json(cls, text: str) -> Manifest:
        """Inverse of :meth:`to_json`.

        Raises
        ------
        VerificationError
            Not JSON, not a manifest of this format, or one that was changed since it was written.
        """
        data = parse(text)
        expected = data.pop("content_hash")
        found = _digest(data)
        if found != expected:
            raise VerificationError(
                f"{FILE_NAME} was changed since it was generated (its hash is {found[:12]}, expected {expected[:12]}); "
                "generate it anew"
            )
        return cls(
            data["robot"],
            data["identifier"],
            data["version"],
            data["target"],
            data["dtype"],
            tuple(FunctionEntry.from_dict(item) for item in data["functions"]),
            tuple(data["sources"]),
            data["header"],
            data["fp_contract"],
            data["load_options"],
            tuple(data["lane_sources"]),
            data["files"],
            data["asked"],
            tuple(StepperEntry(**item) for item in data.get("steppers", ())),
            tuple(SolverEntry(**item) for item in data.get("solvers", ())),
        )


def _digest(data: Mapping[str, Any]) -> str:
    return text_digest(json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=True))
