"""Positions at which loops are closed, and what to say where there are none."""
