"""Random robots of all kinds, generated as C and as Python, compiled, and verified with the identities of ``verify``.

    cd tests; python -m support.fuzz.random_robots_built --count 300 --seed 7 --jobs 16

Joints of every kind, followers, rotors and springs, flexible links, free bases, run-time parameters, conventions and
layouts are drawn. Each folder is verified: compiled C, the Python target, the Program's evaluator and the recursion
against 50-digit arithmetic, and the identities that hold between its functions. ``--first INDEX --count 1 --jobs 0``
runs one case again; reproducers (robot.yaml, and the request beside it) go to ``fuzz_failures/``.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import symdyn
from support.fuzz.campaign import Outcome, command, judged
from support.fuzz.sources import random_description
from symdyn import api
from symdyn.description.yaml.write import write_yaml
from symdyn.errors import ModelError
from symdyn.robot.robot import Robot

FUNCTIONS = (
    ["inverse_dynamics", "mass_matrix", "coriolis_matrix", "kinetic_energy", "potential_energy"],
    ["inverse_dynamics", "forward_dynamics"],
    ["inverse_dynamics", "inverse_dynamics_partials"],
    ["mass_matrix", "mass_matrix_inverse"],
    ["inverse_dynamics", "hybrid_dynamics"],
    ["inverse_dynamics"],
)
LAYOUTS = ("auto", "unrolled", "split", "rolled")
SLOW_S = 400.0


def case(seed: int, index: int) -> Outcome:
    """One robot."""
    rng = random.Random(f"built {seed} {index}")
    description = random_description(rng, 5, flexible=rng.random() < 0.3)
    masses = [f"{link.name}.mass" for link in description.links if link.inertial is not None]
    options: dict[str, Any] = {
        "runtime": rng.sample(masses, min(len(masses), rng.choice((0, 0, 1, 2)))),
        "joint_losses": rng.random() < 0.3,
        "convention": "spatial" if description.floating_base and rng.random() < 0.3 else "pinocchio",
    }
    request: dict[str, Any] = {"functions": rng.choice(FUNCTIONS), "layout": rng.choice(LAYOUTS)}
    if rng.random() < 0.2:
        request["external_wrenches"] = rng.choice(("body", "world"))
    draw = rng.random()

    def verified(path: Path) -> str:
        robot = symdyn.from_description(description, **options)
        if "hybrid_dynamics" in request["functions"]:
            request["prescribed"] = [name for name in robot.velocity_names if draw < 0.5] or robot.velocity_names[:1]
        return _verified(robot, request, path.parent / "out")

    remark = f"{options} {request}\n"
    return judged(verified, write_yaml(description).encode(), ".yaml", SLOW_S, remark)


def _verified(robot: Robot, request: dict[str, Any], out: Path) -> str:
    try:
        folder = symdyn.generate(robot, out=out, **request)
    except ModelError:
        if request["functions"] == ["inverse_dynamics"]:
            raise
        return "a function that the robot does not have"
    report = api.verify(folder, states=3)
    if not report.passed:
        bad: list[Any] = [result for result in (*report.results, *report.identities) if not result.passed]
        raise AssertionError(f"not verified: {bad[0]}")
    return f"verified in {len({result.evaluator for result in report.results})} ways, {request['layout']}"


if __name__ == "__main__":
    command("random_robots_built", case, 300)
