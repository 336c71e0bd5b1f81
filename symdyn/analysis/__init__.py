"""What users do with a robot and its functions: simulation, statics, identification, comparison, views."""
