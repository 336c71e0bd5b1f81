"""The taper of a soft arm by IPOPT, beside that of ``examples/design_soft_arm.py``: the same reach by another way.

Usage: python benchmarks/design_by_ipopt.py

The example follows gradients along rests, with an adjoint each, and SLSQP. Here positions at rest are unknowns beside
radii, holes and tensions, equations of statics are constraints, and CasADi differentiates their graphs twice.
"""

from __future__ import annotations

import importlib.util
import sys
import time
from pathlib import Path
from typing import Any

import casadi as ca
import numpy as np

import symdyn

EXAMPLES = Path(__file__).parents[1] / "examples"


def example() -> Any:
    """The example as a module."""
    sys.path.insert(0, str(EXAMPLES))
    spec = importlib.util.spec_from_file_location("design_soft_arm", EXAMPLES / "design_soft_arm.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def by_ipopt(own: Any, start: Any) -> tuple[float, Any, Any]:
    """The reach [mm], the design, and IPOPT's statistics."""
    robot = own.changing_arm()
    options = {"inputs": "actuators", "external_wrenches": "world"}
    residual = symdyn.symbolic(robot, "implicit_residual", **options)
    places = symdyn.symbolic(robot, "forward_kinematics", frames=[f"segment_{own.SEGMENTS}.tip"])
    n, ways, still = robot.nv, own.DIRECTIONS, np.zeros(robot.nv)
    radii, heights = ca.SX.sym("radii", own.SEGMENTS), ca.SX.sym("heights", own.SEGMENTS)
    tensions, Q = ca.SX.sym("tensions", len(ways)), ca.SX.sym("q", n, len(ways))
    rows, reached = [], 0
    for number, (way, wrench) in enumerate(zip(ways, own.loads(robot), strict=True)):
        q, u = Q[:, number], tensions[number] * heights
        named = {"q": q, "v": still, "a": still, "u": u, "f_ext": wrench.ravel(), "p": radii}
        rows.append(residual.call([named[name] for name in residual.name_in()])[0])
        pose = places.call([{"q": q, "p": radii}[name] for name in places.name_in()])[0]
        reached += ca.dot(ca.DM(way), ca.vec(pose)[[3, 7, 11]]) / len(ways)
    inside = own.MARGIN * radii - heights
    lighter = 1 - ca.sumsqr(radii) / float(start[: own.SEGMENTS] @ start[: own.SEGMENTS])
    z = ca.vertcat(radii, heights, tensions, ca.vec(Q))
    constraints = ca.vertcat(*rows, lighter, inside)
    usual = {"print_level": 0, "sb": "yes", "tol": 1e-10, "bound_relax_factor": 0.0, "max_iter": 500}
    nlp = {"x": z, "f": -10 * reached, "g": constraints}
    solver = ca.nlpsol("design", "ipopt", nlp, {"print_time": False, "ipopt": usual})
    rests = [
        symdyn.equilibrium(
            robot, tension * start[own.SEGMENTS : 2 * own.SEGMENTS], f_ext=wrench, p=start[: own.SEGMENTS]
        ).q
        for tension, wrench in zip(start[2 * own.SEGMENTS :], own.loads(robot), strict=True)
    ]
    free = np.full(n * len(ways), np.inf)
    found = solver(
        x0=np.concatenate([start, *rests]),
        lbx=np.append(own.LOW, -free),
        ubx=np.append(own.HIGH, free),
        lbg=0,
        ubg=np.append(np.zeros(n * len(ways)), np.full(1 + own.SEGMENTS, np.inf)),
    )
    return -100 * float(found["f"]), np.array(found["x"]).ravel()[: len(start)], solver.stats()


def main() -> None:
    """Print both designs."""
    own = example()
    reach, start = own.Reach(), np.repeat([own.RADIUS, own.HEIGHT, own.TENSION], own.SIZES)
    begun = time.process_time()
    cable, asked = own.best(reach, start, tapered=False)
    design, more = own.best(reach, cable)
    ours = reach(design)[0]
    print(f"gradients along rests: {ours:.9g} mm, {asked + more} gradients, {time.process_time() - begun:.2f} s")
    begun = time.process_time()
    theirs, other, told = by_ipopt(own, start)
    spent = time.process_time() - begun
    print(
        f"IPOPT: {told['return_status']}, {theirs:.9g} mm, {told['iter_count']} iterations, {spent:.2f} s with graphs"
    )
    print(f"reaches differ by {abs(ours / theirs - 1):.1e}, designs by {np.abs(design - other).max():.1e} (mm, N)")


if __name__ == "__main__":
    main()
