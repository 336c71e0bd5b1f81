"""Flexible links as deformable bodies; the mechanics are in ``beam_wrench`` and ``beam_momentum``."""

from __future__ import annotations

from symdyn.dynamics.elements.beam_momentum import (
    beam_column_sweeps,
    beam_energy_sweeps,
    beam_moment_sweeps,
    beam_momentum_sweeps,
    ground_moment_sweeps,
)
from symdyn.dynamics.elements.beam_settling import beam_settling_sweeps
from symdyn.dynamics.elements.beam_wrench import beam_sweeps


class Beam:
    """A :class:`symdyn.dynamics.elements.deformable.Deformable`."""

    wrenches = staticmethod(beam_sweeps)
    settling = staticmethod(beam_settling_sweeps)
    momenta = staticmethod(beam_momentum_sweeps)
    kinetic_energies = staticmethod(beam_energy_sweeps)
    momentum_columns = staticmethod(beam_column_sweeps)
    first_moments = staticmethod(beam_moment_sweeps)
    ground_moments = staticmethod(ground_moment_sweeps)
