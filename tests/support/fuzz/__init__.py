"""Mutated robot files and random robots in large numbers."""
