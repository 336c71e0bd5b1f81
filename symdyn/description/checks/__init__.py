"""What must hold of a robot, and what is made of it on the way."""
