"""Tape to Tape rewrites, and the one list of them."""
