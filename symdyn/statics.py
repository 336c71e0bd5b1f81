"""Statics: rests under loads, paths of them as loads grow, inputs that hold a shape, and natural modes."""

from symdyn.analysis.statics.inverse import InverseStatics, inverse_statics
from symdyn.analysis.statics.mode_records import Mode, Modes
from symdyn.analysis.statics.modes import modes
from symdyn.analysis.statics.path import path
from symdyn.analysis.statics.records import ContactForces, Equilibrium, NoEquilibriumError, Path
from symdyn.analysis.statics.slopes import RestSlopes
from symdyn.analysis.statics.solve import equilibrium

__all__ = [
    "ContactForces",
    "Equilibrium",
    "InverseStatics",
    "Mode",
    "Modes",
    "NoEquilibriumError",
    "Path",
    "RestSlopes",
    "equilibrium",
    "inverse_statics",
    "modes",
    "path",
]
