"""The mass matrix by the composite-rigid-body algorithm, and its inverse."""
