"""Generated folders that together hold every kind of C file which symdyn writes."""

from __future__ import annotations

import os
from pathlib import Path

import symdyn
from symdyn.compiler.emit.timing import FILE_NAME as TIMING
from symdyn.compiler.emit.timing import timing_harness
from symdyn.toolchain.folder import read_manifest

BOX = """
name: box
links:
  world: {}
  box: {mass: 2, inertia: {xx: 0.006, yy: 0.008, zz: 0.011}, collision: {body: {sphere: 0.1}}}
joints: {free: {type: floating, parent: world, child: box}}
obstacles: {floor: {plane: {normal: [0, 0, 1], point: [0, 0, 0]}}}
contacts: {skin: {of: box.body, with: floor, friction: 0.5, restitution: 0.3}}
"""


def write_every_kind(folder: Path) -> list[Path]:
    """Write the folders; their C files. Functions are unrolled and in loops, with lanes, steppers and solvers."""
    arm = symdyn.load_example("double_pendulum")
    functions = ["inverse_dynamics", "forward_dynamics"]
    methods = ["rk4", "dop853", "generalised-alpha"]
    box, legged = symdyn.loads(BOX, format="yaml"), symdyn.load_example("quadruped")
    made = [
        symdyn.generate(
            arm, functions, steppers=methods, solvers=["inverse_kinematics", "differential_ik", "statics"],
            tasks=["tip"], target="cpp", out=folder / "cpp",
        ),
        symdyn.generate(arm, ["inverse_dynamics_time_derivatives"], order=2, layout="rolled", out=folder / "rolled"),
        symdyn.generate(
            symdyn.load_example("five_bar"), ["gravity"], solvers=["soft_inverse_kinematics"],
            tasks=["right_fore:position"], out=folder / "driven",
        ),
        symdyn.generate(box, ["contact_problem"], rollout="contacts", out=folder / "box"),
        symdyn.generate(arm, ["gravity"], rollout="implicit_euler", out=folder / "rollout"),
        symdyn.generate(arm, ["forward_dynamics"], target="casadi", out=folder / "casadi"),
        symdyn.generate(arm, functions[:1], target="fmu", out=folder / "fmu"),
        symdyn.generate(legged, functions[:1], dtype="float32", layout="rolled-lanes", out=folder / "lanes"),
    ]  # fmt: skip
    own = timing_harness(read_manifest(made[0]).functions[0])
    (made[0] / own.path).write_text(own.text, encoding="utf-8")
    assert own.path == TIMING
    return sorted(path for place in made for path in Path(os.fspath(place)).glob("*.c"))
