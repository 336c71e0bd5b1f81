"""What functions must be to each other."""
