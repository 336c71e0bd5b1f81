"""The recursions of Ali et al. 2026 in the world frame, as printed."""
