"""Builds subjects (a function behind the harness' interface) and times them all in one run, turn by turn."""

from __future__ import annotations

import os
import statistics
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import casadi as ca
import numpy as np
import pinocchio
from numpy.typing import NDArray
from peers.casadi_rnea import casadi_rnea
from peers.robots import RobotStates, model_text

import symdyn
from symdyn.manifest import FILE_NAME, Manifest

HERE = Path(__file__).resolve().parent
FLAGS = ["-O3", "-march=native", "-ffp-contract=fast", "-fno-math-errno", "-fno-trapping-math"]
ROUNDS = 5
BATCHES = 31
BATCH_NS = 1e6
"""A batch lasts about this long, so that reading the clock costs nothing that shows."""


@dataclass(slots=True)
class Subject:
    """An executable to time, with what is known of its code."""

    name: str
    program: Path
    states: NDArray[np.float64]
    nq: int
    nv: int
    argument: str = ""
    operations: int | None = None
    text_bytes: int | None = None
    generation_s: float | None = None
    compile_s: float | None = None
    runs: list[float] = field(default_factory=list)
    tau: NDArray[np.float64] | None = None

    @property
    def nanoseconds(self) -> float:
        """Median over the rounds of the median batch."""
        return statistics.median(self.runs)


def compile_objects(compiler: str, sources: Sequence[Path], flags: Sequence[str]) -> tuple[list[Path], float]:
    """Object files beside their sources, and the seconds of processor time that took."""
    before = os.times()
    objects = []
    for source in sources:
        made = source.with_suffix(".o")
        subprocess.run([compiler, *FLAGS, *flags, "-c", str(source), "-o", str(made)], check=True)
        objects.append(made)
    after = os.times()
    return objects, after.children_user + after.children_system - before.children_user - before.children_system


def text_bytes(objects: Sequence[Path]) -> int:
    """Bytes of code and constants."""
    listed = subprocess.run(["size", *map(str, objects)], check=True, capture_output=True, text=True).stdout
    return sum(int(line.split()[0]) for line in listed.splitlines()[1:])


def link(folder: Path, name: str, objects: Sequence[Path], shim: str, libraries: Sequence[str] = ()) -> Path:
    """The harness, a shim and the subject's objects as one program."""
    (folder / f"{name}_shim.c").write_text(shim)
    program = folder / name
    sources = [str(HERE / "harness.c"), str(folder / f"{name}_shim.c")]
    command = ["gcc", *FLAGS, *sources, *map(str, objects), "-o", str(program), *libraries, "-lm"]
    subprocess.run(command, check=True)
    return program


def symdyn_subject(
    robot: symdyn.Robot, layout: str, states: RobotStates, folder: Path, function: str = "inverse_dynamics"
) -> Subject:
    """Symdyn's C of one layout."""
    out = folder / f"symdyn_{layout}"
    start = time.process_time()
    symdyn.generate(robot, [function], out=out, layout=layout)
    generation = time.process_time() - start
    manifest = Manifest.from_json((out / FILE_NAME).read_text())
    entry = manifest.function(function)
    objects, seconds = compile_objects("gcc", [out / source for source in manifest.sources], ["-std=c99"])
    shim = (
        f"void {entry.c_name}(const double *, const double *, const double *, double *, double *);\n"
        f"static double work[{max(entry.work_size, 1)}];\n"
        "int prepare(const char *argument) { (void)argument; return 0; }\n"
        "void subject(const double *q, const double *v, const double *a, double *tau) {\n"
        f"    {entry.c_name}(q, v, a, tau, work);\n}}\n"
    )
    return Subject(
        f"symdyn {layout}",
        link(folder, f"time_{layout}", objects, shim),
        states.symdyn,
        robot.nq,
        robot.nv,
        operations=entry.operations,
        text_bytes=text_bytes(objects),
        generation_s=generation,
        compile_s=seconds,
    )


