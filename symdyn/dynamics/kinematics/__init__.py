"""Frames in the world, Jacobians and their rates."""
