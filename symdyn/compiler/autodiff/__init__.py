"""Derivatives of finished tapes, which comparisons and tests use."""
