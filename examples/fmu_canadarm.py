"""How does a simulation tool move a flexible arm? The Canadarm as a unit of FMI 3.0, in FMPy if that is installed.

The unit contains the arm's analytic derivatives, so CVODE needs no differences. It also contains a stepper, for tools
without a solver. The shoulder is pushed for a second; then the tip goes on vibrating.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from needs import needs

import symdyn

PUSH = 200.0
"""Torque of the first joint [N m]."""


def main() -> None:
    """Write the unit, and let both of its interfaces move the arm."""
    robot = symdyn.load_example("canadarm")
    with tempfile.TemporaryDirectory() as folder:
        unit = symdyn.export_fmu(robot, Path(folder) / "canadarm.fmu", stepper="dop853")
        print(f"{unit.name}: {unit.stat().st_size / 1000:.0f} kB, {robot.nq + robot.nv} states")
        needs(__file__, "fmpy")  # what imports the unit
        move(robot, unit)


def move(robot: symdyn.Robot, unit: Path) -> None:
    """One second by CVODE, and by the unit's own stepper."""
    import fmpy

    first, last = robot.velocity_names[0], robot.coordinate_names[-1]
    for kind, settings in (("ModelExchange", {"relative_tolerance": 1e-7}), ("CoSimulation", {})):
        found = fmpy.simulate_fmu(
            str(unit),
            fmi_type=kind,
            stop_time=1.0,
            output_interval=0.01,
            start_values={f"tau.{first}": PUSH},
            output=[f"q.{first}", f"q.{last}"],
            **settings,
        )
        end = found[-1]
        print(f"{kind:14} after 1 s: {first} {end[f'q.{first}']:+.6f}, {last} {end[f'q.{last}']:+.6f}")


if __name__ == "__main__":
    main()
