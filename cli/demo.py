"""``symdyn demo``: the whole way once, with measured figures."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from . import options, terminal

if TYPE_CHECKING:
    from symdyn.robot.robot import Robot

_COLUMNS = (
    ("ops", "operations", "{:.0f}"),
    ("C bytes", "c_bytes", "{:.0f}"),
    ("gen s", "generation_s", "{:.2f}"),
    ("cc s", "compile_s", "{:.2f}"),
    ("ns in C", "ns_per_c_call", "{:.0f}"),
    ("ns from Py", "ns_per_python_call", "{:.0f}"),
)
"""Title, key of a measurement, and its form; gen and cc are the times to generate and to compile."""
_STATES = 20
_NEXT = """\
Next, for this robot:
  symdyn info {robot}
    its coordinates, limits and masses, and what inverse dynamics costs
  symdyn generate {robot} -o out
    the C and Python of inverse dynamics; -f names other functions
  symdyn simulate {robot} --time 2 --plot motion.png
    how it falls, as a picture
In Python:
  robot = symdyn.{loaded}
  module = symdyn.compile(robot, ["forward_dynamics"])
"""


def run(
    robot: Annotated[str, typer.Argument(metavar="ROBOT", help="A robot file or a shipped example.")] = "seven_dof_arm",
) -> None:
    """Run the whole way once. Generate, compile, call, verify and time inverse dynamics, beside CasADi's code."""
    from symdyn.errors import VerificationError

    loaded = options.load_robot(robot, {})
    terminal.line(f"{loaded.name}: {len(loaded.body_names)} bodies, nq = {loaded.nq}, nv = {loaded.nv}")
    _call(loaded)
    passed = _verify(loaded)
    _measure(loaded)
    terminal.line()
    made = "load" if Path(robot).is_file() else "load_example"
    terminal.block(_NEXT.format(robot=robot, loaded=f'{made}("{robot}")').rstrip())
    if not passed:
        raise VerificationError("the generated code differs from the independent evaluator; run symdyn verify")


def _call(robot: Robot) -> None:
    import numpy

    import symdyn

    with terminal.working("compiling"):
        module = symdyn.compile(robot, ["inverse_dynamics"])
    rng = numpy.random.default_rng(0)
    q, v = robot.random_state(rng)
    a = rng.standard_normal(robot.nv)
    extra = [numpy.nan_to_num(robot.runtime_defaults, nan=1.0)] if robot.runtime_parameters else []
    tau = module.inverse_dynamics(q, v, a, *extra)
    terminal.title("one call: tau = module.inverse_dynamics(q, v, a) at a random state")
    terminal.table(
        ("velocity", "unit", "v", "a", "tau"),
        (
            (name, unit, f"{v[row]:.4f}", f"{a[row]:.4f}", f"{tau[row]:.6f}")
            for row, (name, unit) in enumerate(zip(robot.velocity_names, robot.velocity_units, strict=True))
        ),
        numbers=(2, 3, 4),
    )


def _verify(robot: Robot) -> bool:
    import symdyn

    from .verify import show_report

    with tempfile.TemporaryDirectory(prefix="symdyn-demo-") as folder, terminal.working("verifying") as progress:
        made = symdyn.generate(robot, ["inverse_dynamics"], out=Path(folder) / "demo")
        report = symdyn.api.verify(made, _STATES, progress=progress)
    special = max(result.states for result in report.results) - _STATES
    terminal.title(f"checked at {_STATES} random states, and at {special} where formulas break, against 50 digits")
    show_report(report)
    return bool(report.passed)


def _measure(robot: Robot) -> None:
    import symdyn.api

    with terminal.working("measuring"):
        measured = symdyn.api.demo_measurements(robot)
    terminal.title("inverse dynamics, timed here (ratios carry over to other machines, times do not)")
    terminal.table(
        ("one call of", *(title for title, _, _ in _COLUMNS)),
        ((row, *(_cell(figures, key, form) for _, key, form in _COLUMNS)) for row, figures in measured.items()),
        numbers=range(1, 1 + len(_COLUMNS)),
    )


def _cell(figures: dict[str, Any], key: str, form: str) -> str:
    value = figures.get(key)
    return "-" if value is None else form.format(value)
