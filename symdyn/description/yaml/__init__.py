"""Reading and writing symdyn's own YAML."""
