"""Back ends: one file per language turns Programs into source files."""
