"""Robots: loading, editing, states, and positions at which loops are closed."""
