"""The truth: every function from positions and momenta in the world frame."""
