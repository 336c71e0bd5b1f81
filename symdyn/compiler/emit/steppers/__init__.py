"""Steppers in C: what calls a robot's generated functions to move a state on."""
