"""Shapes of flexible links: modes of beams derived symbolically, and the integrals that dynamics needs of them."""
