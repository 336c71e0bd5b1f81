"""Forces of a motion: the recursive Newton-Euler algorithm, and what is told by it."""
