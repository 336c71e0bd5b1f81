"""Positions at rest, paths of them as loads grow, inputs that hold a shape, and natural modes."""
