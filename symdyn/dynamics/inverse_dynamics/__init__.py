"""Forces of a motion: the recursive Newton-Euler algorithm, and what follows from it."""
