"""From Tape to Tape."""
