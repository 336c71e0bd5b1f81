"""symdyn turns a robot description into the fastest correct dynamics code for that robot.

>>> import symdyn
>>> robot = symdyn.load_example("seven_dof_arm")
>>> module = symdyn.compile(robot, ["inverse_dynamics"])  # doctest: +SKIP
>>> tau = module.inverse_dynamics(q, v, a)  # doctest: +SKIP
"""

from symdyn.api import (
    closed_form,
    compile,
    equilibrium,
    examples,
    from_description,
    generate,
    load,
    load_example,
    symbolic,
)
from symdyn.errors import SymdynError, SymdynWarning
from symdyn.robot import Robot
from symdyn.robot_records import JointLimits
from symdyn.version import VERSION

__version__ = VERSION

__all__ = [
    "JointLimits",
    "Robot",
    "SymdynError",
    "SymdynWarning",
    "__version__",
    "closed_form",
    "compile",
    "equilibrium",
    "examples",
    "from_description",
    "generate",
    "load",
    "load_example",
    "symbolic",
]
