"""The catalogue of what can be asked for."""
