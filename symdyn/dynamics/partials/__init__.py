"""Partial derivatives of inverse and forward dynamics, and Coriolis matrices, which rest on them."""
