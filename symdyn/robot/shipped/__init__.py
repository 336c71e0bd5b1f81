"""Robot models shipped with symdyn: YAML files, and functions for those whose size is a choice."""
