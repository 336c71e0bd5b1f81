"""What the user said: frozen descriptions, their readers and checks."""
