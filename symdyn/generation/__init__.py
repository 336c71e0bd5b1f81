"""From requested functions of a robot to programs, files and modules."""
