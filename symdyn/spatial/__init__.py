"""Vectors, rotations and inertia over any scalar."""
