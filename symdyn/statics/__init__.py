"""Statics: rests under loads, paths of them as loads grow, inputs that hold a shape, and natural modes."""

from symdyn.statics.inverse import InverseStatics, inverse_statics
from symdyn.statics.mode_records import Mode, Modes
from symdyn.statics.modes import modes
from symdyn.statics.path import Path, path
from symdyn.statics.records import Equilibrium, NoEquilibriumError
from symdyn.statics.solve import equilibrium

__all__ = [
    "Equilibrium",
    "InverseStatics",
    "Mode",
    "Modes",
    "NoEquilibriumError",
    "Path",
    "equilibrium",
    "inverse_statics",
    "modes",
    "path",
]
