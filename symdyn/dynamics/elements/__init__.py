"""What acts on coordinates besides rigid bodies: one file per element, behind one interface."""
