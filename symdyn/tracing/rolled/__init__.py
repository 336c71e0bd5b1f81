"""Loops over bodies."""
