"""CasADi's own C for the plain recursions as a subject."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path
from typing import Any

import casadi as ca
from peers.casadi_dynamics import casadi_rival
from peers.functions import BenchmarkFunction
from peers.measure import Subject, compile_objects, link, text_bytes
from peers.missing import PeerMissingError
from peers.robots import RobotStates

import symdyn

LARGEST = 60_000
"""Instructions beyond which gcc -O3 takes many minutes for one straight line."""


def casadi_subject(
    robot: symdyn.Robot,
    model: Any,
    states: RobotStates,
    folder: Path,
    function: BenchmarkFunction,
    limit_s: int | None = None,
) -> Subject:
    """CasADi's C of the plain recursion in SX, or of its derivatives by automatic differentiation.

    Raises
    ------
    PeerMissingError
        There is no plain recursion for this function, or its code is too long to compile.
    """
    start = time.process_time()
    made = casadi_rival(robot, function.name)
    if made is None:
        raise PeerMissingError("no plain recursion of this function")
    if made.n_instructions() > LARGEST:
        raise PeerMissingError(f"{made.n_instructions()} instructions, not compiled")
    generator = ca.CodeGenerator("rival", {"with_header": False})
    generator.add(made)
    source = folder / f"casadi_{function.name}.c"
    source.write_text(generator.dump())
    generation = time.process_time() - start
    try:
        objects, seconds = compile_objects("gcc", [source], [], limit_s)
    except subprocess.TimeoutExpired as slow:
        raise PeerMissingError(f"{made.n_instructions()} instructions, gcc takes over {limit_s} s") from slow
    begins = function.begins(model, states)
    places = " ".join(f"to[{index}] = out + {begin};" for index, begin in enumerate(begins[:-1]))
    shim = (
        "int rival(const double **, double **, long long *, double *, int);\n"
        f"static double work[{max(made.sz_w(), 1)}];\n"
        f"static const double *from[{max(made.sz_arg(), 3)}];\nstatic double *to[{max(made.sz_res(), 1)}];\n"
        "void subject(const double *q, const double *v, const double *u, double *out) {\n"
        f"    from[0] = q; from[1] = v; from[2] = u; {places}\n"
        "    rival(from, to, 0, work, 0);\n}\n"
    )
    return Subject(
        "CasADi C",
        link(folder, f"time_casadi_{function.name}", objects, shim),
        states.symdyn,
        robot.nq,
        robot.nv,
        begins[-1],
        operations=made.n_instructions(),
        text_bytes=text_bytes(objects),
        generation_s=generation,
        compile_s=seconds,
    )
