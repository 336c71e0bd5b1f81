"""Optimal control of robots: plans within limits, and controllers that follow them."""
