"""Tendons, chambers and other inputs: lengths, volumes, and what inputs do to the forces of rows."""
