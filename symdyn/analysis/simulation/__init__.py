"""Simulation: motions of a robot from its compiled functions, by solvers of libraries and by our own."""
