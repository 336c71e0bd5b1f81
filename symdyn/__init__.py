"""symdyn turns a robot description into the fastest correct dynamics code for that robot.

>>> import symdyn
>>> robot = symdyn.load_example("seven_dof_arm")
>>> module = symdyn.compile(robot, ["inverse_dynamics"])  # doctest: +SKIP
>>> tau = module.inverse_dynamics(q, v, a)  # doctest: +SKIP
"""

from importlib import import_module
from pathlib import Path as _Path
from typing import TYPE_CHECKING, Any

from symdyn.interface import package_digest as _package_digest  # noqa: F401  (first: it notes when this process began)

# isort: split

from symdyn.api import (
    closed_form,
    compile,
    contact_step,
    contact_step_partials,
    differential_ik,
    equilibrium,
    examples,
    excitation,
    export_fmu,
    export_ocp,
    from_description,
    generate,
    identify,
    inverse_kinematics,
    load,
    load_example,
    load_problem,
    loads,
    modes,
    open,
    optimal_control,
    play,
    rollout,
    simulate,
    soft_inverse_kinematics,
    symbolic,
)
from symdyn.errors import SymdynError, SymdynWarning
from symdyn.interface.distribution import look_beside as _look_beside
from symdyn.interface.version import VERSION
from symdyn.robot.records import JointLimits
from symdyn.robot.robot import Robot
from symdyn.warning import warn as _warn

if TYPE_CHECKING:
    from symdyn.analysis.simulation.smooth_inputs import HarmonicInputs, PolynomialInputs
    from symdyn.analysis.simulation.trajectory import Trajectory
    from symdyn.description.control.costs import (
        CenterOfMass,
        Effort,
        Energy,
        FrameAxis,
        FramePose,
        FramePosition,
        FrameVelocity,
        InputCost,
        InputRate,
        Momentum,
        StateCost,
    )
    from symdyn.description.control.problem import Horizon, Limits, OptimalControlProblem, SolverSettings

__version__ = VERSION

__all__ = [
    "CenterOfMass",
    "Effort",
    "Energy",
    "FrameAxis",
    "FramePose",
    "FramePosition",
    "FrameVelocity",
    "HarmonicInputs",
    "Horizon",
    "InputCost",
    "InputRate",
    "JointLimits",
    "Limits",
    "Momentum",
    "OptimalControlProblem",
    "PolynomialInputs",
    "Robot",
    "SolverSettings",
    "StateCost",
    "SymdynError",
    "SymdynWarning",
    "Trajectory",
    "__version__",
    "closed_form",
    "compile",
    "contact_step",
    "contact_step_partials",
    "differential_ik",
    "equilibrium",
    "examples",
    "excitation",
    "export_fmu",
    "export_ocp",
    "from_description",
    "generate",
    "identify",
    "inverse_kinematics",
    "load",
    "load_example",
    "load_problem",
    "loads",
    "modes",
    "open",
    "optimal_control",
    "play",
    "rollout",
    "simulate",
    "soft_inverse_kinematics",
    "symbolic",
]


_LATER = {
    "InputRate": "symdyn.description.control.costs",
    "FrameVelocity": "symdyn.description.control.costs",
    "CenterOfMass": "symdyn.description.control.costs",
    "Momentum": "symdyn.description.control.costs",
    "Energy": "symdyn.description.control.costs",
    "Effort": "symdyn.description.control.costs",
    "StateCost": "symdyn.description.control.costs",
    "InputCost": "symdyn.description.control.costs",
    "FramePose": "symdyn.description.control.costs",
    "FramePosition": "symdyn.description.control.costs",
    "FrameAxis": "symdyn.description.control.costs",
    "OptimalControlProblem": "symdyn.description.control.problem",
    "Limits": "symdyn.description.control.problem",
    "Horizon": "symdyn.description.control.problem",
    "SolverSettings": "symdyn.description.control.problem",
    "HarmonicInputs": "symdyn.analysis.simulation.smooth_inputs",
    "PolynomialInputs": "symdyn.analysis.simulation.smooth_inputs",
    "Trajectory": "symdyn.analysis.simulation.trajectory",
}
"""Classes by their modules, which are imported when a class is first used."""


if (_namesake := _look_beside(_Path(__file__).parent)) is not None:
    _warn(_namesake)


def __getattr__(name: str) -> Any:
    """A class of ``_LATER``."""
    if name in _LATER:
        return getattr(import_module(_LATER[name]), name)
    raise AttributeError(f"module 'symdyn' has no attribute '{name}'")
