"""Reading URDF, and telling what is no URDF."""
