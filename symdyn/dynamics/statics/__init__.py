"""What acts on a robot that stands still, and how that changes."""
