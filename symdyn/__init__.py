"""symdyn turns a robot description into the fastest correct dynamics code for that robot.

>>> import symdyn
>>> robot = symdyn.load_example("seven_dof_arm")
>>> module = symdyn.compile(robot, ["inverse_dynamics"])  # doctest: +SKIP
>>> tau = module.inverse_dynamics(q, v, a)  # doctest: +SKIP
"""

from typing import TYPE_CHECKING, Any

from symdyn import own_text as _own_text  # noqa: F401  (first: it notes when this process began)
from symdyn.api import (
    closed_form,
    compile,
    equilibrium,
    examples,
    excitation,
    export_fmu,
    from_description,
    generate,
    identify,
    load,
    load_example,
    loads,
    modes,
    open,
    simulate,
    symbolic,
)
from symdyn.errors import SymdynError, SymdynWarning
from symdyn.robot import Robot
from symdyn.robot_records import JointLimits
from symdyn.version import VERSION

if TYPE_CHECKING:
    from symdyn.simulation.trajectory import Trajectory

__version__ = VERSION

__all__ = [
    "JointLimits",
    "Robot",
    "SymdynError",
    "SymdynWarning",
    "Trajectory",
    "__version__",
    "closed_form",
    "compile",
    "equilibrium",
    "examples",
    "excitation",
    "export_fmu",
    "from_description",
    "generate",
    "identify",
    "load",
    "load_example",
    "loads",
    "modes",
    "open",
    "simulate",
    "symbolic",
]


def __getattr__(name: str) -> Any:
    """``Trajectory``, whose module is loaded where it is asked for."""
    if name == "Trajectory":
        from symdyn.simulation.trajectory import Trajectory

        return Trajectory
    raise AttributeError(f"module 'symdyn' has no attribute '{name}'")
