"""The indexed tree: joints, bodies, clusters, coordinates and parameter slots."""
