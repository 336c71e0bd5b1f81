"""Pieces of bounded length."""
