"""Momentum, centre of mass and energies."""
