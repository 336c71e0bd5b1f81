"""Bytes, lines and messages."""
