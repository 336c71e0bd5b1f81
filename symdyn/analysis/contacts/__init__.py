"""Rigid contacts with friction: impulses of rows in sets, and steps of robots that feel them."""
