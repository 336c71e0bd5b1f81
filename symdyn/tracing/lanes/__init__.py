"""Limbs and loops over lanes."""
