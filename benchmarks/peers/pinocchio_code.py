"""Pinocchio's algorithms as subjects: its own C++, and the C that CppADCodeGen makes of them."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

from peers.functions import BenchmarkFunction
from peers.measure import Subject, children_seconds, compile_objects, link, text_bytes
from peers.missing import PeerMissingError
from peers.peer_programs import cppadcg_program, pinocchio_program
from peers.robots import RobotStates, model_text

LARGEST = 1_000_000
"""Bytes of C beyond which gcc -O3 takes many minutes for one straight line."""


def pinocchio_subject(model: Any, states: RobotStates, folder: Path, function: BenchmarkFunction) -> Subject:
    """Pinocchio's algorithm in C++, its templates compiled with the same flags.

    What is timed leaves its results in Pinocchio's ``Data``, of a symmetric matrix the upper triangle alone.

    Raises
    ------
    PeerMissingError
        It cannot be compiled here.
    """
    return Subject(
        "Pinocchio C++",
        pinocchio_program(),
        states.pinocchio,
        model.nq,
        model.nv,
        function.begins(model, states)[-1],
        arguments=(function.name, str(_model_file(model, states, folder))),
    )


def cppadcg_subject(
    model: Any, states: RobotStates, folder: Path, function: BenchmarkFunction, limit_s: int | None = None
) -> Subject:
    """The straight line that CppADCodeGen makes of Pinocchio's algorithm, derivatives being Pinocchio's analytic ones.

    Raises
    ------
    PeerMissingError
        It cannot be made or compiled here.
    """
    program, before = cppadcg_program(), children_seconds()
    outputs = function.begins(model, states)[-1]
    command = [str(program), function.name, str(_model_file(model, states, folder)), str(outputs)]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    generation = children_seconds() - before
    if len(text) > LARGEST:
        raise PeerMissingError(f"{len(text) / 1e6:.1f} MB of C, not compiled")
    source = folder / f"cppadcg_{function.name}.c"
    source.write_text(text)
    try:
        objects, seconds = compile_objects("gcc", [source], [], limit_s)
    except subprocess.TimeoutExpired as slow:
        raise PeerMissingError(f"{len(text) / 1e6:.1f} MB of C, gcc takes over {limit_s} s") from slow
    shim = (  # q, v, u lie one after the other in the harness' rows, as this rival takes them
        "struct LangCAtomicFun { void *model; void (*forward)(void); void (*reverse)(void); };\n"
        "void rival(double const *const *in, double *const *out, struct LangCAtomicFun atomic);\n"
        "void subject(const double *q, const double *v, const double *u, double *out) {\n"
        "    struct LangCAtomicFun none = {0, 0, 0};\n"
        "    (void)v;\n    (void)u;\n    rival(&q, &out, none);\n}\n"
    )
    return Subject(
        "CppADCodeGen",
        link(folder, f"time_cppadcg_{function.name}", objects, shim),
        states.pinocchio,
        model.nq,
        model.nv,
        function.begins(model, states)[-1],
        text_bytes=text_bytes(objects),
        generation_s=generation,
        compile_s=seconds,
    )


def _model_file(model: Any, states: RobotStates, folder: Path) -> Path:
    path = folder / "model.txt"
    if not path.exists():
        path.write_text(model_text(model, states.frames))
    return path
