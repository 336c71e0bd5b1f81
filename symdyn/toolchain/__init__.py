"""Find a compiler, compile, cache and load."""