def casadi_subject(model: Any, states: RobotStates, folder: Path) -> Subject:
    """CasADi's C of the plain recursion in SX."""
    start = time.process_time()
    function = casadi_rnea(model)
    generator = ca.CodeGenerator("rival", {"with_header": False})
    generator.add(function)
    source = folder / "rival.c"
    source.write_text(generator.dump())
    generation = time.process_time() - start
    objects, seconds = compile_objects("gcc", [source], [])
    shim = (
        "int rnea(const double **, double **, long long *, double *, int);\n"
        f"static double work[{max(function.sz_w(), 1)}];\n"
        f"static const double *from[{max(function.sz_arg(), 3)}];\nstatic double *to[{max(function.sz_res(), 1)}];\n"
        "int prepare(const char *argument) { (void)argument; return 0; }\n"
        "void subject(const double *q, const double *v, const double *a, double *tau) {\n"
        "    from[0] = q; from[1] = v; from[2] = a; to[0] = tau;\n"
        "    rnea(from, to, 0, work, 0);\n}\n"
    )
    return Subject(
        "CasADi C",
        link(folder, "time_casadi", objects, shim),
        states.pinocchio,
        model.nq,
        model.nv,
        operations=function.n_instructions(),
        text_bytes=text_bytes(objects),
        generation_s=generation,
        compile_s=seconds,
    )


def build_pinocchio(folder: Path) -> Path:
    """The program that times Pinocchio's rnea for any model, made once: its templates take a minute to compile.

    Eigen's headers are looked for where Debian's libeigen3-dev puts them, or in EIGEN_INCLUDE.
    """
    program = folder / "time_pinocchio"
    if not program.exists():
        prefix = Path(pinocchio.__file__).resolve().parents[4]
        source = HERE / "pinocchio_rnea.cpp"
        # as the wheel's own CMake target asks for
        limits = ["BOOST_MPL_LIMIT_LIST_SIZE=30", "BOOST_MPL_LIMIT_VECTOR_SIZE=30", "BOOST_FUSION_INVOKE_MAX_ARITY=12"]
        defines = [f"-D{name}" for name in ("NDEBUG", "BOOST_MPL_CFG_NO_PREPROCESSED_HEADERS", *limits)]
        eigen = os.environ.get("EIGEN_INCLUDE", "/usr/include/eigen3")
        includes = [f"-isystem{prefix / 'include'}", f"-isystem{eigen}"]
        made = folder / "pinocchio_rnea.o"
        subprocess.run(["gcc", *FLAGS, "-c", str(HERE / "harness.c"), "-o", str(folder / "harness.o")], check=True)
        subprocess.run(
            ["g++", "-std=c++17", "-w", *FLAGS, *defines, *includes, "-c", str(source), "-o", str(made)], check=True
        )
        subprocess.run(["g++", str(made), str(folder / "harness.o"), "-o", str(program), "-lm"], check=True)
    return program


def pinocchio_subject(model: Any, states: RobotStates, folder: Path, program: Path) -> Subject:
    """Pinocchio's rnea in C++, its templates compiled with the same flags."""
    text = folder / "model.txt"
    text.write_text(model_text(model))
    return Subject("Pinocchio C++", program, states.pinocchio, model.nq, model.nv, argument=str(text))


def time_subjects(subjects: Sequence[Subject], folder: Path, rounds: int = ROUNDS) -> None:
    """Fill in ``runs`` and ``tau``: every round times each subject once, on one processor core."""
    core = max(os.sched_getaffinity(0))
    for subject in subjects:
        _run(subject, folder, core, batches=1, calls=64)
    calls = {subject.name: max(64, int(BATCH_NS / subject.runs.pop())) for subject in subjects}
    for _ in range(rounds):
        for subject in subjects:
            _run(subject, folder, core, BATCHES, calls[subject.name])


def _run(subject: Subject, folder: Path, core: int, batches: int, calls: int) -> None:
    states, results = folder / "states.bin", folder / "results.bin"
    subject.states.tofile(states)
    command = [str(subject.program), str(states), str(results), str(subject.nq), str(subject.nv)]
    command += [str(batches), str(calls), subject.argument]
    done = subprocess.run(
        command,
        check=True,
        capture_output=True,
        text=True,
        preexec_fn=lambda: os.sched_setaffinity(0, {core}),
    )
    subject.runs.append(float(done.stdout))
    subject.tau = np.fromfile(results).reshape(-1, subject.nv)
