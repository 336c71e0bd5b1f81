"""Solvers as C beside a robot's functions."""
