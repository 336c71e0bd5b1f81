"""Files and declarations of solvers: one C file each, and what the header says of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from symdyn.compiler.emit.contents import Contents
from symdyn.compiler.emit.render import render
from symdyn.compiler.emit.solvers.differential_ik import DifferentialIkSolver
from symdyn.compiler.emit.solvers.inverse_kinematics import InverseKinematicsSolver
from symdyn.compiler.emit.solvers.mpc import MpcSolver
from symdyn.compiler.emit.solvers.rollout import RolloutSolver
from symdyn.compiler.emit.solvers.soft_inverse_kinematics import SoftInverseKinematicsSolver
from symdyn.compiler.emit.solvers.statics import StaticsSolver
from symdyn.compiler.emit.source import SourceFile
from symdyn.interface.manifest import SolverEntry

Search = StaticsSolver | InverseKinematicsSolver | SoftInverseKinematicsSolver | DifferentialIkSolver
Solver = Search | MpcSolver | RolloutSolver
_ALL: tuple[type[Solver], ...] = (
    *(StaticsSolver, InverseKinematicsSolver, SoftInverseKinematicsSolver, DifferentialIkSolver),
    *(MpcSolver, RolloutSolver),
)
_KINDS: Mapping[str, type[Solver]] = {own.kind: own for own in _ALL}

_CODES = {
    "done": "DONE",
    "too_many": "TOO_MANY_ITERATIONS",
    "no_rest": "NO_REST",
    "no_convergence": "LOOPS_OPEN",
    "not_finite": "NOT_FINITE",
    "not_reached": "NOT_REACHED",
}


def solvers_of(contents: Contents) -> tuple[Solver, ...]:
    """The solvers of a folder, none where nobody asked for any."""
    solving = contents.solving
    return () if solving is None else tuple(_KINDS[kind](contents, solving) for kind in solving.solvers)


def solver_entries(contents: Contents) -> tuple[SolverEntry, ...]:
    """What the manifest holds of them."""
    return tuple(_entry(own) for own in solvers_of(contents))


def _entry(own: Solver) -> SolverEntry:
    if not isinstance(own, MpcSolver):
        return SolverEntry(own.kind, own.c_name, own.work_size)
    settings = own.settings
    sizes = (own.work_size, settings.nodes, settings.step, settings.iterations)
    return SolverEntry(own.kind, own.c_name, *sizes, int(settings.lanes))


def emit_solvers(contents: Contents) -> tuple[SourceFile, ...]:
    """One C file per solver."""
    return tuple(
        SourceFile(f"{own.c_name}.c", render(own.template, own.context(_codes(contents))))
        for own in solvers_of(contents)
    )


def solver_declarations(contents: Contents) -> Mapping[str, Any] | None:
    """What the header says of solvers; None where there are none."""
    found = [
        {
            "name": own.c_name,
            "title": own.title,
            "searches": isinstance(own, Search),
            "preamble": [] if isinstance(own, Search) else own.preamble,
            "functions": _declared(own, contents) if isinstance(own, Search) else own.declared,
            "work": (f"{own.c_name.upper()}_WORK", own.work_size),
        }
        for own in solvers_of(contents)
    ]
    if not found:
        return None
    added = ", ".join(f"`{name}`" for name in (contents.solving.added if contents.solving else ()))
    searches = any(own["searches"] for own in found)
    return {**_codes(contents), "solvers": found, "searches": searches, "added": added}


def _declared(own: Search, contents: Contents) -> list[dict[str, Any]]:
    """The function of a search, and that of its slopes where another search calls it."""
    documented = {"title": own.title, "documentation": own.documentation, "parameters": own.parameters}
    found = [{"name": own.c_name, **documented}]
    if isinstance(own, StaticsSolver) and own.inputs:
        found.append(own.slopes_declared)
    return [{**function, "result": f"enum {_codes(contents)['code']}"} for function in found]


def _codes(contents: Contents) -> dict[str, Any]:
    stem = contents.identifier
    return {
        "code": f"{stem}_solve_code",
        "codes": {name: f"{stem.upper()}_SOLVE_{text}" for name, text in _CODES.items()},
    }
