"""The equations of motion as one residual, and operators on it."""
