"""Statics: where a robot rests under its loads, and what holds a shape."""
