"""Numbers, expressions and placements."""
