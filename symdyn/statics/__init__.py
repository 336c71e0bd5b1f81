"""Statics: positions at rest under loads, paths of them as loads grow, and the inputs that hold a shape."""

from symdyn.statics.inverse import InverseStatics, inverse_statics
from symdyn.statics.path import Path, path
from symdyn.statics.records import Equilibrium, NoEquilibriumError
from symdyn.statics.solve import equilibrium

__all__ = [
    "Equilibrium",
    "InverseStatics",
    "NoEquilibriumError",
    "Path",
    "equilibrium",
    "inverse_statics",
    "path",
]
