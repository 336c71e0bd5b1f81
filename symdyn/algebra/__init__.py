"""Algebras that recursions run over: scalars, and spatial vectors over them."""
