"""Closed loops: what holds places to each other, and the multipliers that do it."""
