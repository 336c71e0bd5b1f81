"""Robots to test with: written by hand, random, and those of other projects."""
