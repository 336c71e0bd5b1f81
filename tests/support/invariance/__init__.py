"""Metamorphic relations: changes of a robot's description that change its results in a way that is known."""
