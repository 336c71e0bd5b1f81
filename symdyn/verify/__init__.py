"""Generated functions against independent oracles."""
