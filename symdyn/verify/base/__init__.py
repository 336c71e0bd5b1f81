"""Matrices, series, quadrature and comparisons in many digits."""
