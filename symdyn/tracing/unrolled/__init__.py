"""One straight line."""
