"""Positions at which frames meet their targets."""
