"""Symdyn's generated C as a subject."""

from __future__ import annotations

import time
from pathlib import Path

from peers.measure import OWN_FLAGS, Subject, compile_objects, link, text_bytes
from peers.robots import RobotStates

import symdyn
from symdyn.interface.manifest import FILE_NAME, FunctionEntry, Manifest

INPUTS = {"q": "q", "v": "v", "a": "u", "tau": "u"}


def symdyn_subject(
    robot: symdyn.Robot,
    layout: str,
    states: RobotStates,
    folder: Path,
    function: str = "inverse_dynamics",
    limit_s: int | None = None,
) -> Subject:
    """Symdyn's C of one function and layout.

    Raises
    ------
    subprocess.TimeoutExpired
        gcc takes more than ``limit_s``.
    """
    out = folder / f"symdyn_{layout}_{function}"
    start = time.process_time()
    symdyn.generate(robot, [function], out=out, layout=layout)
    generation = time.process_time() - start
    manifest = Manifest.from_json((out / FILE_NAME).read_text())
    entry = manifest.function(function)
    objects, seconds = compile_objects("gcc", [out / source for source in manifest.sources], OWN_FLAGS, limit_s)
    return Subject(
        f"symdyn {layout}",
        link(folder, f"time_{layout}_{function}", objects, _shim(entry)),
        states.symdyn,
        robot.nq,
        robot.nv,
        sum(argument.size for argument in entry.signature.outputs),
        operations=entry.operations,
        text_bytes=text_bytes(objects),
        generation_s=generation,
        compile_s=seconds,
    )


def _shim(entry: FunctionEntry) -> str:
    inputs, outputs = entry.signature.inputs, entry.signature.outputs
    given = [INPUTS[argument.name] for argument in inputs]
    begins = [sum(argument.size for argument in outputs[:index]) for index in range(len(outputs))]
    types = ["const double *"] * len(inputs) + ["double *"] * (len(outputs) + 1)
    call = ", ".join([*given, *(f"out + {begin}" for begin in begins), "work"])
    unused = " ".join(f"(void){name};" for name in ("q", "v", "u") if name not in given)
    return (
        f"void {entry.c_name}({', '.join(types)});\n"
        f"static double work[{max(entry.work_size, 1)}];\n"
        "void subject(const double *q, const double *v, const double *u, double *out) {\n"
        f"    {unused}\n    {entry.c_name}({call});\n}}\n"
    )
